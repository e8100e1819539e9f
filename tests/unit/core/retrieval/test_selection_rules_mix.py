"""Dividing the places between the graph and the thoughts (rulings C5, C6, C7)."""

import pytest

from retrieval_rows import observations, thoughts
from voice.core.records import Table
from voice.core.retrieval.ranking import by_cosine
from voice.core.retrieval.selection_rules import Allocation, allocate, slots
from voice.core.retrieval.values import Candidate


def _give(kg: list[Candidate], notes: list[Candidate], *, top_k: int, mix: float) -> Allocation:
    return allocate(kg, notes, by_cosine, top_k=top_k, mix=mix)


def _shares(allocation: Allocation) -> tuple[int, int]:
    notes = sum(one.table is Table.THOUGHTS for one in allocation.chosen)
    return len(allocation.chosen) - notes, notes


@pytest.mark.requirement("s0:test:mix-allocation", "ruling:C5")
def test_a_mix_of_six_tenths_of_ten_places_gives_six_and_four() -> None:
    allocation = _give(observations(20), thoughts(20), top_k=10, mix=0.6)
    assert _shares(allocation) == (6, 4)
    assert (allocation.kg_slots, allocation.thought_slots, allocation.backfilled) == (6, 4, 0)
    assert len(allocation.left_out) == 30


@pytest.mark.requirement("ruling:C5")
@pytest.mark.parametrize(("top_k", "mix", "kg"), [(5, 0.5, 3), (1, 0.5, 1), (3, 0.5, 2), (10, 0.25, 3), (10, 0.24, 2)])
def test_halves_round_up(top_k: int, mix: float, kg: int) -> None:
    assert slots(top_k, mix, both=False) == (kg, top_k - kg)


@pytest.mark.requirement("s0:behavior:5a")
@pytest.mark.parametrize("mix", [0.01, 0.99])
def test_a_true_mix_gives_each_source_that_has_anything_at_least_one_place(mix: float) -> None:
    strong, weak = thoughts(9, best=0.9), observations(9, best=0.3)
    assert min(_shares(_give(weak, strong, top_k=5, mix=mix))) == 1


@pytest.mark.requirement("s0:test:mix-allocation", "s0:behavior:5b", "ruling:C7")
def test_places_that_one_source_cannot_fill_go_to_the_other() -> None:
    allocation = _give(observations(2), thoughts(20), top_k=10, mix=0.6)
    assert _shares(allocation) == (2, 8)
    assert allocation.backfilled == 4
    assert _shares(_give(observations(20), [], top_k=10, mix=0.6)) == (10, 0)


@pytest.mark.requirement("ruling:C7")
def test_back_fill_takes_the_best_that_is_left() -> None:
    allocation = _give(observations(1, best=0.2), thoughts(5, best=0.9), top_k=4, mix=0.5)
    assert [one.row.id for one in allocation.chosen] == ["t:000", "t:001", "t:002", "o:000"]
    assert [one.row.id for one in allocation.left_out] == ["t:003", "t:004"]


@pytest.mark.requirement("ruling:C7")
def test_fewer_rows_than_places_are_all_chosen() -> None:
    assert _shares(_give(observations(2), thoughts(1), top_k=10, mix=0.1)) == (2, 1)


@pytest.mark.requirement("ruling:C6")
def test_a_single_place_goes_to_the_best_of_all() -> None:
    assert _shares(_give(observations(3, best=0.3), thoughts(3, best=0.9), top_k=1, mix=0.9)) == (0, 1)
    assert _shares(_give(observations(3, best=0.9), thoughts(3, best=0.3), top_k=1, mix=0.1)) == (1, 0)


@pytest.mark.requirement("ruling:C6", "s0:param:mix")
def test_nought_and_one_are_strict() -> None:
    assert _shares(_give(observations(2), thoughts(9), top_k=5, mix=1.0)) == (2, 0)
    assert _shares(_give(observations(9), thoughts(2), top_k=5, mix=0.0)) == (0, 2)
    assert _shares(_give(observations(1, best=0.1), thoughts(9), top_k=1, mix=1.0)) == (1, 0)


def test_nothing_gives_nothing() -> None:
    assert _give([], [], top_k=10, mix=0.6).chosen == ()
    assert len(_give([], thoughts(1), top_k=10, mix=0.6).chosen) == 1
