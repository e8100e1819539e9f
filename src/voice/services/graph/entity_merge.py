"""Merge two entities, and split them again.

Law: a merge is one transaction: the entity that stays, the one that goes, every row that named it and the log become
true together, or nothing does. Only whom a person named is merged; nothing is merged on account of a likeness. Pins of
the one that goes follow it, and stay where they are when the merge is taken back.

Source: rulings C10, C17, F, H.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from voice.core.errors import InvalidParams, UnknownId
from voice.core.graph.corrections import Correction
from voice.core.graph.entities.merge import (
    Merge,
    MergeChanges,
    MergedState,
    NeighbourRows,
    merge_entities,
    require_mergeable,
    require_undoable,
    undo_merge,
)
from voice.core.records import Entity, GraphRow, Observation, Origin, Relation, Row
from voice.ports.recall_stores import PinStore
from voice.ports.row_queries import MergeLog
from voice.ports.stores import MAX_BATCH, GraphStore
from voice.services.graph.correct import follow_pins
from voice.services.graph.editor import resolve_entity
from voice.services.memory.ingest import Ingest


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The result of merging or separating two entities."""

    merge: Merge
    kept: Entity
    absorbed: Entity
    """As it stands afterwards: superseded, or by itself again."""
    moved: tuple[str, ...]
    ended: tuple[str, ...]
    """Relations that ended with the merge, or hold again."""
    stayed: tuple[str, ...] = ()
    """Rows that were said since the merge and stay with the one that stayed."""
    pins: int = 0
    fault: str | None = None
    """Why something of it has no vector yet (ruling C17)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Merging:
    """Merges entities of one memory."""

    log: MergeLog
    graph: GraphStore
    pins: PinStore
    ingest: Ingest

    async def merge(
        self,
        kept: str,
        absorbed: str,
        *,
        reason: str | None = None,
        by: Origin = Origin.HUMAN,
        allow_private: bool = False,
        dry_run: bool = False,
    ) -> Merged:
        """Make `absorbed` part of `kept`, which stays under its id, name and type; both are ids, names or aliases.
        Raises UnknownId, InvalidParams: a name means none or several, or they cannot be made one."""
        nodes = (await self.ingest.names.known()).nodes
        ids = [resolve_entity(name, nodes, lets_private_in=allow_private).id for name in (kept, absorbed)]
        rows = await self.ingest.store.fetch(ids)
        first, second = (_as_entity(rows.get(row_id)) for row_id in ids)
        if first is None or second is None:
            raise UnknownId(f"{ids[0] if first is None else ids[1]} no longer exists")
        require_mergeable(first, second, allow_private=allow_private)
        around = NeighbourRows(
            relations=tuple(await self.graph.relations_of(ids)),  # of both: edges between them end, double ones merge
            observations=tuple(await self.graph.observations_of([second.id])),  # only these are renamed
        )
        new_id = self.ingest.ids.new_id
        done = merge_entities(
            first, second, around, self._correction(reason, by), merge_id=new_id("m"), past_id=new_id("e")
        )
        fault = await self._write(done, before=(first, second, *around.relations), dry_run=dry_run)
        heirs = {second.id: first.id}
        pins = len(await self.pins.pins(list(heirs)))
        if pins and not dry_run:
            await follow_pins(self.pins, self.ingest.ids, heirs)
        return _merge_result(done, pins=pins, fault=fault)

    async def unmerge(
        self, merge_id: str, *, reason: str | None = None, by: Origin = Origin.HUMAN, dry_run: bool = False
    ) -> Merged:
        """Undo a merge: both entities are what they were, but for what was said since. Raises UnknownId: there is no
        such merge; InvalidParams: it was taken back already, or one of the two was changed or forgotten meanwhile."""
        merge = await self.log.merge(merge_id)
        if merge is None:
            raise UnknownId(f"there is no merge {merge_id!r}; `voice kg merge --list` lists all merges")
        named = [each.row_id for each in (*merge.moved, *merge.ended)]
        named += [each.into for each in merge.ended if each.into]
        rows = await self.ingest.store.fetch([merge.kept, merge.absorbed, merge.past, *dict.fromkeys(named)])
        kept, absorbed = require_undoable(merge, *(_as_entity(rows.get(each)) for each in (merge.kept, merge.absorbed)))
        held = MergedState(
            kept=kept,
            absorbed=absorbed,
            past=_as_entity(rows.get(merge.past)),
            rows={row_id: row for row_id, row in rows.items() if isinstance(row, Observation | Relation)},
            others=await self._others_merged(merge),  # their names and words stay with the entity
            around=NeighbourRows(
                relations=tuple(await self.graph.relations_of([kept.id])),
                observations=tuple(await self.graph.observations_of([kept.id])),
            ),
        )
        past_ids = (self.ingest.ids.new_id("e"), self.ingest.ids.new_id("e"))  # what the two were while they were one
        done = undo_merge(merge, held, self._correction(reason, by), past_ids=past_ids)
        fault = await self._write(done, before=(kept, absorbed, *held.rows.values()), dry_run=dry_run)
        return _merge_result(done, pins=0, fault=fault)

    async def merges(self) -> list[tuple[Merge, Entity | None, Entity | None]]:
        """Return every merge with the two entities as they stand, the latest first; None where one was forgotten."""
        found = await self.log.merges()
        ids = list(dict.fromkeys(row_id for each in found for row_id in (each.kept, each.absorbed)))
        rows = await self.ingest.store.fetch(ids)
        return [(each, _as_entity(rows.get(each.kept)), _as_entity(rows.get(each.absorbed))) for each in found]

    async def _others_merged(self, merge: Merge) -> tuple[Entity, ...]:
        every = await self.log.merges()
        ids = [
            each.absorbed
            for each in every
            if each.kept == merge.kept and each.id != merge.id and each.undone_at is None
        ]
        rows = await self.ingest.store.fetch(list(dict.fromkeys(ids)))
        return tuple(row for row in rows.values() if isinstance(row, Entity))

    def _correction(self, reason: str | None, by: Origin) -> Correction:
        said = " ".join(reason.replace("\x00", "").split()) if reason else None
        return Correction(reason=said or None, author=by, at=self.ingest.clock.now())

    async def _write(self, done: MergeChanges, *, before: Iterable[GraphRow], dry_run: bool) -> str | None:
        """Write it all with the vectors of what is new; return why something has none yet."""
        if len(done.fresh) + len(done.beside) > MAX_BATCH:  # all in one transaction
            raise InvalidParams(f"more than {MAX_BATCH:,} rows name these entities; voice cannot merge so many")
        known = {row.id for row in before}
        if gone := await self.ingest.forgotten.among([row for row in done.fresh if row.id in known]):
            raise InvalidParams(f"{min(gone)} would bring back what you forgot; correct or forget that entry first")
        if dry_run:
            return None
        batch, _, fault = await self.ingest.prepared(done.fresh, names=await self.ingest.names.known())
        await self.log.record(done.merge, rows=replace(batch, rows=(*batch.rows, *done.beside)))
        return fault


def _as_entity(row: Row | None) -> Entity | None:
    return row if isinstance(row, Entity) else None


def _merge_result(done: MergeChanges, *, pins: int, fault: str | None) -> Merged:
    rows = {row.id: row for row in (*done.fresh, *done.beside)}
    kept, absorbed = rows[done.merge.kept], rows[done.merge.absorbed]
    assert isinstance(kept, Entity), "what stays is an entity"
    assert isinstance(absorbed, Entity), "and so is what goes"
    return Merged(
        merge=done.merge,
        kept=kept,
        absorbed=absorbed,
        moved=tuple(each.row_id for each in done.merge.moved if each.row_id in rows),
        ended=tuple(each.row_id for each in done.merge.ended if each.row_id in rows),
        stayed=done.stayed,
        pins=pins,
        fault=fault,
    )
