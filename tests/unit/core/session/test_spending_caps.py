"""What counts against a spending cap, and what a person is told when it is full."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store_values import exchange
from voice.core.session.budgets import (
    NOTHING,
    AmountSpent,
    CapState,
    SpendCap,
    charge_of,
    lower_bounds,
    refused_by,
    spent_in,
)
from voice.core.session.values import Attempt
from voice.core.usage import Price, Usage

pytestmark = pytest.mark.requirement("spending:told")
PRICE = Price(input_per_million=Decimal(1), output_per_million=Decimal(10), source="a test", as_of="2026-01-01")
KNOWN = Attempt(usage=Usage(input_tokens=1000, output_tokens=100), latency_ms=1, outcome="draft")
LOST = Attempt(usage=Usage(), latency_ms=1, outcome="error")
APRIL = datetime(2026, 4, 1, tzinfo=UTC)
MONEY = st.decimals(min_value=0, max_value=100, places=6)
SPENT = st.builds(AmountSpent, known=MONEY, at_worst=MONEY, unknown=st.integers(min_value=0, max_value=9))


def month(limit: str, **spent: object) -> CapState:
    cap = SpendCap(name="month", limit=Decimal(limit), frees_at=APRIL)
    return CapState(cap=cap, spent=AmountSpent(**spent))  # pyright: ignore[reportArgumentType]


def why(state: CapState, worst: str | None, *, on_unknown: str = "refuse") -> str | None:
    most = None if worst is None else Decimal(worst)
    return refused_by([state], most, on_unknown_price=on_unknown, timezone="Europe/Berlin")  # pyright: ignore[reportArgumentType]


@pytest.mark.requirement("ruling:D18")
@given(SPENT, SPENT, SPENT)
def test_sums_are_sums(one: AmountSpent, two: AmountSpent, three: AmountSpent) -> None:
    assert (one + two) + three == one + (two + three)
    assert one + NOTHING == one
    assert (one + two).counted == one.counted + two.counted


@pytest.mark.requirement("spending:caps", "ruling:D18")
def test_a_turn_counts_what_is_known_and_the_worst_of_what_is_not() -> None:
    lost = Attempt(usage=Usage(), latency_ms=1, outcome="error", worst=Decimal("0.5"))
    assert charge_of(exchange(cost_estimate=Decimal("0.1"), attempts=(KNOWN,))) == AmountSpent(known=Decimal("0.1"))
    mixed = exchange(cost_estimate=None, attempts=(KNOWN, lost), price=PRICE)
    assert charge_of(mixed) == AmountSpent(known=Decimal("0.002"), at_worst=Decimal("0.5"))
    assert charge_of(exchange(cost_estimate=None, attempts=(LOST, LOST))) == AmountSpent(unknown=1)
    assert charge_of(exchange(cost_estimate=None)) == AmountSpent(unknown=1)


@pytest.mark.requirement("spending:imported")
def test_an_imported_turn_counts_nothing() -> None:
    assert {charge_of(exchange(imported_from="ab", cost_estimate=each)) for each in (Decimal(1), None)} == {NOTHING}


@pytest.mark.requirement("spending:caps")
@given(st.lists(st.tuples(st.sampled_from([KNOWN, LOST]), st.none() | MONEY), max_size=6))
def test_calls_cost_no_more_than_all_of_them_at_their_worst(calls: list[tuple[Attempt, Decimal | None]]) -> None:
    attempts, worst = [call[0] for call in calls], [call[1] for call in calls]
    spent = spent_in(attempts, PRICE, worst=worst)
    assert spent.known == Decimal("0.002") * attempts.count(KNOWN)
    assert spent.unknown == sum(attempt is LOST and most is None for attempt, most in calls)


@pytest.mark.requirement("spending:caps", "promise:7")
@given(SPENT, st.decimals(min_value="0.000001", max_value=100, places=6), MONEY)
def test_a_call_that_is_let_pass_cannot_carry_the_sum_over_the_cap(
    spent: AmountSpent, worst: Decimal, limit: Decimal
) -> None:
    state = CapState(cap=SpendCap(name="day", limit=limit, frees_at=APRIL), spent=spent)
    refused = refused_by([state], worst, on_unknown_price="allow", timezone="UTC") is not None
    assert refused == (spent.counted + worst > limit)


def test_a_refusal_names_the_cap_what_is_spent_and_when_it_frees_up() -> None:
    assert why(month("5.00", known=Decimal("4.99")), "0.0212") == (
        "this call could cost up to $0.0212, but the spending cap of this month ($5.00, llm.max_month_cost) leaves "
        "$0.0100: $4.9900 is spent; it frees up at 2026-04-01 02:00 (Europe/Berlin), or raise "
        "SURR_INNER_VOICE_MAX_MONTH_COST"
    )
    told = why(month("5.00", known=Decimal(1), at_worst=Decimal(4)), "0.00000750")
    assert told is not None
    assert "up to $0.0000075" in told
    assert "$5.0000 is spent, $4.0000 of it the worst case of calls whose usage was not reported" in told


def test_nobody_is_told_to_wait_where_waiting_does_not_help() -> None:
    dear = why(month("0.01"), "0.02") or ""
    assert dear.endswith(
        "the whole cap would not allow it; ask a cheaper model, lower SURR_INNER_VOICE_MAX_OUTPUT_TOKENS, or raise "
        "SURR_INNER_VOICE_MAX_MONTH_COST"
    )
    assert "frees up" not in (why(month("5"), None) or "")


@pytest.mark.requirement("spending:caps")
def test_the_cap_of_a_turn_is_told_by_its_own_setting() -> None:
    turn = CapState(cap=SpendCap(name="turn", limit=Decimal(1)), spent=AmountSpent(known=Decimal("0.95")))
    told = why(turn, "0.1") or ""
    assert "the spending cap of this turn ($1, llm.max_turn_cost) leaves $0.0500" in told
    assert told.endswith("ask again in a new turn, or raise SURR_INNER_VOICE_MAX_COST")


@pytest.mark.parametrize(("limit", "told"), [("1E-7", "$0.0000001"), ("1E+2", "$100"), ("0.5", "$0.5")])
def test_a_cap_is_told_as_money_and_never_as_a_power_of_ten(limit: str, told: str) -> None:
    assert f"the spending cap of this month ({told}, " in (why(month(limit), "200") or "")


def test_the_cap_of_a_session_frees_up_with_another_session() -> None:
    told = why(CapState(cap=SpendCap(name="session", limit=Decimal(1)), spent=AmountSpent(known=Decimal(1))), "0.1")
    assert (told or "").endswith("start a new session with --new, or raise SURR_INNER_VOICE_MAX_SESSION_COST")


@pytest.mark.requirement("spending:unknown")
def test_what_is_unknown_is_decided_by_the_setting_and_said() -> None:
    assert "the price of this call is unknown" in (why(month("5"), None) or "")
    assert why(month("5"), None, on_unknown="allow") is None
    assert "a call of unknown price" in (why(month("5", known=Decimal(5)), None, on_unknown="allow") or "")
    dim = month("5", known=Decimal(2), unknown=3)
    assert "the cost of 3 turns is unknown, so the $2.0000 known is a lower bound" in (why(dim, "0.1") or "")
    assert why(dim, "0.1", on_unknown="allow") is None
    full = why(month("2", known=Decimal(2), unknown=1), "0.1", on_unknown="allow")
    assert "$2.0000 is spent, and the cost of 1 turn is unknown" in (full or "")
    (warning,) = lower_bounds([dim])
    assert warning == (
        "the spending cap of this month counts a lower bound: the cost of 3 turns is unknown, so the $2.0000 known "
        "is a lower bound"
    )
    assert lower_bounds([month("5", known=Decimal(2))]) == ()


@pytest.mark.requirement("spending:caps")
def test_a_call_that_costs_nothing_is_never_refused() -> None:
    assert why(month("0", known=Decimal(9), unknown=9), "0") is None
    assert why(month("0", known=Decimal(9), unknown=9), "0.1") is not None
    assert refused_by([], Decimal(9), on_unknown_price="refuse", timezone="UTC") is None
