"""Looking at the knowledge graph.

Law: rows as they stand, live ones only; private ones only when asked for. A name that could mean several entities is an
error that lists them, never a guess.

Source: DESIGN 8 `kg`; rulings C2, C10; promise 6.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from voice.core.errors import UnknownId
from voice.core.records import Entity, EntityName, Observation, Relation
from voice.ports.history import HistoryStore
from voice.ports.stores import GraphStore, MemoryStore
from voice.services.graph import resolve_entity
from voice.services.names import Names


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
    names: Names
    history: HistoryStore

    async def entities(self, *, entity_type: str | None = None, include_private: bool = False) -> list[Entity]:
        """Return the entities by name, then id."""
        wanted = [
            node.id
            for node in await self._visible(include_private=include_private)
            if entity_type is None or node.entity_type.casefold() == entity_type.casefold()
        ]
        found = [row for row in (await self.store.fetch(wanted)).values() if isinstance(row, Entity)]
        return sorted(found, key=lambda entity: (entity.name.casefold(), entity.id))

    async def around(self, name: str, *, include_private: bool = False) -> Neighbourhood:
        """Return the entity that `name` (an id, a name or an alias) means, with its relations and observations.

        Raises:
            UnknownId, InvalidParams: no visible entity is meant, or several are.
        """
        visible = await self._visible(include_private=include_private)
        meant = resolve_entity(name, visible)
        entity = (await self.store.fetch([meant.id])).get(meant.id)
        if not isinstance(entity, Entity):
            raise UnknownId(f"{meant.id} was removed meanwhile")
        names = {other.id: other.name for other in visible}
        relations = [
            relation
            for relation in await self.graph.relations_of([entity.id])
            if (include_private or not relation.is_private) and {relation.source_id, relation.target_id} <= names.keys()
        ]
        observations = [
            row for row in await self.graph.observations_of([entity.id]) if include_private or not row.is_private
        ]
        touched = sorted({end for relation in relations for end in (relation.source_id, relation.target_id)})
        return Neighbourhood(
            entity=entity,
            relations=tuple(relations),
            observations=tuple(sorted(observations, key=lambda row: (row.created_at, row.id))),
            names=tuple((row_id, names[row_id]) for row_id in touched),
        )

    async def _visible(self, *, include_private: bool) -> Sequence[EntityName]:
        known = await self.names.known()
        return known.nodes if include_private else known.public.nodes
