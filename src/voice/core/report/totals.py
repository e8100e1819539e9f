"""Add up turns into a report, one by one.

Law: a turn is looked at once and let go; what stays of it is figures, so that a report over years of turns holds one
page of them at a time (ruling D19).

Source: rulings D6, D8, D18, D19.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Literal

from voice.core.report.values import (
    COVERAGE_BINS,
    DELETED,
    NO_PROMPT,
    NO_TURN,
    REMOVED,
    Calls,
    Dimension,
    Period,
    PriceUsed,
    Report,
    ReportRow,
)
from voice.core.session.turn_stubs import is_sessionless_call
from voice.core.session.values import Attempt, DialogueExchange, Purpose
from voice.core.text.instants import in_zone
from voice.core.usage import Price, PriceTable, Total, Usage, cost_of, total_of

_OFFLINE = "offline always"
"""The source of what is free by nature: no other table changes that."""


class ReportTally:
    """Adds turns up, by group and in all."""

    def __init__(self, by: Dimension, period: Period, prices: PriceTable | None = None) -> None:
        """Begin with nothing.

        Args:
            by: how turns are grouped.
            period: which turns will be added; its zone is the one of days and months.
            prices: reckon the turns anew with these instead of what was stored with them.
        """
        self._by: Dimension = by
        self._period = period
        self._table = prices
        self._key = _KEYS[by]
        self._groups: dict[str, _Group] = {}
        self._total = _Group()
        self._prices: dict[_PriceKey, PriceUsed] = {}
        self._imported = 0

    def add(self, exchange: DialogueExchange) -> None:
        """Count one turn; of one that was imported, that it was: it was asked, and paid for, elsewhere."""
        if exchange.imported_from is not None:
            self._imported += 1
            return
        reckoned = _reckoned(exchange, self._table)
        key = self._key(exchange, self._period.timezone)
        for group in (self._groups.setdefault(key, _Group()), self._total):
            group.add(exchange, reckoned, is_turn=not is_sessionless_call(exchange))
        if exchange.attempts:
            self._note_price(exchange, reckoned)

    def report(self) -> Report:
        """Return what was added up so far."""
        return Report(
            by=self._by,
            period=self._period,
            repriced_with=self._table,
            rows=tuple(
                self._groups[key].row(key) for key in sorted(self._groups, key=lambda key: (key == DELETED, key))
            ),
            total=self._total.row("total"),
            prices=tuple(self._prices[key] for key in sorted(self._prices)),
            imported=self._imported,
        )

    def _note_price(self, exchange: DialogueExchange, reckoned: "_Reckoned") -> None:
        model = f"{exchange.provider}/{exchange.model}"
        rates = reckoned.price
        key = (model, reckoned.source, _rates_text(rates))
        used = self._prices.get(key)
        if used is None:
            day = reckoned.as_of
            used = PriceUsed(
                model=model, price=rates, source=reckoned.source or None, first_as_of=day, last_as_of=day, turns=0
            )
        is_newer = reckoned.as_of >= used.last_as_of
        self._prices[key] = replace(
            used,
            price=rates if is_newer else used.price,
            first_as_of=min(used.first_as_of, reckoned.as_of),
            last_as_of=max(used.last_as_of, reckoned.as_of),
            turns=used.turns + (not is_sessionless_call(exchange)),
        )


_PriceKey = tuple[str, str, str]


def _rates_text(price: Price | None) -> str:
    if price is None:
        return ""
    return f"{price.input_per_million} {price.output_per_million} {price.cached_input_per_million}"


def _prompt_key(exchange: DialogueExchange, _: str) -> str:
    if is_sessionless_call(exchange):
        return NO_TURN
    if exchange.prompt is not None:
        return exchange.prompt.template
    return REMOVED if exchange.attempts else NO_PROMPT


_KEYS: Mapping[Dimension, Callable[[DialogueExchange, str], str]] = {
    "session": lambda exchange, _: NO_TURN if is_sessionless_call(exchange) else exchange.session_id or DELETED,
    "model": lambda exchange, _: f"{exchange.provider}/{exchange.model}",
    "day": lambda exchange, timezone: f"{in_zone(exchange.timestamp, timezone):%Y-%m-%d}",
    "month": lambda exchange, timezone: f"{in_zone(exchange.timestamp, timezone):%Y-%m}",
    "prompt": _prompt_key,
    "stance": lambda exchange, _: NO_TURN if is_sessionless_call(exchange) else exchange.stance.value,
}


_For = Purpose | Literal["repair"]
"""What a call was for: a draft that is asked for after one of the wrong shape is a repair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reckoned:
    """What one turn comes to, and with which price."""

    cost: Decimal | None
    price: Price | None
    source: str
    as_of: str
    calls: Mapping[_For, Calls]


