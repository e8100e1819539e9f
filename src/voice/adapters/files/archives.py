"""The files of an archive: a ZIP, a tar, or a gzip-compressed tar.

Law: nothing is unpacked to disk. Only plain files with safe names are read: links, names that lead out (`..`,
absolute), other kinds of entries and encrypted files are reported. An archive with too many files, too much data, or a
file packed more than text can be, is refused before any of it is read; archives inside an archive count towards its
limits. An archive that was made of a folder of its name is read as that folder.

Source: rulings I6, I7; docs/import.md.
"""

import gzip
import io
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final, Literal, cast

from voice.adapters.files.entries import (
    ENCRYPTED,
    LEADING_OUT,
    Entry,
    Export,
    Member,
    Opener,
    in_order,
    is_unsafe_name,
    window_of,
)
from voice.adapters.files.tarballs import PackedTar, plain_members
from voice.core.errors import DataFileError
from voice.core.interchange.memory_lines import Omission

MOST_FILES: Final = 200_000
MOST_BYTES: Final = 64 * 1024**3
MOST_RATIO: Final = 500
"""The highest compression ratio of a file; ordinary text stays below a hundred."""
MOST_HELD: Final = 256 * 1024 * 1024
"""The most bytes of doubly packed data (an archive in another, a compressed tar) that are kept in memory."""
_SMALL: Final = 1024 * 1024  # smaller files may have any compression ratio
_ZIP_MARKS: Final = (b"PK\x03\x04", b"PK\x05\x06")  # first bytes of a ZIP with files, and of an empty one
_GZIP_MARK: Final = b"\x1f\x8b"
_IS_UTF_8: Final = 0x800  # a ZIP's flag: the name is UTF-8
_LOCAL_HEAD: Final = struct.Struct("<4s22xHH")  # mark, then the lengths of name and extra field
_USTAR: Final = slice(257, 262)  # where a tar has "ustar"
HEAD_BYTES: Final = 4096
"""The bytes at a file's start that show whether it is an archive."""
_SETTINGS: Final = ".obsidian"
_COPY: Final = re.compile(r" ?\(\d{1,3}\)\Z")  # what a browser adds to the name of a file that exists already
_DATES: Final = re.compile(r"\d{4}(?:[-_.]\d{1,2}){0,2}")  # "2024", "2024-03", "2024-03-05"
# What the libraries raise for damaged bytes, beside their own errors.
_BROKEN: Final = (
    zipfile.BadZipFile,
    tarfile.TarError,
    gzip.BadGzipFile,
    NotImplementedError,
    ValueError,
    EOFError,
    zlib.error,
)
ArchiveKind = Literal["ZIP", "tar", "compressed tar"]
_Read = tuple[Sequence[Member], Callable[[], None]]  # an archive's files, and what closes it


class BrokenArchive(Exception):
    """The archive is broken."""

    def __init__(self, kind: ArchiveKind | None) -> None:
        super().__init__()
        self.reason = f"is a broken {kind} archive; download or export it again"

    def refusal(self, path: Path) -> DataFileError:
        """Return the error for a path that is this archive."""
        return DataFileError(f"{path} {self.reason}")


@dataclass(slots=True, kw_only=True)
class ArchiveBudget:
    """How much of the limits an archive and those inside it have used."""

    files: int = 0
    bytes: int = 0
    held: int = 0


def kind_of_archive(head: bytes) -> ArchiveKind | None:
    """Return the kind of an archive by its first bytes; None for other files and unsupported archives."""
    if head.startswith(_ZIP_MARKS):
        return "ZIP"
    if not head.startswith(_GZIP_MARK):
        return "tar" if head[_USTAR] == b"ustar" else None
    try:
        inside = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(head, _USTAR.stop)  # `| 16`: with gzip's head
    except zlib.error:
        return None
    return "compressed tar" if inside[_USTAR] == b"ustar" else None


def read_archive(entry: Entry, shown: str, budget: ArchiveBudget) -> Export:
    """Return the files of an archive, called `shown` in messages; what it uses of the limits is added to `budget`.
    Raises BrokenArchive; DataFileError: it is too large; OSError: it cannot be read."""
    # An entry that can only be read forwards is loaded, since a ZIP's list is at its end.
    opened = entry.open_anywhere or _load(entry, shown, budget)
    with opened() as stream:
        kind = kind_of_archive(stream.read(HEAD_BYTES))
    packed_size = None if kind == "tar" else entry.size
    try:
        members, close = (
            _read_zip(opened, shown, budget) if kind == "ZIP" else _read_tar(opened, shown, budget, packed_size)
        )
    except _BROKEN as error:
        raise BrokenArchive(kind) from error
    left = tuple(Omission(where=f"{shown}: {each.entry.name}", reason=each.refused) for each in members if each.refused)
    kept = [each.entry for each in members if not each.refused]
    # Hidden files, and macOS's copies of metadata.
    visible = [each for each in kept if not any(part.startswith((".", "__MACOSX")) for part in _parts(each))]
    settings = [each for each in kept if _SETTINGS in _parts(each)]
    top = _own_folder(entry.stem, [*visible, *settings])
    return Export(
        name=entry.stem,
        entries=in_order(_below(top, visible)),
        settings=in_order(_below(top, settings)),
        left_out=left,
        closes=(close,),
    )


