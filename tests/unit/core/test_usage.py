"""Tokens and money: what is not known stays not known."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.core.usage import FREE, NO_USAGE, Price, Total, Usage, cost_of, reported_usage, total_of

pytestmark = pytest.mark.requirement("ruling:D18")

_PRICE = Price(
    input_per_million=Decimal(2),
    output_per_million=Decimal(10),
    cached_input_per_million=Decimal("0.5"),
    source="a table",
    as_of="2026-01-01",
)


def test_input_output_and_cached_tokens_have_their_own_price() -> None:
    usage = Usage(input_tokens=1_000_000, output_tokens=100_000, cached_input_tokens=400_000)
    assert cost_of(usage, _PRICE) == Decimal("1.2") + Decimal("0.2") + Decimal(1)


def test_cached_tokens_cost_the_full_price_where_no_other_is_known() -> None:
    price = Price(input_per_million=Decimal(2), output_per_million=Decimal(0), source="a table", as_of="2026-01-01")
    assert cost_of(Usage(input_tokens=500_000, output_tokens=0, cached_input_tokens=500_000), price) == Decimal(1)


def test_no_more_tokens_are_cached_than_were_sent() -> None:
    usage = Usage(input_tokens=1_000_000, output_tokens=0, cached_input_tokens=9_000_000)
    assert cost_of(usage, _PRICE) == Decimal("0.5")


@pytest.mark.parametrize(
    ("usage", "price"),
    [
        (Usage(input_tokens=1, output_tokens=1), None),
        (Usage(input_tokens=None, output_tokens=1), _PRICE),
        (Usage(input_tokens=1, output_tokens=None), _PRICE),
    ],
)
def test_an_unknown_price_or_count_gives_an_unknown_cost_and_not_zero(usage: Usage, price: Price | None) -> None:
    assert cost_of(usage, price) is None
    assert cost_of(Usage(input_tokens=1, output_tokens=1), _PRICE) is not None


def test_what_is_free_costs_nothing() -> None:
    assert cost_of(Usage(input_tokens=10**9, output_tokens=10**9), FREE) == 0
    assert cost_of(Usage(input_tokens=10**9, output_tokens=10**9), _PRICE) != 0


def test_a_sum_of_usage_is_unknown_where_either_side_is() -> None:
    both = Usage(input_tokens=1, output_tokens=2) + Usage(input_tokens=3, output_tokens=None, cached_input_tokens=1)
    assert both == Usage(input_tokens=4, output_tokens=None, cached_input_tokens=None)


@given(st.builds(Usage, input_tokens=st.none() | st.integers(0), output_tokens=st.none() | st.integers(0)))
def test_adding_no_usage_changes_no_known_count(usage: Usage) -> None:
    summed = usage + NO_USAGE
    assert (summed.input_tokens, summed.output_tokens) == (usage.input_tokens, usage.output_tokens)


@given(st.lists(st.none() | st.decimals(0, 100, places=6)))
def test_a_total_adds_what_is_known_and_counts_what_is_not(costs: list[Decimal | None]) -> None:
    known = [cost for cost in costs if cost is not None]
    assert total_of(costs) == Total(known=sum(known, Decimal(0)), unknown_count=len(costs) - len(known))


@pytest.mark.requirement("ruling:D18", "promise:7")
@pytest.mark.parametrize(
    "told",
    [
        (-1_000_000, 5, 0),
        (5, -1, None),
        (5, 5, -5),
        (True, 5, None),
        (5, False, 0),
        (10**30, 5, None),
        ("5", 5, None),
        (5.0, 5, None),
    ],
)
def test_what_no_call_can_have_taken_is_unknown(told: tuple[object, object, object]) -> None:
    assert reported_usage(*told) == Usage()


def test_counts_are_taken_as_they_are_told() -> None:
    assert reported_usage(0, 0, 0) == NO_USAGE
    assert reported_usage(7, None, None) == Usage(input_tokens=7)
    assert reported_usage(10**9, 1, 3) == Usage(input_tokens=10**9, output_tokens=1, cached_input_tokens=3)


def test_a_price_is_free_where_no_token_costs_anything() -> None:
    assert FREE.is_free
    assert not Price(input_per_million=Decimal(0), output_per_million=Decimal(1), source="s", as_of="d").is_free
    cached = Decimal("0.1")
    assert not Price(
        input_per_million=Decimal(0),
        output_per_million=Decimal(0),
        cached_input_per_million=cached,
        source="s",
        as_of="d",
    ).is_free
