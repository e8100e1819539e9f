"""The laws of the choice, searched by machine."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval_rows import candidate, observation, thought
from voice.core.records import TRUST_RANK, Origin, Table, TrustTier
from voice.core.render.retrieval import render_explain
from voice.core.retrieval.ranking import by_cosine, by_rank, ranked
from voice.core.retrieval.selection import SearchFacts, select
from voice.core.retrieval.selection_rules import allocate, apply_floor, dedupe, slots
from voice.core.retrieval.values import Candidate, RetrieveParams, Selection

FACTS = SearchFacts(provider="local", model="tiny", dim=8)
_SHARE = st.integers(0, 20).map(lambda twentieths: twentieths / 20)
_PROVIDERS = st.sampled_from(["local-vector", "local-hybrid", "local-fts", "somebody-elses"])


@st.composite
def _candidates(draw: st.DrawFn) -> list[Candidate]:
    """Return rows of two tables with few different texts and scores: ties and duplicates are the rule."""
    keys = draw(st.lists(st.tuples(st.booleans(), st.integers(0, 30)), unique=True, max_size=25))
    found: list[Candidate] = []
    for is_note, key in keys:
        text = draw(st.sampled_from("abcdefgh"))
        row = (
            thought(str(key), text, origin=draw(st.sampled_from(Origin)))
            if is_note
            else observation(str(key), text, trust=draw(st.sampled_from(TrustTier)))
        )
        found.append(candidate(row, draw(st.none() | _SHARE), lexical=draw(_SHARE), rank=draw(_SHARE)))
    return found


_PARAMS = st.builds(
    RetrieveParams,
    query=st.just("q"),
    top_k=st.integers(1, 12),
    mix=_SHARE,
    floor=st.sampled_from([0.25, 0.5]),
    min_floor=st.sampled_from([0.0, 0.15]),
    provider=_PROVIDERS,
)


def _tables(candidates: tuple[Candidate, ...]) -> set[bool]:
    return {one.table is Table.THOUGHTS for one in candidates}


def _select(params: RetrieveParams, candidates: list[Candidate]) -> Selection:
    return select(params, candidates, FACTS)


@pytest.mark.requirement("promise:8", "ruling:C9")
@given(_PARAMS, _candidates(), st.randoms(use_true_random=False))
def test_the_order_in_which_candidates_come_does_not_matter(
    params: RetrieveParams, found: list[Candidate], chance: Random
) -> None:
    shuffled = list(found)
    chance.shuffle(shuffled)
    assert render_explain(_select(params, shuffled)) == render_explain(_select(params, found))


@pytest.mark.requirement("ruling:C7", "ruling:C6")
@given(_PARAMS, _candidates())
def test_there_are_never_more_than_top_k_and_fewer_only_when_nothing_is_left(
    params: RetrieveParams, found: list[Candidate]
) -> None:
    selection = _select(params, found)
    left = [one for one in selection.dropped if one.reason == "no_slot"]
    assert len(selection.snippets) <= params.top_k
    assert not left or len(selection.snippets) == params.top_k


@pytest.mark.requirement("s0:behavior:5a")
@given(_candidates(), st.integers(2, 12), _SHARE.filter(lambda mix: 0.0 < mix < 1.0))
def test_with_a_true_mix_every_source_that_has_anything_is_shown(
    found: list[Candidate], top_k: int, mix: float
) -> None:
    unique = dedupe(found, by_cosine).kept
    kg = [one for one in unique if one.table is not Table.THOUGHTS]
    notes = [one for one in unique if one.table is Table.THOUGHTS]
    assert _tables(allocate(kg, notes, by_cosine, top_k=top_k, mix=mix).chosen) == _tables(unique)


@pytest.mark.requirement("ruling:C5", "ruling:C6", "ruling:C7")
@given(_candidates(), st.integers(1, 12), _SHARE)
def test_all_places_are_set_aside_and_what_is_chosen_and_left_out_is_everything(
    found: list[Candidate], top_k: int, mix: float
) -> None:
    unique = dedupe(found, by_cosine).kept
    kg = [one for one in unique if one.table is not Table.THOUGHTS]
    notes = [one for one in unique if one.table is Table.THOUGHTS]
    allocation = allocate(kg, notes, by_cosine, top_k=top_k, mix=mix)
    is_for_the_best_of_all = top_k == 1 and 0.0 < mix < 1.0
    assert allocation.kg_slots + allocation.thought_slots == (0 if is_for_the_best_of_all else top_k)
    assert sum(slots(top_k, mix, both=False)) == top_k
    assert sorted(one.row.id for one in (*allocation.chosen, *allocation.left_out)) == sorted(
        one.row.id for one in unique
    )
    assert allocation.chosen == ranked(allocation.chosen, by_cosine)


@pytest.mark.requirement("ruling:C8", "s0:test:dedupe")
@given(_candidates())
def test_no_text_comes_twice_and_the_most_trusted_of_each_stays(found: list[Candidate]) -> None:
    result = dedupe(found, by_rank)
    hashes = [one.content_hash for one in result.kept]
    assert len(hashes) == len(set(hashes)) == len({one.content_hash for one in found})
    by_hash = {one.content_hash: one for one in result.kept}
    for double, kept_id in result.duplicates:
        kept = by_hash[double.content_hash]
        assert kept.row.id == kept_id
        assert TRUST_RANK[kept.row.trust] >= TRUST_RANK[double.row.trust]
    assert len(result.kept) + len(result.duplicates) == len(found)


@pytest.mark.requirement("ruling:C3")
@given(_candidates(), _PROVIDERS, _SHARE, _SHARE)
def test_a_higher_floor_never_lets_more_in(found: list[Candidate], provider: str, one: float, other: float) -> None:
    low, high = sorted((one, other))
    kept_low = apply_floor(found, provider, floor=low, min_floor=low).kept
    kept_high = apply_floor(found, provider, floor=high, min_floor=high).kept
    assert {kept.row.id for kept in kept_high} <= {kept.row.id for kept in kept_low}


@pytest.mark.requirement("ruling:C3")
@given(_candidates(), _SHARE, _SHARE)
def test_a_floor_falls_only_for_an_empty_source_and_then_to_its_best(
    found: list[Candidate], floor: float, min_floor: float
) -> None:
    min_floor = min(floor, min_floor)
    floored = apply_floor(found, "local-vector", floor=floor, min_floor=min_floor)
    assert min_floor <= floored.floor <= floor
    if floored.floor < floor:
        assert floored.floor == max(min_floor, *(one.score for one in found))
        assert all(one.score == floored.floor for one in floored.kept)


@pytest.mark.requirement("promise:9")
@given(_PARAMS, _candidates())
def test_every_candidate_is_shown_or_named_with_a_reason(params: RetrieveParams, found: list[Candidate]) -> None:
    asked = [one for one in found if (params.mix < 1.0 if one.table is Table.THOUGHTS else params.mix > 0.0)]
    selection = _select(params, found)
    accounted = [one.id for one in selection.snippets] + [one.id for one in selection.dropped]
    assert sorted(accounted) == sorted(one.row.id for one in asked)


@pytest.mark.requirement("s0:output:kg_candidates", "s0:empty:no_candidates", "s0:empty:floor_excluded_all")
@given(_PARAMS, _candidates())
def test_the_diagnostics_agree_with_the_result(params: RetrieveParams, found: list[Candidate]) -> None:
    selection = _select(params, found)
    diagnostics = selection.diagnostics
    considered = diagnostics.kg_candidates + diagnostics.thought_candidates
    assert diagnostics.k_ret == len(selection.snippets) <= considered
    assert diagnostics.no_results is (diagnostics.k_ret == 0) is (diagnostics.reason is not None)
    assert diagnostics.floor_used == min(diagnostics.floor_kg, diagnostics.floor_thoughts) or params.mix in (0.0, 1.0)
    if diagnostics.reason == "floor_excluded_all":
        assert considered > 0


@pytest.mark.requirement("ruling:G.2b")
@given(_candidates(), st.integers(1, 6), st.sampled_from([0.0, 1.0]), _PROVIDERS)
def test_within_one_source_asking_for_more_only_adds(
    found: list[Candidate], top_k: int, mix: float, provider: str
) -> None:
    few = RetrieveParams(query="q", top_k=top_k, mix=mix, provider=provider)
    some = {snippet.id for snippet in _select(few, found).snippets}
    more = {snippet.id for snippet in _select(replace(few, top_k=2 * top_k), found).snippets}
    assert some <= more
