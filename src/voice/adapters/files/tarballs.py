"""The files of a tar archive.

Law: a plain tar is read in place. A compressed one cannot be read backwards: small files that may be imported are kept
in memory during the one pass over it, and for a larger file it is read from the start again. Nothing is read beyond a
limit, whatever the archive says of itself. A list that ends before the archive does means a broken archive.

Source: ruling I7; docs/import.md.
"""

import gzip
import io
import tarfile
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath
from typing import BinaryIO, Final, cast

from voice.adapters.files.entries import (
    ARCHIVE_SUFFIXES,
    LEADING_OUT,
    LOOKED_INTO,
    NO_FILES,
    NOTE_SUFFIXES,
    PIECE,
    Entry,
    Member,
    Opener,
    is_unsafe_name,
    window_of,
)
from voice.core.errors import DataFileError

# From this size on a file is not kept in memory but read from the archive's start again.
_LARGE: Final = 8 * 1024 * 1024
_IMPORTABLE: Final = NOTE_SUFFIXES | LOOKED_INTO | ARCHIVE_SUFFIXES


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedTar:
    """A compressed tar and its limits."""

    opened: Opener
    most: int
    """The most bytes that it may unpack to."""
    room: int
    """The most bytes of it that may be kept in memory."""
    most_files: int
    unpacks_to_too_much: DataFileError
    holds_too_much: DataFileError

    def members(self) -> tuple[Sequence[Member], int]:
        """Return its files, and how many bytes of them are kept in memory. Raises DataFileError: it exceeds a limit;
        TarError: it is broken; OSError: it cannot be read."""
        found, held = list[Member](), 0
        with self._stream() as stream:
            for info in _listed(stream, self.most_files):
                is_held = (
                    _is_plain(info) and info.size < _LARGE and PurePosixPath(info.name).suffix.lower() in _IMPORTABLE
                )
                held += info.size * is_held  # 0 if it is not kept
                if held > self.room:
                    raise self.holds_too_much
                opened = (
                    partial(io.BytesIO, stream.take(info.size))
                    if is_held
                    else window_of(cast("Opener", self._stream), info.offset_data, info.size)
                )
                found.append(_member(info, opened, is_anywhere=is_held))
        return found, held

    def _stream(self) -> "_Forward":
        packed = self.opened()
        unpacked = cast("BinaryIO", gzip.GzipFile(fileobj=packed))
        return _Forward(unpacked, packed, most=self.most, refusal=self.unpacks_to_too_much)


def plain_members(opened: Opener, most_files: int) -> Sequence[Member]:
    """Return the files of a tar that is not compressed. Raises TarError: it is broken; OSError: it cannot be read."""
    with opened() as source:
        listed = list(_listed(_Forward(source), most_files))
    return [_member(info, window_of(opened, info.offset_data, info.size), is_anywhere=True) for info in listed]


class _Forward(io.RawIOBase):
    """An archive as `tarfile` may read it: forwards only, and in bounded pieces, whatever lengths its heads state."""

    def __init__(self, source: BinaryIO, *under: BinaryIO, most: int = 0, refusal: DataFileError | None = None) -> None:
        """Begin at the start. `refusal` is raised where a compressed source unpacks to more than `most` bytes; None for
        one that is not compressed. What is `under` it is closed with it."""
        self._source, self._under, self._most, self._refusal, self._at = source, under, most, refusal, 0
        self.last = b""  # bytes that were read last

    def readable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return the position."""
        return self._at

    def read(self, size: int = -1, /) -> bytes:
        """Read the next bytes. Raises DataFileError: the archive unpacks to too much; TarError: more is asked for than
        a head can be."""
        if not 0 <= size <= PIECE:  # a damaged head may state any length
            raise tarfile.ReadError("a head of that length is none")
        self.last = self._source.read(size)
        self._at += len(self.last)
        if self._refusal is not None and self._at > self._most:
            raise self._refusal
        return self.last

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Skip to a later position. Raises DataFileError: the archive unpacks to too much; TarError: the position is
        behind."""
        if whence != io.SEEK_SET or offset < self._at:  # a gzip file read backwards starts again from its beginning
            raise tarfile.ReadError("a file of that length is none")
        if self._refusal is None:  # a plain file skips in place
            self._at = self._source.seek(offset)
        while self._at < offset and self.read(min(PIECE, offset - self._at)):
            pass  # a packed one is read up to there
        return self._at

    def take(self, size: int) -> bytes:
        """Read the next `size` bytes, in pieces."""
        end = self._at + size
        return b"".join(iter(lambda: self.read(min(PIECE, end - self._at)), b""))  # until nothing is left

    def close(self) -> None:
        """Close the source and what is under it."""
        for each in (self._source, *self._under):
            each.close()
        super().close()


def _listed(stream: _Forward, most: int) -> Generator[tarfile.TarInfo]:
    """Yield the entries of a tar except folders; if there are too many files, `most` and one."""
    with tarfile.open(fileobj=cast("BinaryIO", stream), mode="r:", encoding="utf-8") as tar:
        files = (info for info in tar if not info.isdir())
        for count, info in enumerate(files, start=1):
            yield info
            if count > most:
                return
    if stream.last.strip(b"\0"):  # padding of zeros is the regular end
        raise tarfile.ReadError("its list ends in something that is not a header")


def _member(info: tarfile.TarInfo, opened: Opener, *, is_anywhere: bool) -> Member:
    # A name may hold bytes that are no text.
    name = PurePosixPath(info.name).as_posix().encode("utf-8", "replace").decode("utf-8")
    is_link = info.islnk() or info.issym()
    refused = LEADING_OUT if is_link or is_unsafe_name(name) else "" if _is_plain(info) else NO_FILES
    entry = Entry(name=name, size=info.size, open=opened, open_anywhere=opened if is_anywhere else None)
    return Member(entry=entry, packed=info.size, refused=refused)


def _is_plain(info: tarfile.TarInfo) -> bool:
    """Return whether the file's bytes are in the archive, one after the other."""
    return info.isreg() and info.sparse is None  # a sparse file's bytes lie in pieces