def _load(entry: Entry, shown: str, budget: ArchiveBudget) -> Opener:
    """Return the opener of an archive inside another one, which is kept in memory."""
    budget.held += entry.size
    if budget.held > MOST_HELD:
        raise DataFileError(f"{shown} {_too_much_held()}")
    with entry.open() as stream:
        content = stream.read()
    return partial(io.BytesIO, content)


def _too_much_held() -> str:
    return f"holds more than {MOST_HELD // 1024**2} MiB in archives inside archives; unpack it and import the folder"


def _read_zip(opened: Opener, shown: str, budget: ArchiveBudget) -> _Read:
    with ExitStack() as stack:
        listed = stack.enter_context(zipfile.ZipFile(stack.enter_context(opened())))
        files = [info for info in listed.infolist() if not info.filename.endswith("/")]
        members = [_zip_member(opened, listed, info) for info in files]
        _spend(shown, members, budget)
        return members, stack.pop_all().close  # from here on the caller closes it


def _zip_member(opened: Opener, listed: zipfile.ZipFile, info: zipfile.ZipInfo) -> Member:
    def read() -> BinaryIO:
        try:
            return io.BufferedReader(cast("io.RawIOBase", listed.open(info)))
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError) as error:
            raise OSError(None, "the archive is broken there, or uses an unknown compression") from error

    is_link = stat.S_ISLNK(info.external_attr >> 16)  # the upper half holds Unix's mode
    is_encrypted = bool(info.flag_bits & 1)
    is_stored = info.compress_type == zipfile.ZIP_STORED and not is_encrypted  # stored bytes can be read in place
    return Member(
        entry=Entry(
            name=_name_of(info),
            size=info.file_size,
            open=read,
            open_anywhere=(lambda: _open_stored(opened, info)) if is_stored else None,
        ),
        packed=info.compress_size,
        refused=LEADING_OUT if is_link or is_unsafe_name(_name_of(info)) else ENCRYPTED if is_encrypted else "",
    )


def _name_of(info: zipfile.ZipInfo) -> str:
    """Return the name of a file of a ZIP; many programs (macOS, `zip`) write UTF-8 without saying so."""
    if info.flag_bits & _IS_UTF_8:
        return info.filename
    try:
        return info.filename.encode("cp437").decode("utf-8")  # as `zipfile` decoded it
    except UnicodeError:
        return info.filename


def _open_stored(opened: Opener, info: zipfile.ZipInfo) -> BinaryIO:
    with opened() as stream:
        stream.seek(info.header_offset)
        head = stream.read(_LOCAL_HEAD.size)
    if len(head) < _LOCAL_HEAD.size or not head.startswith(_ZIP_MARKS[0]):
        raise OSError(None, "the archive is broken there")
    _, name, extra = cast("tuple[bytes, int, int]", _LOCAL_HEAD.unpack(head))
    # The local head may have another extra field than the list, so its length is read here.
    return window_of(opened, info.header_offset + _LOCAL_HEAD.size + name + extra, info.file_size)()


def _read_tar(opened: Opener, shown: str, budget: ArchiveBudget, packed_size: int | None) -> _Read:
    if packed_size is None:
        members = plain_members(opened, MOST_FILES)
    else:
        gib = MOST_BYTES // 1024**3
        more = f"unpacks to more than {MOST_RATIO} times its size, or to more than {gib} GiB, so voice does not read it"
        packed = PackedTar(
            opened=opened,
            most=min(MOST_BYTES - budget.bytes, max(_SMALL, packed_size * MOST_RATIO)),
            room=MOST_HELD - budget.held,
            most_files=MOST_FILES,
            unpacks_to_too_much=DataFileError(f"{shown} {more}"),
            holds_too_much=DataFileError(f"{shown} {_too_much_held()}"),
        )
        members, held = packed.members()
        budget.held += held
    _spend(shown, members, budget)
    return members, lambda: None


def _spend(shown: str, members: Sequence[Member], budget: ArchiveBudget) -> None:
    """Add an archive's files to the used part of the limits."""
    budget.files += len(members)
    budget.bytes += sum(member.entry.size for member in members)
    if budget.files > MOST_FILES:
        raise DataFileError(f"{shown} holds more than {MOST_FILES:,} files; unpack it and import the parts you need")
    if budget.bytes > MOST_BYTES:
        gib = MOST_BYTES // 1024**3
        raise DataFileError(f"{shown} unpacks to more than {gib} GiB; unpack it and import the parts you need")
    if any(each.entry.size > max(_SMALL, each.packed * MOST_RATIO) for each in members):
        raise DataFileError(
            f"{shown} holds a file that unpacks to more than {MOST_RATIO} times its size, so voice does not read it"
        )


def _parts(entry: Entry) -> tuple[str, ...]:
    return PurePosixPath(entry.name).parts


def _own_folder(stem: str, entries: Sequence[Entry]) -> str:
    """Return the path of the folder that an archive was made of, if all its files are in one of the archive's name."""
    # A folder named after a year, month or day is not taken for it, since it may date a note.
    name = _COPY.sub("", stem.removesuffix(".tar"))
    is_all = name and not _DATES.fullmatch(name) and all(each.name.startswith(f"{name}/") for each in entries)
    return f"{name}/" if is_all else ""


def _below(top: str, entries: Sequence[Entry]) -> Sequence[Entry]:
    return [replace(each, name=each.name.removeprefix(top)) for each in entries]
