"""From what an index found to what can be chosen.

What was superseded brings what took its place (ruling F.7: the old value stays with its validity interval).
"""

from dataclasses import replace
from typing import ClassVar

import pytest

from retrieval_rows import entity, observation, relation, thought
from voice.core.records import Origin, Row, RowStatus, Scope, Table, TrustTier, table_of
from voice.core.retrieval.candidates import (
    Candidates,
    Neighbourhood,
    build_candidates,
    lift_relations,
    lift_successors,
    successors,
)
from voice.core.retrieval.values import Dropped, Found, Hit, RowFilter
from voice.core.text.normalise import content_hash

ALL = RowFilter(tables=frozenset(Table))
ADA, ACME = entity("ada", "Ada", "my sister"), entity("acme", "Acme", entity_type="organisation")
WORKS = relation("1", "ada", "works_at", "acme")


def _found(row_id: str, cosine: float | None = 0.5, lexical: float = 0.1, rank: float = 0.1) -> Found:
    hit = Hit(row_id=row_id, table=table_of(row_id), cosine=cosine, lexical=lexical)
    return Found(hit=hit, score=rank / 2, rank_score=rank, boosts=((row_id, 1.0),))


def _build(
    *rows: Row, around: tuple[Row, ...] = (), row_filter: RowFilter = ALL, cosine: float | None = 0.5
) -> Candidates:
    by_id = {row.id: row for row in (*rows, *around)}
    neighbourhood = Neighbourhood.visible(by_id.values(), row_filter)
    return build_candidates([_found(row.id, cosine) for row in rows], by_id, neighbourhood, row_filter)


def test_a_candidate_carries_its_text_hash_scores_and_boosts() -> None:
    (found,) = _build(thought("1", "Met Ada.")).found
    assert (found.text, found.content_hash) == ("Met Ada.", content_hash("Met Ada."))
    assert (found.cosine, found.lexical, found.boosts) == (0.5, 0.1, (("t:1", 1.0),))
    assert (found.rank_score, found.relevance) == (0.1, 0.05)
    row, around = thought("1", "Met Ada."), Neighbourhood.visible((), ALL)
    (hashed,) = build_candidates([_found("t:1")], {"t:1": row}, around, ALL, lambda row, text: row.id + text).found
    assert hashed == replace(found, content_hash="t:1Met Ada.")


@pytest.mark.requirement("ruling:C2", "ruling:C19")
def test_an_entity_is_shown_with_its_relations() -> None:
    (found,) = _build(ADA, around=(WORKS, ACME)).found
    assert found.text == "Ada (person): my sister; works at → Acme"


@pytest.mark.requirement("ruling:C19", "promise:9")
def test_a_bare_name_is_left_out_and_named() -> None:
    result = _build(ACME)
    assert result.found == ()
    assert result.dropped == (Dropped(id="e:acme", reason="bare_name", score=0.5),)
    assert _build(ACME, cosine=None).dropped == (Dropped(id="e:acme", reason="bare_name", score=0.0),)


@pytest.mark.requirement("promise:6", "s0:constraint:privacy")
def test_a_row_that_may_not_be_seen_leaves_no_trace() -> None:
    result = _build(replace(thought("1"), is_private=True))
    assert (result.found, result.dropped) == ((), ())


@pytest.mark.requirement("promise:6")
def test_a_private_relation_or_entity_shows_in_no_other_row() -> None:
    plain = "Ada (person): my sister"
    (found,) = _build(ADA, around=(replace(WORKS, is_private=True), ACME)).found
    assert found.text == plain
    (found,) = _build(ADA, around=(WORKS, replace(ACME, is_private=True))).found
    assert found.text == plain
    everything = replace(ALL, include_private=True)
    (found,) = _build(ADA, around=(replace(WORKS, is_private=True), ACME), row_filter=everything).found
    assert found.text == f"{plain}; works at → Acme"


