"""From notes to what may be staged for review.

Law: a pure function: the same notes and known names give the same result, in whatever batches they are read, because
nothing is inferred across notes; only equal names of one kind are put together. What the inner voice wrote itself and
what is no longer active yields nothing (ruling A13). All is returned with its confidence; what is enough is decided by
`voice.core.graph.review.extraction_results.sure_enough`.

Source: spec rag-organize 2; rulings A13, C13, F.1, F.2, F.5.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from voice.core.extraction.entities import Known, NamedThing, slots_of, things_in
from voice.core.extraction.relations import relations_in
from voice.core.extraction.sentences import ParsedNote, read
from voice.core.extraction.validity import NO_PERIOD, calendar_at, period_in
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

PLAIN = 0.96
DATED = 0.93
"""(right + 1) / (read + 2) over the first sixty of the labelled notes: without bounds in time, and with them."""


def observations_in(
    thought: Thought, reading: ParsedNote, things: Sequence[NamedThing]
) -> tuple[ExtractedObservation, ...]:
    """Return what `thought` states, in order."""
    spans = statement_spans(thought.content, in_dialogue=thought.speaker is not None)
    return tuple(_observation(thought, reading, start, end, things) for start, end in spans)


def _observation(
    thought: Thought, reading: ParsedNote, start: int, end: int, things: Sequence[NamedThing]
) -> ExtractedObservation:
    period = period_in(thought.content[start:end], reading.language, calendar_at(thought.created_at))
    about = (thing.name for thing in things if any(start <= left and right <= end for left, right in thing.spans))
    return ExtractedObservation(
        text=thought.content[start:end],
        about=tuple(about),
        confidence=PLAIN if period == NO_PERIOD else DATED,
        mentions=(Provenance(thought_id=thought.id, start=start, end=end),),
        valid_from=period.start,
        valid_until=period.end,
    )


def extract(
    thoughts: Sequence[Thought], known: Iterable[EntityName] = (), *, with_statements: bool = True
) -> Extracted:
    """Return what `thoughts` name, relate and state, with spans and confidence.

    Args:
        thoughts: notes of any origin; they are read one by one.
        known: the graph's entities; their names are recognised whatever stands around them.
        with_statements: also what they state, which takes three times as long and is not staged.
    """
    names = Known.of(known)
    entities: list[ExtractedEntity] = []
    relations: list[ExtractedRelation] = []
    observations: list[ExtractedObservation] = []
    for thought in thoughts:
        if thought.is_synthesis or thought.status is not RowStatus.ACTIVE:
            continue
        reading = read(thought.content)
        who = _speaker_of(thought)
        things = things_in(reading, names, who)
        speaker = next((thing for thing in things if thing.name == who), None)
        slots = slots_of(reading, things, speaker)
        if speaker is not None and not speaker.spans:
            speaker.spans = [(slot.start, slot.end) for row in slots for slot in row if slot.thing is speaker]
        entities += (_entity(thought, thing) for thing in things if thing.spans)
        relations += relations_in(thought, reading, slots)
        observations += observations_in(thought, reading, things) if with_statements else ()
    return Extracted(
        entities=_folded_entities(entities), relations=_folded_relations(relations), observations=tuple(observations)
    )


def _speaker_of(thought: Thought) -> str | None:
    """Return who wrote a note, by name; a model is nobody, and an address or a number is no name."""
    who = thought.speaker
    is_name = who is not None and "@" not in who and any(sign.isalpha() for sign in who)
    return who if is_name and thought.origin is not Origin.MODEL else None


def _entity(thought: Thought, thing: NamedThing) -> ExtractedEntity:
    return ExtractedEntity(
        name=thing.name,
        entity_type=thing.entity_type,
        aliases=tuple(thing.aliases),
        confidence=thing.confidence,
        mentions=tuple(Provenance(thought_id=thought.id, start=start, end=end) for start, end in thing.spans),
    )


def _folded_entities(found: Iterable[ExtractedEntity]) -> tuple[ExtractedEntity, ...]:
    """Return the entities with those of one name and kind put together, in order of first mention."""
    folded: dict[tuple[str, str], ExtractedEntity] = {}
    for entity in found:
        key = (norm_v1(entity.name), entity.entity_type)
        same = folded.get(key)
        folded[key] = entity if same is None else _one_entity(same, entity)
    return tuple(folded.values())


def _one_entity(same: ExtractedEntity, other: ExtractedEntity) -> ExtractedEntity:
    return replace(
        same,
        aliases=tuple(dict.fromkeys((*same.aliases, *other.aliases))),
        confidence=max(same.confidence, other.confidence),
        mentions=same.mentions + other.mentions,
    )


def _folded_relations(found: Iterable[ExtractedRelation]) -> tuple[ExtractedRelation, ...]:
    """Return the relations with those that say the same, with the same bounds, put together."""
    folded: dict[tuple[object, ...], ExtractedRelation] = {}
    for relation in found:
        ends = [norm_v1(relation.source), norm_v1(relation.target)]
        ends = sorted(ends) if relation.rel_type in SYMMETRIC else ends
        key = (relation.rel_type, *ends, relation.valid_from, relation.valid_until)
        same = folded.get(key)
        folded[key] = relation if same is None else _one_relation(same, relation)
    return tuple(folded.values())


def _one_relation(same: ExtractedRelation, other: ExtractedRelation) -> ExtractedRelation:
    return replace(same, confidence=max(same.confidence, other.confidence), mentions=same.mentions + other.mentions)
