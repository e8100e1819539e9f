"""Parts of the knowledge graph, to be written out or drawn.

Law: live rows only; private ones only when asked for, and a private entity is no way from one public entity to another
(promise 6). Steps follow relations and observations that name two entities. Nothing is written here.

Source: rulings C2, C10; promise 6.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from voice.core.errors import UnknownId
from voice.core.graph.subgraph import Subgraph
from voice.core.records import Entity, GraphRow, Observation, Relation, Thought
from voice.ports.stores import GraphStore, MemoryStore
from voice.services.graph import resolve_entity
from voice.services.names import Names

_PAGE = 500
_Said = Relation | Observation


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
        seq = read = 0
        while changes := await self.store.changes(seq, _PAGE):
            read += len(changes)
            if progress:
                progress(read)
            for change in changes:
                if change.row is not None and not isinstance(change.row, Thought):
                    rows[change.row_id] = change.row
            seq = changes[-1].seq
        return Subgraph.of(rows.values(), include_private=include_private)

    async def around(self, name: str, *, hops: int, include_private: bool) -> Surroundings:
        """Return the entity that `name` (an id, a name or an alias) means, with what lies within `hops` steps of it.

        Raises:
            UnknownId, InvalidParams: no visible entity is meant, or several are.
        """
        known = await self.names.known()
        visible = known.nodes if include_private else known.public.nodes
        meant = resolve_entity(name, visible)
        exist = frozenset(node.id for node in known.nodes)
        may_see = frozenset(node.id for node in visible)
        met: set[str] = set()
        reached: set[str] = set()
        rows: dict[str, _Said] = {}
        edge = {meant.id}
        for _ in range(hops + 1):
            reached |= edge
            found = await self._touching(sorted(edge))
            rows |= {row.id: row for row in found}
            ends = _ends(found, include_private=include_private) & exist
            met |= ends - may_see
            edge = (ends & may_see) - reached
        nodes = await self.store.fetch(sorted(reached | met))
        focus = nodes.get(meant.id)
        if not isinstance(focus, Entity):
            raise UnknownId(f"{meant.id} was removed meanwhile")
        entities = [row for row in nodes.values() if isinstance(row, Entity)]
        part = Subgraph.of([*entities, *rows.values()], include_private=include_private)
        return Surroundings(focus=focus, part=part)

    async def _touching(self, ids: list[str]) -> list[_Said]:
        if not ids:
            return []
        return [*await self.graph.relations_of(ids), *await self.graph.observations_of(ids)]


def _ends(rows: Iterable[_Said], *, include_private: bool) -> set[str]:
    """Return the entities that the rows which may be seen lead to."""
    ends: set[str] = set()
    for row in rows:
        if include_private or not row.is_private:
            ends.update(row.entity_ids if isinstance(row, Observation) else (row.source_id, row.target_id))
    return ends
