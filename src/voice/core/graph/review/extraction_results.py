"""Extraction results, before review.

Law: nothing here is in the graph. Every value has its spans and a confidence, calibrated per rule on labelled notes, so
thresholds are per type (a single 0.6, as in S1, admits false people and no relations).
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
    "works_at", "works_on", "works_with", "leads", "reports_to", "lives_in", "comes_from", "studies_at", "married_to",
    "partner_of", "parent_of", "sibling_of", "friend_of", "member_of", "customer_of", "founded", "owns", "uses",
    "depends_on", "replaces", "made_by", "located_in", "takes_place_in", "attends",
]  # fmt: skip
Extractor = Literal["rules", "llm", "both"]
SYMMETRIC: Final[frozenset[RelationType]] = frozenset(
    {"works_with", "married_to", "partner_of", "sibling_of", "friend_of"}
)
"""Relations that hold in both directions."""

ENTITY_THRESHOLDS: Final[Mapping[EntityType, float]] = {
    "person": 0.75,
    "project": 0.7,
    "tool": 0.75,
    "place": 0.75,
    "organisation": 0.75,
    "event": 0.7,
    "concept": 0.7,
}
"""Minimum staging confidence per entity type (ruling F.2); measured by `bench.extraction`."""
RELATION_THRESHOLD: Final = 0.6


def _require_sound(confidence: float, start: datetime | None = None, end: datetime | None = None) -> None:
    if not 0.0 <= confidence <= 1.0:
        raise InvalidParams(messages.CONFIDENCE_BOUNDS)
    if start is not None and end is not None and start >= end:
        raise InvalidParams(messages.VALIDITY_REVERSED)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundEntity:
    """A named thing from extraction, or from the links of a vault."""

    name: str
    """Longest form of the name, as written."""
    entity_type: str
    aliases: tuple[str, ...] = ()
    """Other forms as written, in order of first use."""
    confidence: float
    mentions: tuple[Provenance, ...]
    """Spans of the name or its short form, in order."""

    def __post_init__(self) -> None:
        _require_sound(self.confidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedEntity(FoundEntity):
    """One that was read out of notes."""

    entity_type: EntityType


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundRelation:
    """A directed relation between found entities, by name."""

    source: str
    rel_type: str
    target: str
    confidence: float
    mentions: tuple[Provenance, ...]
    """Spans from the first party, or its pronoun, to the last word."""
    valid_from: datetime | None = None
    valid_until: datetime | None = None

    def __post_init__(self) -> None:
        _require_sound(self.confidence, self.valid_from, self.valid_until)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedRelation(FoundRelation):
    """One that was read out of notes."""

    rel_type: RelationType


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """Results for some notes."""

    entities: tuple[ExtractedEntity, ...] = ()
    relations: tuple[ExtractedRelation, ...] = ()


def sure_enough(extracted: Extracted) -> Extracted:
    """Return the results above their thresholds; relations need both ends (rulings F.1, F.2)."""
    entities = tuple(e for e in extracted.entities if e.confidence >= ENTITY_THRESHOLDS[e.entity_type])
    ends = {entity.name for entity in entities}
    relations = tuple(
        relation
        for relation in extracted.relations
        if relation.confidence >= RELATION_THRESHOLD and {relation.source, relation.target} <= ends
    )
    return Extracted(entities=entities, relations=relations)
