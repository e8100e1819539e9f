"""The errors for files that cannot be imported.

Law: a file is called what it is. One JSON document is never called a broken line, however long its only line; a line
is called broken only where it was read to its end. A chat log of an unknown form is called that, and never read as
somebody's text.

Source: rulings I6, I7; docs/import.md.
"""

import json
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Final

from voice.adapters.files.entries import EXPORT_SUFFIXES, UNREADABLE, Export
from voice.adapters.files.folder import of_other_kinds
from voice.adapters.files.marks import HEAD_BYTES, is_log
from voice.adapters.files.other_kinds import OtherKind, document_in, export_by_beginning, kind_by_beginning
from voice.core.errors import DataFileError
from voice.core.interchange.memory_lines import BadLine, LeftOut
from voice.ports.files import FileFormat

_MOST_READ: Final = 32 * 1024 * 1024
"""How many bytes to read to recognise a file; a longer one is named by its beginning."""
CAN_BE_READ: Final = (
    f"voice imports JSON lines ({FileFormat.OWN}), {FileFormat.MEMORY_BENCH} files, Markdown notes and folders of "
    "them, exports of the programs in docs/import.md (also as ZIP or tar archives), mbox and .txt files; if it is one "
    "of them, name its format with --format"
)
_EXPORTED: Final = frozenset({".json", ".html", ".js"})
_LOOKED_AT: Final = 20
_BY_FIELD: Final = "import it with `--format jsonl --map content=FIELD`"


def refusal(path: Path, head: bytes) -> DataFileError:
    """Return the error for a file in an unknown format.

    Args:
        path: the file.
        head: how it begins.

    Raises:
        OSError: it cannot be read.
    """
    if found := kind_by_beginning(head, path.name):
        return _named(path, found)
    begins = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if is_log(begins):
        instead = "convert it to JSON lines with a field for the speaker (docs/import.md) and import that"
        return DataFileError(f"{path} is a chat log in an unknown format; {instead}")
    if begins.startswith((b"{", b"[")):
        return DataFileError(f"{path}{_of_json(path)}")
    if not begins:
        return DataFileError(f"{path} is empty; {CAN_BE_READ}")
    if path.suffix.lower() not in EXPORT_SUFFIXES and _is_text(head):
        return DataFileError(f"{path} is a text file; import it with `--format text`; {CAN_BE_READ}")
    return DataFileError(f"{path} is in an unknown format; {CAN_BE_READ}")


def _is_text(head: bytes) -> bool:
    """Return whether what a file begins with is text, as far as its last whole line."""
    try:
        return b"\x00" not in head and bool(head.rpartition(b"\n")[0].decode() or head.decode())
    except UnicodeDecodeError:
        return False


def archive_refusal(path: Path, export: Export) -> DataFileError:
    """Return the error for an archive that holds only unknown formats."""
    if found := document_in(entry.name for entry in export.entries):
        return _named(path, found)
    endings = Counter(entry.suffix or "no ending" for entry in export.entries)
    if not endings:
        why = "; ".join(f"{count} left out: {reason}" for reason, count in Counter(map(_why, export.left_out)).items())
        return DataFileError(f"{path} is an archive that holds nothing voice can read{f' ({why})' if why else ''}")
    inside = of_other_kinds(endings)
    return DataFileError(f"{path} is an archive that holds only unknown formats: {inside}; {CAN_BE_READ}")


def unread_export(path: Path, export: Export) -> DataFileError | None:
    """Return the error for a folder or archive with an export that cannot be imported; None if there is none."""
    for entry in [each for each in export.entries if each.suffix in _EXPORTED][:_LOOKED_AT]:
        with suppress(*UNREADABLE), entry.open() as stream:
            if found := export_by_beginning(stream.read(HEAD_BYTES)):
                return DataFileError(f"{path} holds {found.called} ({entry.name}); {found.instead}")
    return None


def _named(path: Path, kind: OtherKind) -> DataFileError:
    return DataFileError(f"{path} is {kind.called}; {kind.instead or CAN_BE_READ}")


def _why(line: LeftOut | BadLine) -> str:
    return line.reason


def _of_json(path: Path) -> str:
    """Return what a file that begins like JSON is, as the end of a sentence about it."""
    if path.stat().st_size > _MOST_READ:
        return f" starts like JSON but is in an unknown format; {CAN_BE_READ}"
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        return " is not UTF-8 text; save it as UTF-8"
    try:
        json.loads(text)
    except RecursionError:
        return " is JSON that is nested too deeply"
    except json.JSONDecodeError as fault:
        return _of_lines(text, fault.lineno)
    return f" is valid JSON in an unknown format; {CAN_BE_READ}"


def _of_lines(text: str, broken_at: int) -> str:
    """Return what a file is that is no single JSON document.

    Args:
        text: all of it.
        broken_at: the line on which it ceases to be one.
    """
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    first, line = lines[0]
    try:
        json.loads(line)
    except ValueError:
        if len(lines) > 1 and not lines[1][1].lstrip().startswith("{"):
            return f" is not valid JSON: line {broken_at} is broken; repair the file, or export it again"
        return f": line {first} is not valid JSON; each line holds exactly one object, like {{…}}"
    return f" holds JSON lines in an unknown format; if one field holds the text, {_BY_FIELD}"
