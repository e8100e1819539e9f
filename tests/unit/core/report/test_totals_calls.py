"""Reports tell what calls took by what they were for, and their groups come to the total."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report_turns import NEW, PRICE, call, exchange, priced, reach, report_of
from voice.core.grounding.values import Stance
from voice.core.report.values import NO_TURN, Dimension, ReportRow
from voice.core.session.turn_traces import is_sessionless_call, stub_faults
from voice.core.session.values import DialogueExchange
from voice.core.usage import PriceTable, Total


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
        "reading": (0, 0, 0),
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


@pytest.mark.requirement("report:reach")
def test_what_is_kept_of_a_call_alone_is_figures() -> None:
    kept = reach(exchange(1), call(10, 1, purpose="reach", draft_hash="of its reply"))
    assert is_sessionless_call(reach(exchange(1), call(10, 1, purpose="extract")))
    assert list(stub_faults(kept)) == []
    assert (
        is_sessionless_call(kept),
        is_sessionless_call(exchange(1)),
        is_sessionless_call(replace(kept, deleted=False)),
    ) == (True, False, False)
    assert (kept.prompt_tokens, kept.completion_tokens, kept.cost_estimate) == (10, 1, Decimal("0.00002"))
    unpriced = reach(exchange(1), call(10, 1, purpose="reach"), price=None)
    assert (unpriced.cost_estimate, unpriced.price_source) == (None, None)
