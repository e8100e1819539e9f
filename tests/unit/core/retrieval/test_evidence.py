"""Chosen KG rows as what a prompt may cite."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from retrieval_rows import AT, candidate, entity, observation, relation, thought
from tables import tables
from voice.core.errors import InvalidParams
from voice.core.grounding.values import Evidence
from voice.core.records import Provenance, Row, Scope, TrustTier
from voice.core.retrieval.passages import EvidenceRequest, as_evidence
from voice.core.retrieval.selection import SearchFacts, select_evidence
from voice.core.retrieval.values import Candidate, RetrieveParams, Window
from voice.core.text.normalise import content_hash

TABLES = tables(__file__)

ADA, ACME = entity("ada", "Ada", "my sister"), replace(entity("acme", "Acme", "a firm"), aliases=("ACME Ltd",))
ENTITIES = (ADA, ACME)


def _chosen(*rows: Row, rank: float = 0.5) -> tuple[Candidate, ...]:
    params = EvidenceRequest(query="q").params()
    found = [candidate(row, 0.5, rank=rank - n / 100) for n, row in enumerate(rows)]
    return select_evidence(params, found, SearchFacts(provider="p", model="m", dim=1)).chosen


@pytest.mark.requirement("ruling:D4")
def test_evidence_stands_under_aliases_in_its_order() -> None:
    rows = as_evidence(_chosen(observation("b"), observation("a")), ENTITIES)
    assert [(row.alias, row.row_id) for row in rows] == [("S1", "o:b"), ("S2", "o:a")]


@pytest.mark.requirement("ruling:D2")
def test_the_thoughts_behind_a_row_go_with_it() -> None:
    spans = (Provenance(thought_id="t:2", start=0, end=3), Provenance(thought_id="t:1", start=0, end=3))
    backed = replace(observation("1"), provenance=(*spans, replace(spans[0], start=1)))
    (row,) = as_evidence(_chosen(backed), ENTITIES)
    assert row.thought_ids == ("t:1", "t:2")


@pytest.mark.requirement("ruling:I1")
@pytest.mark.parametrize(
    ("thread", "shown"), TABLES["a_message_is_of_a_conversation_that_is_called_as_a_reader_tells_it_apart"]
)
def test_a_message_is_of_a_conversation_that_is_called_as_a_reader_tells_it_apart(
    thread: str | None, shown: str | None
) -> None:
    (row,) = as_evidence(_chosen(replace(observation("1"), thread=thread)), ENTITIES)
    assert (row.thread, row.context) == (shown, None)


@pytest.mark.requirement("ruling:I1")
def test_a_sentence_of_a_note_has_its_path_and_its_place_and_no_conversation() -> None:
    place = Provenance(thought_id="t:2", start=12, end=15)
    said = replace(observation("1"), context_path=("Gate", "Hinges"), thread="notes.txt", provenance=(place,))
    row, ada = as_evidence(_chosen(said, ADA), ENTITIES)
    assert (row.context, row.thread, row.place) == ("Gate › Hinges", None, ("t:2", 12))
    assert (ada.context, ada.thread, ada.place) == (None, None, None)


def test_evidence_carries_what_a_judgement_needs() -> None:
    place, day = Provenance(thought_id="t:2", start=12, end=15), AT - timedelta(days=1)
    said = replace(
        observation("1", "I met Ada.", trust=TrustTier.AMBER, at=day), speaker="Bo", is_private=True,
        entity_ids=("e:ada", "e:gone"), context_path=("Gate", "Hinges"), provenance=(place,), valid_until=AT,
        superseded_by="o:9",
    )  # fmt: skip
    assert as_evidence(_chosen(said, rank=0.25), ENTITIES) == (
        Evidence(
            alias="S1", row_id="o:1", source_type="kg_observation", text="I met Ada.", shown="I met Ada.",
            content_hash=content_hash("I met Ada."), trust=TrustTier.AMBER, created_at=day, entered_at=AT,
            thought_ids=("t:2",), entity_names=("Ada",), speaker="Bo", context="Gate › Hinges", place=("t:2", 12),
            valid_until=AT, superseded_by="o:9", is_private=True, relevance=0.2, score=0.5,
        ),
    )  # fmt: skip


def test_an_entity_is_named_by_itself_and_a_relation_by_both_ends() -> None:
    until = replace(relation("1", "ada", "works_at", "acme"), valid_until=AT)
    node, edge = as_evidence(_chosen(ACME, until), ENTITIES)
    assert (node.entity_names, node.speaker) == (("Acme", "ACME Ltd"), None)
    assert (edge.entity_names, edge.valid_until) == (("Ada", "Acme", "ACME Ltd"), AT)


@pytest.mark.requirement("ruling:C19")
def test_what_is_shown_is_cut_and_the_text_is_whole() -> None:
    long = "The harbour was quiet and the ferry left on time again. " * 40
    (row,) = as_evidence(_chosen(observation("1", long)), ENTITIES)
    assert row.text == long
    assert row.text.startswith(row.shown)
    assert 600 <= len(row.shown) <= 800


@pytest.mark.parametrize(("rank", "relevance"), [(3.0, 0.75), (1.0, 0.5), (-0.2, 0.0)])
def test_relevance_stays_between_nought_and_one(rank: float, relevance: float) -> None:
    assert as_evidence(_chosen(observation("1"), rank=rank), ENTITIES)[0].relevance == relevance


@pytest.mark.requirement("promise:4", "ruling:A2")
def test_a_thought_is_never_evidence() -> None:
    assert _chosen(thought("1")) == ()
    with pytest.raises(InvalidParams, match="thought"):
        as_evidence((candidate(thought("1")),), ENTITIES)


@pytest.mark.requirement("ruling:A15", "ruling:C20")
def test_a_request_asks_for_graph_rows_by_rank_and_scores_more_than_it_returns() -> None:
    same: dict[str, Any] = {
        "window": Window(end=AT), "scope": Scope(session_id="s1"), "include_private": True, "include_tags": ("a",),
        "exclude_tags": ("b",), "now": AT, "speaker": "Bo", "superseded": True, "phrases": ("x",), "warnings": ("w",),
        "lexical_only": True, "floor": 0.3, "min_floor": 0.2,
    }  # fmt: skip
    asked = EvidenceRequest(query="q", limit=7, **same)
    assert asked.params() == RetrieveParams(
        query="q", top_k=7, mix=1.0, provider="local-hybrid", max_candidates_per_source=500, **same
    )
    assert asked.to_be_read("r") == replace(asked, query="r", limit=60, floor=0.0, min_floor=0.0)
    plain = EvidenceRequest(query="q", floor=0.1).params()
    assert (plain.top_k, plain.max_candidates_per_source, plain.floor, plain.min_floor) == (60, 90, 0.1, 0.1)
    assert EvidenceRequest(query="q", limit=200).params().max_candidates_per_source == 200
