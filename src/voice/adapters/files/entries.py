"""The files of an export as values, and those of a folder.

The files of a folder to import, without anything outside it. No link in the folder is followed, wherever it leads: what
is outside was not named by the person, and what is inside comes in by its own path. Every link is named. Hidden files
and folders are not looked at. Files come in the order of their paths. The folder itself may be a link: the person named
it.

Source: rulings I6, I7; docs/import.md; ruling I7; docs/formats.md.
"""

import io
import os
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePath, PurePosixPath
from typing import TYPE_CHECKING, BinaryIO, Final, cast

from voice.core.interchange.memory_lines import BadLine, FileLine, Omission

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
    left_out: tuple[Omission | BadLine, ...] = ()
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


def is_unsafe_name(name: str) -> bool:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """Notes by their paths from the root of the folder, vault or graph."""

    files: tuple[Entry, ...]
    setting: Callable[[str], bytes | None]
    """A file of the program's settings by its path; None where there is none that can be read."""
    rest: Iterable[FileLine] = ()
    """What is left out."""
    is_graph: bool = False
    """Whether they lie in the folders of a graph of Logseq."""
    close: Callable[[], None] = lambda: None


LINKS_OUT: Final = "links out of the folder (not followed)"
LINKS_WITHIN: Final = "links within the folder (not followed; their targets come in from where they are)"
_SHOWN_ENDINGS: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """The files of a folder and its subfolders."""

    root: Path
    files: tuple[Path, ...] = ()
    """Plain files, and the folders that may not be entered, by path."""
    odd: tuple[Path, ...] = ()
    """Pipes, sockets and devices, which reading could wait for for ever."""
    links: tuple[Path, ...] = ()
    """By path."""

    def of(self, suffixes: frozenset[str]) -> list[Path]:
        """Return the files of these endings, by path.

        With them come the folders that may not be entered, for reading one reports it; of a file that was named itself,
        that file.
        """
        return [path for path in self.files if path.suffix.lower() in suffixes or path == self.root or path.is_dir()]

    def unfollowed(self) -> Iterator[Omission]:
        """Yield the links in it."""
        inside = os.path.realpath(self.root)
        for link in self.links:
            is_within = Path(os.path.realpath(link)).is_relative_to(inside)
            yield Omission(where=relative_name(self.root, link), reason=LINKS_WITHIN if is_within else LINKS_OUT)

    def rest(self, suffixes: frozenset[str]) -> Iterator[Omission]:
        """Yield the counts of links and other files, so that the report names them."""
        yield from self.unfollowed()
        wanted = set(self.of(suffixes))
        others = [*(path for path in self.files if path not in wanted), *self.odd]
        endings = Counter(path.suffix.lower() or "no ending" for path in others)
        if endings:
            yield Omission(where=self.root.absolute().name, reason=of_other_kinds(endings), count=endings.total())


def of_other_kinds(endings: "Counter[str]") -> str:
    """Return the name of files that are not read, by their endings."""
    return f"files of other kinds ({', '.join(ending for ending, _ in endings.most_common(_SHOWN_ENDINGS))})"


def scan_folder(root: Path) -> Folder:
    """Return the files of a folder, or a file itself.

    Raises:
        OSError: the folder cannot be read.
    """
    if not root.is_dir():
        return Folder(root=root, files=(root,))
    files, odd, links, waiting = list[Path](), list[Path](), list[Path](), [root]
    while waiting:
        folder = waiting.pop()
        try:
            entries = _shown_in(folder)
        except PermissionError:
            if folder == root:
                raise
            files.append(folder)
            continue
        for entry in entries:
            is_link, is_folder = entry.is_symlink(), entry.is_dir(follow_symlinks=False)
            kept = links if is_link else waiting if is_folder else files if entry.is_file() else odd
            kept.append(Path(entry.path))
    return Folder(root=root, files=_in_order(files, root), odd=tuple(odd), links=_in_order(links, root))


def exclude_folder(folder: Folder, part: Path) -> Folder:
    """Return what was found, without what lies in one of its folders."""
    return replace(
        folder,
        files=tuple(each for each in folder.files if not each.is_relative_to(part)),
        odd=tuple(each for each in folder.odd if not each.is_relative_to(part)),
        links=tuple(each for each in folder.links if not each.is_relative_to(part)),
    )


def relative_name(root: Path, path: Path) -> str:
    """Return where a file lies within the folder, with `/`; the name of one that was named itself."""
    place = path.relative_to(root).as_posix() if path != root else path.name
    return place.encode("utf-8", "replace").decode("utf-8")


def _shown_in(folder: Path) -> list["os.DirEntry[str]"]:
    with os.scandir(folder) as entries:
        return [entry for entry in entries if not entry.name.startswith(".")]


def _in_order(paths: Sequence[Path], root: Path) -> tuple[Path, ...]:
    return tuple(sorted(paths, key=lambda path: PurePath.relative_to(path, root).as_posix()))
