"""Files that come in and go out, marks of imports, and small records of a data directory.

Law: reading never raises for a bad record, only for a file that cannot be read at all; a bad record is one `BadLine`,
what is left out on purpose an `Omission`, and the rest is read. Reading holds a part of a large file, never all of it
(but for `memory-bench/1`, which is one object). Records come in a fixed order: lines by number, notes by path, items as
they stand. Writing puts a whole file in place or none.

- Followed folders: looking reads files and changes none. What is known of them is kept beside the memory, for its owner
  alone; it holds no word of a note, and losing it loses nothing but which notes have gone since.
- Imports under way, as every process sees them, from the first row to the last; one whose process was killed is seen as
  broken off until the same path has come in. Where it cannot be marked it runs, and is not seen.
- Conversations are read in whole, held against their schema and followed along their chain before they are believed;
  what is wrong is told by its place and never by its text.
- Capture: one process at a time takes in; a session is gone from the spool once what came of it is noted, and one that
  cannot be taken in stays. No word that anybody said is in it. The directory that an agent worked in is looked at: no
  program that it names is run, no other machine asked, and one that is gone holds nothing.
- Records (how verifiers did when tried, what endpoints do not take of a request, the last exam) hold no word of a
  memory and no key: figures, names, settings and keyed hashes. A later one takes the place of an earlier one of the
  same, and one that cannot be read is as good as not there.

Source: docs/formats.md; docs/import.md; docs/sessions.md; docs/capture.md; rulings H, H.1, I4, J3; DESIGN 6
"Calibration", 7.
"""

from collections.abc import AsyncIterable, AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from enum import StrEnum
from typing import Final, Protocol

from voice.core.capture.hosts import CaptureOutcome, CaptureTotals, EndedSession, Host
from voice.core.exam.results import ExamRun
from voice.core.grounding.verifier_values import CalibrationRecord
from voice.core.interchange.foreign.dates import DateReading
from voice.core.interchange.import_plan import FollowedFolder, Stamp, UnfinishedImport
from voice.core.interchange.memory_lines import Exported, FileLine
from voice.core.model_endpoints import LearnedEndpoint
from voice.core.session.document import ImportedConversation
from voice.core.text.dates import DateOrder


