"""Looking at the knowledge graph.

Law: rows as they stand, live ones only; private ones only when asked for. A name that could mean several entities is an
error that lists them, never a guess.

Source: DESIGN 8 `kg`; rulings C2, C10; promise 6.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from voice.core.records import Entity, Observation, Relation, RowStatus
from voice.ports.stores import GraphStore, MemoryStore
from voice.services.graph import resolve_entity

_PAGE = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """An entity with everything the graph says about it."""

    entity: Entity
    relations: tuple[Relation, ...]
    observations: tuple[Observation, ...]
    """Oldest first."""
    names: tuple[tuple[str, str], ...]
    """(id, name) of every entity that the relations touch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Browse:
    """Reads the graph for a person."""

    store: MemoryStore
    graph: GraphStore

    async def entities(self, *, entity_type: str | None = None, include_private: bool = False) -> list[Entity]:
        """Return the entities by name, then id."""
        found = [
            entity
            for entity in await self.graph.entities()
            if (include_private or not entity.is_private)
            and (entity_type is None or entity.entity_type.casefold() == entity_type.casefold())
        ]
        return sorted(found, key=lambda entity: (entity.name.casefold(), entity.id))

    async def around(self, name: str, *, include_private: bool = False) -> Neighbourhood:
        """Return the entity that `name` (an id, a name or an alias) means, with its relations and observations.

        Raises:
            UnknownId: no visible entity or several are meant.
        """
        visible = await self.entities(include_private=include_private)
        entity = resolve_entity(name, visible)
        names = {other.id: other.name for other in visible}
        relations = [
            relation
            for relation in await self.graph.relations_of([entity.id])
            if (include_private or not relation.is_private) and {relation.source_id, relation.target_id} <= names.keys()
        ]
        observations = [row async for row in self._observations(entity.id, include_private=include_private)]
        touched = sorted({end for relation in relations for end in (relation.source_id, relation.target_id)})
        return Neighbourhood(
            entity=entity,
            relations=tuple(relations),
            observations=_by_date(observations),
            names=tuple((row_id, names[row_id]) for row_id in touched),
        )

    async def _observations(self, entity_id: str, *, include_private: bool) -> AsyncIterator[Observation]:
        """Yield the observations about an entity; no port finds them by it, so every row is looked at."""
        seq = 0
        while changes := await self.store.changes(seq, _PAGE):
            for change in changes:
                row = change.row
                if (
                    isinstance(row, Observation)
                    and entity_id in row.entity_ids
                    and row.status is RowStatus.ACTIVE
                    and (include_private or not row.is_private)
                ):
                    yield row
            seq = changes[-1].seq


def _by_date(observations: Sequence[Observation]) -> tuple[Observation, ...]:
    unique = {row.id: row for row in observations}
    return tuple(sorted(unique.values(), key=lambda row: (row.created_at, row.id)))
