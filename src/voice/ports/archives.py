"""Archives: files that hold what was taken away.

Law: an archive appears under its name only after it was read again from the disk and found to be what was to be
written; it is never changed afterwards. Reading one believes nothing of it before all of it was checked: its version,
its counts, the hash of every line and the hash of all of them.

Source: spec rag-organize 4 and 5; rulings F, H; docs/archive.md.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from voice.core.records import GraphRow, Thought, VectorRow

ArchiveFormat = Literal["parquet", "jsonl"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """What one archive holds."""

    store_id: str
    """The store that it was made from."""
    made_at: datetime
    thoughts: tuple[Thought, ...]
    derived: tuple[GraphRow, ...] = ()
    """Rows of the graph that rest on the thoughts, and the entities that those name."""
    vectors: tuple[VectorRow, ...] = ()
    """Vectors of both, where there were any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveReport:
    """What an archive is, as re-read from disk."""

    path: str
    format: ArchiveFormat
    bytes: int
    blake3: str
    """The hash of all its lines: the same in either format."""


class ArchiveFiles(Protocol):
    """Writes and reads archives."""

    async def write(self, archive: Archive, directory: str, *, form: ArchiveFormat) -> ArchiveReport:
        """Write one archive to a new file of the directory that only its owner can read, and read it again.

        Raises:
            ConfigurationError: the directory cannot be written, or the format needs a package that is not installed.
            StoreUnavailable: the disk is full or fails.
            DataFileError: what was read again is not what was written; no file was left.
        """
        ...

    async def read(self, path: str) -> Archive:
        """Return what an archive holds, in whatever format it is.

        Raises:
            DataFileError: it is no archive, another version, cut short or changed.
            ConfigurationError: its format needs a package that is not installed.
        """
        ...

    async def remove(self, path: str) -> None:
        """Remove an archive for good; one that is not there is passed over.

        Raises:
            ConfigurationError, StoreUnavailable: it cannot be removed.
        """
        ...

    async def listed(self, directory: str) -> list[str]:
        """Return the paths of the archives in a directory, newest name first; none where it is not there."""
        ...
