"""Quoted phrases filter, and nothing else of a question does."""

from dataclasses import replace

import pytest

from retrieval_rows import candidate, observation, thought, thoughts
from tables import tables
from voice.core.retrieval.passages import PHRASE_CANDIDATES, EvidenceRequest
from voice.core.retrieval.searchable_text import holding, unheld
from voice.core.retrieval.selection import SearchFacts, select, select_evidence
from voice.core.retrieval.values import RetrieveParams

pytestmark = pytest.mark.requirement("ruling:E.8")
TABLES = tables(__file__)

FACTS = SearchFacts(provider="local", model="tiny", dim=8)
BUG = "Fixed the Auth  Bug in the login form."


def holds(text: str, *phrases: str, speaker: str | None = None) -> bool:
    row = replace(observation("1", text), speaker=speaker)
    kept, left = holding([candidate(row)], phrases)
    assert len(kept) + len(left) == 1
    return bool(kept)


@pytest.mark.parametrize(("text", "phrase", "is_held"), TABLES["a_phrase_is_held_whole_in_any_case_and_spacing"])
def test_a_phrase_is_held_whole_in_any_case_and_spacing(text: str, phrase: str, is_held: bool) -> None:  # noqa: FBT001
    assert holds(text, phrase) is is_held


def test_one_of_several_phrases_is_enough_and_none_lets_all_pass() -> None:
    assert holds(BUG, "flaky test", "auth bug")
    assert not holds(BUG, "flaky test", "broken test")
    assert holds(BUG)
    assert holds(BUG, " \u200b ", "...")


def test_a_phrase_that_no_row_holds_is_named() -> None:
    rows = [candidate(observation("1", BUG)), candidate(observation("2", "A flaky test."))]
    assert unheld(rows, ("auth bug", "broken test", "flaky")) == ("broken test",)
    assert unheld(rows, ("...",)) == unheld(rows, ()) == ()
    assert unheld([], ("auth bug",)) == ("auth bug",)


def test_whose_row_it_is_counts_as_its_text() -> None:
    assert holds("It rained.", "Ada", speaker="Ada")
    assert not holds("It rained.", "Ada", speaker="Bo")
    assert not holds("It rained.", "Ada")


@pytest.mark.requirement("promise:9")
def test_what_a_phrase_leaves_out_is_named() -> None:
    found = (candidate(observation("bug", BUG), 0.3), candidate(observation("other", "The login form is new."), 0.9))
    params = RetrieveParams(query='the "auth bug"', phrases=("auth bug",), mix=1.0, provider="local-hybrid")
    selection = select_evidence(params, found, FACTS)
    assert [one.row.id for one in selection.chosen] == ["o:bug"]
    assert [(one.id, one.reason) for one in selection.dropped] == [("o:other", "no_phrase")]
    nothing = select_evidence(replace(params, phrases=("zeppelin",)), found, FACTS)
    assert (nothing.chosen, nothing.diagnostics.reason) == ((), "no_candidates")


@pytest.mark.requirement("ruling:E.7")
def test_words_that_are_not_quoted_leave_nothing_out() -> None:
    some = [*thoughts(3), candidate(thought("bug", BUG), 0.5)]
    assert len(select(RetrieveParams(query="the auth bug of frustrated zeppelins"), some, FACTS).snippets) == 4


def test_more_rows_are_looked_at_where_a_phrase_leaves_most_of_them_out() -> None:
    request = EvidenceRequest(query="q")
    assert request.params().max_candidates_per_source < PHRASE_CANDIDATES
    assert replace(request, phrases=("x",)).params().max_candidates_per_source == PHRASE_CANDIDATES
    assert replace(request, phrases=("x",)).params().phrases == ("x",)
