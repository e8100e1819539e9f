"""Telling what a file is, by what stands in it and not by its name.

Law: a folder, or a file with a Markdown name, is notes; everything else is known by its first bytes; what is none of
these is refused with a list of what can be read.
"""

import re
from pathlib import Path
from typing import Final

from voice.adapters.files.markdown import NOTE_SUFFIXES
from voice.adapters.files.memory_bench import BENCH_FORMAT
from voice.core.errors import DataFileError, InvalidParams
from voice.core.interchange import parse_line
from voice.core.interchange.lines import FORMAT_FAMILY
from voice.core.interchange.parse import decode_object
from voice.ports.files import FileFormat

_HEAD_BYTES: Final = 64 * 1024
_BENCH: Final = re.compile(rb'"format"\s*:\s*"' + BENCH_FORMAT.encode() + b'"')
_SESSION: Final = re.compile(rb'\s*\{\s*"format"\s*:\s*"voice-session/')


def detect_format(path: Path) -> FileFormat:
    """Return the format of a file or folder.

    Raises:
        DataFileError: it cannot be read, or is nothing that can be imported.
    """
    if path.is_dir() or path.suffix.lower() in NOTE_SUFFIXES:
        return FileFormat.MARKDOWN
    try:
        with path.open("rb") as stream:
            head = stream.read(_HEAD_BYTES)
    except OSError as error:
        raise DataFileError(f"cannot read {path}: {error.strerror or 'unknown reason'}") from error
    if _is_session(head):
        raise DataFileError(f"{path} is an exported conversation; bring it in with `voice sessions import`")
    if _is_own(head):
        return FileFormat.OWN
    if _BENCH.search(head):
        return FileFormat.MEMORY_BENCH
    raise DataFileError(
        f"{path} is nothing that can be imported; it must be JSON lines ({FileFormat.OWN}), "
        f"a {FileFormat.MEMORY_BENCH} file, a Markdown note or a folder of notes"
    )


def command_for(head: bytes) -> str | None:
    """Return the command that brings in a file that begins so, where this program wrote it; None for anything else."""
    head = head[:_HEAD_BYTES]
    if _is_session(head):
        return "voice sessions import"
    try:
        return "voice import" if _is_own(head) else None
    except DataFileError:
        return "voice import" if FORMAT_FAMILY.encode() in head else None


def _is_session(head: bytes) -> bool:
    return _SESSION.match(head.removeprefix(b"\xef\xbb\xbf")) is not None


def _is_own(head: bytes) -> bool:
    """A file is ours when any of its first lines is a header or a row of ours (the very first may be damaged)."""
    lines = head.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    complete = lines[:-1] if len(head) == _HEAD_BYTES and len(lines) > 1 else lines
    return any(_is_own_line(line.strip()) for line in complete[:20] if line.strip())


def _is_own_line(line: bytes) -> bool:
    try:
        members = decode_object(line)
        if members.get("format") == BENCH_FORMAT:
            return False
        parse_line(line)
    except InvalidParams:
        return False
    return True
