"""Add up turns into a report.

Law: turns are added one by one and only figures are kept, so that years of turns need little memory (ruling D19).
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
from voice.core.session.turn_traces import is_sessionless_call
from voice.core.session.values import Attempt, DialogueExchange, Purpose
from voice.core.text.instants import in_zone
from voice.core.usage import Price, PriceTable, Total, Usage, cost_of, total_of

_MONTH = len("2026-12")  # the beginning of a day's key
_OFFLINE = "offline always"  # price source of what is always free; repricing does not change it


class ReportTally:
    """Accumulates turns by group and in total."""

    def __init__(self, by: Dimension, period: Period, prices: PriceTable | None = None) -> None:
        """Start empty.

        Args:
            by: the grouping.
            period: of the turns; its zone is that of days and months.
            prices: reprice the turns with these.
        """
        self._by: Dimension = by
        self._period = period
        self._table = prices
        self._key = _KEYS[by]
        self._groups: dict[str, _Group] = {}
        self._prices: dict[tuple[str, str, str], PriceUsed] = {}  # by model, source and rates
        self._imported = 0

    def add(self, exchange: DialogueExchange) -> None:
        """Add a turn; imported ones are only counted, since they were paid for elsewhere."""
        if exchange.imported_from is not None:
            self._imported += 1
            return
        cost = _turn_cost(exchange, self._table)
        group = self._groups.setdefault(self._key(exchange, self._period.timezone), _Group())
        group.add(exchange, cost, is_turn=not is_sessionless_call(exchange))  # such a call costs, but is no turn
        if exchange.attempts:  # without a call no price was used
            self._add_price(exchange, cost)

    def report(self, by: Literal["month"] | None = None) -> Report:
        """Return the report so far; of days, grouped by their months, if asked."""
        groups = self._groups if by is None else _merged(self._groups, lambda day: day[:_MONTH])
        keys = sorted(groups, key=lambda key: (key == DELETED, key))  # the deleted ones last
        total = _merged(self._groups, lambda _: "total").get("total", _Group())
        return Report(
            by=by or self._by,
            period=self._period,
            repriced_with=self._table,
            rows=tuple(groups[key].row(key) for key in keys),
            total=total.row("total"),
            prices=tuple(self._prices[key] for key in sorted(self._prices)),
            imported=self._imported,
        )

    def _add_price(self, exchange: DialogueExchange, cost: "_TurnCost") -> None:
        model, rates, day = f"{exchange.provider}/{exchange.model}", cost.price, cost.as_of
        figures = (rates.input_per_million, rates.output_per_million, rates.cached_input_per_million) if rates else ()
        key = (model, cost.source, " ".join(map(str, figures)))
        used = self._prices.get(key) or PriceUsed(
            model=model, price=rates, source=cost.source or None, first_as_of=day, last_as_of=day, turns=0
        )
        self._prices[key] = replace(
            used,
            price=rates if day >= used.last_as_of else used.price,
            first_as_of=min(used.first_as_of, day),  # ISO dates sort as text
            last_as_of=max(used.last_as_of, day),
            turns=used.turns + (not is_sessionless_call(exchange)),
        )


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


_CallKind = Purpose | Literal["repair"]  # a draft after a malformed one is a repair


@dataclass(frozen=True, slots=True, kw_only=True)
class _TurnCost:
    """A turn's cost with its price."""

    cost: Decimal | None
    price: Price | None
    source: str
    as_of: str
    calls: Mapping[_CallKind, Calls]


def _turn_cost(exchange: DialogueExchange, table: PriceTable | None) -> _TurnCost:
    if table is None or exchange.price_source == _OFFLINE:
        price, cost = exchange.price, exchange.cost_estimate
        source, _, as_of = (exchange.price_source or "").rpartition(" ")  # the date is the last word
    else:
        price = table.price_of(exchange.provider, exchange.model)
        cost = _repriced(exchange, price)
        source, as_of = (price.source, price.as_of) if price else ("", "")
    total = cost if price is None else None  # without rates only the whole is known
    return _TurnCost(cost=cost, price=price, source=source, as_of=as_of, calls=_calls(exchange.attempts, price, total))


def _repriced(exchange: DialogueExchange, price: Price | None) -> Decimal | None:
    """Return a turn's cost by `price`; usage of no tokens costs nothing even if the price is unknown."""
    stored = Usage(
        input_tokens=exchange.prompt_tokens,
        output_tokens=exchange.completion_tokens,
        cached_input_tokens=exchange.cached_tokens,
    )
    usages = [attempt.usage for attempt in exchange.attempts] or [stored]  # an old turn has no calls on record
    total = total_of(
        Decimal(0) if usage.input_tokens == usage.output_tokens == 0 else cost_of(usage, price) for usage in usages
    )
    return None if total.unknown_count else total.known


def _calls(attempts: Sequence[Attempt], price: Price | None, total: Decimal | None) -> Mapping[_CallKind, Calls]:
    """Return a turn's calls by kind; `total` is its cost if its rates are unknown."""
    usages: dict[_CallKind, list[Usage]] = {}
    is_malformed = False
    for attempt in attempts:
        is_draft = attempt.purpose == "draft"
        # Testing a verifier belongs to verifying.
        kind: _CallKind = "verify" if attempt.purpose == "calibrate" else attempt.purpose
        usages.setdefault("repair" if is_malformed and is_draft else kind, []).append(attempt.usage)
        is_malformed = is_malformed or (is_draft and attempt.outcome == "malformed")
    # Without rates a total cannot be split, but belongs to the only kind.
    only = total if len(usages) == 1 else None
    return {kind: _calls_of(used, price, only) for kind, used in usages.items()}


