"""What was read out of notes, before anybody has reviewed it.

Law: nothing here is in the graph yet. Every value says where it stands in whose text, and how sure its kind of reading
has proved to be: a confidence is the share of right readings among those of its kind in labelled notes, so what is
enough is a threshold per kind and not one number for all (S1's 0.6 would let junk people in and stage no relation).

Source: spec rag-organize 2; rulings C13, F.1, F.2, F.5.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from voice.core.errors import InvalidParams
from voice.core.messages import memory as messages
from voice.core.records import Provenance

EntityType = Literal["person", "project", "tool", "place", "organisation", "event", "concept"]
RelationType = Literal[
    "works_at",
    "works_on",
    "works_with",
    "leads",
    "reports_to",
    "lives_in",
    "comes_from",
    "studies_at",
    "married_to",
    "partner_of",
    "parent_of",
    "sibling_of",
    "friend_of",
    "member_of",
    "customer_of",
    "founded",
    "owns",
    "uses",
    "depends_on",
    "replaces",
    "made_by",
    "located_in",
    "takes_place_in",
    "attends",
]
Extractor = Literal["rules", "llm", "both"]
"""Who reads notes."""
SYMMETRIC: Final[frozenset[RelationType]] = frozenset(
    {"works_with", "married_to", "partner_of", "sibling_of", "friend_of"}
)
"""Relations that say the same in both directions."""

ENTITY_THRESHOLDS: Final[Mapping[EntityType, float]] = {
    "person": 0.75,
    "project": 0.7,
    "tool": 0.75,
    "place": 0.75,
    "organisation": 0.75,
    "event": 0.7,
    "concept": 0.7,
}
"""The least confidence with which an entity of a type is staged (ruling F.2); measured by `bench.extraction`."""
RELATION_THRESHOLD: Final = 0.6
OBSERVATION_THRESHOLD: Final = 0.6


def _require_sound(confidence: float, start: datetime | None = None, end: datetime | None = None) -> None:
    if not 0.0 <= confidence <= 1.0:
        raise InvalidParams(messages.CONFIDENCE_BOUNDS)
    if start is not None and end is not None and start >= end:
        raise InvalidParams(messages.VALIDITY_REVERSED)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedEntity:
    """A thing with a name, as notes speak of it."""

    name: str
    """Its fullest name, as written."""
    entity_type: EntityType
    aliases: tuple[str, ...] = ()
    """Its other names, as written, in order of first use."""
    confidence: float
    mentions: tuple[Provenance, ...]
    """Where it is named, or meant by its short name; in order."""

    def __post_init__(self) -> None:
        _require_sound(self.confidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedRelation:
    """A directed relation between two extracted entities, by their names."""

    source: str
    rel_type: RelationType
    target: str
    confidence: float
    mentions: tuple[Provenance, ...]
    """The stretches that say it, from its first party or the word that stands for it to its last word."""
    valid_from: datetime | None = None
    valid_until: datetime | None = None

    def __post_init__(self) -> None:
        _require_sound(self.confidence, self.valid_from, self.valid_until)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedObservation:
    """A statement in the writer's own words."""

    text: str
    about: tuple[str, ...] = ()
    """Names of the extracted entities it speaks of, in order."""
    confidence: float
    mentions: tuple[Provenance, ...]
    valid_from: datetime | None = None
    valid_until: datetime | None = None

    def __post_init__(self) -> None:
        _require_sound(self.confidence, self.valid_from, self.valid_until)


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """Everything that was read out of some notes."""

    entities: tuple[ExtractedEntity, ...] = ()
    relations: tuple[ExtractedRelation, ...] = ()
    observations: tuple[ExtractedObservation, ...] = ()


def sure_enough(extracted: Extracted) -> Extracted:
    """Return what reaches the threshold of its kind; a relation only with both of its ends (rulings F.1, F.2)."""
    entities = tuple(e for e in extracted.entities if e.confidence >= ENTITY_THRESHOLDS[e.entity_type])
    ends = {entity.name for entity in entities}
    relations = tuple(
        relation
        for relation in extracted.relations
        if relation.confidence >= RELATION_THRESHOLD and {relation.source, relation.target} <= ends
    )
    observations = tuple(o for o in extracted.observations if o.confidence >= OBSERVATION_THRESHOLD)
    return Extracted(entities=entities, relations=relations, observations=observations)
