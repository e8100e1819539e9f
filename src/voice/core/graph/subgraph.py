"""A closed part of the knowledge graph.

Law: relations have both ends inside, observations name only entities inside; invisible rows are not referenced (promise
6). Entities are linked by a relation or a common observation. Ordered by name, then id.
Source: rulings C2, C9, C10; promise 6.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Self

from voice.core.records import Entity, GraphRow, Observation, Relation, RowStatus
from voice.core.text.instants import date_sort_key

Pair = tuple[str, str]  # two entity ids, sorted


@dataclass(frozen=True, slots=True, kw_only=True)
class Subgraph:
    """Entities with their relations and observations."""

    entities: tuple[Entity, ...] = ()
    relations: tuple[Relation, ...] = ()
    """By id."""
    observations: tuple[Observation, ...] = ()
    """Newest first, then by id."""
    private_left_out: int = 0
    """Private rows that were left out."""

    @classmethod
    def of(cls, rows: Iterable[GraphRow], *, include_private: bool) -> Self:
        """Build the part from rows; inactive ones are skipped."""
        live = [row for row in rows if row.status is RowStatus.ACTIVE]
        seen = [row for row in live if include_private or not row.is_private]
        entities = sorted((row for row in seen if isinstance(row, Entity)), key=lambda row: row.id)
        ids = {entity.id for entity in entities}
        relations = [row for row in seen if isinstance(row, Relation) and {row.source_id, row.target_id} <= ids]
        observations = [_within(row, ids) for row in seen if isinstance(row, Observation)]
        return cls(
            entities=tuple(entities),
            relations=tuple(sorted(relations, key=lambda row: row.id)),
            observations=tuple(
                sorted(observations, key=lambda row: (date_sort_key(row.created_at, latest_first=True), row.id))
            ),
            private_left_out=len(live) - len(seen),
        )

    @property
    def by_id(self) -> Mapping[str, Entity]:
        """Entities by id."""
        return {entity.id: entity for entity in self.entities}

    @property
    def linked(self) -> "Subgraph":
        """The part without observations that name no entity in it."""
        return replace(self, observations=tuple(row for row in self.observations if row.entity_ids))

    def only(self, entity_ids: Iterable[str]) -> "Subgraph":
        """Return the sub-part of these entities, with observations about them."""
        ids = set(entity_ids)
        about = [_within(row, ids) for row in self.observations if ids & set(row.entity_ids)]
        return replace(
            self,
            entities=tuple(entity for entity in self.entities if entity.id in ids),
            relations=tuple(row for row in self.relations if {row.source_id, row.target_id} <= ids),
            observations=tuple(about),
        )


def _within(observation: Observation, ids: set[str]) -> Observation:
    named = tuple(entity_id for entity_id in observation.entity_ids if entity_id in ids)
    return observation if named == observation.entity_ids else replace(observation, entity_ids=named)


def mentioned_together(observations: Sequence[Observation]) -> dict[Pair, int]:
    """Count common observations per pair of entities, sorted."""
    counts: dict[Pair, int] = {}
    for row in observations:
        for pair in combinations(sorted(set(row.entity_ids)), 2):  # a set: no pair of one entity with itself
            counts[pair] = counts.get(pair, 0) + 1
    return dict(sorted(counts.items()))


def links(part: Subgraph) -> dict[str, frozenset[str]]:
    """Return each entity's linked entities, without itself."""
    found: dict[str, set[str]] = {entity.id: set() for entity in part.entities}
    ends = [(row.source_id, row.target_id) for row in part.relations if row.source_id != row.target_id]  # no loops
    for one, other in (*ends, *mentioned_together(part.observations)):
        found[one].add(other)
        found[other].add(one)
    return {entity_id: frozenset(others) for entity_id, others in found.items()}


def most_connected(part: Subgraph, focus: str, limit: int) -> Subgraph:
    """Return up to `limit` entities reachable from `focus`, greedily by number of links."""
    linked = links(part)
    entities = part.by_id
    chosen = {focus}
    frontier = set(linked[focus])
    while frontier and len(chosen) < limit:
        best = min(frontier, key=lambda each: (-len(linked[each]), entities[each].name.casefold(), each))
        chosen.add(best)
        frontier = (frontier | linked[best]) - chosen
    return part.only(chosen)