def _reckoned(exchange: DialogueExchange, table: PriceTable | None) -> _Reckoned:
    """Return a turn's cost: as it was stored, or reckoned anew where there is a table."""
    if table is None or exchange.price_source == _OFFLINE:
        price, cost = exchange.price, exchange.cost_estimate
        source, _, as_of = (exchange.price_source or "").rpartition(" ")
    else:
        price = table.price_of(exchange.provider, exchange.model)
        cost = _cost_anew(exchange, price)
        source, as_of = (price.source, price.as_of) if price else ("", "")
    whole = cost if price is None else None
    return _Reckoned(cost=cost, price=price, source=source, as_of=as_of, calls=_calls(exchange.attempts, price, whole))


def _cost_anew(exchange: DialogueExchange, price: Price | None) -> Decimal | None:
    """Return what the turn's tokens cost by a price; 0 where nothing was sent, whatever the price."""
    used = [attempt.usage for attempt in exchange.attempts] or [_usage_of(exchange)]
    total = total_of(Decimal(0) if _is_nothing(usage) else cost_of(usage, price) for usage in used)
    return None if total.unknown_count else total.known


def _usage_of(exchange: DialogueExchange) -> Usage:
    return Usage(
        input_tokens=exchange.prompt_tokens,
        output_tokens=exchange.completion_tokens,
        cached_input_tokens=exchange.cached_tokens,
    )


def _is_nothing(usage: Usage) -> bool:
    return usage.input_tokens == 0 and usage.output_tokens == 0


def _calls(attempts: Sequence[Attempt], price: Price | None, whole: Decimal | None) -> Mapping[_For, Calls]:
    """Return a turn's calls by what they were for; `whole` is its cost where the rates behind it were not kept."""
    usages: dict[_For, list[Usage]] = {}
    is_repair = False
    for attempt in attempts:
        kind = "repair" if is_repair and attempt.purpose == "draft" else _for_whom(attempt.purpose)
        usages.setdefault(kind, []).append(attempt.usage)
        is_repair = is_repair or (attempt.purpose == "draft" and attempt.outcome == "malformed")
    # Without rates a cost cannot be shared out among purposes, but it is all of the only one's.
    only = whole if len(usages) == 1 else None
    return {kind: _of_one_kind(used, price, only) for kind, used in usages.items()}


def _for_whom(purpose: Purpose) -> _For:
    """Return what a call is counted under: verifiers are tried at the same expense as they are asked at."""
    return "verify" if purpose == "calibrate" else purpose


def _of_one_kind(usages: Sequence[Usage], price: Price | None, whole: Decimal | None) -> Calls:
    costs = [cost_of(usage, price) for usage in usages] if whole is None else [whole]
    return Calls(
        count=len(usages),
        input_tokens=sum(usage.input_tokens or 0 for usage in usages),
        output_tokens=sum(usage.output_tokens or 0 for usage in usages),
        unknown_tokens=sum(usage.input_tokens is None or usage.output_tokens is None for usage in usages),
        cost=total_of(costs),
    )


def _together(one: Calls, other: Calls) -> Calls:
    return Calls(
        count=one.count + other.count,
        input_tokens=one.input_tokens + other.input_tokens,
        output_tokens=one.output_tokens + other.output_tokens,
        unknown_tokens=one.unknown_tokens + other.unknown_tokens,
        cost=Total(
            known=one.cost.known + other.cost.known, unknown_count=one.cost.unknown_count + other.cost.unknown_count
        ),
    )