def _calls_of(usages: Sequence[Usage], price: Price | None, total: Decimal | None) -> Calls:
    costs = [cost_of(usage, price) for usage in usages] if total is None else [total]
    return Calls(
        count=len(usages),
        input_tokens=sum(usage.input_tokens or 0 for usage in usages),
        output_tokens=sum(usage.output_tokens or 0 for usage in usages),
        unknown_tokens=sum(usage.input_tokens is None or usage.output_tokens is None for usage in usages),
        cost=total_of(costs),
    )


def _sum(one: Calls, other: Calls) -> Calls:
    return Calls(
        count=one.count + other.count,
        input_tokens=one.input_tokens + other.input_tokens,
        output_tokens=one.output_tokens + other.output_tokens,
        unknown_tokens=one.unknown_tokens + other.unknown_tokens,
        cost=one.cost + other.cost,
    )


@dataclass(slots=True)
class _Group:
    """Accumulated figures of one group."""

    statuses: Counter[str] = field(default_factory=Counter[str])
    reasons: Counter[str] = field(default_factory=Counter[str])
    sums: Counter[str] = field(default_factory=Counter[str])
    coverage: Counter[int] = field(default_factory=Counter[int])
    coverage_refused: Counter[int] = field(default_factory=Counter[int])
    coverage_sum: float = 0.0
    latencies: list[int] = field(default_factory=list[int])
    cost: Total = Total()
    calls: dict[_CallKind, Calls] = field(default_factory=dict[_CallKind, Calls])

    def add(self, exchange: DialogueExchange, cost: _TurnCost, *, is_turn: bool) -> None:
        self.sums.update(_tokens(exchange))
        self.cost = self.cost.plus(cost.cost)
        for kind, calls in cost.calls.items():
            self.calls[kind] = _sum(self.calls.get(kind, Calls()), calls)
        if is_turn:
            self._add_turn(exchange)

    def _add_turn(self, exchange: DialogueExchange) -> None:
        self.statuses[exchange.status] += 1
        if exchange.reason is not None:
            self.reasons[exchange.reason.value] += 1
        self.sums.update(_figures(exchange))
        self.latencies.append(exchange.latency_ms)
        tenth = min(int(exchange.coverage_ratio * COVERAGE_BINS), COVERAGE_BINS - 1)  # 1.0 is in the last tenth
        drafts = [attempt for attempt in exchange.attempts if attempt.purpose == "draft"]
        if exchange.status == "answered" and not exchange.states_nothing:
            self.coverage[tenth] += 1
            self.coverage_sum += exchange.coverage_ratio
        elif exchange.status == "refused" and any(draft.outcome == "draft" for draft in drafts):  # one was judged
            self.coverage_refused[tenth] += 1

    def take(self, other: "_Group") -> None:
        for name in ("statuses", "reasons", "sums", "coverage", "coverage_refused"):
            getattr(self, name).update(getattr(other, name))
        self.coverage_sum += other.coverage_sum
        self.latencies += other.latencies
        self.cost += other.cost
        for kind, calls in other.calls.items():
            self.calls[kind] = _sum(self.calls.get(kind, Calls()), calls)

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
            mean_coverage=self.coverage_sum / self.coverage.total() if self.coverage else None,
            coverage=tuple(self.coverage[tenth] for tenth in range(COVERAGE_BINS)),
            coverage_refused=tuple(self.coverage_refused[tenth] for tenth in range(COVERAGE_BINS)),
            median_latency_ms=_median(latencies),
            # The nearest rank: the 95th of 100, the 10th of 10.
            p95_latency_ms=latencies[(len(latencies) * 19 + 19) // 20 - 1] if latencies else None,
            reasons=tuple(sorted(self.reasons.items(), key=lambda item: (-item[1], item[0]))),
            repairs=self.sums["repairs"],
        )


def _merged(groups: Mapping[str, _Group], key_of: Callable[[str], str]) -> dict[str, _Group]:
    """Return the groups added up under other keys."""
    merged: dict[str, _Group] = {}
    for key, group in groups.items():
        merged.setdefault(key_of(key), _Group()).take(group)
    return merged


def _tokens(exchange: DialogueExchange) -> Mapping[str, int]:
    known = exchange.prompt_tokens is not None and exchange.completion_tokens is not None
    return {
        "prompt": exchange.prompt_tokens or 0,
        "completion": exchange.completion_tokens or 0,
        "cached": exchange.cached_tokens or 0,
        "unknown": int(not known),
        "cacheable": 0 if exchange.cached_tokens is None else exchange.prompt_tokens or 0,  # 0: no cache is reported
    }


def _figures(exchange: DialogueExchange) -> Mapping[str, int]:
    drafts = [attempt for attempt in exchange.attempts if attempt.purpose == "draft"]
    compared = [attempt for attempt in drafts if attempt.usage.input_tokens]
    estimate = exchange.prompt.prompt_tokens_estimated if exchange.prompt else 0
    return {
        "asked": int(bool(exchange.attempts)),
        "estimated": estimate * len(drafts),  # each draft repeats the prompt
        "compared_estimated": estimate * len(compared),
        "compared_reported": sum(attempt.usage.input_tokens or 0 for attempt in compared) if estimate else 0,
        # A malformed draft that was asked for again; a repeated failure is not a repair.
        "repairs": int(any(draft.outcome == "malformed" for draft in drafts[:-1])),
    }


def _median(ordered: Sequence[int]) -> int | None:
    """Return the middle value, or the mean of the middle two, rounded up."""
    if not ordered:
        return None
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle] + 1) // 2
