"""The one order of everything that is ranked."""

from dataclasses import replace
from datetime import timedelta

import pytest

from retrieval_rows import AT, candidate, observation, thought
from voice.core.retrieval.ranking import by_cosine, by_rank, in_shown_order, ranked, shown_by
from voice.core.retrieval.values import Candidate
from voice.core.text.instants import UNDATED


def _ids(candidates: tuple[Candidate, ...]) -> list[str]:
    return [one.row.id for one in candidates]


@pytest.mark.requirement("ruling:C9", "s0:behavior:8")
def test_the_order_is_score_then_table_then_id() -> None:
    mixed = [
        candidate(thought("b"), 0.5),
        candidate(observation("z"), 0.5),
        candidate(thought("a"), 0.5),
        candidate(thought("c"), 0.6),
        candidate(thought("d"), None),
    ]
    assert _ids(ranked(mixed, by_cosine)) == ["t:c", "o:z", "t:a", "t:b", "t:d"]


@pytest.mark.requirement("ruling:C20")
def test_where_vectors_are_compared_the_cosine_is_shown_and_elsewhere_the_providers_score() -> None:
    found_by_words = replace(candidate(thought("a"), 0.1, rank=0.9), relevance=0.5)
    assert by_rank(found_by_words) == 0.9
    assert [shown_by(name)(found_by_words) for name in ("local-vector", "local-hybrid")] == [0.1, 0.1]
    assert [shown_by(name)(found_by_words) for name in ("local-fts", "somebody-elses")] == [0.5, 0.5]


@pytest.mark.requirement("ruling:E.9")
def test_an_order_by_date_keeps_the_rank_among_equals() -> None:
    best, second = candidate(thought("b"), 0.9), candidate(thought("a"), 0.8)
    older = candidate(thought("c", at=AT - timedelta(days=1)), 0.7)
    by_score = ranked([older, second, best], by_rank)
    assert _ids(in_shown_order(by_score, None)) == ["t:b", "t:a", "t:c"]
    assert _ids(in_shown_order(by_score, "created_at_desc")) == ["t:b", "t:a", "t:c"]
    assert _ids(in_shown_order(by_score, "created_at_asc")) == ["t:c", "t:b", "t:a"]


@pytest.mark.requirement("ruling:I2")
def test_what_is_undated_is_shown_last_in_either_order() -> None:
    undated, told = candidate(thought("a", at=UNDATED), 0.9), candidate(thought("b"), 0.1)
    for order in ("created_at_asc", "created_at_desc"):
        assert _ids(in_shown_order([undated, told], order)) == ["t:b", "t:a"]