@dataclass(slots=True)
class _Group:
    """The figures of one group while it grows."""

    statuses: Counter[str] = field(default_factory=Counter[str])
    reasons: Counter[str] = field(default_factory=Counter[str])
    sums: Counter[str] = field(default_factory=Counter[str])
    coverage: Counter[int] = field(default_factory=Counter[int])
    coverage_refused: Counter[int] = field(default_factory=Counter[int])
    coverage_sum: float = 0.0
    latencies: list[int] = field(default_factory=list[int])
    cost: Total = Total()
    calls: dict[_For, Calls] = field(default_factory=dict[_For, Calls])

    def add(self, exchange: DialogueExchange, reckoned: _Reckoned, *, is_turn: bool) -> None:
        self.sums.update(_tokens(exchange))
        self.cost = self.cost.plus(reckoned.cost)
        for kind, calls in reckoned.calls.items():
            self.calls[kind] = _together(self.calls.get(kind, Calls()), calls)
        if is_turn:
            self._add_turn(exchange)

    def _add_turn(self, exchange: DialogueExchange) -> None:
        self.statuses[exchange.status] += 1
        if exchange.reason is not None:
            self.reasons[exchange.reason.value] += 1
        self.sums.update(_figures(exchange))
        self._add_coverage(exchange)
        self.latencies.append(exchange.latency_ms)

    def _add_coverage(self, exchange: DialogueExchange) -> None:
        tenth = min(int(exchange.coverage_ratio * COVERAGE_BINS), COVERAGE_BINS - 1)
        if exchange.status == "answered" and not exchange.states_nothing:
            self.coverage[tenth] += 1
            self.coverage_sum += exchange.coverage_ratio
        elif exchange.status == "refused" and any(_is_draft(attempt) for attempt in exchange.attempts):
            self.coverage_refused[tenth] += 1

    def row(self, key: str) -> ReportRow:
        answered, latencies = self.statuses["answered"], sorted(self.latencies)
        return ReportRow(
            key=key,
            turns=len(latencies),
            answered=answered,
            refused=self.statuses["refused"],
            errors=self.statuses["error"],
            asked=self.sums["asked"],
            prompt_tokens=self.sums["prompt"],
            completion_tokens=self.sums["completion"],
            cached_tokens=self.sums["cached"],
            unknown_token_turns=self.sums["unknown"],
            cacheable_tokens=self.sums["cacheable"],
            estimated_prompt_tokens=self.sums["estimated"],
            compared_estimated=self.sums["compared_estimated"],
            compared_reported=self.sums["compared_reported"],
            cost=self.cost,
            drafts=self.calls.get("draft", Calls()),
            repairs_made=self.calls.get("repair", Calls()),
            verifiers=self.calls.get("verify", Calls()),
            summaries=self.calls.get("summarise", Calls()),
            reach=self.calls.get("reach", Calls()),
            reading=self.calls.get("extract", Calls()),
            mean_coverage=self.coverage_sum / answered if answered else None,
            coverage=tuple(self.coverage[tenth] for tenth in range(COVERAGE_BINS)),
            coverage_refused=tuple(self.coverage_refused[tenth] for tenth in range(COVERAGE_BINS)),
            median_latency_ms=_median(latencies),
            p95_latency_ms=latencies[(len(latencies) * 19 + 19) // 20 - 1] if latencies else None,
            reasons=tuple(sorted(self.reasons.items(), key=lambda item: (-item[1], item[0]))),
            repairs=self.sums["repairs"],
        )


def _tokens(exchange: DialogueExchange) -> Mapping[str, int]:
    """Return what was reported of the tokens of one turn."""
    known = exchange.prompt_tokens is not None and exchange.completion_tokens is not None
    return {
        "prompt": exchange.prompt_tokens or 0,
        "completion": exchange.completion_tokens or 0,
        "cached": exchange.cached_tokens or 0,
        "unknown": int(not known),
        "cacheable": 0 if exchange.cached_tokens is None else exchange.prompt_tokens or 0,
    }


def _figures(exchange: DialogueExchange) -> Mapping[str, int]:
    """Return the other counts of one turn."""
    compared = [attempt for attempt in exchange.attempts if attempt.purpose == "draft" and attempt.usage.input_tokens]
    estimate = exchange.prompt.prompt_tokens_estimated if exchange.prompt else 0
    return {
        "asked": int(bool(exchange.attempts)),
        "estimated": estimate * sum(attempt.purpose == "draft" for attempt in exchange.attempts),
        "compared_estimated": estimate * len(compared),
        "compared_reported": sum(attempt.usage.input_tokens or 0 for attempt in compared) if estimate else 0,
        "repairs": int(_was_repaired(exchange)),
    }


def _is_draft(attempt: Attempt) -> bool:
    return attempt.purpose == "draft" and attempt.outcome == "draft"


def _was_repaired(exchange: DialogueExchange) -> bool:
    """Return whether a reply of the wrong shape was asked for again; a failed try that was repeated is no repair."""
    drafts = [attempt for attempt in exchange.attempts if attempt.purpose == "draft"]
    return any(attempt.outcome == "malformed" for attempt in drafts[:-1])


def _median(ordered: Sequence[int]) -> int | None:
    """Return the middle value, or the mean of the two in the middle, half a millisecond rounded up."""
    if not ordered:
        return None
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle] + 1) // 2
