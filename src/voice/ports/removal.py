"""What takes rows, turns and sessions away: forgetting, removal with archives, compaction.

Law: taking words away is one transaction and can be done again; nothing else of a record changes by it, and no figure.

Rows that are marked for removal, go, and come back. A row goes, with its vector, in the transaction that leaves its
tombstone, and only in the revision that was decided on; it comes back in the transaction that takes its tombstone away,
and only where that one says `finalised`: what was forgotten or redacted never does (rulings F, H).

Taking a session away. What rests on a session is known before it goes; what goes, goes in one transaction. A session
that is gone leaves the figures of its turns (`voice.core.session.turn_traces`), which `SessionStore.exchanges` still
returns and no list of sessions names.

Rows of the graph whose thoughts were never stored. What rests on a thought that is stored, or was and is gone, is no
such row: only one of whose thoughts nothing is known. Versions that stored a long thought in several transactions left
such rows behind where they were killed (ruling I8). Taking one back leaves no tombstone: it was never acknowledged, and
may be brought in again.

Archives: files that hold what was taken away. An archive appears under its name only after it was read again from the
disk and found to be what was to be written; it is never changed afterwards. Reading one believes nothing of it before
all of it was checked: its version, its counts, the hash of every line and the hash of all of them.

Source: rulings G, H; docs/forgetting.md; rulings D18, D21, H; docs/sessions.md; rulings H, I8; docs/store.md; spec
rag-organize 4 and 5; rulings F, H; docs/archive.md; DESIGN 4.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from voice.core.records import GraphRow, Row, Thought, Tombstone, VectorRow
from voice.core.session.forgetting import ForgottenContent
from voice.core.session.values import DialogueExchange
from voice.ports.stores import HeldVectors, SessionListItem


class ExchangeRedaction(Protocol):
    """Takes words out of turns that are stored."""

    async def take_away(self, exchanges: Sequence[DialogueExchange]) -> None:
        """Put each turn, bare of some words, in the place of the stored one; it keeps its number and its link. Raises
        UnknownId, SessionConflict: one is not stored, or another one is in its place; nothing was written."""
        ...


class DerivedStore(Protocol):
    """A store of what was derived from rows and is no row: staged candidates, archives, a log of merges. What is
    registered with `voice.services.removal.forget.Forget.elsewhere` is reached like everything else."""

    @property
    def kind(self) -> str:
        """What it holds, in the plural, as a person is told: "candidates"."""
        ...

    async def reached(self, gone: ForgottenContent) -> list[str]:
        """Return the ids of what rests on one of the rows that go, or quotes what they said, in order."""
        ...

    async def take_away(self, ids: Sequence[str], gone: ForgottenContent) -> None:
        """Remove what is under these ids for good, or what it holds of what goes; what is not there is passed over.
        Raises SessionConflict: something was changed meanwhile; it is asked for again."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedRows:
    """What archives hold."""

    rows: tuple[Row, ...] = ()
    """Each once, as the newest archive has it."""
    paths: tuple[str, ...] = ()
    """Of the archives, and of those of other memories beside them: none of these is a file that may be removed."""
    faults: tuple[str, ...] = ()
    """A sentence for each archive that cannot be read: what it holds is not reached."""


class ArchivedRowStore(DerivedStore, Protocol):
    """Knows what was archived, so that it is found and forgotten like what is stored. It is taken away last of all:
    what an archive holds tells what is still to do."""

    async def shelved(self) -> ArchivedRows:
        """Return the rows of every archive that can be read. Raises StoreUnavailable, ConfigurationError."""
        ...


class TraceFiles(Protocol):
    """Finds files in the data directory that are no part of the store: exports, session files, backups."""

    async def naming(self, row_ids: Collection[str]) -> tuple[str, ...]:
        """Return the files that hold one of these ids, by their path. Raises StoreUnavailable: one cannot be read."""
        ...

    async def remove(self, paths: Collection[str]) -> None:
        """Remove those files, if they are there. Raises StoreUnavailable: one of them cannot be removed."""
        ...


