"""Extract entities, relations and observations from notes, for review.

Law: notes are read one by one; only equal names of one type are merged, so batches do not matter. Inactive notes and
the inner voice's own give nothing (ruling A13). Everything has a confidence; `sure_enough` filters.
Source: spec rag-organize 2; rulings A13, C13, F.1, F.2, F.5.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from voice.core.extraction.entities import KnownEntities, NamedThing, slots_of, things_in
from voice.core.extraction.relations import NO_PERIOD, calendar_at, period_in, relations_in
from voice.core.extraction.sentences import ParsedNote, parse_note
from voice.core.graph.review.extraction_results import (
    SYMMETRIC,
    Extracted,
    ExtractedEntity,
    ExtractedObservation,
    ExtractedRelation,
)
from voice.core.graph.thoughts.distillation import statement_spans
from voice.core.records import EntityName, Origin, Provenance, RowStatus, Thought
from voice.core.text.normalise import norm_v1

_UNDATED = 0.96
_DATED = 0.93
"""Confidence without and with a period: (right + 1) / (read + 2) over the first sixty labelled notes."""


def observations_in(thought: Thought, note: ParsedNote, things: Sequence[NamedThing]) -> Iterator[ExtractedObservation]:
    """Yield the statements of `thought`, in order."""
    for start, end in statement_spans(thought.content, in_dialogue=thought.speaker is not None):
        text = thought.content[start:end]
        period = period_in(text, note.language, calendar_at(thought.created_at))
        about = (thing.name for thing in things if any(start <= left and right <= end for left, right in thing.spans))
        yield ExtractedObservation(
            text=text,
            about=tuple(about),
            confidence=_UNDATED if period == NO_PERIOD else _DATED,
            mentions=(Provenance(thought_id=thought.id, start=start, end=end),),
            valid_from=period.start,
            valid_until=period.end,
        )


def extract(
    thoughts: Sequence[Thought], known: Iterable[EntityName] = (), *, with_statements: bool = True
) -> Extracted:
    """Extract from `thoughts`, with spans and confidence.

    Args:
        thoughts: notes of any origin.
        known: the graph's entities, recognised in any context.
        with_statements: also extract observations, which takes three times as long; they are not staged.
    """
    names = KnownEntities.of(known)
    entities: list[ExtractedEntity] = []
    relations: list[ExtractedRelation] = []
    observations: list[ExtractedObservation] = []
    for thought in thoughts:
        if thought.is_synthesis or thought.status is not RowStatus.ACTIVE:
            continue
        note = parse_note(thought.content)
        author = _author(thought)
        things = things_in(note, names, author)
        speaker = next((thing for thing in things if thing.name == author), None)
        slots = slots_of(note, things, speaker)
        if speaker is not None and not speaker.spans:
            speaker.spans = [(slot.start, slot.end) for row in slots for slot in row if slot.thing is speaker]
        entities += (_entity(thought, thing) for thing in things if thing.spans)
        relations += relations_in(thought, note, slots)
        observations += observations_in(thought, note, things) if with_statements else ()
    return Extracted(
        entities=_merged_entities(entities), relations=_merged_relations(relations), observations=tuple(observations)
    )


def _author(thought: Thought) -> str | None:
    """Return a note's author by name; None for models, and for addresses and numbers."""
    name = thought.speaker
    is_name = name is not None and "@" not in name and any(sign.isalpha() for sign in name)
    return name if is_name and thought.origin is not Origin.MODEL else None


def _entity(thought: Thought, thing: NamedThing) -> ExtractedEntity:
    return ExtractedEntity(
        name=thing.name,
        entity_type=thing.entity_type,
        aliases=tuple(thing.aliases),
        confidence=thing.confidence,
        mentions=tuple(Provenance(thought_id=thought.id, start=start, end=end) for start, end in thing.spans),
    )


def _merged_entities(found: Iterable[ExtractedEntity]) -> tuple[ExtractedEntity, ...]:
    """Merge entities of one name and type, in order of first mention."""
    merged: dict[tuple[str, str], ExtractedEntity] = {}
    for entity in found:
        key = (norm_v1(entity.name), entity.entity_type)
        same = merged.get(key)
        merged[key] = (
            entity
            if same is None
            else replace(
                same,
                aliases=tuple(dict.fromkeys((*same.aliases, *entity.aliases))),
                confidence=max(same.confidence, entity.confidence),
                mentions=same.mentions + entity.mentions,
            )
        )
    return tuple(merged.values())


def _merged_relations(found: Iterable[ExtractedRelation]) -> tuple[ExtractedRelation, ...]:
    """Merge relations of one type, ends and period."""
    merged: dict[tuple[object, ...], ExtractedRelation] = {}
    for relation in found:
        ends = [norm_v1(relation.source), norm_v1(relation.target)]
        ends = sorted(ends) if relation.rel_type in SYMMETRIC else ends
        key = (relation.rel_type, *ends, relation.valid_from, relation.valid_until)
        same = merged.get(key)
        merged[key] = (
            relation
            if same is None
            else replace(
                same, confidence=max(same.confidence, relation.confidence), mentions=same.mentions + relation.mentions
            )
        )
    return tuple(merged.values())
