"""The files of an export as values, whether on disk or in an archive.

Source: rulings I6, I7; docs/import.md.
"""

import io
import zipfile
import zlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, BinaryIO, Final, cast

from voice.core.interchange.memory_lines import BadLine, LeftOut

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

Opener = Callable[[], BinaryIO]
PIECE: Final = 1024 * 1024
"""Bytes that are read at once."""
NOTE_SUFFIXES: Final = frozenset({".md", ".markdown"})
ARCHIVE_SUFFIXES: Final = frozenset({".zip", ".tar", ".tgz", ".gz"})
EXPORT_SUFFIXES: Final = frozenset(
    {".json", ".html", ".htm", ".txt", ".text", ".mbox", ".eml", ".enex", ".jsonl", ".csv"}
)
"""Endings of files, besides notes, that exports consist of."""
LOOKED_INTO: Final = EXPORT_SUFFIXES | {""}
"""Those, and none: mailboxes of Apple Mail and Thunderbird are called `mbox` and `Sent`."""
UNREADABLE: Final = (OSError, EOFError, zlib.error, zipfile.BadZipFile)
"""The errors of opening and reading a file of an export."""
LEADING_OUT: Final = "files of an archive with unsafe paths (links, .., absolute names)"
ENCRYPTED: Final = "files of an archive that are encrypted"
NO_FILES: Final = "entries of an archive that are not plain files"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One file of an export."""

    name: str
    """Its path within the export, with `/`."""
    size: int
    open: Opener
    open_anywhere: Opener | None = None
    """The opener for reading backwards, too; None if that is not possible."""
    within: str | None = None
    """The name of the inner archive that holds it, without its ending."""

    @property
    def suffix(self) -> str:
        """The ending of its name, in small letters."""
        return PurePosixPath(self.name).suffix.lower()

    @property
    def stem(self) -> str:
        """Its name without folder and ending."""
        return PurePosixPath(self.name).stem


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """An entry in an archive's list of files."""

    entry: Entry
    packed: int
    """Its packed size in bytes."""
    refused: str = ""
    """Why it is left out; empty if it is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """The files of an export by name, and what is left out."""

    name: str
    entries: tuple[Entry, ...]
    settings: tuple[Entry, ...] = ()
    """Of an archive: the hidden files in which a program keeps its settings."""
    left_out: tuple[LeftOut | BadLine, ...] = ()
    closes: tuple[Callable[[], None], ...] = ()

    def close(self) -> None:
        """Close the archives that are open."""
        for each in self.closes:
            each()


def entry_of(path: Path, name: str) -> Entry:
    """Return a file on disk.

    Raises:
        OSError: it is not there.
    """
    return replace(unsized(path, name), size=path.stat().st_size)


def sized(path: Path, name: str) -> Entry:
    """Return a file on disk with its size; none where that cannot be known, which its reading then tells."""
    size = 0
    with suppress(OSError):
        size = path.stat().st_size
    return replace(unsized(path, name), size=size)


def unsized(path: Path, name: str) -> Entry:
    """Return a file on disk that is not looked at yet."""
    opened = cast("Opener", partial(path.open, "rb"))
    return Entry(name=name, size=0, open=opened, open_anywhere=opened)


def why_unreadable(error: BaseException) -> str:
    """Return the reason why a file of an export cannot be read (`UNREADABLE`)."""
    reason = error.strerror if isinstance(error, OSError) else "the archive is broken there"
    return f"cannot be read: {reason or 'unknown reason'}"


def in_order(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return files by name."""
    return tuple(sorted(entries, key=lambda each: each.name))


def leads_out(name: str) -> bool:
    """Return whether the name of an archive's file is unsafe: it leads out of the archive, or nowhere."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    return not parts or ".." in parts or name.startswith(("/", "\\")) or ":" in "".join(parts[:1])


class Window(io.RawIOBase):
    """A part of a stream, as a stream; it closes the whole with it."""

    def __init__(self, whole: BinaryIO, start: int, size: int) -> None:
        """Begin at the part's first byte."""
        self._whole, self._start, self._size, self._at = whole, start, size, 0
        whole.seek(start)

    def readable(self) -> bool:
        """It can be read."""
        return True

    def seekable(self) -> bool:
        """It goes where the whole goes."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Go to a place in the part."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(0, base + offset)
        self._whole.seek(self._start + self._at)
        return self._at

    def tell(self) -> int:
        """Return the place in the part."""
        return self._at

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        """Read on, to the end of the part."""
        view = memoryview(buffer).cast("B")
        piece = self._whole.read(max(0, min(len(view), PIECE, self._size - self._at)))
        view[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)

    def close(self) -> None:
        """Close the whole."""
        self._whole.close()
        super().close()


def window_of(opened: Opener, start: int, size: int) -> Opener:
    """Return what opens a part of a file."""
    return lambda: io.BufferedReader(Window(opened(), start, size))
