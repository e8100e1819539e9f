"""What the archives of a memory hold, as read again from the disk.

Law: an archive that does not verify holds nothing; that it does not is told, with its name, and stops nobody else. One
that another memory made is that memory's: it holds nothing of this one and is never changed, and that it lies there is
told.

Source: rulings F, H.
"""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from voice.core.errors import VoiceError
from voice.core.graph.consequences import rests_on
from voice.core.graph.removal.lifecycle import Archived, as_archived
from voice.core.records import Row
from voice.core.text.display import counted
from voice.ports.removal import Archive, ArchiveFiles
from voice.ports.stores import MemoryStore

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedRow:
    """The archived state of some rows."""

    paths: Mapping[str, str] = field(default_factory=dict[str, str])
    """The archive that holds a row as it stands, by row id."""
    changed: frozenset[str] = frozenset()
    """Rows that archives hold, but not as they stand."""
    faults: tuple[str, ...] = ()
    """A sentence for each archive that could not be verified, and one for those of other memories."""
    along: tuple[Row, ...] = ()
    """Those of the rows that rest on the others alone."""

    def of(self, thought_id: str) -> Archived:
        """Return what they hold of a thought: as it stands only with all that rests on it alone."""
        behind = (row for row in self.along if thought_id in rests_on(row))
        if thought_id in self.paths and all(row.id in self.paths for row in behind):
            return Archived.AS_IT_STANDS
        return Archived.CHANGED if thought_id in self.changed or thought_id in self.paths else Archived.NO


@dataclass(slots=True, kw_only=True)
class ArchivedElsewhere:
    """Archives that hold nothing of a memory."""

    faults: list[str] = field(default_factory=list[str])
    """A sentence for each that could not be verified, and one for those of other memories."""
    foreign: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveShelf:
    """The archives of one memory."""

    files: ArchiveFiles
    directory: str
    store: MemoryStore

    async def own(
        self, aside: ArchivedElsewhere, progress: Progress | None = None
    ) -> AsyncGenerator[tuple[str, Archive]]:
        """Yield the archives that this memory made, newest first, each with its path; `aside` gets the others. Raises
        StoreError, ConfigurationError: the directory, or whose they are, cannot be read."""
        listed = await self.files.listed(self.directory)
        own = (await self.store.head()).store_id if listed else ""  # not read where nothing is listed
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
        if aside.foreign:  # once, not for each
            foreign, were = counted(len(aside.foreign), "archive"), "was" if len(aside.foreign) == 1 else "were"
            aside.faults.append(
                f"{foreign} in {self.directory} {were} made by another memory, or by this one before a backup was"
                " restored, and left as it is; give each memory a directory of its own (SURR_ARCHIVE_DIR)"
            )

    async def held(self, rows: Sequence[Row], progress: Progress | None = None) -> ArchivedRow:
        """Read archives, newest first, until each row was found as it stands; raises as `own` does."""
        wanted = {row.id: as_archived(row) for row in rows}  # without what only a store assigns
        paths: dict[str, str] = {}
        changed: set[str] = set()
        aside = ArchivedElsewhere()
        async with aclosing(self.own(aside, progress)) as archives:  # closes the reader, also where the loop ends early
            async for path, archive in archives:
                for row in (*archive.thoughts, *archive.derived):
                    if wanted.get(row.id) == row:
                        paths.setdefault(row.id, path)  # the newest that holds it
                    elif row.id in wanted:
                        changed.add(row.id)
                if len(paths) == len(wanted):
                    break
        return ArchivedRow(paths=paths, changed=frozenset(changed - paths.keys()), faults=tuple(aside.faults))