class FileFormat(StrEnum):
    """What can be imported."""

    OWN = "inner-voice-memory/1"  # what `export` writes
    MARKDOWN = "markdown"
    MEMORY_BENCH = "memory-bench/1"  # one JSON object, so it is read whole
    OBSIDIAN = "obsidian"
    CHATGPT = "chatgpt"  # this and the next two: exported chats
    CLAUDE = "claude"
    GEMINI = "gemini"
    CLAUDE_CODE = "claude-code"  # this and the next two: sessions of agents
    CODEX = "codex"
    GEMINI_CLI = "gemini-cli"
    MESSAGES = "messages"
    WHATSAPP = "whatsapp"
    TELEGRAM = "telegram"
    KEEP = "keep"
    EVERNOTE = "evernote"
    NOTION = "notion"
    LOGSEQ = "logseq"
    MBOX = "mbox"  # mail
    JSONL = "jsonl"  # of another program, by a mapping
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
    weeks: frozenset[str] = frozenset()
    """The folders whose files are named after weeks (`folders_of_weeks`)."""
    roots: Collection[str] | None = None
    """The folders from which places of notes below them are told; None: those that are followed."""
    apart: tuple[str, ...] = ()
    """Folders that are followed as another format, and left out."""
    batch: int = 256  # records yielded together

    @property
    def dates(self) -> DateReading:
        """How the dates of notes are read."""
        return DateReading(zone=self.zone, order=self.date_order, weeks=self.weeks)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadBatch:
    """Some records, in order, with how far the reading is."""

    lines: tuple[FileLine, ...]
    done: int  # in the unit of `total`
    total: int | None
    """Bytes, notes or items in all; None when that cannot be known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteReport:
    """What was written."""

    path: str
    rows: int
    bytes: int  # of the file


class MemoryFiles(Protocol):
    """Reading and writing memory files."""

    async def detect(self, path: str) -> FileFormat:
        """Return what a file or folder is. Raises DataFileError: it cannot be imported; the message lists what can."""
        ...

    def read(self, request: ReadRequest) -> AsyncIterator[ReadBatch]:  # not async: iterate over it
        """Yield the records of a file or folder. Raises DataFileError: unreadable, or of another format."""
        ...

    async def write(self, path: str, rows: AsyncIterable[Exported], *, overwrite: bool = False) -> WriteReport:
        """Write rows, in `export_order`, in the own format to a file only its owner can read (0600), whole or not at
        all. Raises DataFileError: it exists and `overwrite` is false, or cannot be written; ValueError: another order.
        """
        ...


FOLLOWED_FORMATS: Final = frozenset({FileFormat.MARKDOWN, FileFormat.OBSIDIAN, FileFormat.LOGSEQ, FileFormat.TEXT})
"""What a folder can hold that is followed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderScan:
    """What lies in a folder of notes."""

    root: str
    """The folder that its places are told from: the vault's, where it is in one."""
    within: str
    """The part of the root that was looked at, ending in `/`; empty is all of it."""
    format: FileFormat
    stamps: Mapping[str, Stamp] = field(default_factory=dict[str, Stamp])  # by place
    inner: tuple[str, ...] = ()
    """Followed folders in it with notes of its format, which it may take over."""
    apart: tuple[str, ...] = ()
    """Folders in it that are followed by themselves, as another format, or are away: their files are not its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteFile:
    """A note as its file is now."""

    text: str = field(repr=False)  # a person's words
    path: str
    is_vault: bool


class NoteTexts(Protocol):
    """Reads single notes."""

    async def note(self, root: str, place: str) -> NoteFile | None:
        """Return the file of a note; None where it is not there, cannot be read, or is not in its folder."""
        ...


class NoteFolders(Protocol):
    """Looks at folders of notes."""

    async def root_of(self, path: str, kind: FileFormat | None, followed: Collection[str] = ()) -> FolderScan:
        """Return which folder a path means, without what lies in it: the followed one that holds it, or itself. Raises
        DataFileError: it is no folder of notes or texts, or a vault or graph in a followed folder."""
        ...

    async def scan(self, folder: FolderScan, known: Mapping[str, Stamp]) -> FolderScan:
        """Return what lies in a folder; a file of the size and time known is not read. Raises DataFileError."""
        ...

    def watch(self, folder: FolderScan) -> AsyncIterator[None]:  # not async: iterate over it
        """Yield some moments after something in a folder was written; costs little between. Raises DataFileError."""
        ...


class FollowedFolders(Protocol):
    """Keeps what is known of folders."""

    async def folders(self) -> Mapping[str, FollowedFolder]:
        """Return what is known, by root. Raises DataFileError: it is there and cannot be read."""
        ...

    async def keep(self, root: str, followed: FollowedFolder, *, taken: Collection[str] = ()) -> None:
        """Keep what is known of one folder, in the place of those that it took over; the others stay as they are.
        Raises ConfigurationError, StoreUnavailable: it cannot be written."""
        ...


ReportStored = Callable[[int], None]


class ImportMarks(Protocol):
    """Marks imports as under way, and sees those of all processes."""

    def mark_running(self, path: str, *, is_sync: bool = False) -> AbstractContextManager[ReportStored]:
        """Mark an import while the block runs; a block that ends with an error leaves it marked as broken off."""
        ...

    def seen(self) -> tuple[UnfinishedImport, ...]:
        """Return the imports that have not ended; one that was broken off and whose source is gone is none."""
        ...


class SessionFiles(Protocol):
    """Reading and writing files of conversations."""

    async def read(self, path: str) -> ImportedConversation:
        """Return the conversation in a file; `-` is standard input. Raises DataFileError: it cannot be read, is no such
        file or of another version, or is not what was written."""
        ...

    async def write(self, path: str, text: str, *, overwrite: bool = False) -> None:
        """Put `text` into a file that only its owner can read, whole or not at all. Raises DataFileError: it is there
        already and `overwrite` is false, or it cannot be written."""
        ...


class Spool(Protocol):
    """The spool of one memory."""

    def taking(self) -> AbstractAsyncContextManager[tuple[EndedSession, ...]]:  # holds the lock of the spool meanwhile
        """Yield the sessions that wait, the oldest first; none while another process takes them in."""
        ...

    async def done(self, ended: EndedSession, came: CaptureOutcome | None) -> None:
        """Note what came of a session, None where the ignore rules keep it out; one with a fault waits on."""
        ...

    async def waiting(self) -> Mapping[str, tuple[EndedSession, str | None]]:
        """Return the sessions that wait, by their names in the spool, each with why it could not be taken in."""
        ...

    async def captured(self) -> Mapping[Host, CaptureTotals]:
        """Return what came in so far."""
        ...


class WorkingTree(Protocol):
    """Looks into a working directory and the repository around it."""

    async def ignore_file(self, directory: str) -> str | None:
        """Return what the nearest `.voiceignore` says, from the directory up to the root of its repository."""
        ...

    async def found(self, directory: str, names: Sequence[str]) -> frozenset[str]:
        """Return those of some files and commits that are there: as paths from the directory, from the root of its
        repository or from any directory in it, or as commits, branches and tags that git knows."""
        ...


class CalibrationStore(Protocol):  # called on a thread: it may wait for a disk
    """The calibrations of one data directory. Writing raises ConfigurationError, StoreUnavailable."""

    def read(self) -> tuple[CalibrationRecord, ...]:
        """Return every record, in the order of the verifiers' labels; it may read from a disk."""
        ...

    def of(self, verifier: str) -> CalibrationRecord | None:
        """Return the record of the verifier with that label, None where it was not tried; it may read from a disk."""
        ...

    def keep(self, record: CalibrationRecord) -> None:
        """Keep a record in the place of an earlier one of the same verifier."""
        ...


class EndpointStore(Protocol):  # called on a thread, too
    """What was learned, of one data directory. Writing raises as above."""

    def of(self, endpoint: str) -> LearnedEndpoint | None:
        """Return what was learned of the endpoint with that label; it may read from a disk."""
        ...

    def keep(self, record: LearnedEndpoint) -> None:
        """Keep a record in the place of an earlier one of the same endpoint."""
        ...

    def forget(self, endpoint: str) -> None:
        """Forget what was learned of an endpoint."""
        ...


class ExamStore(Protocol):  # called on a thread, as above
    """The last exam of one data directory. Writing raises as above."""

    def last(self) -> ExamRun | None:
        """Return the run that was kept last, None where there is none; it may read from a disk."""
        ...

    def keep(self, run: ExamRun) -> None:
        """Keep a run in the place of the one before."""
        ...
