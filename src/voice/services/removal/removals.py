"""Mark thoughts for removal, list what is due, and finalise.

Law: nothing goes but what was marked, whose retention is over, from which no candidate waits for a human, and which an
archive holds exactly as it stands, read again from the disk in the same call. It is a dry run unless told otherwise. A
thought goes in the transaction that leaves its tombstone, so stopping at any point loses nothing. What rests on marked
thoughts alone leaves retrieval with the mark, is held by the same archive, goes in the same transaction under a
tombstone of its own, and comes back with them.

What leaves with thoughts, or comes back, is decided purely (`voice.core.graph.consequences`) over the rows that rest on
them, the entities those name, and whatever names an entity that could leave. A thought that is not there holds nothing.

Source: spec rag-organize 1, 4, 5, 6; rulings F, H.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from itertools import chain
from typing import Literal

from voice.core.errors import InvalidParams
from voice.core.graph.consequences import rests_on, rests_only_on, rows_after_removal, rows_resting_only_on
from voice.core.graph.removal.lifecycle import RemovalObstacle, Retention, marked, removal_obstacles, unmarked
from voice.core.graph.row_display import named_by
from voice.core.records import Entity, GraphRow, Row, RowStatus, Thought, Tombstone
from voice.ports.removal import RemovedRows, UndecidedCandidates
from voice.ports.row_queries import DependentRowStore
from voice.ports.stores import MemoryStore, TombstoneStore, WriteBatch
from voice.ports.system import Clock
from voice.services.memory.forgotten_rows import Forgotten, taken_hash
from voice.services.removal.archive_shelf import ArchivedRow, ArchiveShelf, Progress
from voice.services.retrieval.row_lookups import fetch_thoughts

Act = Literal["mark", "unmark", "settle"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Surroundings:
    """What rests on thoughts, what it names, and which of the thoughts behind it hold it no more."""

    rows: tuple[Row, ...]
    leaving: frozenset[str]  # thoughts that hold nothing any more


@dataclass(frozen=True, slots=True, kw_only=True)
class DependentRows:
    """Finds what rests on thoughts."""

    store: MemoryStore
    resting: DependentRowStore

    async def following(
        self, thought_ids: Sequence[str], act: Act, now: datetime, *, are_gone: bool = False
    ) -> tuple[GraphRow, ...]:
        """Return the rows around thoughts that leave retrieval, or come back to it, as they are from then on: all are
        marked (`are_gone`: as their notes went), their marks are taken away, or they stand as they are."""
        marking, unmarking = (thought_ids if act == each else () for each in ("mark", "unmark"))
        around = await self._surroundings(thought_ids, leaving=marking, staying=unmarking, marks_count=True)
        return rows_after_removal(around.rows, around.leaving, now, are_gone=are_gone)

    async def alone(self, thought_ids: Sequence[str]) -> tuple[Row, ...]:
        """Return the rows that would rest on nothing if these thoughts went, by id."""
        around = await self._surroundings(thought_ids, leaving=thought_ids, staying=(), marks_count=False)
        alone = rows_resting_only_on(around.rows, around.leaving)  # other marked thoughts still hold theirs
        return tuple(row for row in around.rows if row.id in alone and row.id not in set(thought_ids))

    async def _surroundings(
        self, thought_ids: Sequence[str], *, leaving: Collection[str], staying: Collection[str], marks_count: bool
    ) -> _Surroundings:
        found = {row.id: row for row in await self.resting.resting_on(thought_ids)}
        found |= await self.store.fetch(sorted({node for row in found.values() for node in named_by(row)}))
        behind = sorted(set(chain.from_iterable(map(rests_on, found.values()))))
        stored = await self.store.fetch(behind)
        away = {
            each for each in behind if each not in stored or (marks_count and stored[each].status is RowStatus.REMOVAL)
        }
        gone = frozenset((away | set(leaving)) - set(staying))
        lone = [row.id for row in found.values() if isinstance(row, Entity) and rests_only_on(row, gone)]
        named = {row.id: row for row in await self.resting.naming(lone)} if lone else {}
        unseen = sorted(set(chain.from_iterable(map(rests_on, named.values()))) - set(behind))
        more = await self.store.fetch(unseen)  # behind rows elsewhere that keep a node here
        gone |= {
            each for each in unseen if each not in more or (marks_count and more[each].status is RowStatus.REMOVAL)
        }
        rows = {**named, **found}
        return _Surroundings(rows=tuple(rows[each] for each in sorted(rows)), leaving=gone - set(staying))


_AT_ONCE = 200  # thoughts looked at together
_ROWS_AT_ONCE = 2_000  # rows in one transaction, where more than one thought goes in it


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedForRemoval:
    """The changes of marking or unmarking, made or foreseen."""

    changed: tuple[str, ...]
    unchanged: tuple[str, ...]
    """They were like that already; a thought that was marked before keeps its day."""
    due_on: date | None = None
    along: tuple[str, ...] = ()
    """Rows of the graph that left retrieval with the thoughts, or came back to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovalCandidate:
    """A marked thought, and what keeps it from going."""

    thought: Thought
    due_on: date | None
    """None: it was marked without a day, so its retention has not begun; marking it again begins it."""
    archive: str | None
    """The verified archive that holds it as it stands."""
    undecided: int
    hindrances: tuple[RemovalObstacle, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovalList:
    """The marked thoughts, by the day of marking."""

    candidates: tuple[RemovalCandidate, ...]
    faults: tuple[str, ...] = ()
    sure: Mapping[str, int] = field(default_factory=dict[str, int], repr=False)
    """The revision of each row that rests on them alone and that an archive holds as it stands."""

    @property
    def ready(self) -> tuple[RemovalCandidate, ...]:
        """Those that can be deleted."""
        return tuple(each for each in self.candidates if not each.hindrances)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finalised:
    """The thoughts that were deleted, or would be, and those that were not."""

    looked_at: RemovalList
    applied: bool
    gone: tuple[str, ...]
    along: tuple[str, ...] = ()
    """What rested on them alone, and went with them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Removals:
    """Marks thoughts for removal, and deletes them."""

    store: MemoryStore
    tombstones: TombstoneStore
    removed: RemovedRows
    undecided: UndecidedCandidates
    shelf: ArchiveShelf
    taken_along: DependentRows
    clock: Clock
    retention: Retention
    key: bytes = field(repr=False)
    hides_private: bool = False
    """Leave private thoughts alone where none is named."""

    async def mark(self, ids: Sequence[str], *, are_gone: bool = False, dry_run: bool = False) -> MarkedForRemoval:
        """Mark thoughts for removal: they leave retrieval with what rests on them alone, and stay as provenance until
        they are taken away; if their notes `are_gone`, they are found as of before. Raises UnknownId, InvalidParams:
        one of the ids is no thought's, or cannot be marked; nothing was marked."""
        now = self.clock.now()
        thoughts = await self._thoughts(ids)
        made = {thought.id: marked(thought, now, is_gone=are_gone) for thought in thoughts}
        marking = await self._write(made, "mark", now, are_gone=are_gone, dry_run=dry_run)
        return replace(marking, due_on=self.retention.due_on(now))

    async def unmark(self, ids: Sequence[str], *, dry_run: bool = False) -> MarkedForRemoval:
        """Remove the marks: thoughts are found as before. Raises UnknownId: an id is no thought's; nothing changed."""
        thoughts = await self._thoughts(ids)
        now = self.clock.now()
        made = {thought.id: unmarked(thought, now) for thought in thoughts}
        return await self._write(made, "unmark", now, dry_run=dry_run)

    async def held(self, thoughts: Sequence[Thought], progress: Progress | None = None) -> ArchivedRow:
        """Return what archives hold of thoughts, and of what rests on them alone, read again from the disk."""
        along = await self.taken_along.alone([thought.id for thought in thoughts])
        return replace(await self.shelf.held([*thoughts, *along], progress), along=along)

    async def back(self, thought_ids: Sequence[str]) -> None:
        """Let what rests on thoughts that came back be found again. Raises StoreError: it cannot be written."""
        await self._write(dict.fromkeys(thought_ids), "settle", self.clock.now())

    async def listed(self, ids: Sequence[str] = (), *, progress: Progress | None = None) -> RemovalList:
        """Return marked thoughts and what keeps each. Raises UnknownId: no thought's id; InvalidParams: not marked."""
        thoughts = await self.chosen(ids)
        held = await self.held(thoughts, progress)
        waiting = await self.undecided.undecided([thought.id for thought in thoughts])
        now = self.clock.now()
        found = [
            RemovalCandidate(
                thought=thought,
                due_on=self.retention.due_on(thought.removal_marked_at) if thought.removal_marked_at else None,
                archive=held.paths.get(thought.id),
                undecided=waiting.get(thought.id, 0),
                hindrances=removal_obstacles(
                    thought,
                    retention=self.retention,
                    now=now,
                    undecided=waiting.get(thought.id, 0),
                    archived=held.of(thought.id),
                ),
            )
            for thought in thoughts
        ]
        sure = {row.id: row.revision for row in held.along if row.id in held.paths}  # a changed row stays
        return RemovalList(candidates=tuple(found), faults=held.faults, sure=sure)

    async def finalise(
        self,
        ids: Sequence[str] = (),
        *,
        apply: bool = False,
        progress: Progress | None = None,
        taking: Progress | None = None,
    ) -> Finalised:
        """Delete every marked thought, or those of them that are named, that can be deleted; without `apply` only say
        it. `taking` is told of thoughts taken away, before the first and behind each transaction; whatever stops this,
        what was told is gone and the rest is as it was, but for a transaction under way. Raises UnknownId,
        InvalidParams: as `listed`, or a thought was changed meanwhile: it and those after it stay; StoreError: what was
        taken away is in its archive."""
        looked_at = await self.listed(ids, progress=progress)
        going = [each.thought for each in looked_at.ready]
        gone, along = tuple(each.id for each in going), list[str]()
        if not apply:
            along = [row.id for row in await self._dependents(going, looked_at.sure, going=gone)]
            return Finalised(looked_at=looked_at, applied=False, gone=gone, along=tuple(along))
        taking = taking or (lambda _done, _total: None)
        taking(0, len(going))
        done, at_once = 0, _AT_ONCE
        while done < len(going):
            group = going[done : done + at_once]
            rows = await self._dependents(group, looked_at.sure, going=gone)
            if len(rows) > _ROWS_AT_ONCE and len(group) > 1:
                at_once = len(group) // 2  # too much for a transaction: fewer thoughts
                continue
            now = self.clock.now()
            stones = [
                Tombstone(row_id=row.id, keyed_hash=taken_hash(self.key, row) or "", reason="finalised", at=now)
                for row in (*group, *rows)
            ]
            await self.removed.finalise(stones, {row.id: row.revision for row in (*group, *rows)})
            done += len(group)
            along += [row.id for row in rows]
            taking(done, len(going))
        return Finalised(looked_at=looked_at, applied=True, gone=gone, along=tuple(along))

    async def _dependents(self, group: Sequence[Thought], sure: Mapping[str, int], going: Sequence[str]) -> list[Row]:
        """Return what goes with thoughts, and not by itself: what rests on them alone and is archived as it stands."""
        found = await self.taken_along.alone([thought.id for thought in group])
        return [row for row in found if sure.get(row.id) == row.revision and row.id not in set(going)]

    async def fate(self, row_ids: Sequence[str]) -> dict[str, Tombstone]:
        """Return the tombstones of those rows that are gone: what became of the source of a citation."""
        wanted = set(row_ids)
        return {stone.row_id: stone for stone in await self.tombstones.tombstones() if stone.row_id in wanted}

    async def chosen(self, ids: Sequence[str]) -> list[Thought]:
        """Return marked thoughts, by day of marking. Raises UnknownId: no thought's id; InvalidParams: unmarked."""
        every = await self.removed.marked()
        if not ids:
            return [thought for thought in every if not (self.hides_private and thought.is_private)]
        known = {thought.id for thought in every}
        for thought in await self._thoughts(ids):
            if thought.id not in known:
                raise InvalidParams(f"{thought.id} is not marked for removal; mark it with: voice removals mark")
        return [thought for thought in every if thought.id in set(ids)]

    async def _thoughts(self, ids: Sequence[str]) -> list[Thought]:
        if not ids:
            raise InvalidParams("name at least one thought (t:…)")
        found = await fetch_thoughts(self.store, ids)
        if missing := sorted(set(ids) - found.keys()):
            raise await Forgotten(tombstones=self.tombstones, key=self.key).no_thought(missing[0])
        return [found[row_id] for row_id in dict.fromkeys(ids)]

    async def _write(
        self,
        made: Mapping[str, Thought | None],
        act: Act,
        now: datetime,
        *,
        are_gone: bool = False,
        dry_run: bool = False,
    ) -> MarkedForRemoval:
        """Write thoughts with what follows them, group by group; a dry run looks at all of them at once."""
        along: dict[str, None] = {}  # a set that keeps its order
        ids = list(made)
        at_once = max(1, len(ids)) if dry_run else _AT_ONCE  # a group sees what the one before wrote
        for start in range(0, len(ids), at_once):
            group = ids[start : start + at_once]
            thoughts = [row for each in group if (row := made[each]) is not None]
            follow = await self.taken_along.following(group, act, now, are_gone=are_gone)
            along |= dict.fromkeys(row.id for row in follow)
            if not dry_run and (thoughts or follow):
                await self.store.write(WriteBatch(rows=(*thoughts, *follow)))
        return MarkedForRemoval(
            changed=tuple(row.id for row in made.values() if row is not None),
            unchanged=tuple(row_id for row_id, row in made.items() if row is None),
            along=tuple(along),
        )
