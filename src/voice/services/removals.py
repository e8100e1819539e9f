"""Marking thoughts for removal, saying which are due, and taking them away.

Law: nothing goes but what was marked, whose retention is over, from which no candidate waits for a human, and which an
archive holds exactly as it stands, read again from the disk in the same call. It is a dry run unless told otherwise. A
thought goes in the transaction that leaves its tombstone, so stopping at any point loses nothing; what rests on it in
the graph stays, and its tombstone says what became of it.

Source: spec rag-organize 1, 4, 5, 6; rulings F, H.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from voice.core.errors import InvalidParams, UnknownId
from voice.core.graph.removal import Archived, Hindrance, Retention, hindrances, marked, unmarked
from voice.core.records import Thought, Tombstone
from voice.ports.removed_rows import RemovedRows, UndecidedCandidates
from voice.ports.stores import MemoryStore, TombstoneStore, WriteBatch
from voice.ports.system import Clock
from voice.services.forgotten import taken_hash
from voice.services.shelf import Progress, Shelf

_AT_ONCE = 200
"""Thoughts in one transaction."""


def _silently(_done: int, _total: int) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Marking:
    """What marking or unmarking changed, or would."""

    changed: tuple[str, ...]
    unchanged: tuple[str, ...]
    """They were like that already; a thought that was marked before keeps its day."""
    due_on: date | None = None
    """The first day on which what was marked may go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovalCandidate:
    """A marked thought, and what keeps it from going."""

    thought: Thought
    due_on: date | None
    """None: it was marked without a day, so its retention has not begun; marking it again begins it."""
    archived: Archived
    archive: str | None
    """The verified archive that holds it as it stands."""
    undecided: int
    hindrances: tuple[Hindrance, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovalList:
    """The marked thoughts, by the day of marking."""

    candidates: tuple[RemovalCandidate, ...]
    faults: tuple[str, ...] = ()
    """A sentence for each archive that could not be verified."""

    @property
    def ready(self) -> tuple[RemovalCandidate, ...]:
        """Those that nothing keeps from going."""
        return tuple(each for each in self.candidates if not each.hindrances)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finalised:
    """What was taken away, or would be, and what was not."""

    looked_at: RemovalList
    applied: bool
    gone: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Removals:
    """Marks thoughts and takes them away."""

    store: MemoryStore
    tombstones: TombstoneStore
    removed: RemovedRows
    undecided: UndecidedCandidates
    shelf: Shelf
    clock: Clock
    retention: Retention
    key: bytes = field(repr=False)

    async def mark(self, ids: Sequence[str], *, dry_run: bool = False) -> Marking:
        """Mark thoughts for removal: they leave retrieval, and stay as provenance until they are taken away.

        Raises:
            UnknownId: one of the ids is no thought's; nothing was marked.
            InvalidParams: one cannot be marked; nothing was marked.
        """
        now = self.clock.now()
        thoughts = await self._thoughts(ids)
        made = {thought.id: marked(thought, now) for thought in thoughts}
        return await self._write(made, self.retention.due_on(now), dry_run=dry_run)

    async def unmark(self, ids: Sequence[str], *, dry_run: bool = False) -> Marking:
        """Take marks away again: the thoughts are found as before.

        Raises:
            UnknownId: one of the ids is no thought's; nothing was changed.
        """
        thoughts = await self._thoughts(ids)
        return await self._write({thought.id: unmarked(thought) for thought in thoughts}, None, dry_run=dry_run)

    async def listed(self, ids: Sequence[str] = (), *, progress: Progress | None = None) -> RemovalList:
        """Return the marked thoughts, or those of them that are named, each with what keeps it from going.

        Raises:
            UnknownId: one of the ids is no thought's.
            InvalidParams: one of them is not marked.
        """
        thoughts = await self.chosen(ids)
        held = await self.shelf.held(thoughts, progress)
        waiting = await self.undecided.undecided([thought.id for thought in thoughts])
        now = self.clock.now()
        found = [
            RemovalCandidate(
                thought=thought,
                due_on=self.retention.due_on(thought.removal_marked_at) if thought.removal_marked_at else None,
                archived=held.of(thought.id),
                archive=held.paths.get(thought.id),
                undecided=waiting.get(thought.id, 0),
                hindrances=hindrances(
                    thought,
                    retention=self.retention,
                    now=now,
                    undecided=waiting.get(thought.id, 0),
                    archived=held.of(thought.id),
                ),
            )
            for thought in thoughts
        ]
        return RemovalList(candidates=tuple(found), faults=held.faults)

    async def finalise(
        self,
        ids: Sequence[str] = (),
        *,
        apply: bool = False,
        progress: Progress | None = None,
        taking: Progress | None = None,
    ) -> Finalised:
        """Take away every marked thought, or those of them that are named, that nothing keeps from going.

        Args:
            ids: None of them means all.
            apply: whether it is done; otherwise it is only said.
            progress: told of archives read.
            taking: told of thoughts taken away, before the first and behind each transaction; whatever stops this, what
                was told is gone and the rest is as it was, but for a transaction that was under way.

        Raises:
            UnknownId, InvalidParams: as `listed` does; or a thought was changed while this went on, and it and those
                after it stay.
            StoreError: the store failed; what was taken away before is in its archive.
        """
        looked_at = await self.listed(ids, progress=progress)
        going = [each.thought for each in looked_at.ready]
        if not apply:
            return Finalised(looked_at=looked_at, applied=False, gone=tuple(each.id for each in going))
        now = self.clock.now()
        taking = taking or _silently
        taking(0, len(going))
        for start in range(0, len(going), _AT_ONCE):
            group = going[start : start + _AT_ONCE]
            stones = [
                Tombstone(row_id=each.id, keyed_hash=taken_hash(self.key, each) or "", reason="finalised", at=now)
                for each in group
            ]
            await self.removed.finalise(stones, {each.id: each.revision for each in group})
            taking(start + len(group), len(going))
        return Finalised(looked_at=looked_at, applied=True, gone=tuple(each.id for each in going))

    async def fate(self, row_ids: Sequence[str]) -> dict[str, Tombstone]:
        """Return the tombstones of those rows that are gone: what became of the source of a citation."""
        wanted = set(row_ids)
        return {stone.row_id: stone for stone in await self.tombstones.tombstones() if stone.row_id in wanted}

    async def chosen(self, ids: Sequence[str]) -> list[Thought]:
        """Return the marked thoughts, by the day of marking: all, or those that are named.

        Raises:
            UnknownId: one of the ids is no thought's.
            InvalidParams: one of them is not marked.
        """
        every = await self.removed.marked()
        if not ids:
            return every
        known = {thought.id for thought in every}
        for thought in await self._thoughts(ids):
            if thought.id not in known:
                raise InvalidParams(f"{thought.id} is not marked for removal; mark it with: voice maintain mark")
        return [thought for thought in every if thought.id in set(ids)]

    async def _thoughts(self, ids: Sequence[str]) -> list[Thought]:
        if not ids:
            raise InvalidParams("name at least one thought (t:…)")
        rows = await self.store.fetch(list(dict.fromkeys(ids)))
        found = [row for row in rows.values() if isinstance(row, Thought)]
        missing = sorted(set(ids) - {thought.id for thought in found})
        if not missing:
            return [row for row_id in dict.fromkeys(ids) if isinstance(row := rows[row_id], Thought)]
        stone = (await self.fate(missing[:1])).get(missing[0])
        if stone is not None:
            raise UnknownId(f"{missing[0]} is gone: it was {stone.reason} on {stone.at.date()}")
        raise UnknownId(f"there is no thought {missing[0]}; `voice retrieve` shows the ids of thoughts (t:…)")

    async def _write(self, made: dict[str, Thought | None], due_on: date | None, *, dry_run: bool) -> Marking:
        rows = [row for row in made.values() if row is not None]
        for start in range(0, 0 if dry_run else len(rows), _AT_ONCE):
            await self.store.write(WriteBatch(rows=tuple(rows[start : start + _AT_ONCE])))
        return Marking(
            changed=tuple(row.id for row in rows),
            unchanged=tuple(row_id for row_id, row in made.items() if row is None),
            due_on=due_on,
        )
