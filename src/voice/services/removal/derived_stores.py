"""What the archives of a memory hold; and archives, candidates and conflicts, as forgetting reaches them.

Law: an archive is never changed: one without what goes is written beside it and read again before it is removed, so
that whoever is killed leaves all that stays in one of them, and doing it again ends it. What else it held is kept. One
that cannot be read is told, and stops nobody; one of another memory is told, and neither searched nor changed.

Staged candidates, as forgetting reaches them; implements `DerivedElsewhere`. What becomes of each is decided by
`voice.core.recall.forgetting` over the candidate as it is stored, so doing it again does nothing.

Records of conflicts, as forgetting reaches them; implements `DerivedElsewhere`. A record holds no words, but it says
that two rows spoke of one thing: it goes with either of them.

Source: rulings F, G, H; `voice.ports.removal`.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import TypeVar

from voice.core.errors import VoiceError
from voice.core.graph.removal.forget_cascade import Act, without_forgotten
from voice.core.graph.removal.lifecycle import Archived, as_archived
from voice.core.graph.review.candidates import Candidate, Cursor
from voice.core.recall.forgetting import candidate_without
from voice.core.records import Row, RowStatus
from voice.core.session.forgetting import ForgottenContent
from voice.core.text.display import counted
from voice.ports.removal import Archive, ArchivedRows, ArchiveFiles
from voice.ports.review_stores import CandidateRemoval, CandidateStore, ConflictLog
from voice.ports.stores import MemoryStore

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedRow:
    """What archives hold of some rows."""

    paths: Mapping[str, str] = field(default_factory=dict[str, str])
    """The archive that holds a row as it stands, by row id."""
    changed: frozenset[str] = frozenset()
    """Rows that archives hold, but not as they stand."""
    faults: tuple[str, ...] = ()
    """A sentence for each archive that could not be verified, and one for those of other memories."""

    def of(self, row_id: str) -> Archived:
        """Return what they hold of one row."""
        if row_id in self.paths:
            return Archived.AS_IT_STANDS
        return Archived.CHANGED if row_id in self.changed else Archived.NO


@dataclass(slots=True, kw_only=True)
class ArchivedElsewhere:
    """Archives that hold nothing of a memory."""

    faults: list[str] = field(default_factory=list[str])
    """A sentence for each that could not be verified, and one for those of other memories."""
    foreign: list[str] = field(default_factory=list[str])
    """The paths of those of other memories."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveShelf:
    """The archives of one memory."""

    files: ArchiveFiles
    directory: str
    store: MemoryStore
    """The memory whose they are."""

    async def own(
        self, aside: ArchivedElsewhere, progress: Progress | None = None
    ) -> AsyncGenerator[tuple[str, Archive]]:
        """Yield the archives that this memory made, newest first, each with its path.

        Args:
            aside: gets the others.
            progress: told of archives read.

        Raises:
            StoreError, ConfigurationError: the directory, or whose they are, cannot be read.
        """
        listed = await self.files.listed(self.directory)
        own = (await self.store.head()).store_id if listed else ""
        for place, path in enumerate(listed):
            if progress:
                progress(place, len(listed))
            try:
                archive = await self.files.read(path)
            except VoiceError as fault:
                aside.faults.append(fault.message)
                continue
            if archive.store_id == own:
                yield path, archive
            else:
                aside.foreign.append(path)
        if aside.foreign:
            aside.faults.append(_left_aside(len(aside.foreign), self.directory))

    async def held(self, rows: Sequence[Row], progress: Progress | None = None) -> ArchivedRow:
        """Read the archives, newest first, until each of the rows was found as it stands.

        Raises:
            StoreError, ConfigurationError: as `own` raises them.
        """
        wanted = {row.id: as_archived(row) for row in rows}
        paths: dict[str, str] = {}
        changed: set[str] = set()
        aside = ArchivedElsewhere()
        async with aclosing(self.own(aside, progress)) as archives:
            async for path, archive in archives:
                for row in (*archive.thoughts, *archive.derived):
                    if wanted.get(row.id) == row:
                        paths.setdefault(row.id, path)
                    elif row.id in wanted:
                        changed.add(row.id)
                if len(paths) == len(wanted):
                    break
        return ArchivedRow(paths=paths, changed=frozenset(changed - paths.keys()), faults=tuple(aside.faults))


def _left_aside(foreign: int, directory: str) -> str:
    made = "was made by another memory" if foreign == 1 else "were made by another memory"
    return (
        f"{counted(foreign, 'archive')} in {directory} {made}, or by this one before a backup was restored, and"
        " left as it is; give each memory a directory of its own (SURR_ARCHIVE_DIR)"
    )