@pytest.mark.requirement("promise:6", "ruling:H.5")
@pytest.mark.parametrize(
    ("row", "around"),
    [
        (ADA, (replace(WORKS, is_private=True), ACME)),
        (ADA, (WORKS, replace(ACME, is_private=True))),
        (WORKS, (replace(ADA, is_private=True), ACME)),
        (replace(ADA, is_private=True), (WORKS, ACME)),
    ],
    ids=["a private edge", "a private neighbour", "a private end", "the row itself"],
)
def test_what_holds_anything_private_is_private(row: Row, around: tuple[Row, ...]) -> None:
    (found,) = _build(row, around=around, row_filter=replace(ALL, include_private=True)).found
    assert found.is_private


@pytest.mark.requirement("promise:6", "ruling:H.5")
def test_what_would_say_the_same_without_private_rows_is_not_private() -> None:
    secret = replace(relation("2", "acme", "owns", "ada"), is_private=True)
    everything = replace(ALL, include_private=True)
    (found,) = _build(ADA, around=(WORKS, ACME, secret), row_filter=everything).found
    assert not found.is_private


def test_a_relation_of_another_scope_shows_in_no_other_row() -> None:
    here = Scope(session_id="s1")
    scoped = [replace(row, scope=here) for row in (ADA, ACME)]
    other = replace(WORKS, scope=Scope(session_id="s2"))
    (found, *_) = _build(scoped[0], around=(scoped[1], other), row_filter=replace(ALL, scope=here)).found
    assert found.text == "Ada (person): my sister"


@pytest.mark.requirement("ruling:A13", "s3:test:exclusion", "s0:behavior:9")
def test_what_the_inner_voice_wrote_is_left_out_and_named() -> None:
    result = _build(replace(thought("1"), pipeline="inner_voice", origin=Origin.MODEL))
    assert result.found == ()
    assert [one.reason for one in result.dropped] == ["synthesis"]


def test_a_row_that_is_gone_leaves_no_trace() -> None:
    gone = build_candidates([_found("t:gone", None)], {}, Neighbourhood.visible((), ALL), ALL)
    assert gone == Candidates(found=(), dropped=())


@pytest.mark.requirement("ruling:C2")
class TestLiftRelations:
    ROWS: ClassVar[dict[str, Row]] = {row.id: row for row in (ADA, ACME, WORKS, observation("1"))}

    def test_a_found_relation_lifts_its_source_entity(self) -> None:
        edge = _found("r:1", 0.8, 0.4)
        edge = replace(edge, hit=replace(edge.hit, says=7, trust=TrustTier.GREEN))
        (lifted,) = lift_relations([edge], self.ROWS)
        assert lifted.hit == Hit(row_id="e:ada", table=Table.ENTITIES, cosine=0.8, lexical=0.4)
        assert (lifted.score, lifted.rank_score) == (0.05, 0.1)

    def test_the_entity_keeps_the_best_of_each_score(self) -> None:
        own, edge = _found("e:ada", 0.3, 0.6, rank=0.2), _found("r:1", 0.8, 0.4, rank=0.7)
        own = replace(own, hit=replace(own.hit, neighbour=0.2, coverage=0.3, asking=0.4))
        edge = replace(edge, hit=replace(edge.hit, is_speaker=True, asking=0.1))
        (lifted,) = lift_relations([own, edge], self.ROWS)
        assert lifted.hit == replace(own.hit, cosine=0.8, lexical=0.6, asking=0.1, is_speaker=True)
        assert (lifted.score, lifted.rank_score, lifted.boosts) == (0.35, 0.7, (("r:1", 1.0),))

    def test_a_relation_without_a_vector_takes_none_from_the_entity(self) -> None:
        (lifted,) = lift_relations([_found("r:1", None, 0.4), _found("e:ada", 0.3, 0.0)], self.ROWS)
        assert (lifted.hit.cosine, lifted.hit.lexical) == (0.3, 0.4)
        (neither,) = lift_relations([_found("r:1", None), _found("e:ada", None)], self.ROWS)
        assert neither.hit.cosine is None

    def test_other_rows_stay_as_they_are(self) -> None:
        found = (_found("o:1"), _found("e:acme"))
        assert lift_relations(found, self.ROWS) == found

    def test_a_relation_that_is_not_there_lifts_nothing(self) -> None:
        assert lift_relations([_found("r:9")], self.ROWS) == ()
        assert len(lift_relations([_found("r:1"), _found("r:9")], self.ROWS)) == 1


