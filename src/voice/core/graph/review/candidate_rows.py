"""The row a candidate becomes, and merging a candidate into a row.

Law: rows inherit from their thoughts (ruling C10); merging is lossless and idempotent. Private sources make a private
row and add nothing to a public one. Missing thoughts support nothing.
Source: rulings C10, F.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from voice.core.errors import InvalidParams
from voice.core.graph.review.candidates import Candidate, EntityProposal, RelationProposal, joined_spans, other_names
from voice.core.messages import memory as messages
from voice.core.records import (
    TRUST_RANK,
    EmbeddingStatus,
    Entity,
    Inheritance,
    Origin,
    Provenance,
    Relation,
    RowStatus,
    Thought,
)
from voice.core.text.instants import earliest_date
from voice.core.text.normalise import norm_v1

_AnyRow = TypeVar("_AnyRow", Entity, Relation)


def entity_of(
    candidate: Candidate, proposal: EntityProposal, thoughts: Mapping[str, Thought], *, now: datetime, by: Origin
) -> Entity:
    """Return a candidate's new entity. Raises InvalidParams: none of its sources exists."""
    row = Entity(
        id=candidate.new_row_id,
        name=proposal.name,
        entity_type=proposal.entity_type,
        aliases=proposal.aliases,
        description=proposal.description,
        created_at=now,
        recorded_at=now,
        origin=by,
        confidence=candidate.confidence,
    )
    return _grounded(row, candidate, thoughts)


def relation_of(
    candidate: Candidate,
    proposal: RelationProposal,
    thoughts: Mapping[str, Thought],
    *,
    ends: tuple[str, str],
    decided: tuple[datetime, Origin],
) -> Relation:
    """Return a candidate's new relation. Raises InvalidParams: no source exists, or both ends are one entity."""
    now, by = decided
    source, target = ends
    if source == target:
        raise InvalidParams(messages.ends_are_one(candidate.id, source))
    row = Relation(
        id=candidate.new_row_id,
        source_id=source,
        target_id=target,
        rel_type=proposal.rel_type,
        description=proposal.description,
        created_at=now,
        recorded_at=now,
        origin=by,
        confidence=candidate.confidence,
        valid_from=proposal.valid_from,
        valid_until=proposal.valid_until,
    )
    return _grounded(row, candidate, thoughts)


def merged_entity(entity: Entity, candidate: Candidate, thoughts: Mapping[str, Thought]) -> Entity:
    """Merge a candidate's names and mentions into `entity`; the same object if nothing changes."""
    proposal = candidate.proposal
    spans = usable(candidate, thoughts)
    backing = _thoughts(spans, thoughts)
    is_private = candidate.is_private or any(thought.is_private for thought in backing)
    if not isinstance(proposal, EntityProposal) or (is_private and not entity.is_private):  # nothing private in public
        return entity
    merged = replace(
        entity,
        aliases=other_names(entity.name, (*entity.aliases, proposal.name, *proposal.aliases)),
        description=entity.description or proposal.description,
        provenance=_with_spans(entity.provenance, spans),
        tags=(*entity.tags, *Inheritance.of(backing).tags),
        confidence=max(entity.confidence, candidate.confidence),
    )
    return _without_vector(merged, entity)


def merged_relation(held: Relation, made: Relation, candidate: Candidate) -> Relation:
    """Merge a relation into `held`, whose period stays; the same object if nothing changes."""
    if made.is_private and not held.is_private:  # nothing private in a public row
        return held
    # A period is taken whole: never the start of one source and the end of another.
    is_dated = held.valid_from is not None or held.valid_until is not None
    merged = replace(
        held,
        description=held.description or made.description,
        valid_from=held.valid_from if is_dated else made.valid_from,
        valid_until=held.valid_until if is_dated else made.valid_until,
        provenance=_with_spans(held.provenance, made.provenance),
        tags=(*held.tags, *made.tags),
        confidence=max(held.confidence, candidate.confidence),
        trust=min(held.trust, made.trust, key=TRUST_RANK.__getitem__),  # the lower one
    )
    return _without_vector(merged, held)


def same_edge(row: Relation, relations: Iterable[Relation]) -> str | None:
    """Return the id of the live relation with the same ends, direction and type; None if there is none."""
    wanted = _edge(row)
    found = (each.id for each in relations if each.status is RowStatus.ACTIVE and _edge(each) == wanted)
    return min(found, default=None)


def _with_spans(held: tuple[Provenance, ...], more: tuple[Provenance, ...]) -> tuple[Provenance, ...]:
    return held if set(more) <= set(held) else joined_spans((*held, *more))  # the same object if nothing is new


def _edge(row: Relation) -> tuple[str, str, str]:
    return row.source_id, norm_v1(row.rel_type.replace("_", " ")), row.target_id


def _without_vector(row: _AnyRow, before: _AnyRow) -> _AnyRow:
    """Drop the vector if the content changed."""
    return before if row == before else replace(row, embedding_status=EmbeddingStatus.PENDING)


def _grounded(row: _AnyRow, candidate: Candidate, thoughts: Mapping[str, Thought]) -> _AnyRow:
    spans = usable(candidate, thoughts)
    if candidate.provenance and not spans:
        raise InvalidParams(messages.sources_gone(candidate.id))
    backing = _thoughts(spans, thoughts)
    inherited = Inheritance.of(backing, entered_by=row.origin)
    return replace(
        row,
        created_at=earliest_date(thought.created_at for thought in backing) if backing else row.created_at,
        provenance=spans,
        trust=inherited.trust,
        is_private=candidate.is_private or inherited.is_private,
        tags=inherited.tags,
        scope=inherited.scope,
    )


def usable(candidate: Candidate, thoughts: Mapping[str, Thought]) -> tuple[Provenance, ...]:
    """Return the mentions whose thought exists."""
    return tuple(span for span in candidate.provenance if span.thought_id in thoughts)


def _thoughts(spans: Iterable[Provenance], thoughts: Mapping[str, Thought]) -> tuple[Thought, ...]:
    return tuple(thoughts[thought_id] for thought_id in dict.fromkeys(span.thought_id for span in spans))
