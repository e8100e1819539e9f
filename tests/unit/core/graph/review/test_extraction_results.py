"""What was read and is not yet in the graph."""

from datetime import UTC, datetime

import pytest

from voice.core.errors import InvalidParams
from voice.core.graph.review.extraction_results import (
    ENTITY_THRESHOLDS,
    OBSERVATION_THRESHOLD,
    RELATION_THRESHOLD,
    Extracted,
    ExtractedEntity,
    ExtractedObservation,
    ExtractedRelation,
    sure_enough,
)
from voice.core.records import Provenance

_AT = (Provenance(thought_id="t:1", start=0, end=4),)


def _person(name: str, confidence: float) -> ExtractedEntity:
    return ExtractedEntity(name=name, entity_type="person", confidence=confidence, mentions=_AT)


def _friends(source: str, target: str, confidence: float) -> ExtractedRelation:
    return ExtractedRelation(source=source, rel_type="friend_of", target=target, confidence=confidence, mentions=_AT)


@pytest.mark.requirement("ruling:F.2")
def test_what_is_enough_is_a_threshold_per_kind() -> None:
    enough = ENTITY_THRESHOLDS["person"]
    said = [ExtractedObservation(text="so", confidence=OBSERVATION_THRESHOLD + by, mentions=_AT) for by in (0.0, -0.01)]
    found = Extracted(
        entities=(_person("Anna", enough), _person("Paul", 0.99), _person("Zorp", enough - 0.01)),
        relations=(
            _friends("Anna", "Paul", RELATION_THRESHOLD),
            _friends("Paul", "Anna", RELATION_THRESHOLD - 0.01),
            _friends("Anna", "Zorp", 0.99),
        ),
        observations=tuple(said),
    )
    kept = sure_enough(found)
    assert kept == Extracted(
        entities=found.entities[:2], relations=found.relations[:1], observations=found.observations[:1]
    )


@pytest.mark.parametrize("confidence", [-0.1, 1.1])
def test_a_confidence_is_a_share(confidence: float) -> None:
    with pytest.raises(InvalidParams):
        _person("Anna", confidence)


def test_what_is_valid_begins_before_it_ends() -> None:
    day = datetime(2025, 1, 1, tzinfo=UTC)
    with pytest.raises(InvalidParams):
        ExtractedObservation(text="so", confidence=0.9, mentions=_AT, valid_from=day, valid_until=day)
