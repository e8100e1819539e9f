"""Memory files: read in, written out.

Law: reading never raises for a bad record, only for a file that cannot be read at all; a bad record is one `BadLine`
and the rest is read. Records come in a fixed order: lines by number, notes by path, items as they stand. Writing puts
a whole file in place or none.

Source: docs/formats.md; ruling H.1.
"""

from collections.abc import AsyncIterable, AsyncIterator
from dataclasses import dataclass
from datetime import UTC, tzinfo
from enum import StrEnum
from typing import Protocol

from voice.core.interchange import BadLine, Exported, ParsedLine


class FileFormat(StrEnum):
    """What can be imported."""

    OWN = "inner-voice-memory/1"
    MARKDOWN = "markdown"
    MEMORY_BENCH = "memory-bench/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRequest:
    """What to read, and how to understand what it leaves open."""

    path: str
    """A file or, for Markdown, a folder; `-` is standard input (own format only)."""
    format: FileFormat | None = None
    """None: find out (`detect`)."""
    zone: tzinfo = UTC
    """The person's zone, for dates without a time or an offset."""
    corpus: str | None = None
    """Which corpus of a memory-bench file; None reads all."""
    batch: int = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadBatch:
    """Some records, in order, with how far the reading is."""

    lines: tuple[ParsedLine | BadLine, ...]
    done: int
    total: int | None
    """Bytes, notes or items in all; None when that cannot be known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteReport:
    """What was written."""

    path: str
    rows: int
    bytes: int


class MemoryFiles(Protocol):
    """Reading and writing memory files."""

    async def detect(self, path: str) -> FileFormat:
        """Return what a file or folder is.

        Raises:
            DataFileError: it is nothing that can be imported; the message lists what can.
        """
        ...

    def read(self, request: ReadRequest) -> AsyncIterator[ReadBatch]:
        """Yield the records of a file or folder.

        Raises:
            DataFileError: it cannot be read at all, or is of another format.
        """
        ...

    async def write(self, path: str, rows: AsyncIterable[Exported], *, overwrite: bool = False) -> WriteReport:
        """Write rows in the own format, one after the other, to a file only its owner can read (0600).

        The rows must come in `export_order`; the file appears under its name complete or not at all.

        Raises:
            DataFileError: it exists and `overwrite` is false, or cannot be written.
            ValueError: the rows are out of order.
        """
        ...
