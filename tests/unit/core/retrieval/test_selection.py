"""The choice, from candidates to snippets: S0's listed behaviours and rulings C."""

from dataclasses import replace
from datetime import timedelta

import pytest

from retrieval_rows import AT, candidate, observation, observations, relation, thought, thoughts
from voice.core.records import Origin, Table, TrustTier
from voice.core.retrieval.selection import (
    LEXICAL_ONLY_WARNING,
    NO_VECTORS_WARNING,
    SearchFacts,
    select,
    select_evidence,
    uncompared_warning,
)
from voice.core.retrieval.values import (
    Candidate,
    Diagnostics,
    Dropped,
    Reranked,
    RetrieveParams,
    Selection,
    Snippet,
    Window,
)
from voice.core.text.normalise import content_hash

FACTS = SearchFacts(provider="local", model="tiny", dim=8, excluded_other_model=3)
PLAIN = RetrieveParams(query="q")


def _select(candidates: list[Candidate], params: RetrieveParams = PLAIN) -> Selection:
    return select(params, candidates, FACTS)


def _ids(selection: Selection) -> list[str]:
    return [snippet.id for snippet in selection.snippets]


def test_a_snippet_tells_what_its_row_is() -> None:
    said = observation("1", "Met Ada.", trust=TrustTier.AMBER, at=AT - timedelta(days=1))
    row = replace(said, origin=Origin.TOOL, context_path=("Gate",), speaker="Bo", thread="chat")
    (snippet,) = _select([replace(candidate(row, 0.7, lexical=0.2, rank=0.4), boosts=(("speaker", 0.1),))]).snippets
    assert snippet == Snippet(
        id="o:1", table=Table.OBSERVATIONS, source_type="kg_observation", origin=Origin.TOOL,
        trust_tier=TrustTier.AMBER, created_at=AT - timedelta(days=1), entered_at=AT, text="Met Ada.", score=0.7,
        content_hash=content_hash("Met Ada."), span_start=0, span_end=8, rank_score=0.4, lexical=0.2, cosine=0.7,
        boosts=(("speaker", 0.1),), context_path=("Gate",), speaker="Bo", thread="chat",
    )  # fmt: skip


@pytest.mark.requirement(
    "s0:output:kg_candidates", "s0:output:thought_candidates", "s0:output:dim", "s0:output:model", "s0:output:k_req",
    "s0:output:k_ret", "s0:output:floor_used", "ruling:C3",
)  # fmt: skip
def test_diagnostics_tell_what_was_searched_and_how_the_choice_was_made() -> None:
    some = {Table.THOUGHTS: 7, Table.OBSERVATIONS: 5}
    read = Reranked(name="r", version="1", rows=3)
    facts = replace(FACTS, found=some, admitted={Table.THOUGHTS: 9}, matched=some, candidate_limit=30, reranked=read)
    window, double = Window(end=AT), candidate(thought("d", "thought 000"), 0.3)
    params = RetrieveParams(query="q", top_k=4, mix=0.5, when="May", window=window, warnings=("w",))
    found = [candidate(observation("1"), 0.2), double, *thoughts(4)]
    selection = select(params, found, replace(facts, is_complete=False))
    assert selection.diagnostics == Diagnostics(
        provider="local", model="tiny", dim=8, k_req=4, k_ret=4, kg_candidates=5, thought_candidates=7, floor_used=0.2,
        floor_kg=0.2, floor_thoughts=0.25, kg_slots=2, thought_slots=2, backfilled=1, excluded_other_model=3,
        candidate_limit=30, admitted=facts.admitted, matched=some, when="May", window=window, reranked=read,
        warnings=("w", str(uncompared_warning(3, 9))),
    )  # fmt: skip
    assert (selection.dropped, [each.also_in for each in selection.snippets]) == ((), [()] * 4)
    whole = select(params, found, replace(facts, found=None))
    assert (whole.diagnostics.kg_candidates, whole.diagnostics.thought_candidates, len(whole.chosen)) == (1, 5, 4)
    assert whole.dropped != ()


@pytest.mark.requirement("ruling:A11", "ruling:C13", "s0:test:text-cap")
def test_text_is_hashed_and_deduplicated_whole_and_cut_last() -> None:
    opening = "The harbour was quiet and the ferry left on time again. " * 20
    long, other = opening + "Ada was there.", opening + "Ada was not there."
    selection = _select([candidate(thought("1", long)), candidate(thought("2", other))])
    assert _ids(selection) == ["t:1", "t:2"]
    for snippet, full in zip(selection.snippets, (long, other), strict=True):
        assert snippet.content_hash == content_hash(full)
        assert snippet.text == full[snippet.span_start : snippet.span_end]
        assert 600 <= len(snippet.text) <= 800


@pytest.mark.requirement("s0:test:dedupe", "ruling:C7", "ruling:C8")
def test_a_duplicate_takes_no_place() -> None:
    double = candidate(thought("d", "observation 000"), 0.95)
    selection = _select([*observations(2), double, *thoughts(2)], RetrieveParams(query="q", top_k=4, mix=0.5))
    assert sorted(_ids(selection)) == ["o:001", "t:000", "t:001", "t:d"]
    kept = next(snippet for snippet in selection.snippets if snippet.id == "t:d")
    assert kept.also_in == ("o:000",)
    assert Dropped(id="o:000", reason="duplicate", score=0.9, of="t:d") in selection.dropped


