"""What was read and is not yet in the graph."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from voice.core.errors import InvalidParams
from voice.core.graph.review.extraction_results import (
    ENTITY_THRESHOLDS,
    RELATION_THRESHOLD,
    Extracted,
    ExtractedEntity,
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
    found = Extracted(
        entities=(_person("Anna", enough), _person("Paul", 0.99), _person("Zorp", enough - 0.01)),
        relations=(
            _friends("Anna", "Paul", RELATION_THRESHOLD),
            _friends("Paul", "Anna", RELATION_THRESHOLD - 0.01),
            _friends("Anna", "Zorp", 0.99),
        ),
    )
    kept = sure_enough(found)
    assert kept == Extracted(entities=found.entities[:2], relations=found.relations[:1])


@pytest.mark.parametrize("confidence", [-0.1, 1.1])
def test_a_confidence_is_a_share(confidence: float) -> None:
    with pytest.raises(InvalidParams):
        _person("Anna", confidence)


def test_what_is_valid_begins_before_it_ends() -> None:
    day = datetime(2025, 1, 1, tzinfo=UTC)
    with pytest.raises(InvalidParams):
        replace(_friends("Anna", "Paul", 0.9), valid_from=day, valid_until=day)
