"""Finding a quotation in its source (rulings C13, D1)."""

import pytest

from tables import tables
from voice.core.text.spans import locate
from voice.core.text.typos import is_typo

TABLES = tables(__file__)

SOURCE = (
    "Caroline: I went to the LGBTQ support group on 8 May 2023. I did not decide to leave Stockholm; it costs 40 euros."
)


@pytest.mark.requirement("ruling:C13")
@pytest.mark.parametrize(("quote", "status", "found"), TABLES["a_faithful_quotation_is_found_where_it_stands"])
def test_a_faithful_quotation_is_found_where_it_stands(quote: str, status: str, found: str) -> None:
    located = locate(quote, SOURCE)

    assert located.status == status
    assert SOURCE[located.start : located.end] == found


@pytest.mark.parametrize(("quote", "reason"), TABLES["an_unfaithful_quotation_is_refused_for_a_reason"])
def test_an_unfaithful_quotation_is_refused_for_a_reason(quote: str, reason: str) -> None:
    located = locate(quote, SOURCE)

    assert (located.status, located.reason) == (None, reason)


def test_whole_sentences_left_out_of_a_quotation_may_deny_what_they_like() -> None:
    source = "We bought the red house. Nobody else wanted it at all. The garden is large and sunny."

    assert locate("We bought the red house. … The garden is large and sunny.", source).status == "elided"


def test_a_quotation_of_nothing_but_signs_is_not_found() -> None:
    assert locate("§§§§ ¤¤¤¤ §§§§", "§§§§ ¤¤¤ §§§§ word").status is None
    assert locate("some words here", "").status is None
    assert locate("some words here", "There are some words here.").status is not None


def test_a_part_of_a_word_or_number_is_not_a_quotation() -> None:
    assert locate("not", "nothing at all").status is None
    assert locate("400", "1,400").status is None
    assert locate("1", "1,400").status is None
    assert locate("40", "It costs 40 euros").status == "exact"


@pytest.mark.parametrize(("ours", "theirs", "typo"), TABLES["a_typo_is_a_slip_and_not_another_word"])
def test_a_typo_is_a_slip_and_not_another_word(ours: str, theirs: str, typo: bool) -> None:  # noqa: FBT001
    assert is_typo(ours, theirs) is typo