_R = TypeVar("_R", bound=Row)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenArchives:
    """`ShelvedRows` and `DerivedElsewhere` over the archives of one memory."""

    shelf: ArchiveShelf
    kind: str = "archives"

    async def shelved(self) -> ArchivedRows:
        """Return the rows of every archive that can be read; see `ShelvedRows`."""
        held, aside = await self._read()
        rows = {row.id: row for archive in reversed(held.values()) for row in (*archive.thoughts, *archive.derived)}
        return ArchivedRows(rows=tuple(rows.values()), paths=(*held, *aside.foreign), faults=tuple(aside.faults))

    async def reached(self, gone: ForgottenContent) -> list[str]:
        """Return the paths of the archives that hold something of what goes; see `DerivedElsewhere`."""
        held, _ = await self._read()
        return sorted(path for path, archive in held.items() if archive_without(archive, gone) != archive)

    async def take_away(self, ids: Sequence[str], gone: ForgottenContent) -> None:
        """Put archives without what goes in the place of these; see `DerivedElsewhere`."""
        held, _ = await self._read()
        for path in ids:
            archive = held.pop(path, None)
            if archive is None:
                continue
            left = archive_without(archive, gone)
            # Whoever was killed between writing and removing finds it written.
            if (left.thoughts or left.derived) and left not in held.values():
                form = "parquet" if path.endswith(".parquet") else "jsonl"
                held[(await self.shelf.files.write(left, self.shelf.directory, form=form)).path] = left
            await self.shelf.files.remove(path)

    async def _read(self) -> tuple[dict[str, Archive], ArchivedElsewhere]:
        aside = ArchivedElsewhere()
        return {path: archive async for path, archive in self.shelf.own(aside)}, aside


def archive_without(archive: Archive, gone: ForgottenContent) -> Archive:
    """Return an archive without what goes; an equal one where it holds nothing of it."""
    return replace(
        archive,
        thoughts=_staying(archive.thoughts, gone),
        derived=_staying(archive.derived, gone),
        vectors=tuple(each for each in archive.vectors if each.row_id not in gone.ids),
    )


def _staying(rows: Sequence[_R], gone: ForgottenContent) -> tuple[_R, ...]:
    return tuple(_bare(row, gone) for row in rows if row.id not in gone.ids or _says_nothing(row, gone))


def _says_nothing(row: Row, gone: ForgottenContent) -> bool:
    """Return whether the words of a row that is redacted went before it was archived."""
    return gone.keeps_hashes and row.status is RowStatus.REDACTED


def _bare(row: _R, gone: ForgottenContent) -> _R:
    act: Act = "redact" if gone.keeps_hashes else "forget"
    left = without_forgotten(row, gone.ids, act)
    return row if left is None else replace(left, revision=row.revision)


_PAGE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenCandidates:
    """`DerivedElsewhere` over the store of candidates."""

    store: CandidateStore
    removal: CandidateRemoval
    kind: str = "candidates"

    async def reached(self, gone: ForgottenContent) -> list[str]:
        """Return the ids of the candidates that hold something of what goes; see the port."""
        found = [each.id async for each in self._all() if candidate_without(each, gone) is not each]
        return sorted(found)

    async def take_away(self, ids: Sequence[str], gone: ForgottenContent) -> None:
        """Remove candidates, or what they hold of what goes; see the port."""
        for start in range(0, len(ids), _PAGE):
            held = await self.store.fetch(ids[start : start + _PAGE])
            left = {row_id: candidate_without(each, gone) for row_id, each in held.items()}
            await self.removal.remove([row_id for row_id, each in left.items() if each is None])
            await self.store.save([each for row_id, each in left.items() if each and each is not held[row_id]])

    async def _all(self) -> AsyncIterator[Candidate]:
        after: Cursor | None = None
        while page := await self.store.candidates(limit=_PAGE, after=after):
            for each in page:
                yield each
            after = Cursor.behind(page[-1])


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenConflicts:
    """`DerivedElsewhere` over the log of conflicts."""

    log: ConflictLog
    kind: str = "conflicts"

    async def reached(self, gone: ForgottenContent) -> list[str]:
        """Return the ids of the conflicts of which a row goes; see the port."""
        return sorted(each.id for each in await self.log.records() if gone.ids.intersection(each.row_ids))

    async def take_away(self, ids: Sequence[str], gone: ForgottenContent) -> None:  # noqa: ARG002 - a record goes whole
        """Remove conflicts; see the port."""
        await self.log.remove(ids)
