"""The least similarity that counts, per source (ruling C3)."""

import pytest

from retrieval_rows import candidate, thought
from voice.core.retrieval.selection_rules import apply_floor, telling_floors
from voice.core.retrieval.values import Candidate, Diagnostics, Selection


def _scored(*cosines: float | None, lexical: float = 0.0) -> list[Candidate]:
    return [candidate(thought(str(n)), cosine, lexical=lexical) for n, cosine in enumerate(cosines)]


@pytest.mark.requirement("s0:behavior:4", "ruling:C3")
def test_what_is_under_the_floor_is_cut_and_the_floor_itself_is_in() -> None:
    floored = apply_floor(_scored(0.3, 0.25, 0.24), "local-vector", floor=0.25, min_floor=0.15)
    assert [one.cosine for one in floored.kept] == [0.3, 0.25]
    assert [one.cosine for one in floored.excluded] == [0.24]
    assert floored.floor == 0.25


@pytest.mark.requirement("ruling:C3")
def test_an_empty_source_lowers_its_floor_once_to_its_best_score() -> None:
    floored = apply_floor(_scored(0.2, 0.18, 0.2), "local-vector", floor=0.25, min_floor=0.15)
    assert [one.cosine for one in floored.kept] == [0.2, 0.2]
    assert floored.floor == 0.2


@pytest.mark.requirement("ruling:C3")
def test_the_floor_never_falls_below_the_minimum() -> None:
    floored = apply_floor(_scored(0.149, 0.1), "local-vector", floor=0.25, min_floor=0.15)
    assert floored.kept == ()
    assert floored.floor == 0.15


def test_a_source_without_rows_keeps_its_floor() -> None:
    floored = apply_floor([], "local-vector", floor=0.25, min_floor=0.15)
    assert (floored.kept, floored.excluded, floored.floor) == ((), (), 0.25)


def test_a_row_without_a_vector_is_under_every_floor() -> None:
    floored = apply_floor(_scored(None, 0.0), "local-vector", floor=0.0, min_floor=0.0)
    assert [one.cosine for one in floored.kept] == [0.0]


@pytest.mark.requirement("ruling:C20")
def test_hybrid_keeps_what_the_words_found_and_cuts_the_vector_arm() -> None:
    by_words = _scored(0.01, None, lexical=0.4)
    by_vector = [candidate(thought("x"), 0.3), candidate(thought("y"), 0.2)]
    floored = apply_floor([*by_words, *by_vector], "local-hybrid", floor=0.25, min_floor=0.15)
    assert [one.row.id for one in floored.kept] == ["t:0", "t:1", "t:x"]
    assert floored.floor == 0.25


@pytest.mark.parametrize("provider", ["local-fts", "somebody-elses"])
def test_what_compares_no_vectors_has_no_floor(provider: str) -> None:
    found = _scored(None, 0.01)
    floored = apply_floor(found, provider, floor=0.25, min_floor=0.15)
    assert (floored.kept, floored.excluded, floored.floor) == (tuple(found), (), 0.0)


def _told(asked: float, *, kg: float, thoughts: float, returned: int = 1) -> tuple[str, ...]:
    facts = Diagnostics(
        provider="local",
        model="tiny",
        dim=8,
        k_req=10,
        k_ret=returned,
        kg_candidates=1,
        thought_candidates=1,
        floor_used=min(kg, thoughts),
        floor_kg=kg,
        floor_thoughts=thoughts,
    )
    return telling_floors(Selection(snippets=(), diagnostics=facts), asked=asked).diagnostics.warnings


@pytest.mark.requirement("ruling:C3", "ruling:C16")
def test_a_floor_that_was_lowered_is_told_source_by_source_in_plain_words() -> None:
    assert _told(0.6, kg=0.41234, thoughts=0.6) == (
        "no result from the knowledge graph reaches the floor 0.6, so voice lowered it to 0.412",
    )
    assert len(_told(0.6, kg=0.4, thoughts=0.2)) == 2


@pytest.mark.requirement("ruling:C3")
def test_nothing_is_told_of_floors_that_held_or_that_do_not_apply_or_of_an_empty_answer() -> None:
    assert _told(0.6, kg=0.6, thoughts=0.6) == ()
    assert _told(0.6, kg=0.0, thoughts=0.0) == ()
    assert _told(0.6, kg=0.15, thoughts=0.6, returned=0) == ()
    assert len(_told(0.6, kg=0.15, thoughts=0.6, returned=1)) == 1
