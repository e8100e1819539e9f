"""Archives in a directory of this machine; implements `ArchiveFiles`.

Law: a file is written beside its path, flushed to the disk, read again and compared with what was to be written; only
then it gets its name. A name is never used twice, so no archive is overwritten. What a killed process left unfinished
is not an archive, and the next write removes it. A name holds a mark of the memory that wrote it, so that memories that
share a directory use different names and do not remove each other's unfinished files.
"""

import asyncio
import os
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import BinaryIO, Final

from blake3 import blake3

from voice.adapters.archive.formats import (
    FORMAT,
    MAGIC,
    ArchiveLine,
    archive_lines,
    digest_of,
    header_text,
    parse_archive,
    parse_members,
    read_line,
    read_parquet,
    write_parquet,
)
from voice.adapters.disk.private_files import DIRECTORY_MODE, disk_errors, open_to_read, replacing, sync_directory
from voice.adapters.disk.values_json import to_text
from voice.core.errors import ConfigurationError, DataFileError
from voice.ports.removal import Archive, ArchiveFormat, ArchiveReport

_PREFIX: Final = "removals-"
_MARK_BYTES: Final = 4  # tells memories apart, no more
_SUFFIXES: Final = (".jsonl", ".parquet")  # both are read, whatever is written now


class LocalArchives:
    """`ArchiveFiles` on the local disk; files are read and written on threads other than the event loop's."""

    async def write(self, archive: Archive, directory: str, *, form: ArchiveFormat) -> ArchiveReport:
        """Write one archive and read it again; see `ArchiveFiles.write`."""
        return await asyncio.to_thread(_write, archive, Path(directory), form)

    async def read(self, path: str) -> Archive:
        """Return an archive's content; see `ArchiveFiles.read`."""
        return await asyncio.to_thread(_read, Path(path))

    async def remove(self, path: str) -> None:
        """Remove an archive for good; see `ArchiveFiles.remove`."""
        await asyncio.to_thread(_remove, Path(path))

    async def listed(self, directory: str) -> list[str]:
        """Return the archives of a directory; see `ArchiveFiles.listed`."""
        return await asyncio.to_thread(_listed, Path(directory))


def _write(archive: Archive, directory: Path, form: ArchiveFormat) -> ArchiveReport:
    with disk_errors(directory):
        try:
            directory.mkdir(mode=DIRECTORY_MODE, parents=True, exist_ok=True)
        except FileExistsError:
            raise ConfigurationError(
                f"{directory} is a file, not a directory; name another with SURR_ARCHIVE_DIR"
            ) from None
    if not os.access(directory, os.W_OK | os.X_OK):
        raise ConfigurationError(f"{directory} cannot be written; name another directory with SURR_ARCHIVE_DIR")
    mark = blake3(archive.store_id.encode()).hexdigest(length=_MARK_BYTES)
    for left in directory.glob(f".{_PREFIX}*-{mark}*.part"):
        left.unlink(missing_ok=True)
    path = _free_path(directory, f"{_PREFIX}{archive.made_at:%Y%m%dT%H%M%SZ}-{mark}", form)
    with replacing(path) as file:
        write = write_parquet if form == "parquet" else write_json_lines
        write(archive, file)
        file.flush()
        os.fsync(file.fileno())
        if _parse(file, path.name) != archive:  # all of it, as a later reader would
            raise DataFileError(f"{path} did not come back from the disk as it was written; nothing was archived")
        size = file.seek(0, os.SEEK_END)
    digest = digest_of(header_text(archive), archive_lines(archive))
    return ArchiveReport(path=str(path), format=form, bytes=size, blake3=digest)


def _read(path: Path) -> Archive:
    with open_to_read(path) as file:
        return _parse(file, str(path))


def _parse(file: BinaryIO, name: str) -> Archive:
    file.seek(0)
    start = file.read(len(MAGIC))  # "PAR1"; JSON lines begin with a brace
    file.seek(0)
    return read_parquet(file, name) if start == MAGIC else read_json_lines(file, name)


def _free_path(directory: Path, stem: str, form: ArchiveFormat) -> Path:
    paths = (directory / f"{stem}{f'-{number}' if number > 1 else ''}.{form}" for number in count(1))
    return next(path for path in paths if not path.exists())


def _remove(path: Path) -> None:
    with disk_errors(path), suppress(FileNotFoundError):  # its directory is gone as well
        path.unlink(missing_ok=True)
        sync_directory(path.parent)


def _listed(directory: Path) -> list[str]:
    found: list[Path] = []
    with disk_errors(directory), suppress(FileNotFoundError, NotADirectoryError):  # no archive was ever written there
        found += [path for path in directory.iterdir() if path.name.startswith(_PREFIX) and path.suffix in _SUFFIXES]
    return [str(path) for path in sorted(found, reverse=True)]  # names begin with the time: newest first


def write_json_lines(archive: Archive, file: BinaryIO) -> None:
    """Write an archive to an open file."""
    header, lines = header_text(archive), list(archive_lines(archive))
    file.writelines(f"{text}\n".encode() for text in (header, *(line.text() for line in lines)))
    end = {"end": FORMAT, "lines": len(lines), "blake3": digest_of(header, lines)}
    file.write(f"{to_text(end)}\n".encode())


def read_json_lines(file: BinaryIO, name: str) -> Archive:
    """Return the archive in an open file. Raises DataFileError: there is none, or it was changed."""
    try:
        texts = [text.decode() for text in file]
    except UnicodeDecodeError:
        raise DataFileError(f"{name} is not an archive of voice") from None
    if not texts:
        raise DataFileError(f"{name} is empty; use another archive")
    header = texts[0].removesuffix("\n")
    if parse_members(header, name, 1).get("format") != FORMAT:
        raise DataFileError(f"{name} is not an archive of voice")
    end = parse_members(texts[-1], name, len(texts))
    if end.get("end") != FORMAT:
        raise DataFileError(f"{name} is cut short; use another archive")
    lines: list[ArchiveLine] = []
    for number, text in enumerate(texts[1:-1], start=2):
        line = read_line(parse_members(text, name, number), name, number)
        if f"{line.text()}\n" != text:  # other JSON could have the same members
            raise DataFileError(f"{name}, line {number}, is not what was written; use another archive")
        lines.append(line)
    if texts[-1] != f"{to_text({'end': FORMAT, 'lines': len(lines), 'blake3': end.get('blake3')})}\n":
        raise DataFileError(f"{name} was changed after it was written; use another archive")
    return parse_archive(header, lines, str(end.get("blake3")), name)