class RemovedRows(HeldVectors, Protocol):
    """Takes rows away, and brings them back."""

    async def marked(self) -> list[Thought]:
        """Return the thoughts that are marked for removal, by the day of marking (none first), then id."""
        ...

    async def finalise(self, tombstones: Sequence[Tombstone], revisions: Mapping[str, int]) -> None:
        """Take away, in one transaction, the rows of tombstones with the reason `finalised`, in the revisions looked
        at. Raises InvalidParams: a row is not there, or in another revision; nothing was taken away."""
        ...

    async def bring_back(self, rows: Sequence[Row], vectors: Sequence[VectorRow]) -> None:
        """Store rows whose id nothing bears but, at most, a tombstone with the reason `finalised`; one transaction. A
        row without a vector waits for one. Raises InvalidParams: a row is there, or was forgotten or redacted; nothing
        was stored."""
        ...


class UndecidedCandidates(Protocol):
    """Says of which thoughts candidates wait for a human: those thoughts may not go (ruling F)."""

    async def undecided(self, thought_ids: Sequence[str]) -> Mapping[str, int]:
        """Return, for each of the thoughts that has any, how many candidates from it no human has decided."""
        ...


class SessionRemoval(Protocol):
    """Removes sessions, and tells what they carry."""

    async def forks(self, session_id: str) -> list[SessionListItem]:
        """Return the sessions that share turns which this one holds, by `last_interaction` descending, then id."""
        ...

    async def delete(self, revisions: Mapping[str, int]) -> int:
        """Delete sessions, in the revisions they were loaded with, with what was said in them, their summaries and the
        pins on these, in one transaction; return how many turns are figures alone from now on. Raises SessionConflict:
        one was changed or is gone, or another session shares turns of theirs; nothing was deleted."""
        ...


class OrphanRowStore(Protocol):
    """Finds what rests on nothing, and takes it back."""

    async def torn(self) -> list[str]:
        """Return the ids of the graph's rows that rest on thoughts, none of which is stored or gone, in order."""
        ...

    async def take_back(self, revisions: Mapping[str, int]) -> None:
        """Remove rows, in the revisions looked at, with their vectors in one transaction, as if they had never been
        stored. An index does not hear of it and is made anew. Raises InvalidParams: one is not there, or changed;
        nothing was removed."""
        ...


ArchiveFormat = Literal["parquet", "jsonl"]  # parquet needs the extra `archive`


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """What one archive holds."""

    store_id: str  # archives of another memory are never changed
    made_at: datetime
    thoughts: tuple[Thought, ...]  # without what a store assigns
    derived: tuple[GraphRow, ...] = ()
    """Rows of the graph that rest on the thoughts, and the entities that those name."""
    vectors: tuple[VectorRow, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveReport:
    """What an archive is, as re-read from disk."""

    path: str
    format: ArchiveFormat
    bytes: int  # of the file
    blake3: str
    """The hash of all its lines: the same in either format."""


class ArchiveFiles(Protocol):
    """Writes and reads archives."""

    async def write(self, archive: Archive, directory: str, *, form: ArchiveFormat) -> ArchiveReport:
        """Write one archive to a new file of the directory that only its owner can read, and read it again. Raises
        ConfigurationError: the directory cannot be written, or a package lacks; StoreUnavailable: the disk is full or
        fails; DataFileError: what was read again is not what was written; no file was left."""
        ...

    async def read(self, path: str) -> Archive:
        """Return what an archive holds, in whatever format it is. Raises DataFileError: it is no archive, another
        version, cut short or changed; ConfigurationError: its format needs a package that is not installed."""
        ...

    async def remove(self, path: str) -> None:
        """Remove an archive for good, if it is there. Raises ConfigurationError, StoreUnavailable."""
        ...

    async def listed(self, directory: str) -> list[str]:
        """Return the paths of the archives in a directory, newest name first; none where it is not there."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionReport:
    """A store that was copied, verified and put in place."""

    records: int
    bytes_before: int
    bytes_after: int
