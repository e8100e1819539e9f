"""Look at the graph: entities, neighbours, likely duplicates and parts to draw.

Law: nothing is written. Live rows only, and apart from them what was superseded; private ones only when asked for: else
they neither suggest a duplicate nor tell two apart, and a private entity is no way from one public entity to another
(promise 6). A name that could mean several entities is an error that lists them, never a guess. Duplicates are found by
name first; by words and stored vectors only where names are alike. Nothing is encoded.

Source: DESIGN 8 `kg`; rulings C2, C10, F; promise 6.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain

from voice.core.errors import UnknownId
from voice.core.graph.entities.duplicates import (
    MEASURED,
    Context,
    Duplicate,
    context_of,
    find_duplicates,
    telling_words,
    with_contexts,
)
from voice.core.graph.entities.merge_history import MergeHistory
from voice.core.graph.row_display import NEVER, Confidence, HalfLives, confidence_of, named_by
from voice.core.graph.subgraph import Subgraph
from voice.core.records import Entity, EntityName, GraphRow, Observation, Relation, Thought
from voice.core.text.instants import date_sort_key
from voice.ports.row_queries import HistoryStore, MergeLog
from voice.ports.stores import Encoding, GraphStore, HeldVectors, MemoryStore
from voice.ports.system import Clock
from voice.services.graph.editor import resolve_entity
from voice.services.retrieval.retrieve import GraphAsOf, MemoryAsOf
from voice.services.retrieval.row_lookups import Names, change_pages


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

    async def entities(self, *, entity_type: str | None = None, include_private: bool = False) -> list[Entity]:
        """Return the entities by name, then id."""
        wanted = [
            node.id  # names are cheap to hold; the rows of those wanted alone are fetched
            for node in (await self.names.visible(include_private=include_private)).nodes
            if entity_type is None or node.entity_type.casefold() == entity_type.casefold()
        ]
        found = [row for row in (await self.store.fetch(wanted)).values() if isinstance(row, Entity)]
        return sorted(found, key=lambda entity: (entity.name.casefold(), entity.id))

    async def around(self, name: str, *, include_private: bool = False, as_of: datetime | None = None) -> Neighbourhood:
        """Return the entity that `name` (an id, a name or an alias) means, with its relations and observations.
        `as_of`: as the memory knew it then; an entity that became part of another since is found, too. Raises
        UnknownId, InvalidParams: no visible entity is meant, or several are, or the memory did not know it then."""
        visible = (await self.names.visible(include_private=include_private)).nodes
        store, graph = self.store, self.graph
        if as_of is not None:
            then = MergeHistory(await self.merges.merges(), as_of)  # renames rows back to what they named then
            store = MemoryAsOf(store, self.history, as_of, then)
            graph = GraphAsOf(graph, self.history, as_of, then)
            parts = await store.fetch(sorted(then.absorbed - {node.id for node in visible}))  # today another's alias
            apart = [EntityName.of(row) for row in parts.values() if isinstance(row, Entity)]
            visible += tuple(node for node in apart if include_private or not node.is_private)
        meant = resolve_entity(name, visible)
        entity = (await store.fetch([meant.id])).get(meant.id)
        if not isinstance(entity, Entity):
            raise UnknownId(f"{meant.id} {'did not exist then' if as_of else 'no longer exists'}")
        names = {other.id: other.name for other in visible}  # those whose name the reader may see
        relations = [
            relation  # an edge to a hidden entity would give it away
            for relation in await graph.relations_of([entity.id])
            if (include_private or not relation.is_private) and {relation.source_id, relation.target_id} <= names.keys()
        ]
        observations = [
            row for row in await graph.observations_of([entity.id]) if include_private or not row.is_private
        ]
        history = await self._history(entity.id, names, include_private=include_private, as_of=as_of)
        edges = [*relations, *(row for row in history if isinstance(row, Relation))]
        touched = sorted({end for relation in edges for end in (relation.source_id, relation.target_id)})
        now = as_of or self.clock.now()
        ageing = {row.id: confidence_of(row, self.half_lives, now) for row in (entity, *relations, *observations)}
        return Neighbourhood(
            entity=entity,
            relations=tuple(relations),
            observations=tuple(sorted(observations, key=lambda row: (date_sort_key(row.created_at), row.id))),
            names=tuple((row_id, names[row_id]) for row_id in touched),
            history=history,
            confidences={row_id: confidence for row_id, confidence in ageing.items() if confidence is not None},
        )

    async def _history(
        self, entity_id: str, names: Mapping[str, str], *, include_private: bool, as_of: datetime | None
    ) -> tuple[GraphRow, ...]:
        """Return what was superseded around the entity by then, as far as the reader may see it."""
        before = await self.history.replaced_by([entity_id])
        past: list[GraphRow] = [row for row in before if isinstance(row, Entity)]
        past += [
            row
            for row in await self.history.past_of([entity_id])
            if not isinstance(row, Relation) or {row.source_id, row.target_id} <= names.keys()
        ]
        told = [row for row in past if include_private or not row.is_private]
        known = [row for row in told if as_of is None or (row.superseded_at is not None and row.superseded_at <= as_of)]
        by_id = sorted(known, key=lambda row: row.id)  # a stable sort below: equal times stay by id
        return tuple(sorted(by_id, key=lambda row: row.superseded_at or row.recorded_at, reverse=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestedMerge:
    """A pair that is perhaps one, with both entities."""

    pair: Duplicate
    one: Entity
    other: Entity


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicates:
    """Suggests pairs to a person."""

    browse: Browse
    vectors: HeldVectors
    encoding: Encoding

    async def __call__(self, *, include_private: bool = False) -> list[SuggestedMerge]:
        """Return the pairs, the most alike first."""
        entities = {row.id: row for row in await self.browse.entities(include_private=include_private)}
        pairs = find_duplicates(EntityName.of(row) for row in entities.values())  # by names; contexts come after
        touched = sorted({row_id for pair in pairs for row_id in (pair.one, pair.other)})
        said = {row_id: await self._said(entities[row_id], include_private=include_private) for row_id in touched}
        bounds = MEASURED.get(self.encoding[0])  # None for an encoder that was not measured: then words decide
        return [
            SuggestedMerge(pair=pair, one=entities[pair.one], other=entities[pair.other])
            for pair in with_contexts(pairs, said, bounds)
        ]

    async def _said(self, entity: Entity, *, include_private: bool) -> Context:
        around = await self.browse.around(entity.id, include_private=include_private)
        names = dict(around.names)
        others = [
            names[end] for edge in around.relations for end in (edge.source_id, edge.target_id) if end != entity.id
        ]
        texts = [entity.description, *(row.text for row in around.observations), *others]
        rows = [row.id for row in (*around.observations, *around.relations)]
        held = await self.vectors.vectors_of([entity.id, *rows])
        name = None if entity.description else held.pop(entity.id, None)  # a bare name's vector is no statement
        model, dim = self.encoding
        return context_of(telling_words(texts, EntityName.of(entity)), held.values(), name, model=model, dim=dim)


_PAGE = 500  # changes read at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """An entity and the part of the graph around it."""

    focus: Entity
    part: Subgraph


@dataclass(frozen=True, slots=True, kw_only=True)
class Portraits:
    """Reads parts of the graph."""

    store: MemoryStore
    graph: GraphStore
    names: Names

    async def whole(self, *, include_private: bool, progress: Callable[[int], None] | None = None) -> Subgraph:
        """Return every live row of the graph; `progress` is told how many rows of the store were read."""
        rows: dict[str, GraphRow] = {}
        read = 0
        async for changes in change_pages(self.store, size=_PAGE):
            read += len(changes)
            if progress:
                progress(read)
            for change in changes:
                if change.row is not None and not isinstance(change.row, Thought):  # None: deleted
                    rows[change.row_id] = change.row
        return Subgraph.of(rows.values(), include_private=include_private)

    async def around(self, name: str, *, hops: int, include_private: bool) -> Surroundings:
        """Return the entity that `name` (an id, a name or an alias) means, with what lies within `hops` steps of it.
        Raises UnknownId, InvalidParams: no visible entity is meant, or several are."""
        known = await self.names.known()
        visible = known.nodes if include_private else known.public.nodes
        meant = resolve_entity(name, visible)
        exist = frozenset(node.id for node in known.nodes)
        may_see = frozenset(node.id for node in visible)
        met: set[str] = set()
        reached: set[str] = set()
        rows: dict[str, Relation | Observation] = {}
        edge = {meant.id}
        for _ in range(hops + 1):  # one round more: edges among the outermost
            reached |= edge
            ids = sorted(edge)
            found = [*await self.graph.relations_of(ids), *await self.graph.observations_of(ids)] if ids else []
            rows |= {row.id: row for row in found}  # private rows, too: the part counts what it leaves out
            seen = (row for row in found if include_private or not row.is_private)  # a private row leads nowhere
            ends = exist.intersection(chain.from_iterable(map(named_by, seen)))
            met |= ends - may_see  # hidden ends are fetched to be counted, never walked through
            edge = (ends & may_see) - reached
        nodes = await self.store.fetch(sorted(reached | met))
        focus = nodes.get(meant.id)
        if not isinstance(focus, Entity):
            raise UnknownId(f"{meant.id} was removed meanwhile")
        entities = [row for row in nodes.values() if isinstance(row, Entity)]
        part = Subgraph.of([*entities, *rows.values()], include_private=include_private)
        return Surroundings(focus=focus, part=part)
