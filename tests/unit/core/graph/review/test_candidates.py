"""Candidates: one id for one thing, what staging again does, and where a page goes on."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from candidate_values import candidate, edge, full_candidates, person
from store_values import FIRST_DAY, LAST_DAY, NOON, there
from voice.core.errors import InvalidParams
from voice.core.graph.review.candidates import (
    MAX_MENTIONS,
    Candidate,
    CandidateKind,
    CandidateStatus,
    Cursor,
    EntityProposal,
    RelationProposal,
    candidate_id,
    joined_spans,
    restaged,
)
from voice.core.records import Origin, Provenance

SPAN = Provenance(thought_id="t:1", start=0, end=5)
OTHER = Provenance(thought_id="t:0", start=2, end=4)
NAIVE = datetime(2025, 3, 1, 12)  # noqa: DTZ001 - what must be refused


@pytest.mark.requirement("ruling:F.3")
def test_the_same_thing_has_one_id_however_it_is_written() -> None:
    assert person("Ada").id == person(" ADA ").id == candidate_id(EntityProposal(name="ada", entity_type="Person"))
    assert edge("Ada", "works at", "Kiln Co").id == edge("ada", "Works_At", "KILN  CO").id
    assert person("Ada").id.startswith("c:")


@pytest.mark.requirement("ruling:F.3")
def test_kind_names_type_and_direction_each_make_another_id() -> None:
    different = [
        person("Ada"),
        person("Beth"),
        candidate(EntityProposal(name="Ada", entity_type="project")),
        edge("Ada", "knows", "Beth"),
        edge("Beth", "knows", "Ada"),
        edge("Ada", "likes", "Beth"),
        edge("Ada knows", "x", "Beth"),
    ]
    assert len({each.id for each in different}) == len(different)


def test_a_proposal_is_cleaned_when_it_is_made() -> None:
    found = EntityProposal(name=" Ada \n Lund", entity_type=" a  person ", aliases=("ADA lund", " Adi ", "adi", ""))
    assert (found.name, found.entity_type, found.aliases) == ("Ada Lund", "a person", ("Adi",))
    joined = RelationProposal(source=" a ", rel_type=" works  at ", target="b\x00", description=" x \n y")
    assert (joined.source, joined.rel_type, joined.target, joined.description) == ("a", "works_at", "b", "x y")


@pytest.mark.parametrize(
    ("name", "kind"),
    [("", "person"), (" \n ", "person"), ("\u200b", "person"), ("Ada", ""), ("\x00", "person"), ("\ud800", "person")],
)
def test_a_name_or_type_that_cannot_be_seen_is_refused(name: str, kind: str) -> None:
    with pytest.raises(InvalidParams, match="must not be empty"):
        EntityProposal(name=name, entity_type=kind)


def test_what_no_store_can_hold_is_not_in_a_name_nor_in_what_its_id_hashes() -> None:
    found = EntityProposal(name="A\ud800da", entity_type="person", aliases=("\ud800",), description="x\ud800y")
    assert found == EntityProposal(name="Ada", entity_type="person", description="xy")


def test_a_relations_time_has_a_zone() -> None:
    with pytest.raises(InvalidParams, match="time zone"):
        RelationProposal(source="a", rel_type="b", target="c", valid_from=NAIVE)


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"id": "c:other"}, "that of its proposal"),
        ({"edited": RelationProposal(source="a", rel_type="b", target="c")}, "cannot turn"),
        ({"confidence": 1.5}, "between 0 and 1"),
        ({"confidence": float("nan")}, "between 0 and 1"),
        ({"row_id": "e:1"}, "has a row"),
        ({"status": CandidateStatus.APPROVED}, "has a row"),
        ({"staged_at": NAIVE}, "time zone"),
        ({"decided_at": NAIVE}, "time zone"),
    ],
)
def test_a_candidate_that_cannot_be_is_not_built(members: dict[str, object], words: str) -> None:
    with pytest.raises(InvalidParams, match=words):
        candidate(EntityProposal(name="Ada", entity_type="person"), **members)


@pytest.mark.requirement("ruling:F.5")
def test_provenance_is_a_list_of_spans_each_once_in_one_order() -> None:
    assert joined_spans([SPAN, OTHER, SPAN]) == (OTHER, SPAN)
    assert person(provenance=(SPAN, OTHER, SPAN)).provenance == (OTHER, SPAN)


def test_what_stands_to_be_decided_is_the_edit() -> None:
    edited = replace(person("Ada"), edited=EntityProposal(name="Ada Lund", entity_type="person"))
    assert (edited.proposal, edited.id) == (edited.edited, person("Ada").id)
    assert edited.names == ("ada", "ada lund")
    assert person("Ada").proposal == person("Ada").proposed
    assert (person().kind, edge().kind) == (CandidateKind.ENTITY, CandidateKind.RELATION)
    assert (person().new_row_id, edge().new_row_id) == (f"e:{person().id[2:]}", f"r:{edge().id[2:]}")


@pytest.mark.requirement("ruling:F.3")
@pytest.mark.parametrize("held", [person(), edge(), *full_candidates()])
def test_staging_again_what_was_staged_changes_nothing(held: Candidate) -> None:
    again = candidate(held.proposed, provenance=held.provenance, confidence=held.confidence, staged_at=LAST_DAY)
    assert restaged(held, again) is None
    assert restaged(held, replace(again, is_private=held.is_private, confidence=0.0)) is None
    assert restaged(None, again) == again


@pytest.mark.requirement("ruling:F.3", "ruling:F.5")
def test_of_very_many_mentions_the_first_hundred_are_kept_and_staging_again_changes_nothing() -> None:
    spans = tuple(Provenance(thought_id=f"t:{number:03}", start=0, end=3) for number in range(130))
    first = there(restaged(None, person(provenance=spans[:60])))
    grown = there(restaged(first, person(provenance=spans)))
    assert (grown.provenance, grown.revision) == (spans[:MAX_MENTIONS], 2)
    assert restaged(grown, person(provenance=spans)) is None
    assert restaged(grown, person(provenance=(OTHER,))) is None
    at_once = there(restaged(None, person(provenance=spans)))
    assert at_once.provenance == grown.provenance


@pytest.mark.requirement("ruling:F.3")
def test_a_rejected_candidate_is_not_staged_again() -> None:
    held = person(status=CandidateStatus.REJECTED, decided_at=NOON, decided_by=Origin.HUMAN)
    assert restaged(held, person(provenance=(OTHER,), confidence=1.0)) is None
    assert restaged(person(), person(provenance=(OTHER,), confidence=1.0)) is not None


@pytest.mark.requirement("ruling:F.3", "ruling:F.5")
def test_mentions_aliases_and_confidence_of_an_entity_come_together() -> None:
    fresh = candidate(
        EntityProposal(name="ADA", entity_type="person", aliases=("Adi",), description="a potter"),
        provenance=(OTHER,),
        confidence=0.9,
        staged_at=LAST_DAY,
    )
    merged = there(restaged(person(staged_at=FIRST_DAY), fresh))
    assert merged.proposed == EntityProposal(name="Ada", entity_type="person", aliases=("Adi",), description="a potter")
    assert (merged.provenance, merged.confidence) == ((OTHER, SPAN), 0.9)
    assert (merged.staged_at, merged.revision) == (FIRST_DAY, 2)


def test_an_edit_and_an_approval_outlast_new_mentions() -> None:
    (held, _) = full_candidates()
    public = replace(held, is_private=False)
    merged = there(restaged(public, candidate(held.proposed, provenance=(OTHER,))))
    assert (merged.edited, merged.status, merged.row_id) == (held.edited, held.status, held.row_id)
    assert OTHER in merged.provenance


def test_a_relation_takes_its_time_from_the_first_mention_that_has_one() -> None:
    dated = RelationProposal(source="Ada", rel_type="works_at", target="Kiln Co", valid_from=NOON)
    merged = there(restaged(edge(), candidate(dated)))
    assert merged.proposed == dated
    later = candidate(replace(dated, valid_from=NOON + timedelta(days=1)))
    assert restaged(merged, later) is None


@pytest.mark.requirement("ruling:C10", "promise:6")
def test_a_private_mention_adds_nothing_to_what_is_not_private() -> None:
    assert restaged(person(), person(is_private=True, provenance=(OTHER,), confidence=1.0)) is None
    assert restaged(person(), person(provenance=(OTHER,), confidence=1.0)) is not None


@pytest.mark.requirement("ruling:C10", "promise:6")
def test_a_mention_that_is_not_private_takes_the_place_of_private_ones() -> None:
    secret = person(is_private=True, provenance=(SPAN,), confidence=1.0, staged_at=FIRST_DAY, revision=3)
    secret = replace(secret, proposed=EntityProposal(name="Ada", entity_type="person", aliases=("a secret",)))
    fresh = person(provenance=(OTHER,), confidence=0.4, staged_at=LAST_DAY)
    assert restaged(secret, fresh) == replace(fresh, staged_at=FIRST_DAY, revision=4)


@pytest.mark.requirement("ruling:C10", "promise:6")
def test_what_a_person_edited_while_it_was_private_stays_private_with_the_edit() -> None:
    edit = EntityProposal(name="Ada of the clinic", entity_type="person")
    secret = person(is_private=True, provenance=(SPAN,), edited=edit, staged_at=FIRST_DAY, revision=3)
    fresh = person(provenance=(OTHER,), staged_at=LAST_DAY)
    grown = restaged(secret, fresh)
    assert grown == replace(secret, provenance=(OTHER, SPAN), revision=4)
    assert restaged(grown, fresh) is None


def test_the_place_behind_a_candidate_is_written_and_read_again() -> None:
    place = Cursor.behind(person())
    assert Cursor.parse(str(place)) == place
    assert Cursor.parse(f" {place}\n") == place
    assert place < Cursor.behind(person(staged_at=LAST_DAY))


@pytest.mark.parametrize("text", ["", "c:1", "2025-03-01T12:00:00+00:00", "2025-03-01T12:00:00~c:1", "x~c:1", "~",
                                  "2025-03-01T12:00:00+00:00~e:1",
                                  "0001-01-01T00:00:00+14:00~c:1", "9999-12-31T23:59:59-14:00~c:1"])  # fmt: skip
def test_what_is_no_place_is_refused(text: str) -> None:
    with pytest.raises(InvalidParams, match="not a place"):
        Cursor.parse(text)
