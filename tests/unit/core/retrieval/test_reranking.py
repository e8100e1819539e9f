"""What a re-ranker's scores do to the order of what was found."""

from dataclasses import replace

import pytest

from retrieval_rows import candidate, entity, observation, observations, thought, thoughts
from voice.core.retrieval.selection import (
    BEST,
    WEIGHT,
    SearchFacts,
    best_of,
    gain,
    placed_text,
    raised_score,
    select,
    with_gains,
)
from voice.core.retrieval.values import Candidate, Reranked, RetrieveParams
from voice.core.text.instants import UNDATED

pytestmark = pytest.mark.requirement("reranker:found")
PARAMS = RetrieveParams(query="q", rerank=True, explain=True)
BY = Reranked(name="words", version="1", rows=3)


def test_a_row_is_read_with_its_date_its_headings_and_who_said_it() -> None:
    stands = replace(observation("1", "two firings"), context_path=("Glazes", "Blue"), speaker="Ada")
    assert placed_text(stands, "-").endswith("] Glazes › Blue: Ada: two firings")
    assert placed_text(replace(thought("1", "two firings"), created_at=UNDATED), "-") == "two firings"


def test_an_entity_is_read_by_what_is_shown_of_it() -> None:
    assert placed_text(entity("1", "Ada"), "Ada (person): fires the kiln") == "Ada (person): fires the kiln"


def test_what_is_read_are_the_best_that_the_choice_would_show() -> None:
    found = [*thoughts(BEST), *observations(BEST), candidate(thought("low"), 0.01)]
    read = best_of(replace(PARAMS, top_k=1, mix=0.5), found)
    assert len(read) == BEST
    assert {one.table for one in read} == {one.table for one in found}
    assert "t:low" not in {one.row.id for one in read}


@pytest.mark.parametrize("logit", [-1e9, -11.0, 0.0, 11.0, 1e9])
def test_a_gain_is_never_less_than_nothing_nor_more_than_the_weight(logit: float) -> None:
    assert 0.0 <= gain(logit) <= WEIGHT
    assert (gain(0.0), gain(3.0), gain(-3.0)) == (0.15, 0.219318, 0.080682)


def test_ranks_change_and_the_cosine_does_not() -> None:
    first, second, unread = (candidate(thought(key), cosine) for key, cosine in (("a", 0.9), ("b", 0.8), ("c", 0.7)))
    found = with_gains([first, second, unread], {"t:a": -11.0, "t:b": 9.0})
    selection = select(PARAMS, found, SearchFacts(provider="local", model="tiny", dim=8, reranked=BY))
    assert [(one.id, one.score) for one in selection.snippets] == [("t:b", 0.8), ("t:a", 0.9), ("t:c", 0.7)]
    assert [dict(one.boosts).keys() for one in selection.snippets] == [{"reranker"}, {"reranker"}, set()]
    assert selection.diagnostics.reranked == BY


def test_what_was_read_is_not_put_behind_what_was_not() -> None:
    found: list[Candidate] = [candidate(thought(str(n)), 0.9 - n / 1000) for n in range(BEST + 5)]
    read = {one.row.id for one in best_of(PARAMS, found)}
    order = [
        one.row.id for one in sorted(with_gains(found, dict.fromkeys(read, -11.0)), key=lambda one: -one.rank_score)
    ]
    assert set(order[: len(read)]) == read


@pytest.mark.parametrize("score", [0.0, 0.5, 1.0])
def test_a_score_gains_within_its_bounds(score: float) -> None:
    assert raised_score(0.5, 0.0) == 0.534884
    assert score <= raised_score(score, 9.0) <= 1.0
    assert raised_score(score, 9.0) >= raised_score(score, -9.0)
