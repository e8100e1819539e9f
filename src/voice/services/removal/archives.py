"""Write archives of what is marked, and restore from them.

Law: an archive holds the thoughts as they stand, what derives from them, and their vectors, so that what comes back is
what went: its id, its words, its vector, and what rests on it where that is gone. Nothing forgotten comes back, under
whatever id (ruling H); what says something else than what was taken away under its id does not either. Bringing back
what is there changes nothing, so a restore that was interrupted is run again.

Source: spec rag-organize 5; rulings C17, F, H.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from voice.core.errors import EmbedderUnavailable, InvalidParams
from voice.core.graph.removal.forget_cascade import thoughts_of
from voice.core.graph.removal.lifecycle import Archived, Return, as_archived, returning, unmarked
from voice.core.graph.row_display import named_by
from voice.core.records import GraphRow, Row, Thought, VectorRow
from voice.ports.removal import Archive, ArchiveFormat, ArchiveReport
from voice.ports.stores import GraphStore
from voice.services.memory.forgotten_rows import forgotten_hashes, taken_hash
from voice.services.memory.ingest import Ingest
from voice.services.removal.archive_shelf import Progress
from voice.services.removal.removals import Removals

_PAGE = 200  # rows in one transaction
_THERE = frozenset({Return.BACK, Return.THERE})  # what they hold is in the memory afterwards
MAX_THOUGHTS = 5_000
"""In one archive; more go into several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """The thoughts that were archived, or would be."""

    thoughts: tuple[str, ...]
    already: tuple[str, ...]
    """A verified archive holds them as they stand, so they were not archived again."""
    derived: int = 0
    vectors: int = 0
    reports: tuple[ArchiveReport, ...] = ()
    faults: tuple[str, ...] = ()
    """A sentence for each archive that is there and could not be verified."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """The thoughts that were restored, or would be, and those that were not."""

    thoughts: tuple[str, ...]
    derived: tuple[str, ...]
    there: int
    forgotten: int
    altered: tuple[str, ...]
    """Rows that say something else than what was taken away under their id, or say openly what was private."""
    unembedded: int = 0
    embedder_fault: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Archives:
    """Writes archives, and brings back what they hold."""

    removals: Removals
    graph: GraphStore
    ingest: Ingest
    form: ArchiveFormat

    async def export(
        self,
        ids: Sequence[str] = (),
        *,
        form: ArchiveFormat | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Exported:
        """Archive every marked thought, or those of them that are named, that no archive holds as it stands. Raises
        UnknownId, InvalidParams: as `Removals.chosen`; ConfigurationError, StoreUnavailable: it cannot be written; none
        is half done."""
        thoughts = await self.removals.chosen(ids)
        held = await self.removals.held(thoughts, progress)
        new = [thought for thought in thoughts if held.of(thought.id) is not Archived.AS_IT_STANDS]
        reports: list[ArchiveReport] = []
        counts = Counter[str]()
        for start in range(0, len(new), MAX_THOUGHTS):
            archive = await self._archive(new[start : start + MAX_THOUGHTS])
            counts.update(derived=len(archive.derived), vectors=len(archive.vectors))
            if not dry_run:
                shelf = self.removals.shelf
                reports.append(await shelf.files.write(archive, shelf.directory, form=form or self.form))
        return Exported(
            thoughts=tuple(thought.id for thought in new),
            already=tuple(thought.id for thought in thoughts if held.of(thought.id) is Archived.AS_IT_STANDS),
            derived=counts["derived"],
            vectors=counts["vectors"],
            reports=tuple(reports),
            faults=held.faults,
        )

    async def restore(
        self, path: str, ids: Sequence[str] = (), *, dry_run: bool = False, progress: Progress | None = None
    ) -> Restored:
        """Bring back what an archive holds, or those of its thoughts that are named, with what derives from them,
        unmarked. A vector of another encoder is made anew. Raises DataFileError: the archive does not verify; nothing
        was brought back; InvalidParams: one of the ids is not in it; StoreError: running it again goes on from there.
        """
        archive = await self.removals.shelf.files.read(path)
        rows = _selected_rows(archive, ids, path)
        fates = await self._fates(rows)
        now = self.removals.clock.now()
        back = [unmarked(row, now) or row for row in rows if fates[row.id] is Return.BACK]  # None: it bore no mark
        unembedded, fault = (0, None) if dry_run else await self._bring_back(back, archive.vectors, progress)
        # Also of thoughts that are there: a restore before may have stopped here.
        if not dry_run:
            await self.removals.back([row.id for row in rows if isinstance(row, Thought) and fates[row.id] in _THERE])
        counts = Counter(fates.values())
        return Restored(
            thoughts=tuple(row.id for row in back if isinstance(row, Thought)),
            derived=tuple(row.id for row in back if not isinstance(row, Thought)),
            there=counts[Return.THERE],
            forgotten=counts[Return.FORGOTTEN],
            altered=tuple(row.id for row in rows if fates[row.id] is Return.ALTERED),
            unembedded=unembedded,
            embedder_fault=fault,
        )

    async def _archive(self, thoughts: Sequence[Thought]) -> Archive:
        ids = [thought.id for thought in thoughts]
        derived = _graph_rows(await self.graph.derived_from(ids))
        named = sorted({entity_id for row in derived.values() for entity_id in named_by(row)} - derived.keys())
        derived |= _graph_rows((await self.removals.store.fetch(named)).values())
        written = [row for row in await self.removals.taken_along.alone(ids) if isinstance(row, Thought)]
        rows: list[Row] = [*thoughts, *written, *(derived[row_id] for row_id in sorted(derived))]
        vectors = await self.removals.removed.vectors_of([row.id for row in rows])
        kept = [as_archived(row) for row in rows]
        return Archive(
            store_id=(await self.removals.store.head()).store_id,
            made_at=self.removals.clock.now(),
            thoughts=tuple(row for row in kept if isinstance(row, Thought)),
            derived=tuple(row for row in kept if not isinstance(row, Thought)),
            vectors=tuple(vectors[row.id] for row in rows if row.id in vectors),
        )

    async def _fates(self, rows: Sequence[Row]) -> dict[str, Return]:
        key = self.removals.key
        stones = {stone.row_id: stone for stone in await self.removals.tombstones.tombstones()}
        hashes = {stone.keyed_hash for stone in stones.values() if stone.reason != "finalised"}
        fates: dict[str, Return] = {}
        stored = await self.removals.store.fetch([row.id for row in rows])
        for row in rows:
            gone = [stones[thought_id] for thought_id in thoughts_of(row) if thought_id in stones]
            fates[row.id] = returning(
                row,
                is_stored=row.id in stored,
                stone=stones.get(row.id),
                taken_hash=taken_hash(key, row) or "",
                is_forgotten=not hashes.isdisjoint(forgotten_hashes(key, row))
                or any(stone.reason != "finalised" for stone in gone),
            )
        away = {row_id for row_id, fate in fates.items() if fate is Return.FORGOTTEN} - stored.keys()
        for row in rows:
            if fates[row.id] is Return.BACK and not away.isdisjoint(named_by(row)):
                fates[row.id] = Return.FORGOTTEN
        return fates

    async def _bring_back(
        self, rows: Sequence[Row], vectors: Sequence[VectorRow], progress: Progress | None
    ) -> tuple[int, str | None]:
        """Store the rows, group by group, and embed those that need it; return how many have no vector, and why."""
        embedder = self.ingest.embedder
        usable = {each.row_id: each for each in vectors if (each.model, each.dim) == (embedder.model, embedder.dim)}
        for start in range(0, len(rows), _PAGE):
            group = rows[start : start + _PAGE]
            owned = [usable[row.id] for row in group if row.id in usable]
            await self.removals.removed.bring_back(group, owned)
            if progress:
                progress(start + len(group), len(rows))
        waiting = len({row.id for row in rows} - usable.keys())  # embedded anew
        if not waiting:
            return 0, None
        try:
            return max(0, waiting - await self.ingest.embed_pending(limit=waiting)), None  # older ones may come first
        except EmbedderUnavailable as fault:
            return waiting, fault.message


def _selected_rows(archive: Archive, ids: Sequence[str], path: str) -> list[Row]:
    """Return the rows of an archive: all, or the thoughts that are named with what rests on them."""
    if not ids:
        return [*archive.thoughts, *archive.derived]
    wanted = set(ids)
    missing = sorted(wanted - {thought.id for thought in archive.thoughts})
    if missing:
        raise InvalidParams(f"{missing[0]} is not among the thoughts of {path}")
    resting = [row for row in archive.derived if any(span.thought_id in wanted for span in row.provenance)]
    named = set(chain.from_iterable(map(named_by, resting))) | {row.id for row in resting}  # and the nodes they name
    thoughts = [thought for thought in archive.thoughts if thought.id in wanted]
    return [*thoughts, *(row for row in archive.derived if row.id in named)]


def _graph_rows(rows: Iterable[Row]) -> dict[str, GraphRow]:
    return {row.id: row for row in rows if not isinstance(row, Thought)}