def test_the_neighbourhood_holds_entities_by_id_and_relations_in_order() -> None:
    later = relation("2", "ada", "likes", "acme")
    around = Neighbourhood.visible((later, WORKS, ADA, thought("1")), ALL)
    assert dict(around.entities) == {"e:ada": ADA}
    assert around.relations == (WORKS, later)


NEW = observation("new", "Clara tunes the top octave with an app.")
OLD = replace(observation("old", "Clara never tunes with an app."), status=RowStatus.SUPERSEDED, superseded_by=NEW.id)
PLAIN = thought("plain", "An app is a machine.")
ROWS: dict[str, Row] = {row.id: row for row in (NEW, OLD, PLAIN)}


def test_a_successor_that_was_not_found_comes_with_the_scores_of_what_it_replaced() -> None:
    lifted = lift_successors([_found(OLD.id, 0.8, 0.5, rank=0.8), _found(PLAIN.id, 0.2, 0.0)], ROWS)
    assert [(one.hit.row_id, one.hit.cosine, one.hit.lexical) for one in lifted] == [
        (OLD.id, 0.8, 0.5),
        (PLAIN.id, 0.2, 0.0),
        (NEW.id, 0.8, 0.5),
    ]
    assert (lifted[-1].hit.table, lifted[-1].rank_score) == (Table.OBSERVATIONS, 0.8)


def test_a_successor_that_was_found_keeps_whichever_score_is_better() -> None:
    hits = [_found(OLD.id, 0.3, 0.9, rank=0.9), _found(NEW.id, 0.6, 0.1, rank=0.6)]
    found = {one.hit.row_id: one for one in lift_successors(hits, ROWS)}
    better = found[NEW.id]
    assert (better.hit.cosine, better.hit.lexical, better.score, better.rank_score) == (0.6, 0.9, 0.45, 0.9)
    assert len(found) == 2


def test_a_hit_without_its_row_brings_nothing() -> None:
    assert lift_successors([_found(OLD.id)], {}) == (_found(OLD.id),)


def test_a_note_that_was_corrected_twice_brings_both_that_took_its_place() -> None:
    last, first = thought("last", "The kiln runs at cone 10."), thought("first", "The kiln runs at cone 6.")
    between = thought("between", "The kiln runs at cone 8.")
    chain: dict[str, Row] = {
        last.id: last,
        between.id: replace(between, status=RowStatus.SUPERSEDED, superseded_by=last.id),
        first.id: replace(first, status=RowStatus.SUPERSEDED, superseded_by=between.id),
    }
    for found in (
        [_found(first.id, 0.4, 0.9), _found(last.id, 0.6, 0.0)],
        [_found(last.id, 0.6, 0.0), _found(first.id, 0.4, 0.9)],
    ):
        lifted = {one.hit.row_id: one for one in lift_successors(found, chain)}
        assert lifted.keys() == chain.keys()
        assert (lifted[last.id].hit.cosine, lifted[last.id].hit.lexical) == (0.6, 0.9)
        assert (lifted[between.id].hit.table, lifted[between.id].hit.lexical) == (Table.THOUGHTS, 0.9)


def test_rows_that_took_the_place_of_one_another_are_told_once() -> None:
    around: dict[str, Row] = {row.id: row for row in (replace(NEW, superseded_by=OLD.id), OLD)}
    assert successors(OLD.id, around) == (NEW.id,)
    assert successors(PLAIN.id, ROWS) == ()
