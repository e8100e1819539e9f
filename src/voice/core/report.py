"""Cost, tokens and grounding of past turns, added up.

Law: a report rests on the stored exchanges alone (ruling D19). Money is a known subtotal plus the number of turns whose
cost is unknown, never a guess (ruling D18).

Source: spec stateful-design-v2, 7; rulings D6, D18, D19; DESIGN 8 `report`.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal
from zoneinfo import ZoneInfo

from voice.core.session.values import DialogueExchange
from voice.core.usage import Total, total_of

Dimension = Literal["session", "model", "day"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRow:
    """One group of turns."""

    key: str
    turns: int
    answered: int
    refused: int
    errors: int
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    unknown_token_turns: int
    """Turns whose provider reported no usage; their tokens are not in the sums."""
    estimated_prompt_tokens: int
    """What our own counter said of the prompts that were sent."""
    cost: Total
    mean_coverage: float | None
    """Over answered turns; None when there are none."""
    median_latency_ms: int
    reasons: tuple[tuple[str, int], ...]
    """Why turns were refused or failed, most frequent first."""
    repairs: int
    """Turns that needed a second call for a usable reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Groups in order of their key, and their sum."""

    by: Dimension
    rows: tuple[ReportRow, ...]
    total: ReportRow


def build_report(exchanges: Sequence[DialogueExchange], *, by: Dimension, timezone: str) -> Report:
    """Return the exchanges grouped by session, by model or by local day."""
    zone = ZoneInfo(timezone)
    keys: dict[Dimension, Callable[[DialogueExchange], str]] = {
        "session": lambda exchange: exchange.session_id,
        "model": lambda exchange: f"{exchange.provider}/{exchange.model}",
        "day": lambda exchange: f"{exchange.timestamp.astimezone(zone):%Y-%m-%d}",
    }
    groups: dict[str, list[DialogueExchange]] = {}
    for exchange in exchanges:
        groups.setdefault(keys[by](exchange), []).append(exchange)
    rows = tuple(_row(key, groups[key]) for key in sorted(groups))
    return Report(by=by, rows=rows, total=_row("total", exchanges))


def _row(key: str, exchanges: Sequence[DialogueExchange]) -> ReportRow:
    answered = [exchange for exchange in exchanges if exchange.status == "answered"]
    reasons = Counter(exchange.reason.value for exchange in exchanges if exchange.reason is not None)
    latencies = sorted(exchange.latency_ms for exchange in exchanges)
    coverage = [exchange.coverage_ratio for exchange in answered]
    return ReportRow(
        key=key,
        turns=len(exchanges),
        answered=len(answered),
        refused=sum(exchange.status == "refused" for exchange in exchanges),
        errors=sum(exchange.status == "error" for exchange in exchanges),
        prompt_tokens=sum(exchange.prompt_tokens or 0 for exchange in exchanges),
        completion_tokens=sum(exchange.completion_tokens or 0 for exchange in exchanges),
        cached_tokens=sum(exchange.cached_tokens or 0 for exchange in exchanges),
        unknown_token_turns=sum(exchange.prompt_tokens is None for exchange in exchanges),
        estimated_prompt_tokens=sum(_estimated(exchange) for exchange in exchanges),
        cost=total_of(exchange.cost_estimate for exchange in exchanges),
        mean_coverage=sum(coverage) / len(coverage) if coverage else None,
        median_latency_ms=latencies[len(latencies) // 2] if latencies else 0,
        reasons=tuple(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))),
        repairs=sum(_was_repaired(exchange) for exchange in exchanges),
    )


def _was_repaired(exchange: DialogueExchange) -> bool:
    """Return whether a reply of the wrong shape was asked for again; a failed try that was repeated is no repair."""
    drafts = [attempt for attempt in exchange.attempts if attempt.purpose == "draft"]
    return any(attempt.outcome == "malformed" for attempt in drafts[:-1])


def _estimated(exchange: DialogueExchange) -> int:
    if exchange.prompt is None:
        return 0
    return exchange.prompt.prompt_tokens_estimated * sum(each.purpose == "draft" for each in exchange.attempts)


def money(amount: Decimal) -> str:
    """Return dollars with as many digits as a small sum needs: 4, or 6 below a cent."""
    return f"${amount:.4f}" if amount >= Decimal("0.01") or amount == 0 else f"${amount:.6f}"
