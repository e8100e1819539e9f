"""Memory files: read in, written out.

Law: reading never raises for a bad record, only for a file that cannot be read at all; a bad record is one `BadLine`,
what is left out on purpose a `LeftOut`, and the rest is read. Reading holds a part of a large file, never all of it
(but for `memory-bench/1`, which is one object). Records come in a fixed order: lines by number, notes by path, items as
they stand. Writing puts a whole file in place or none.

Source: docs/formats.md; ruling H.1.
"""

from collections.abc import AsyncIterable, AsyncIterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from enum import StrEnum
from typing import Protocol

from voice.core.interchange.foreign.dates import DateReading
from voice.core.interchange.memory_lines import Exported, FileLine
from voice.core.text.dates import DateOrder


class FileFormat(StrEnum):
    """What can be imported."""

    OWN = "inner-voice-memory/1"
    MARKDOWN = "markdown"
    MEMORY_BENCH = "memory-bench/1"
    OBSIDIAN = "obsidian"
    CHATGPT = "chatgpt"
    CLAUDE = "claude"
    GEMINI = "gemini"
    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    GEMINI_CLI = "gemini-cli"
    MESSAGES = "messages"
    WHATSAPP = "whatsapp"
    TELEGRAM = "telegram"
    KEEP = "keep"
    EVERNOTE = "evernote"
    NOTION = "notion"
    LOGSEQ = "logseq"
    MBOX = "mbox"
    JSONL = "jsonl"
    TEXT = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRequest:
    """What to read, and how to understand what it leaves open."""

    path: str
    """A file or, for notes and texts, a folder; `-` is standard input (the own format unless `format` says another)."""
    format: FileFormat | None = None
    """None: find out (`detect`)."""
    zone: tzinfo = UTC
    """The person's zone, for dates without a time or an offset."""
    date_order: DateOrder | None = None
    """What 05/06/2024 means to the person; None: two days, and so none."""
    corpus: str | None = None
    """Which corpus of a memory-bench file; None reads all."""
    own_speakers: frozenset[str] = frozenset()
    """The person's own names and addresses, casefolded; a mail is told by its address as well as by its name."""
    mapping: Mapping[str, str] = field(default_factory=dict[str, str])
    """Of somebody else's JSON lines: which of their fields each of ours is."""
    only: frozenset[str] | None = None
    """Of a folder of notes or texts: the places that are read; None reads all."""
    batch: int = 256

    @property
    def dates(self) -> DateReading:
        """How the dates of notes are read."""
        return DateReading(zone=self.zone, order=self.date_order)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadBatch:
    """Some records, in order, with how far the reading is."""

    lines: tuple[FileLine, ...]
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
            DataFileError: it cannot be imported; the message lists what can.
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
