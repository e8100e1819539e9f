"""What is told in several words, or in another unit, is the amount a reader takes it for."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import tables
from voice.core.text.compound_quantities import compound_quantities, single_measures
from voice.core.text.numbers import Quantity, are_commensurable, in_smallest_unit, is_larger_unit, same_quantity
from voice.core.text.words import words

TABLES = tables(__file__)

UNITS = ["second", "minute", "hour", "day", "week", "month", "year", "cm", "m", "km", "usd"]


def _read(text: str) -> list[Quantity]:
    return compound_quantities(text, words(text))


def _in_evidence(text: str) -> list[Quantity]:
    return [*_read(text), *single_measures(text, words(text))]


@pytest.mark.parametrize(("claimed", "stated"), TABLES["one_amount_in_other_words_is_borne_out"])
def test_one_amount_in_other_words_is_borne_out(claimed: str, stated: str) -> None:
    (own,) = _read(claimed)
    assert any(same_quantity(own, other) for other in _in_evidence(stated))


@pytest.mark.parametrize(("claimed", "stated"), TABLES["another_amount_is_not"])
def test_another_amount_is_not(claimed: str, stated: str) -> None:
    (own,) = _read(claimed)
    assert not any(same_quantity(own, other) for other in _in_evidence(stated))


@pytest.mark.parametrize("text", ["half an orange", "half the team", "two and a half oranges", "He is half an idiot."])
def test_half_of_what_is_no_unit_is_no_measure(text: str) -> None:
    assert not [amount for amount in _read(text) if amount.unit or amount.value == Decimal("2.5")]


@pytest.mark.parametrize(
    "text", ["5 km in 30 minutes", "2 hours, not 30 minutes", "30 minutes and 2 hours", "3 km 5 kg"]
)
def test_two_measures_side_by_side_stay_two(text: str) -> None:
    assert len(_read(text)) == 2


def test_an_article_holds_no_claim_to_a_number() -> None:
    (amount,) = single_measures("It took an hour.", words("It took an hour."))
    assert (amount.text, amount.value, amount.unit, amount.is_soft) == ("an hour", Decimal(1), "hour", True)
    assert not _read("It took an hour.")
    assert not single_measures("a kiln, an", words("a kiln, an"))


@given(st.sampled_from(UNITS), st.sampled_from(UNITS))
def test_a_unit_is_larger_only_than_one_of_its_kind(ours: str, theirs: str) -> None:
    assert are_commensurable(ours, theirs) is are_commensurable(theirs, ours)
    assert not (is_larger_unit(ours, theirs) and is_larger_unit(theirs, ours))
    assert not is_larger_unit(ours, theirs) or are_commensurable(ours, theirs)


@given(st.sampled_from(UNITS), st.decimals(min_value=1, max_value=10**6, places=2))
def test_the_smallest_unit_is_its_own(unit: str, value: Decimal) -> None:
    smallest = in_smallest_unit(value, unit)
    assert in_smallest_unit(*smallest) == smallest
