"""Floors belong to the encoder whose angles they cut (ruling C4).

One text, one result (rulings C7, C8).
Dividing the places between the graph and the thoughts (rulings C5, C6, C7).
The least similarity that counts, per source (ruling C3).
"""

import pytest

from retrieval_rows import candidate, observation, observations, thought, thoughts
from tables import by_law, tables
from voice.bootstrap import make_embedder
from voice.core.records import Origin, Table, TrustTier
from voice.core.retrieval.ranking import by_cosine
from voice.core.retrieval.selection_rules import (
    SPEC_FLOORS,
    Allocation,
    FloorProfile,
    allocate,
    apply_floor,
    dedupe,
    floors_of,
    passes,
    slots,
    telling_floors,
)
from voice.core.retrieval.values import Candidate, Diagnostics, Selection
from voice.core.settings.parse import parse_settings
from voice.core.settings.providers import EmbedSettings

TABLES = tables(__file__)
HASH = {"SURR_EMBED_PROVIDER": "hash"}


@pytest.mark.requirement("ruling:C4", "ruling:C3")
def test_the_specs_floors_are_the_default_encoders_and_those_of_any_that_was_not_calibrated() -> None:
    assert (SPEC_FLOORS.floor, SPEC_FLOORS.min_floor) == (0.25, 0.15)
    assert floors_of(EmbedSettings().encoder) == floors_of("somebody/else") == SPEC_FLOORS


@pytest.mark.requirement("ruling:C4")
@pytest.mark.parametrize("provider", ["local", "hash"])
def test_a_profile_is_found_under_the_name_that_the_encoders_vectors_bear(provider: str) -> None:
    settings = EmbedSettings(provider=provider)
    assert settings.encoder == make_embedder(settings).model


@pytest.mark.requirement("ruling:C4")
def test_a_remote_encoder_is_named_with_its_vendor() -> None:
    settings = EmbedSettings(provider="openai", model="text-embedding-3-small", dim=1536)
    assert settings.encoder == make_embedder(settings).model


@pytest.mark.requirement("ruling:C4")
def test_retrieval_takes_the_floors_of_the_encoder_that_is_set() -> None:
    found = parse_settings({}, HASH, {}).settings.retrieve
    assert FloorProfile(floor=found.floor, min_floor=found.min_floor) == floors_of("hashed-ngrams-v1") != SPEC_FLOORS


@pytest.mark.requirement("ruling:C4")
def test_what_the_person_sets_wins_over_the_encoders_profile() -> None:
    said = {"SURR_INNER_VOICE_FLOOR": "0.25", "SURR_INNER_VOICE_MIN_FLOOR": "0.15"}
    found = parse_settings({}, {**HASH, **said}, {}).settings.retrieve
    assert (found.floor, found.min_floor) == (0.25, 0.15)


@pytest.mark.requirement("s0:behavior:6", "s0:test:dedupe", "s0:constraint:dedupe", "ruling:C7")
def test_the_same_text_in_two_tables_is_one_result() -> None:
    kept = candidate(observation("1", "I met Ada."), 0.8)
    double = candidate(thought("1", "  i met ADA. "), 0.7)
    result = dedupe([double, kept], by_cosine)
    assert result.kept == (kept,)
    assert result.duplicates == ((double, "o:1"),)
    assert result.also_in == {"o:1": ("t:1",)}


@pytest.mark.requirement("ruling:C8")
def test_the_more_trusted_of_two_stays_even_with_the_lower_score() -> None:
    trusted = candidate(thought("1", "same", origin=Origin.HUMAN), 0.3)
    written = candidate(thought("2", "same", origin=Origin.MODEL), 0.9)
    half = candidate(observation("3", "same", trust=TrustTier.AMBER), 0.95)
    result = dedupe([written, half, trusted], by_cosine)
    assert result.kept == (trusted,)
    assert result.also_in == {"t:1": ("o:3", "t:2")}


@pytest.mark.requirement("ruling:C8", "ruling:C9")
def test_of_equally_trusted_rows_the_better_scoring_stays_then_table_and_id() -> None:
    low, high = candidate(thought("a", "same"), 0.3), candidate(thought("b", "same"), 0.4)
    assert dedupe([low, high], by_cosine).kept == (high,)
    level = [
        candidate(thought("b", "same"), 0.4),
        candidate(thought("a", "same"), 0.4),
        candidate(observation("z", "same"), 0.4),
    ]
    assert [one.row.id for one in dedupe(level, by_cosine).kept] == ["o:z"]


def test_the_same_row_found_twice_is_one_row_and_no_duplicate() -> None:
    once = candidate(thought("1"), 0.4)
    result = dedupe([once, candidate(thought("1"), 0.5)], by_cosine)
    assert [one.score for one in result.kept] == [0.5]
    assert result.duplicates == ()


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


@pytest.mark.requirement("ruling:C6")
def test_a_single_place_goes_to_the_best_of_all() -> None:
    weak, strong = observations(1, best=0.3), thoughts(2, best=0.9)
    assert _give(weak, strong, top_k=1, mix=0.9) == Allocation(
        chosen=(strong[0],), left_out=(strong[1], *weak), kg_slots=0, thought_slots=0, backfilled=0
    )
    assert _shares(_give(observations(3, best=0.9), thoughts(3, best=0.3), top_k=1, mix=0.1)) == (1, 0)


@pytest.mark.requirement("ruling:C6", "s0:param:mix")
def test_nought_and_one_are_strict() -> None:
    kg, notes = observations(2), thoughts(1)
    assert _give(kg, notes, top_k=1, mix=1.0) == Allocation(
        chosen=(kg[0],), left_out=(kg[1], *notes), kg_slots=1, thought_slots=0, backfilled=0
    )
    assert _shares(_give(observations(2), thoughts(9), top_k=5, mix=1.0)) == (2, 0)
    assert _shares(_give(observations(9), thoughts(2), top_k=5, mix=0.0)) == (0, 2)
    assert _shares(_give(observations(1, best=0.1), thoughts(9), top_k=1, mix=1.0)) == (1, 0)


def _scored(*cosines: float | None, lexical: float = 0.0) -> list[Candidate]:
    return [candidate(thought(str(n)), cosine, lexical=lexical) for n, cosine in enumerate(cosines)]


@pytest.mark.requirement("s0:behavior:4", "ruling:C3")
@pytest.mark.parametrize(
    ("cosines", "floor", "min_floor", "kept", "used"), by_law(TABLES["what_is_under_the_floor_of_its_source_is_cut"])
)
def test_what_is_under_the_floor_of_its_source_is_cut(
    cosines: list[float | None], floor: float, min_floor: float, kept: list[float], used: float
) -> None:
    found = _scored(*cosines)
    floored = apply_floor(found, "local-vector", floor=floor, min_floor=min_floor)
    assert [one.cosine for one in floored.kept] == kept
    assert [*floored.excluded] == [one for one in found if one not in floored.kept]
    assert floored.floor == used


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
    assert all(passes(provider, each, 0.25) for each in found)
    assert [passes("local-vector", each, 0.25) for each in (*found, *_scored(0.25))] == [False, False, True]


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
