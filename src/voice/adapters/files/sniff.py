"""Telling what a file is, by what stands in it and not by its name.

Law: a folder, or a file with a Markdown name, is notes, in a vault a vault's; everything else is known by its first
bytes. Only what says nothing else and is called `.txt` is plain text. What is none of these is refused with a list of
what can be read.
"""

import re
from pathlib import Path
from typing import Final

from voice.adapters.files.folder import look_into
from voice.adapters.files.markdown import NOTE_SUFFIXES
from voice.adapters.files.mbox import ENVELOPE
from voice.adapters.files.memory_bench import BENCH_FORMAT
from voice.adapters.files.plain_text import TEXT_SUFFIXES
from voice.adapters.files.refused import refusal
from voice.adapters.files.vault import vault_root
from voice.core.errors import DataFileError, InvalidParams
from voice.core.interchange.foreign.mapped import guessed
from voice.core.interchange.lines import FORMAT_FAMILY, MAX_LINE_BYTES
from voice.core.interchange.parse import decode_object, parse_line
from voice.ports.files import FileFormat

_HEAD_BYTES: Final = 64 * 1024
_BENCH: Final = re.compile(rb'"format"\s*:\s*"' + BENCH_FORMAT.encode() + b'"')
_MARKS: Final = {
    FileFormat.CHATGPT: re.compile(rb'"mapping"\s*:\s*\{'),
    FileFormat.CLAUDE: re.compile(rb'"chat_messages"\s*:\s*\['),
    FileFormat.GEMINI: re.compile(rb'\A\[\s*\{\s*"header"\s*:\s*"[^{}]*"title"\s*:'),
}
_SESSION: Final = re.compile(rb'\s*\{\s*"format"\s*:\s*"voice-session/')


def detect_format(path: Path) -> FileFormat:
    """Return the format of a file or folder.

    Raises:
        DataFileError: it cannot be read, or is nothing that can be imported.
    """
    if path.is_dir():
        return _of_folder(path)
    if path.suffix.lower() in NOTE_SUFFIXES:
        return FileFormat.MARKDOWN if vault_root(path) is None else FileFormat.OBSIDIAN
    try:
        return _of_file(path)
    except OSError as error:
        raise DataFileError(f"cannot read {path}: {error.strerror or 'unknown reason'}") from error


def _of_file(path: Path) -> FileFormat:
    with path.open("rb") as stream:
        head = stream.read(_HEAD_BYTES)
        is_open = len(head) == _HEAD_BYTES and b"\n" not in head
        rest = stream.readline(MAX_LINE_BYTES) if is_open else b""
    if _is_session(head):
        raise DataFileError(f"{path} is an exported conversation; bring it in with `voice sessions import`")
    if _is_own(head + rest):
        return FileFormat.OWN
    if (foreign := _foreign(path, head, rest)) is not None:
        return foreign
    raise refusal(path, head)


def _of_folder(path: Path) -> FileFormat:
    """Notes, unless it holds texts alone, or an export that must be named itself."""
    if vault_root(path) is not None:
        return FileFormat.OBSIDIAN
    try:
        folder = look_into(path)
    except OSError as error:
        raise DataFileError(f"cannot read {path}: {error.strerror or 'unknown reason'}") from error
    if folder.of(NOTE_SUFFIXES):
        return FileFormat.MARKDOWN
    if folder.of(TEXT_SUFFIXES):
        return FileFormat.TEXT
    exports = [file for file in folder.files if file.match("conversations*.json") and file.parent == path]
    if exports:
        raise DataFileError(f"{path} holds no notes; did you mean {exports[0]}?")
    return FileFormat.MARKDOWN


def _foreign(path: Path, head: bytes, rest: bytes) -> FileFormat | None:
    """What another program wrote, by its first bytes; `rest` is of its first line what they do not hold."""
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if _BENCH.search(head):
        return FileFormat.MEMORY_BENCH
    if ENVELOPE.match(text.partition(b"\n")[0]):
        return FileFormat.MBOX
    if text.startswith((b"[", b"{")):
        for kind, mark in _MARKS.items():
            if mark.search(text):
                return kind
        return FileFormat.JSONL if _has_words(text.partition(b"\n")[0] + rest) else None
    return FileFormat.TEXT if path.suffix.lower() in TEXT_SUFFIXES and b"\x00" not in head and text else None


def _has_words(line: bytes) -> bool:
    """A line of somebody else's JSON lines, with a field of words by a well-known name."""
    try:
        return "content" in guessed(decode_object(line.strip()), {})
    except InvalidParams:
        return False


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
