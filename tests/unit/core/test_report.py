"""Reports add up what stored exchanges say."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.core.grounding.values import RefusalReason, Stance
from voice.core.render.report import report_json, report_rows
from voice.core.report import (
    DELETED,
    NO_PROMPT,
    NO_TURN,
    REMOVED,
    Dimension,
    Period,
    PriceUsed,
    Report,
    ReportRow,
    ReportTally,
    money,
)
from voice.core.session.alone import call_alone, is_call_alone
from voice.core.session.deletion import stub_faults
from voice.core.session.exchange import TurnFacts, total_cost, total_usage
from voice.core.session.values import Attempt, DialogueExchange, PromptRecord
from voice.core.usage import FREE, Price, PriceTable, Total, Usage


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
    "status": "refused",
    "refused": True,
    "reason": RefusalReason.COVERAGE_LOW,
    "coverage_ratio": 0.1,
    "prompt_tokens": None,
    "completion_tokens": None,
    "cost_estimate": None,
    "prompt": None,
    "attempts": (),
}


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
    return call_alone(attempt, facts)


@pytest.mark.requirement("ruling:D18", "ruling:D6")
def test_refused_turns_count_and_unknown_costs_are_counted_not_added() -> None:
    total = report_of([exchange(1), exchange(2, **REFUSED), exchange(3)]).total
    assert (total.turns, total.answered, total.refused, total.errors) == (3, 2, 1, 0)
    assert total.cost == Total(known=Decimal("0.02"), unknown_count=1)
    assert total.unknown_token_turns == 1
    assert (total.prompt_tokens, total.completion_tokens, total.estimated_prompt_tokens) == (200, 20, 240)
    assert total.mean_coverage == pytest.approx(0.8)
    assert total.mean_cost == Decimal("0.01")
    assert total.refusal_rate == pytest.approx(1 / 3)
    assert total.reasons == (("coverage_low", 1),)


@pytest.mark.requirement("report:dimensions")
def test_groups_by_what_is_asked_for_with_days_and_months_where_the_person_lives() -> None:
    turns = [
        exchange(1),
        exchange(2, model="flash", stance=Stance.CHALLENGE, session_id="s:2"),
        exchange(3, timestamp=datetime(2026, 3, 31, 22, 30, tzinfo=UTC), prompt=None, attempts=()),
    ]

    def groups(by: Dimension) -> list[tuple[str, int]]:
        return [(row.key, row.turns) for row in report_of(turns, by=by, timezone="Europe/Berlin").rows]

    assert groups("session") == [("s:1", 2), ("s:2", 1)]
    assert groups("model") == [("gemini/flash", 1), ("gemini/pro", 2)]
    assert groups("day") == [("2026-03-21", 2), ("2026-04-01", 1)]
    assert groups("month") == [("2026-03", 2), ("2026-04", 1)]
    assert groups("stance") == [("challenge", 1), ("synthesize", 2)]
    assert groups("prompt") == [(NO_PROMPT, 1), ("answer.v1", 2)]


@pytest.mark.requirement("report:dimensions")
def test_turns_of_a_deleted_session_count_under_a_key_of_their_own_at_the_end() -> None:
    rows = report_of([exchange(1, session_id=""), exchange(2, session_id="s:9")]).rows
    assert [(row.key, row.cost.known) for row in rows] == [("s:9", Decimal("0.01")), (DELETED, Decimal("0.01"))]
    assert [row.key for row in report_of([exchange(1, prompt=None)], by="prompt").rows] == [REMOVED]


@pytest.mark.requirement("spending:imported")
def test_turns_that_were_imported_are_told_and_counted_nowhere_else() -> None:
    own, imported = exchange(1), exchange(2, imported_from="ab")
    made, alone = report_of([own, imported]), report_of([own])
    assert made == replace(alone, imported=1)
    assert report_json(made)["imported_turns"] == 1


def test_a_report_of_nothing_has_no_rates() -> None:
    made = report_of([])
    assert (made.rows, made.prices) == ((), ())
    total = report_json(made)["total"]
    assert isinstance(total, dict)
    rates = (
        "refusal_rate",
        "repair_rate",
        "cached_share",
        "estimate_ratio",
        "mean_coverage",
        "mean_cost_usd",
        "median_latency_ms",
        "p95_latency_ms",
    )
    assert [total[name] for name in rates] == [None] * len(rates)


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=60))
def test_the_median_splits_the_latencies_and_19_of_20_do_not_exceed_the_p95(latencies: list[int]) -> None:
    total = report_of([exchange(number, latency_ms=each) for number, each in enumerate(latencies)]).total
    median, p95 = total.median_latency_ms, total.p95_latency_ms
    assert median is not None
    assert p95 is not None
    assert 2 * sum(each < median for each in latencies) <= len(latencies)
    assert 2 * sum(each > median for each in latencies) <= len(latencies)
    assert 20 * sum(each <= p95 for each in latencies) >= 19 * len(latencies)
    assert 20 * sum(each < p95 for each in latencies) < 19 * len(latencies)


@pytest.mark.requirement("report:rates")
def test_coverage_is_told_by_tenths_apart_for_answers_and_for_judged_drafts_that_were_refused() -> None:
    judged = {**REFUSED, "attempts": (call(1, 1),)}
    turns = [
        exchange(1, coverage_ratio=1.0),
        exchange(2, coverage_ratio=0.95),
        exchange(3, coverage_ratio=0.0),
        exchange(4, **{**judged, "coverage_ratio": 0.3}),
        exchange(5, **REFUSED),
        exchange(6, **{**judged, "status": "error"}),
    ]
    total = report_of(turns).total
    assert total.coverage == (1, 0, 0, 0, 0, 0, 0, 0, 0, 2)
    assert total.coverage_refused == (0, 0, 0, 1, 0, 0, 0, 0, 0, 0)


@pytest.mark.requirement("report:rates", "ruling:D8")
def test_repairs_cached_tokens_and_estimates_are_told_of_the_turns_they_are_known_of() -> None:
    repaired = (call(100, 5, outcome="malformed"), call(140, 5))
    turns = [
        exchange(1, prompt_tokens=240, cached_tokens=60, attempts=repaired),
        exchange(2, prompt_tokens=100, attempts=(call(None, 3, outcome="error"), call(None, None))),
        exchange(3, **{**REFUSED, "prompt_tokens": 0, "completion_tokens": 0, "cached_tokens": 0}),
    ]
    total = report_of(turns).total
    assert (total.asked, total.repairs, total.repair_rate) == (2, 1, 0.5)
    assert total.cached_share == 60 / 240
    assert (total.estimated_prompt_tokens, total.compared_estimated, total.compared_reported) == (480, 240, 240)
    assert total.estimate_ratio == 1.0
    assert (total.drafts.count, total.repairs_made.count, total.repairs_made.input_tokens) == (3, 1, 140)
    assert total.drafts.unknown_tokens == 2


@pytest.mark.requirement("report:verifiers-apart", "ruling:D8")
def test_what_verifiers_cost_is_told_apart_from_drafts() -> None:
    attempts = (call(1000, 100, cached=500), call(2000, 10, purpose="verify"))
    turn = exchange(
        1, price=PRICE, price_source="table 2026-03-01", attempts=attempts, cost_estimate=Decimal("0.00365")
    )
    total = report_of([turn]).total
    assert total.drafts.cost == Total(known=Decimal("0.00155"))
    assert total.verifiers.cost == Total(known=Decimal("0.0021"))
    assert total.drafts.cost.known + total.verifiers.cost.known == total.cost.known
    assert (total.verifiers.count, total.verifiers.input_tokens, total.verifiers.output_tokens) == (1, 2000, 10)


@pytest.mark.requirement("report:verifiers-apart", "ruling:D18")
def test_a_cost_without_its_rates_is_the_only_purposes_own_and_else_cannot_be_shared_out() -> None:
    drafts = exchange(1, attempts=(call(100, 10), call(100, 10)))
    both = exchange(2, attempts=(call(100, 10), call(100, 10, purpose="verify")))
    total = report_of([drafts]).total
    assert (total.drafts.cost, total.verifiers.cost) == (Total(known=Decimal("0.01")), Total())
    total = report_of([both]).total
    assert total.cost == Total(known=Decimal("0.01"))
    assert (total.drafts.cost, total.verifiers.cost) == (Total(unknown_count=1), Total(unknown_count=1))


@pytest.mark.requirement("report:by-purpose", "ruling:D8")
def test_what_calls_cost_is_told_by_what_they_were_for_and_comes_to_what_the_turn_cost() -> None:
    attempts = (
        call(900, 10, outcome="malformed"),
        call(None, None, outcome="error"),
        call(800, 20, purpose="verify"),
        call(700, 30, purpose="summarise"),
    )
    known = (*attempts[:1], call(100, 40, outcome="malformed"), call(50, 5), *attempts[2:])
    total = report_of([priced(1, attempts), priced(2, known)]).total
    counted = {kind: (calls.count, calls.input_tokens, calls.output_tokens) for kind, calls in total.calls.items()}
    assert counted == {
        "drafts": (2, 1800, 20),
        "repairs": (3, 150, 45),
        "verifiers": (2, 1600, 40),
        "summaries": (2, 1400, 60),
        "reach": (0, 0, 0),
    }
    whole = report_of([priced(2, known)]).total
    assert sum(calls.cost.known for calls in whole.calls.values()) == whole.cost.known == Decimal("0.0036")


@pytest.mark.requirement("report:by-purpose", "report:reach")
def test_a_call_that_belongs_to_no_turn_counts_in_cost_and_tokens_and_in_nothing_else() -> None:
    turn = priced(1, (call(100, 10),))
    alone = [
        reach(exchange(2), call(1000, 10, purpose="reach")),
        reach(exchange(3), call(None, None, purpose="reach", outcome="error")),
    ]
    made = report_of([turn, *alone])
    assert made.total.cost == Total(known=Decimal("0.0002") + Decimal("0.0011"), unknown_count=1)
    assert (made.total.prompt_tokens, made.total.completion_tokens, made.total.unknown_token_turns) == (1100, 20, 1)
    assert made.total.reach.cost == Total(known=Decimal("0.0011"), unknown_count=1)
    without = report_of([turn]).total
    same = ("turns", "asked", "errors", "refused", "answered", "mean_cost", "median_latency_ms", "coverage", "repairs")
    assert [getattr(made.total, name) for name in same] == [getattr(without, name) for name in same]
    for by in ("session", "prompt", "stance"):
        keys = {row.key: row.turns for row in report_of([turn, *alone], by=by).rows}
        assert keys[NO_TURN] == 0
        assert len(keys) == 2
    assert [row.key for row in report_of([turn, *alone], by="model").rows] == ["gemini/pro"]
    assert [used.turns for used in made.prices] == [1]


CALLS = st.builds(
    call,
    st.none() | st.integers(0, 5000),
    st.none() | st.integers(0, 500),
    purpose=st.sampled_from(["draft", "verify", "summarise"]),
    outcome=st.sampled_from(["draft", "malformed", "error"]),
)
BY: tuple[Dimension, ...] = ("session", "model", "day", "month", "prompt", "stance")


@st.composite
def turns_of_all_kinds(draw: st.DrawFn) -> list[DialogueExchange]:
    made: list[DialogueExchange] = []
    for number in range(draw(st.integers(0, 8))):
        changes: dict[str, object] = {
            "session_id": draw(st.sampled_from(["s:1", "s:2", ""])),
            "model": draw(st.sampled_from(["pro", "flash"])),
            "stance": draw(st.sampled_from(list(Stance))),
            "timestamp": datetime(2026, draw(st.integers(1, 12)), draw(st.integers(1, 28)), 23, tzinfo=UTC),
            "prompt": draw(st.sampled_from([None, exchange(0).prompt])),
        }
        if draw(st.booleans()):
            made.append(priced(number, tuple(draw(st.lists(CALLS, max_size=5))), **changes))
        else:
            made.append(reach(exchange(number, **changes), replace(draw(CALLS), purpose="reach")))
    return made


@pytest.mark.requirement("report:by-purpose", "report:dimensions")
@given(turns_of_all_kinds(), st.sampled_from(BY), st.sampled_from([None, NEW]))
def test_the_groups_of_any_report_come_to_its_total(
    turns: list[DialogueExchange], by: Dimension, prices: PriceTable | None
) -> None:
    made = report_of(turns, by=by, prices=prices)

    def figures(row: ReportRow) -> list[Decimal | int]:
        calls = [
            figure
            for each in row.calls.values()
            for figure in (each.count, each.input_tokens, each.output_tokens, each.unknown_tokens)
        ]
        costs = [total for each in (row, *row.calls.values()) for total in (each.cost.known, each.cost.unknown_count)]
        return [row.turns, row.prompt_tokens, row.completion_tokens, row.cached_tokens, *calls, *costs]

    sums = [sum(column) for column in zip(*map(figures, made.rows), strict=True)] if made.rows else figures(made.total)
    assert sums == figures(made.total)
    assert sum(calls.count for calls in made.total.calls.values()) == sum(len(turn.attempts) for turn in turns)
    if not made.total.cost.unknown_count and all(turn.attempts for turn in turns):
        assert sum(calls.cost.known for calls in made.total.calls.values()) == made.total.cost.known
        assert sum(calls.input_tokens for calls in made.total.calls.values()) == made.total.prompt_tokens
        assert sum(calls.output_tokens for calls in made.total.calls.values()) == made.total.completion_tokens


@pytest.mark.requirement("report:prices")
def test_prices_are_told_with_source_and_the_dates_they_were_taken_on() -> None:
    turns = [
        exchange(1, price=PRICE, price_source="table 2026-03-01"),
        exchange(2, price=replace(PRICE, as_of="2026-03-09"), price_source="table 2026-03-09"),
        exchange(3, price_source="older table 2025-01-01"),
        exchange(4, cost_estimate=None),
        exchange(5, **REFUSED),
    ]
    dated = replace(PRICE, as_of="2026-03-09")
    assert report_of(turns).prices == (
        PriceUsed(model="gemini/pro", price=None, source=None, first_as_of="", last_as_of="", turns=1),
        PriceUsed(
            model="gemini/pro",
            price=None,
            source="older table",
            first_as_of="2025-01-01",
            last_as_of="2025-01-01",
            turns=1,
        ),
        PriceUsed(
            model="gemini/pro", price=dated, source="table", first_as_of="2026-03-01", last_as_of="2026-03-09", turns=2
        ),
    )
    assert report_of(reversed(turns)).prices == report_of(turns).prices


@pytest.mark.requirement("report:repricing", "ruling:D18")
def test_a_new_table_reckons_every_call_anew_and_what_it_does_not_name_is_unknown() -> None:
    attempts = (call(1000, 100, cached=500), call(2000, 10, purpose="verify"))
    turns = [
        exchange(1, price=PRICE, price_source="table 2026-03-01", attempts=attempts),
        exchange(2, model="flash", attempts=attempts),
        exchange(3, attempts=(call(1000, None),)),
        exchange(4, **{**REFUSED, "model": "flash", "prompt_tokens": 0, "completion_tokens": 0}),
    ]
    made = report_of(turns, by="model", prices=NEW)
    assert made.repriced_with == NEW
    assert made.total.cost == Total(known=Decimal("0.0082"), unknown_count=2)
    assert made.total.drafts.cost == Total(known=Decimal("0.004"), unknown_count=2)
    assert made.total.verifiers.cost == Total(known=Decimal("0.0042"), unknown_count=1)
    assert {(used.model, used.source) for used in made.prices} == {("gemini/pro", "contract"), ("gemini/flash", None)}
    assert turns[0].cost_estimate == Decimal("0.01")


@pytest.mark.requirement("report:repricing")
def test_what_is_free_by_nature_stays_free_and_a_turn_of_which_only_sums_are_left_is_reckoned_by_them() -> None:
    offline = exchange(
        1, provider="offline", model="quoting", cost_estimate=Decimal(0), price=FREE, price_source="offline always"
    )
    assert report_of([offline], prices=NEW).total.cost == Total()
    stub = exchange(2, attempts=(), prompt_tokens=1_000_000, completion_tokens=0)
    assert report_of([stub], prices=NEW).total.cost == Total(known=Decimal(2))


@pytest.mark.requirement("report:repricing", "report:prices")
def test_every_form_says_what_turns_were_reckoned_with() -> None:
    made = report_of([exchange(1)], prices=NEW)
    label = "re-priced with contract, as of 2026-11-01 (file 0123456789ab)"
    assert report_json(made)["repriced_with"] == {
        "source": "contract",
        "as_of": "2026-11-01",
        "file_sha256": "0123456789ab",
    }
    assert [row[-1] for row in report_rows(made, "cost")] == ["prices", label, label]
    stored = report_of([exchange(1)])
    assert report_json(stored)["repriced_with"] is None
    assert [row[-1] for row in report_rows(stored, "all")] == ["prices", "as stored", "as stored"]


def test_rows_hold_what_was_asked_for() -> None:
    made = report_of([exchange(1), exchange(2, **REFUSED)])
    cost = report_rows(made, "cost")
    assert cost[0][:5] == ["session", "topic", "turns", "cost_usd", "turns_of_unknown_cost"]
    assert cost[1][:5] == ["s:1", "", "2", "0.01", "1"]
    assert cost[2][0] == "total"
    grounding = report_rows(made, "grounding")
    told = dict(zip(grounding[0], grounding[1], strict=True))
    assert (told["mean_coverage"], told["refusal_rate"], told["reason_coverage_low"]) == ("0.8", "0.5", "1")
    assert (told["answered_coverage_80"], told["refused_coverage_10"], told["repair_rate"]) == ("1", "0", "0.0")
    assert {len(row) for row in report_rows(made, "all")} == {len(report_rows(made, "all")[0])}
    assert not any(name.startswith("reason_") for name in report_rows(made, "tokens")[0])
    empty = dict(zip(*report_rows(report_of([]), "grounding"), strict=True))
    assert (empty["mean_coverage"], empty["median_latency_ms"]) == ("", "")


def test_small_sums_keep_their_digits() -> None:
    assert money(Decimal("1.5")) == "$1.5000"
    assert money(Decimal("0.00018")) == "$0.000180"
    assert money(Decimal(0)) == "$0.0000"


@pytest.mark.requirement("report:reach")
def test_what_is_kept_of_a_call_alone_is_figures() -> None:
    kept = reach(exchange(1), call(10, 1, purpose="reach", draft_hash="of its reply"))
    assert list(stub_faults(kept)) == []
    assert (is_call_alone(kept), is_call_alone(exchange(1)), is_call_alone(replace(kept, deleted=False))) == (
        True,
        False,
        False,
    )
    assert (kept.prompt_tokens, kept.completion_tokens, kept.cost_estimate) == (10, 1, Decimal("0.00002"))
    unpriced = reach(exchange(1), call(10, 1, purpose="reach"), price=None)
    assert (unpriced.cost_estimate, unpriced.price_source) == (None, None)
