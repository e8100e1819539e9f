"""The files of an export as values, and those of a folder.

Law: no link in a folder is followed: a target outside was not named by the person, and one inside is imported by its
own path; every link is reported. The folder itself may be a link. Hidden files and folders are skipped. Files are
sorted by path.

Source: rulings I6, I7; docs/import.md; docs/formats.md.
"""

import io
import os
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePath, PurePosixPath
from typing import TYPE_CHECKING, BinaryIO, Final, cast

from voice.core.interchange.import_plan import is_below
from voice.core.interchange.memory_lines import BadLine, FileLine, Omission

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


Opener = Callable[[], BinaryIO]
PIECE: Final = 1024 * 1024
"""Bytes per read."""
NOTE_SUFFIXES: Final = frozenset({".md", ".markdown"})
ARCHIVE_SUFFIXES: Final = frozenset({".zip", ".tar", ".tgz", ".gz"})
EXPORT_SUFFIXES: Final = frozenset(
    {".json", ".html", ".htm", ".txt", ".text", ".mbox", ".eml", ".enex", ".jsonl", ".csv"}
)
"""Suffixes of the files of exports, besides notes."""
LOOKED_INTO: Final = EXPORT_SUFFIXES | {""}
"""Those, and no suffix: mailboxes of Apple Mail and Thunderbird are called `mbox` and `Sent`."""
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
    """Opens it for seeking backwards, too; None if that is not possible."""
    within: str | None = None
    """The name of the inner archive that holds it, without its suffix."""

    @property
    def suffix(self) -> str:
        """The suffix of its name in lower case."""
        return PurePosixPath(self.name).suffix.lower()

    @property
    def stem(self) -> str:
        """Its name without folder and suffix."""
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
    """Of an archive: a program's hidden settings files."""
    left_out: tuple[Omission | BadLine, ...] = ()
    closes: tuple[Callable[[], None], ...] = ()

    def close(self) -> None:
        """Close the open archives."""
        for each in self.closes:
            each()


def entry_of(path: Path, name: str, size: int | None = None) -> Entry:
    """Return a file on disk, with its size where none is given. Raises OSError: it is not there."""
    opened = cast("Opener", partial(path.open, "rb"))
    return Entry(name=name, size=path.stat().st_size if size is None else size, open=opened, open_anywhere=opened)


def sized(path: Path, name: str) -> Entry:
    """Return a file on disk with its size, 0 if it is unknown: reading the file will report why."""
    try:
        return entry_of(path, name)
    except OSError:
        return entry_of(path, name, size=0)


def why_unreadable(error: BaseException) -> str:
    """Return the reason why a file of an export cannot be read (`UNREADABLE`)."""
    # The libraries' own words are not for a person.
    reason = error.strerror if isinstance(error, OSError) else "the archive is broken there"
    return f"cannot be read: {reason or 'unknown reason'}"