@pytest.mark.requirement("s0:empty:floor_excluded_all", "s0:test:empty-results")
def test_a_result_is_empty_when_the_floor_excludes_all() -> None:
    selection = _select([candidate(thought("1"), 0.1), candidate(observation("1"), 0.14)])
    diagnostics = selection.diagnostics
    assert selection.snippets == ()
    assert (diagnostics.no_results, diagnostics.reason) == (True, "floor_excluded_all")
    assert (diagnostics.k_ret, diagnostics.kg_candidates, diagnostics.thought_candidates) == (0, 1, 1)
    assert diagnostics.floor_used == 0.15


@pytest.mark.requirement("s0:empty:no_candidates")
def test_a_result_is_empty_when_there_is_nothing() -> None:
    diagnostics = _select([]).diagnostics
    assert (diagnostics.no_results, diagnostics.reason, diagnostics.floor_used) == (True, "no_candidates", 0.25)


@pytest.mark.requirement("ruling:C6", "s0:param:mix")
@pytest.mark.parametrize(("mix", "only"), [(0.0, Table.THOUGHTS), (1.0, Table.OBSERVATIONS)])
def test_nought_and_one_see_one_source_only(mix: float, only: Table) -> None:
    double = candidate(observation("d", "thought 000"), 0.99)
    selection = _select([*thoughts(3), *observations(3), double], RetrieveParams(query="q", mix=mix))
    assert {snippet.table for snippet in selection.snippets} == {only}
    assert all(snippet.also_in == () for snippet in selection.snippets)
    floors = selection.diagnostics
    assert floors.floor_used == (floors.floor_kg if mix else floors.floor_thoughts)


def test_what_the_search_left_out_is_named_too() -> None:
    facts = SearchFacts(provider="p", model="m", dim=1, dropped=(Dropped(id="e:1", reason="bare_name", score=0.4),))
    assert select(PLAIN, thoughts(1), facts).dropped == facts.dropped


@pytest.mark.requirement("ruling:C20", "promise:9")
def test_hybrid_chooses_by_rank_and_shows_and_sorts_by_the_cosine() -> None:
    by_words = candidate(thought("w"), 0.05, lexical=0.9, rank=0.95)
    both = candidate(thought("b"), 0.4, lexical=0.4, rank=0.6)
    by_vector = candidate(thought("v"), 0.5, rank=0.3)
    params = RetrieveParams(query="q", top_k=2, provider="local-hybrid")
    selection = _select([by_vector, both, by_words], params)
    assert [(snippet.id, snippet.score) for snippet in selection.snippets] == [("t:b", 0.4), ("t:w", 0.05)]
    assert selection.dropped == (Dropped(id="t:v", reason="no_slot", score=0.5),)


@pytest.mark.requirement("ruling:C17")
def test_words_alone_are_an_explicit_choice_and_flagged() -> None:
    spoken = replace(candidate(thought("w"), None, lexical=0.4, rank=0.5), relevance=0.5)
    params = RetrieveParams(query="q", lexical_only=True, warnings=("mix 2 is out of range",))
    selection = _select([spoken], params)
    assert [(snippet.id, snippet.score, snippet.cosine) for snippet in selection.snippets] == [("t:w", 0.5, None)]
    diagnostics = selection.diagnostics
    assert (diagnostics.retrieval_provider, diagnostics.floor_used) == ("local-fts", 0.0)
    assert diagnostics.warnings == ("mix 2 is out of range", LEXICAL_ONLY_WARNING)


@pytest.mark.requirement("ruling:E.9")
def test_an_order_by_date_changes_what_is_shown_first_and_not_what_is_chosen() -> None:
    by_score = _select(thoughts(5), RetrieveParams(query="q", top_k=3))
    by_date = _select(thoughts(5), RetrieveParams(query="q", top_k=3, order="created_at_asc"))
    assert sorted(_ids(by_score)) == sorted(_ids(by_date))


@pytest.mark.requirement("ruling:C20", "ruling:A2")
def test_evidence_comes_best_rank_first_and_includes_relations() -> None:
    edge = candidate(relation("1", "a", "knows", "b"), 0.3, lexical=0.5, rank=0.7)
    near = candidate(observation("1"), 0.8, rank=0.4)
    note = candidate(thought("1"), 0.9, rank=0.9)
    params = RetrieveParams(query="q", mix=1.0, provider="local-hybrid")
    selection = select_evidence(params, [near, note, edge], FACTS)
    assert [one.row.id for one in selection.chosen] == ["r:1", "o:1"]
    assert [snippet.source_type for snippet in selection.snippets] == ["kg_relation", "kg_observation"]


@pytest.mark.requirement("grounding:another-encoder")
@pytest.mark.parametrize(
    ("excluded", "admitted", "said"),
    [(0, 5, None), (3, 0, None), (2, 5, "2 of 5 rows have no vector"), (5, 5, NO_VECTORS_WARNING)],
)
def test_rows_that_could_not_be_compared_are_told_with_what_helps(
    excluded: int, admitted: int, said: str | None
) -> None:
    told = uncompared_warning(excluded, admitted)
    assert told is None if said is None else said in str(told)
