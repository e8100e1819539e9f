"""The words of a query, and where they stand."""

import pytest

from tables import tables
from voice.core.recall.params import query_terms, text_scorer
from voice.core.text.sentences import best_match_span

TABLES = tables(__file__)


@pytest.mark.requirement("ruling:G.2f", "ruling:G.1")
@pytest.mark.parametrize(("query", "text", "shown"), TABLES["the_match_is_found_as_it_was_asked_for"])
def test_the_match_is_found_as_it_was_asked_for(query: str, text: str, shown: str | None) -> None:
    span = best_match_span(text, query_terms(query))
    assert (None if span is None else text[slice(*span)]) == shown


def test_signs_that_belong_to_a_word_stay_with_it() -> None:
    assert query_terms('Is "C++" in login.py?')[:2] == ("C++", "login.py")


def test_a_long_query_costs_no_more_than_a_few_words() -> None:
    assert len(query_terms("word" + " ".join(f"term{n}" for n in range(50_000)))) == 24


def test_a_match_in_a_text_full_of_matches_is_found_once() -> None:
    span = best_match_span("bug " * 20_000, ["bug", "bugs"])
    assert span is not None
    assert span[0] == 0


@pytest.mark.requirement("ruling:G.2b")
def test_relevance_is_the_share_of_telling_words() -> None:
    whole = text_scorer("the kiln firing")("We fired the kiln; the firing went well.")
    half = text_scorer("the kiln firing")("The kiln is cold.")
    assert whole == 0.5 > half > 0.0
    assert text_scorer("the kiln firing")("Nothing of the kind.") == 0.0
    assert text_scorer("")("anything") == 0.0
