"""A part of the knowledge graph, cut out whole.

Law: nothing in a part points out of it. A relation is in it when both its ends are, and an observation names only
entities that are; what a reader may not see is not in it, not even as a reference (promise 6). Two entities are linked
when a relation joins them or one observation names both. Order never depends on chance: names, then ids.

Source: rulings C2, C9, C10; promise 6.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Self

from voice.core.records import Entity, GraphRow, Observation, Relation, RowStatus
from voice.core.text.instants import date_sort_key

Pair = tuple[str, str]
"""Two ids of entities, the smaller first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subgraph:
    """Entities with the relations between them and what was observed about them."""

    entities: tuple[Entity, ...] = ()
    """By id."""
    relations: tuple[Relation, ...] = ()
    """By id."""
    observations: tuple[Observation, ...] = ()
    """Newest first, then by id."""
    private_left_out: int = 0
    """Rows that were met and not taken because they are private."""

    @classmethod
    def of(cls, rows: Iterable[GraphRow], *, include_private: bool) -> Self:
        """Return the part that `rows` make up.

        Args:
            rows: any rows of the graph, each once; those that are no longer live are passed over.
            include_private: whether the reader asked for private rows.
        """
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
        """The entities by their ids."""
        return {entity.id: entity for entity in self.entities}

    @property
    def linked(self) -> "Subgraph":
        """Return the part without the observations that are about no entity in it."""
        return replace(self, observations=tuple(row for row in self.observations if row.entity_ids))

    def only(self, entity_ids: Iterable[str]) -> "Subgraph":
        """Return the part of this that lies between some of its entities, with the observations about them."""
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
    """Return how many of the observations name both of two entities, for each two that any of them names."""
    counts: dict[Pair, int] = {}
    for row in observations:
        for pair in combinations(sorted(set(row.entity_ids)), 2):
            counts[pair] = counts.get(pair, 0) + 1
    return dict(sorted(counts.items()))


def links(part: Subgraph) -> dict[str, frozenset[str]]:
    """Return which entities each entity of `part` is linked with; itself is none of them."""
    found: dict[str, set[str]] = {entity.id: set() for entity in part.entities}
    ends = [(row.source_id, row.target_id) for row in part.relations if row.source_id != row.target_id]
    for one, other in (*ends, *mentioned_together(part.observations)):
        found[one].add(other)
        found[other].add(one)
    return {entity_id: frozenset(others) for entity_id, others in found.items()}


def most_connected(part: Subgraph, focus: str, limit: int) -> Subgraph:
    """Return the at most `limit` entities of `part` that hold most together around `focus`, all reachable from it.

    The next one taken is always the entity with most links of those linked with what was taken already; what cannot be
    reached from `focus` is left out.

    Args:
        focus: the id of an entity in it.
        limit: at least 1.
    """
    joined = links(part)
    named = part.by_id
    taken = {focus}
    edge = set(joined[focus])
    while edge and len(taken) < limit:
        best = min(edge, key=lambda each: (-len(joined[each]), named[each].name.casefold(), each))
        taken.add(best)
        edge = (edge | joined[best]) - taken
    return part.only(taken)
