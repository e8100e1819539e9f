"""What can be said of a candidate in which state, and what an edit makes of it."""

import re
from dataclasses import replace

import pytest

from candidate_values import candidate, edge, full_candidates, person
from voice.core.errors import InvalidParams
from voice.core.graph.review import decisions
from voice.core.graph.review.candidates import CandidateStatus, EntityProposal, RelationProposal
from voice.core.graph.review.decisions import (
    Alias,
    Approve,
    Changes,
    Edit,
    Reject,
    Reopen,
    names_in_decisions,
    ruling_on,
    with_changes,
)

STATES = (CandidateStatus.PENDING, CandidateStatus.REJECTED, CandidateStatus.APPROVED)
KINDS = {
    "approve": Approve(candidate_id="c:1"),
    "alias": Alias(candidate_id="c:1", entity_id="e:1"),
    "edit": Edit(candidate_id="c:1", changes=Changes(name="x")),
    "reject": Reject(candidate_id="c:1"),
    "reopen": Reopen(candidate_id="c:1"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_table_is_the_one_at_the_head_of_the_module(kind: str) -> None:
    (line,) = re.findall(rf"^ +{kind} +(\w+) +(\w+) +(\w+)", decisions.__doc__ or "", flags=re.MULTILINE)
    held = {status: replace(person(), status=status, row_id="e:1" if status == "approved" else None)
            for status in STATES}  # fmt: skip
    assert tuple(ruling_on(KINDS[kind], held[status]) for status in STATES) == line


def test_an_edit_lies_over_what_was_proposed() -> None:
    edited = with_changes(person("Ada"), Changes(name="Ada Lund", aliases=("Adi",)))
    assert edited.edited == EntityProposal(name="Ada Lund", entity_type="person", aliases=("Adi",))
    assert (edited.proposed, edited.id) == (person("Ada").proposed, person("Ada").id)
    again = with_changes(edited, Changes(entity_type="project", description="d"))
    assert again.edited == EntityProposal(name="Ada Lund", entity_type="project", aliases=("Adi",), description="d")


def test_an_edit_back_to_what_was_proposed_leaves_no_edit() -> None:
    assert with_changes(with_changes(person("Ada"), Changes(name="Beth")), Changes(name="Ada")) == person("Ada")
    unsure = candidate(EntityProposal(name="Stralsund", entity_type="place"))
    assert unsure.proposal != unsure.proposed
    edited = with_changes(unsure, Changes(entity_type="place"))
    assert edited.proposal == unsure.proposed
    assert with_changes(edited, Changes(entity_type="thing")) == unsure


def test_aliases_can_be_taken_away() -> None:
    (held, _) = full_candidates()
    assert with_changes(held, Changes(aliases=())).proposal == replace(held.proposal, aliases=())


def test_a_relation_is_edited_by_its_own_members() -> None:
    edited = with_changes(edge(), Changes(source="e:7", rel_type="owned by", target="Kiln"))
    assert edited.proposal == RelationProposal(source="e:7", rel_type="owned_by", target="Kiln")


@pytest.mark.parametrize(
    ("held", "changes", "words"),
    [
        (person(), Changes(), "you changed nothing"),
        (person(), Changes(rel_type="x"), "is an entity and has no rel type"),
        (edge(), Changes(entity_type="x"), "is a relation and has no entity type"),
        (edge(), Changes(aliases=()), "has no aliases"),
        (person(), Changes(name=" "), "must not be empty"),
    ],
)
def test_an_edit_that_cannot_be_meant_is_refused(held: object, changes: Changes, words: str) -> None:
    with pytest.raises(InvalidParams, match=words):
        with_changes(held, changes)  # pyright: ignore[reportArgumentType]


def test_every_name_that_can_be_looked_up_is_spoken_of() -> None:
    held = {each.id: each for each in (person("Ada"), edge("Beth", "knows", "Cleo"))}
    ada, knows = held
    said = [
        Edit(candidate_id=ada, changes=Changes(name="ADA Lund")),
        Approve(candidate_id=ada),
        Edit(candidate_id=knows, changes=Changes(target="Dora")),
    ]
    assert names_in_decisions(said, held) == {"ada", "ada lund", "beth", "cleo", "dora"}
