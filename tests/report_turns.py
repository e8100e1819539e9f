"""Turns as reports read them: what tests of reports share."""

from collections.abc import Iterable
from datetime import UTC, datetime
from decimal import Decimal

from voice.core.grounding.values import RefusalReason, Stance
from voice.core.report.totals import ReportTally
from voice.core.report.values import Dimension, Period, Report
from voice.core.session.exchange import TurnFacts, total_cost, total_usage
from voice.core.session.turn_traces import sessionless_calls
from voice.core.session.values import Attempt, DialogueExchange, PromptRecord
from voice.core.usage import Price, PriceTable, Usage


def exchange(number: int, **changes: object) -> DialogueExchange:
    values: dict[str, object] = {
        "id": f"x:{number}",
        "session_id": "s:1",
        "index": number,
        "timestamp": datetime(2026, 3, 20, 23, 30, tzinfo=UTC),
        "my_query": "q",
        "answer": "a",
        "sources": (),
        "confidence": 1.0,
        "coverage_ratio": 0.8,
        "refused": False,
        "memories_referenced": (),
        "prompt_tokens": 100,
        "completion_tokens": 10,
        "latency_ms": number * 10,
        "cost_estimate": Decimal("0.01"),
        "prompt_hash": "h",
        "status": "answered",
        "stance": Stance.SYNTHESIZE,
        "provider": "gemini",
        "model": "pro",
        "prompt": PromptRecord(prompt_hash="h", template="answer.v1", template_hash="t", prompt_tokens_estimated=120),
        "attempts": (Attempt(usage=Usage(), latency_ms=1, outcome="draft"),),
    }
    return DialogueExchange(**{**values, **changes})  # pyright: ignore[reportArgumentType]


REFUSED = {
    "status": "refused", "refused": True, "reason": RefusalReason.COVERAGE_LOW, "coverage_ratio": 0.1,
    "prompt_tokens": None, "completion_tokens": None, "cost_estimate": None, "prompt": None, "attempts": (),
}  # fmt: skip


PRICE = Price(
    input_per_million=Decimal(1),
    output_per_million=Decimal(10),
    cached_input_per_million=Decimal("0.1"),
    source="table",
    as_of="2026-03-01",
)
NEW = PriceTable(
    source="contract",
    as_of="2026-11-01",
    digest="0123456789ab",
    prices={
        "gemini/pro": Price(
            input_per_million=Decimal(2), output_per_million=Decimal(20), source="contract", as_of="2026-11-01"
        )
    },
)


def report_of(
    turns: Iterable[DialogueExchange],
    *,
    by: Dimension = "session",
    timezone: str = "UTC",
    prices: PriceTable | None = None,
) -> Report:
    tally = ReportTally(by, Period(timezone=timezone), prices)
    for turn in turns:
        tally.add(turn)
    return tally.report()


def call(read: int | None, written: int | None, *, cached: int | None = None, **changes: object) -> Attempt:
    usage = Usage(input_tokens=read, output_tokens=written, cached_input_tokens=cached)
    members: dict[str, object] = {"usage": usage, "latency_ms": 1, "outcome": "draft", **changes}
    return Attempt(**members)  # pyright: ignore[reportArgumentType]


def priced(number: int, attempts: tuple[Attempt, ...], **changes: object) -> DialogueExchange:
    """Return a turn with the figures of its calls."""
    usage = total_usage(attempts)
    return exchange(
        number,
        attempts=attempts,
        prompt_tokens=usage.input_tokens,
        completion_tokens=usage.output_tokens,
        cached_tokens=usage.cached_input_tokens,
        cost_estimate=total_cost(attempts, PRICE),
        price=PRICE,
        price_source="table 2026-03-01",
        **changes,
    )


def reach(turn: DialogueExchange, attempt: Attempt, *, price: Price | None = PRICE) -> DialogueExchange:
    """Return what is kept of a call that belongs to no turn, made when and of whom this turn was."""
    facts = TurnFacts(
        exchange_id=turn.id,
        session_id="s:none",
        index=0,
        timestamp=turn.timestamp,
        question="",
        stance=turn.stance,
        provider=turn.provider,
        model=turn.model,
        price=price,
        policy=turn.policy,
    )
    return sessionless_calls((attempt,), facts)
