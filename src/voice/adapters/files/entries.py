"""The files that an export consists of, wherever they lie: one file, a folder, or a ZIP archive.

Law: nothing is unpacked to disk. Of an archive only plain files within it are read, by names that stay inside: a link,
a name that leads out (`..`, an absolute one) and what is encrypted are named and left alone. One that holds too many
files, too much, or a file that was packed more than text can be is refused before anything of it is read.

Source: rulings I6, I7; docs/import.md.
"""

import io
import stat
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final, cast

from voice.adapters.files.folder import look_into, place_in
from voice.core.errors import DataFileError
from voice.core.interchange.lines import LeftOut

MOST_FILES: Final = 200_000
MOST_BYTES: Final = 64 * 1024**3
MOST_RATIO: Final = 500
"""How many bytes one byte of an archive may stand for; text in many words stays under a hundred."""
_SMALL: Final = 1024 * 1024
"""A file of less than this may be packed as it likes."""
ZIP_MARK: Final = b"PK\x03\x04"
LEADING_OUT: Final = "files of an archive that lead out of it (links, .., absolute names)"
ENCRYPTED: Final = "files of an archive that are encrypted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One file of an export."""

    name: str
    """Its path within the export, with `/`."""
    size: int
    open: Callable[[], BinaryIO]

    @property
    def suffix(self) -> str:
        """The ending of its name, in small letters."""
        return PurePosixPath(self.name).suffix.lower()

    @property
    def stem(self) -> str:
        """Its name without folder and ending."""
        return PurePosixPath(self.name).stem


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """The files of an export, by name, and what of it is not looked at."""

    name: str
    entries: tuple[Entry, ...]
    left_out: tuple[LeftOut, ...] = ()
    close: Callable[[], None] = lambda: None


def export_of(path: Path) -> Export:
    """Return the files of a file, a folder or a ZIP archive.

    Raises:
        DataFileError: the archive is broken, or too large.
        OSError: it cannot be read.
    """
    if path.is_dir():
        folder = look_into(path)
        plain = [each for each in folder.files if each.is_file()]
        return Export(
            name=path.absolute().name,
            entries=tuple(_of_file(each, place_in(path, each)) for each in plain),
            left_out=tuple(line for line in folder.rest(frozenset()) if "files of other kinds" not in line.reason),
        )
    with path.open("rb") as stream:
        is_archive = stream.read(len(ZIP_MARK)) == ZIP_MARK
    return _of_archive(path) if is_archive else Export(name=path.stem, entries=(_of_file(path, path.name),))


def _of_file(path: Path, name: str) -> Entry:
    return Entry(name=name, size=path.stat().st_size, open=partial(path.open, "rb"))


def _of_archive(path: Path) -> Export:
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise DataFileError(f"{path} is a ZIP archive that is broken; download or make it again") from error
    members = [member for member in archive.infolist() if not member.is_dir()]
    try:
        _hold_to_limits(path, members)
    except DataFileError:
        archive.close()
        raise
    kept: list[Entry] = []
    left: list[LeftOut] = []
    for member in sorted(members, key=lambda each: each.filename):
        reason = _refused(member)
        if reason:
            left.append(LeftOut(where=path.name, reason=reason))
        elif not any(part.startswith((".", "__MACOSX")) for part in PurePosixPath(member.filename).parts):
            kept.append(_of_member(archive, member))
    return Export(name=path.stem, entries=tuple(kept), left_out=tuple(left), close=archive.close)


def _hold_to_limits(path: Path, members: list[zipfile.ZipInfo]) -> None:
    if len(members) > MOST_FILES:
        raise DataFileError(f"{path} holds more than {MOST_FILES:,} files; unpack it and import what you need of it")
    if sum(member.file_size for member in members) > MOST_BYTES:
        gib = MOST_BYTES // 1024**3
        raise DataFileError(f"{path} unpacks to more than {gib} GiB; unpack it and import what you need of it")
    if any(each.file_size > max(_SMALL, each.compress_size * MOST_RATIO) for each in members):
        raise DataFileError(
            f"{path} holds a file that unpacks to more than {MOST_RATIO} times its size; it is not read"
        )


def _refused(member: zipfile.ZipInfo) -> str:
    """Return why a file of an archive is not read; empty where it is."""
    parts = PurePosixPath(member.filename.replace("\\", "/")).parts
    is_link = stat.S_ISLNK(member.external_attr >> 16)
    if is_link or ".." in parts or member.filename.startswith(("/", "\\")) or ":" in "".join(parts[:1]):
        return LEADING_OUT
    return ENCRYPTED if member.flag_bits & 1 else ""


def _of_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Entry:
    def opened() -> BinaryIO:
        try:
            return io.BufferedReader(cast("io.RawIOBase", archive.open(member)))
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError) as error:
            raise OSError(None, "the archive is broken there, or packed in a way that is not known here") from error

    return Entry(name=member.filename, size=member.file_size, open=opened)
