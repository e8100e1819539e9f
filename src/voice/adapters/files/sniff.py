"""The recognition of a file's format from its content, not its name.

Law: a file with a Markdown name is a note, in a vault a vault's; everything else is known by its first bytes. A folder
or an archive is what most of its files are. Only what says nothing else and is called `.txt` is plain text. What is
none of these is refused with a list of what can be read.
"""

import re
from pathlib import Path
from typing import Final

from voice.adapters.files.archives import kind_of_archive
from voice.adapters.files.entries import NOTE_SUFFIXES
from voice.adapters.files.exports import export_at, main_kind
from voice.adapters.files.logseq import graph_root, names_pages
from voice.adapters.files.marks import HEAD_BYTES, is_notion, known
from voice.adapters.files.memory_bench import BENCH_FORMAT
from voice.adapters.files.refused import archive_refusal, refusal, unread_export
from voice.adapters.files.vault import vault_root
from voice.core.errors import DataFileError, InvalidParams
from voice.core.interchange.memory_lines import FORMAT_FAMILY, MAX_LINE_BYTES
from voice.core.interchange.parse import decode_object, parse_line
from voice.ports.files import FileFormat

_SESSION: Final = re.compile(rb'\s*\{\s*"format"\s*:\s*"voice-session/')


def detect_format(path: Path) -> FileFormat:
    """Return the format of a file or folder.

    Raises:
        DataFileError: it cannot be read or imported.
    """
    if path.is_dir():
        return _of_folder(path)
    if path.suffix.lower() in NOTE_SUFFIXES:
        if (vault := vault_root(path)) is not None:
            return _of_vault(vault)
        own = FileFormat.NOTION if is_notion(path.name) else FileFormat.MARKDOWN
        return own if graph_root(path) is None else FileFormat.LOGSEQ
    try:
        return _of_file(path)
    except OSError as error:
        raise DataFileError(f"cannot read {path}: {error.strerror or 'unknown reason'}") from error


def _of_file(path: Path) -> FileFormat:
    with path.open("rb") as stream:
        head = stream.read(HEAD_BYTES)
        is_open = len(head) == HEAD_BYTES and b"\n" not in head
        rest = stream.readline(MAX_LINE_BYTES) if is_open else b""
    if _is_session(head):
        raise DataFileError(f"{path} is an exported conversation; import it with `voice sessions import`")
    if kind_of_archive(head):
        return _of_archive(path)
    if _is_own(head + rest):
        return FileFormat.OWN
    if (foreign := known(path.name, head, rest)) is not None:
        return foreign
    raise refusal(path, head)


def _of_archive(path: Path) -> FileFormat:
    export = export_at(path)
    try:
        kind = main_kind(export)
        if kind is None:
            raise unread_export(path, export) or archive_refusal(path, export)
    finally:
        export.close()
    return kind


def _of_folder(path: Path) -> FileFormat:
    """A vault, or what most of its files are; notes where nothing in it is known."""
    if (vault := vault_root(path)) is not None:
        return _of_vault(vault)
    if graph_root(path) is not None:
        return FileFormat.LOGSEQ
    try:
        export = export_at(path)
    except OSError as error:
        raise DataFileError(f"cannot read {path}: {error.strerror or 'unknown reason'}") from error
    try:
        kind = main_kind(export)
        if kind is None and (fault := unread_export(path, export)):
            raise fault
        return kind or FileFormat.MARKDOWN
    finally:
        export.close()


def _of_vault(root: Path) -> FileFormat:
    """A vault, but where Logseq named the pages in it: then both programs open the folder, and it is Logseq's."""
    return FileFormat.LOGSEQ if names_pages(root) else FileFormat.OBSIDIAN


def command_for(head: bytes) -> str | None:
    """Return the command that imports a file that this program wrote, by its first bytes; None for other files."""
    head = head[:HEAD_BYTES]
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
    complete = lines[:-1] if len(head) == HEAD_BYTES and len(lines) > 1 else lines
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
