"""Looking at the knowledge graph.

Law: rows as they stand, live ones only, and apart from them what was superseded; private ones only when asked for. A
name that could mean several entities is an error that lists them, never a guess.

Source: DESIGN 8 `kg`; rulings C2, C10; promise 6.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from voice.core.errors import UnknownId
from voice.core.graph.ageing import NEVER, Confidence, HalfLives, confidence_of
from voice.core.graph.merged_then import MergesThen
from voice.core.records import Entity, EntityName, GraphRow, Observation, Relation
from voice.core.text.instants import in_order
from voice.ports.history import HistoryStore
from voice.ports.merge_log import MergeLog
from voice.ports.stores import GraphStore, MemoryStore
from voice.ports.system import Clock
from voice.services.as_of import GraphAsOf, MemoryAsOf
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
    """(id, name) of every entity that a relation touches or touched."""
    history: tuple[GraphRow, ...] = ()
    """What was superseded, the latest first: of the entity itself, its relations and what was observed about it."""
    confidences: Mapping[str, Confidence] = field(default_factory=dict[str, Confidence])
    """How sure each row was and is, by id, of those that age."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Browse:
    """Reads the graph for a person."""

    store: MemoryStore
    graph: GraphStore
    names: Names
    history: HistoryStore
    merges: MergeLog
    clock: Clock
    half_lives: HalfLives = field(default_factory=lambda: NEVER)
    """What ages."""

    async def entities(self, *, entity_type: str | None = None, include_private: bool = False) -> list[Entity]:
        """Return the entities by name, then id."""
        wanted = [
            node.id
            for node in await self._visible(include_private=include_private)
            if entity_type is None or node.entity_type.casefold() == entity_type.casefold()
        ]
        found = [row for row in (await self.store.fetch(wanted)).values() if isinstance(row, Entity)]
        return sorted(found, key=lambda entity: (entity.name.casefold(), entity.id))

    async def around(self, name: str, *, include_private: bool = False, as_of: datetime | None = None) -> Neighbourhood:
        """Return the entity that `name` (an id, a name or an alias) means, with its relations and observations.

        Args:
            name: as it is called today; under `as_of` also that of one which became part of another since.
            include_private: show private rows, too.
            as_of: as the memory knew it then (`voice.services.as_of`); None is now.

        Raises:
            UnknownId, InvalidParams: no visible entity is meant, or several are, or the memory did not know it then.
        """
        visible = await self._visible(include_private=include_private)
        store, graph = self.store, self.graph
        if as_of is not None:
            then = MergesThen(await self.merges.merges(), as_of)
            store = MemoryAsOf(store, self.history, as_of, then)
            graph = GraphAsOf(graph, self.history, as_of, then)
            parts = await store.fetch(sorted(then.absorbed - {node.id for node in visible}))
            apart = [EntityName.of(row) for row in parts.values() if isinstance(row, Entity)]
            visible = [*visible, *(node for node in apart if include_private or not node.is_private)]
        meant = resolve_entity(name, visible)
        entity = (await store.fetch([meant.id])).get(meant.id)
        if not isinstance(entity, Entity):
            raise UnknownId(f"{meant.id} is not there{' yet at that time' if as_of else ' any more'}")
        names = {other.id: other.name for other in visible}
        relations = [
            relation
            for relation in await graph.relations_of([entity.id])
            if (include_private or not relation.is_private) and {relation.source_id, relation.target_id} <= names.keys()
        ]
        observations = [
            row for row in await graph.observations_of([entity.id]) if include_private or not row.is_private
        ]
        history = await self._history(entity.id, names, include_private=include_private, as_of=as_of)
        edges = [*relations, *(row for row in history if isinstance(row, Relation))]
        touched = sorted({end for relation in edges for end in (relation.source_id, relation.target_id)})
        return Neighbourhood(
            entity=entity,
            relations=tuple(relations),
            observations=tuple(sorted(observations, key=lambda row: (in_order(row.created_at), row.id))),
            names=tuple((row_id, names[row_id]) for row_id in touched),
            history=history,
            confidences=self._confidences([entity, *relations, *observations], as_of or self.clock.now()),
        )

    def _confidences(self, rows: Sequence[GraphRow], now: datetime) -> Mapping[str, Confidence]:
        told = ((row.id, confidence_of(row, self.half_lives, now)) for row in rows)
        return {row_id: confidence for row_id, confidence in told if confidence is not None}

    async def _history(
        self, entity_id: str, names: Mapping[str, str], *, include_private: bool, as_of: datetime | None
    ) -> tuple[GraphRow, ...]:
        """Return what was superseded around the entity by then, as far as the reader may see it."""
        before = await self.history.replaced_by([entity_id])
        past: list[GraphRow] = [row for row in before if isinstance(row, Entity)]
        past += [row for row in await self.history.past_of([entity_id]) if _ends(row) <= names.keys()]
        told = [row for row in past if include_private or not row.is_private]
        known = [row for row in told if as_of is None or (row.superseded_at is not None and row.superseded_at <= as_of)]
        by_id = sorted(known, key=lambda row: row.id)
        return tuple(sorted(by_id, key=lambda row: row.superseded_at or row.recorded_at, reverse=True))

    async def _visible(self, *, include_private: bool) -> Sequence[EntityName]:
        known = await self.names.known()
        return known.nodes if include_private else known.public.nodes


def _ends(row: Observation | Relation) -> frozenset[str]:
    return frozenset((row.source_id, row.target_id)) if isinstance(row, Relation) else frozenset()