def in_order(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return files sorted by name."""
    return tuple(sorted(entries, key=lambda each: each.name))


def is_unsafe_name(name: str) -> bool:
    """Return whether the name of an archive's file leads out of the archive, or nowhere."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    # "C:" and other Windows drives.
    return not parts or ".." in parts or name.startswith(("/", "\\")) or ":" in "".join(parts[:1])


class Window(io.RawIOBase):
    """A part of a stream as a stream; closing it closes the stream."""

    def __init__(self, whole: BinaryIO, start: int, size: int) -> None:
        self._whole, self._start, self._size, self._at = whole, start, size, 0
        whole.seek(start)

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Go to a position in the part."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(0, base + offset)
        self._whole.seek(self._start + self._at)
        return self._at

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        """Read up to the end of the part."""
        view = memoryview(buffer).cast("B")
        piece = self._whole.read(max(0, min(len(view), PIECE, self._size - self._at)))  # a head may state any length
        view[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)

    def close(self) -> None:
        """Close the stream."""
        self._whole.close()
        super().close()


def window_of(opened: Opener, start: int, size: int) -> Opener:
    """Return an opener of a part of a file."""
    return lambda: io.BufferedReader(Window(opened(), start, size))


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """The notes of a folder, vault or graph, named by their paths from its root."""

    files: tuple[Entry, ...]
    setting: Callable[[str], bytes | None]
    """Returns a file of the program's settings by its path; None if there is none that can be read."""
    rest: Iterable[FileLine] = ()
    """The files that are left out."""
    close: Callable[[], None] = lambda: None


LINKS_OUT: Final = "links out of the folder (not followed)"
PIPES: Final = "pipes (or sockets, devices)"
LINKS_WITHIN: Final = "links within the folder (not followed; their targets come in from where they are)"
_SHOWN_ENDINGS: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """The files of a folder and its subfolders."""

    root: Path
    files: tuple[Path, ...] = ()
    """Plain files, and folders that may not be read, by path."""
    odd: tuple[Path, ...] = ()
    """Pipes, sockets and devices, which could block a reader for ever."""
    links: tuple[Path, ...] = ()

    def of(self, suffixes: frozenset[str]) -> list[Path]:
        """Return the files with these suffixes, by path."""
        # Includes the folders that may not be read, since reading one reports it, and a file that was named itself.
        return [path for path in self.files if path.suffix.lower() in suffixes or path == self.root or path.is_dir()]

    def unfollowed(self) -> Iterator[Omission]:
        """Yield the links in it."""
        inside = os.path.realpath(self.root)
        for link in self.links:
            is_within = Path(os.path.realpath(link)).is_relative_to(inside)
            yield Omission(where=relative_name(self.root, link), reason=LINKS_WITHIN if is_within else LINKS_OUT)

    def rest(self, suffixes: frozenset[str]) -> Iterator[Omission]:
        """Yield the links, and the number of other files by suffix."""
        yield from self.unfollowed()
        wanted = set(self.of(suffixes))
        for path in self.odd:
            yield Omission(where=relative_name(self.root, path), reason=PIPES)
        endings = Counter(path.suffix.lower() or "no ending" for path in self.files if path not in wanted)
        if endings:
            yield Omission(where=self.root.absolute().name, reason=of_other_kinds(endings), count=endings.total())


def of_other_kinds(endings: "Counter[str]") -> str:
    """Return the name of files that are not read, with their suffixes."""
    return f"files of other kinds ({', '.join(ending for ending, _ in endings.most_common(_SHOWN_ENDINGS))})"


def scan_folder(root: Path) -> Folder:
    """Return the files of a folder, or a file itself. Raises OSError: the folder cannot be read."""
    if not root.is_dir():
        return Folder(root=root, files=(root,))
    files, odd, links, waiting = list[Path](), list[Path](), list[Path](), [root]
    while waiting:
        folder = waiting.pop()
        try:
            entries = _visible_entries(folder)
        except PermissionError:  # a folder below the root that may not be read costs no other
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
    """Return a folder without the files below `part`."""
    return replace(
        folder,
        files=tuple(each for each in folder.files if not each.is_relative_to(part)),
        odd=tuple(each for each in folder.odd if not each.is_relative_to(part)),
        links=tuple(each for each in folder.links if not each.is_relative_to(part)),
    )


def relative_name(root: Path, path: Path) -> str:
    """Return a file's path within the folder, with `/`; its name if it is `root` itself."""
    place = path.relative_to(root).as_posix() if path != root else path.name
    return place.encode("utf-8", "replace").decode("utf-8")  # a name may hold bytes that are no text


def named_from(named: Path, root: Path, roots: Iterable[str]) -> Callable[[Path], str]:
    """Return how files below a named path are called: from the nearest of `roots` that holds them, else from `root`."""
    whole = named.resolve()

    def place(path: Path) -> str:
        full = whole / path.relative_to(named)
        nearest = max((each for each in roots if is_below(each, str(full))), key=len, default=None)
        return relative_name(root, path) if nearest is None else relative_name(Path(nearest), full)

    return place


def _visible_entries(folder: Path) -> list["os.DirEntry[str]"]:
    with os.scandir(folder) as entries:
        return [entry for entry in entries if not entry.name.startswith(".")]


def _in_order(paths: Sequence[Path], root: Path) -> tuple[Path, ...]:
    return tuple(sorted(paths, key=lambda path: PurePath.relative_to(path, root).as_posix()))
