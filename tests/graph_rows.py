"""Rows of a small studio's graph for the tests of what leaves it as a picture or a file."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from voice.core.graph.subgraph import Subgraph
from voice.core.records import Entity, GraphRow, Observation, Origin, Relation, TrustTier

NOW = datetime(2026, 3, 5, 14, tzinfo=UTC)


def entity(key: str, name: str | None = None, entity_type: str = "person", *, is_private: bool = False) -> Entity:
    return Entity(
        id=f"e:{key}",
        name=name or key.title(),
        entity_type=entity_type,
        created_at=NOW,
        recorded_at=NOW,
        origin=Origin.HUMAN,
        trust=TrustTier.GREEN,
        is_private=is_private,
    )


def relation(source: str, rel_type: str, target: str, *, is_private: bool = False) -> Relation:
    return Relation(
        id=f"r:{source}-{rel_type}-{target}",
        source_id=f"e:{source}",
        target_id=f"e:{target}",
        rel_type=rel_type,
        created_at=NOW,
        recorded_at=NOW,
        origin=Origin.HUMAN,
        trust=TrustTier.GREEN,
        is_private=is_private,
    )


def said(key: str, text: str, *about: str, days_ago: int = 0, is_private: bool = False) -> Observation:
    return Observation(
        id=f"o:{key}",
        text=text,
        entity_ids=tuple(f"e:{name}" for name in about),
        created_at=NOW - timedelta(days=days_ago),
        recorded_at=NOW,
        origin=Origin.HUMAN,
        trust=TrustTier.GREEN,
        is_private=is_private,
    )


def studio() -> list[GraphRow]:
    """Return every kind of row: ended and doubted relations, both directions, a loop, a note that names two."""
    return [
        replace(entity("anna", "Anna Lund"), description="Potter in Porto.", aliases=("Anna", "A. Lund")),
        entity("kiln", "Kiln rebuild", "project"),
        entity("bea", "Beatriz Carvalho"),
        entity("coop", "Barro Cooperative", "organisation"),
        entity("mochi", "Mochi", "Cat"),
        relation("anna", "leads", "kiln"),
        relation("anna", "pays_for", "kiln"),
        relation("anna", "teaches", "bea"),
        relation("bea", "works_with", "anna"),
        relation("kiln", "replaces", "kiln"),
        replace(
            relation("anna", "member_of", "coop"),
            description="Since the first meeting.",
            valid_from=datetime(2020, 1, 1, tzinfo=UTC),
            valid_until=datetime(2025, 6, 1, tzinfo=UTC),
            trust=TrustTier.AMBER,
        ),
        said("1", "The kiln needs forty new bricks.", "kiln", days_ago=9),
        replace(said("2", "Mochi slept in the kiln shed.", "mochi", "kiln", days_ago=2), speaker="Bea"),
        said("3", "It rained.", days_ago=1),
    ]


def part(*rows: GraphRow, include_private: bool = False) -> Subgraph:
    return Subgraph.of(rows or studio(), include_private=include_private)
