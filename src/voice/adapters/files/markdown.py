"""Reading a folder of Markdown notes.

Law: one note is one thought, whole and verbatim; its front matter says when it was written, how it is tagged and
whether it is private. Notes come in the order of their paths. Hidden files and folders are not looked at, a folder is
visited once however many links lead to it, and what cannot be read is reported and left alone.

Source: docs/formats.md.
"""

import re
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Final

from voice.core.errors import InvalidParams
from voice.core.interchange import MAX_TEXT_CHARS, BadLine, ParsedLine, ThoughtLine, parse_instant

NOTE_SUFFIXES: Final = frozenset({".md", ".markdown"})
_MAX_BYTES: Final = 4 * MAX_TEXT_CHARS
_DATE_IN_NAME: Final = re.compile(r"(?<!\d)(\d{4})[-_.](\d{2})[-_.](\d{2})(?!\d)")


def list_notes(root: Path) -> list[Path]:
    """Return the notes in a folder and its folders, by path; `root` itself when it is a file.

    Raises:
        OSError: the folder cannot be read.
    """
    if not root.is_dir():
        return [root]
    notes: list[Path] = []
    _collect(root, {_identity(root)}, notes)
    return sorted(notes, key=lambda note: note.relative_to(root).as_posix())


def read_note(note: Path, root: Path, zone: tzinfo = UTC) -> ParsedLine | BadLine:
    """Return what a note says, or why it cannot be read.

    Args:
        note: the file.
        root: the folder it was found in; `source_ref` is the path from there.
        zone: the person's zone, for dates without an offset.
    """
    where = note.relative_to(root).as_posix() if note != root else note.name
    where = where.encode("utf-8", "replace").decode("utf-8")
    try:
        return _parse_note(note, where, zone)
    except InvalidParams as error:
        return BadLine(where=where, reason=error.message)
    except UnicodeDecodeError:
        return BadLine(where=where, reason="is not UTF-8 text; save it as UTF-8")
    except OSError as error:
        return BadLine(where=where, reason=f"cannot be read: {error.strerror or 'unknown reason'}")


def _collect(folder: Path, visited: set[tuple[int, int]], notes: list[Path]) -> None:
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            identity = _identity(entry)
            if identity not in visited:
                visited.add(identity)
                _collect_if_readable(entry, visited, notes)
        elif entry.suffix.lower() in NOTE_SUFFIXES and (entry.is_file() or entry.is_symlink()):
            notes.append(entry)


def _collect_if_readable(folder: Path, visited: set[tuple[int, int]], notes: list[Path]) -> None:
    """A folder that may not be entered stands in the list as itself, so that reading it reports it."""
    try:
        _collect(folder, visited, notes)
    except PermissionError:
        notes.append(folder)


def _identity(folder: Path) -> tuple[int, int]:
    stat = folder.stat()
    return stat.st_dev, stat.st_ino


def _parse_note(note: Path, where: str, zone: tzinfo) -> ParsedLine:
    stat = note.stat()
    if stat.st_size > _MAX_BYTES:
        raise InvalidParams(f"is longer than {MAX_TEXT_CHARS:,} characters; split it")
    text = note.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    from voice.adapters.files.front_matter import split_front_matter  # noqa: PLC0415 - brings YAML, which notes alone need

    front, body = split_front_matter(text)
    content = _content(front.text("title"), body)
    written = front.instant(zone) or _date_of_name(note.stem, zone) or datetime.fromtimestamp(stat.st_mtime, UTC)
    line = ThoughtLine(
        content=content,
        created_at=written,
        kind=front.text("kind") or "note",
        speaker=front.text("speaker"),
        thread=front.text("thread"),
        source_ref=where,
        tags=front.tags(),
        is_private=front.is_private(),
    )
    return ParsedLine(where=where, record=line, unknown_fields=front.unknown())


def _content(title: str | None, body: str) -> str:
    """The body as it stands; a title that the body does not open with goes before it, for it is part of what was
    said."""
    body = body.strip("\n").rstrip()
    first_line = body.partition("\n")[0].lstrip("# ").strip()
    content = body if title is None or title == first_line else f"{title}\n\n{body}".rstrip()
    if not content.strip():
        raise InvalidParams("is empty")
    if "\x00" in content:
        raise InvalidParams("contains a NUL character; it is no text file")
    if len(content) > MAX_TEXT_CHARS:
        raise InvalidParams(f"is longer than {MAX_TEXT_CHARS:,} characters; split it")
    return content


def _date_of_name(stem: str, zone: tzinfo) -> datetime | None:
    found = _DATE_IN_NAME.search(stem)
    if found is None:
        return None
    try:
        return parse_instant("-".join(found.groups()), zone)
    except InvalidParams:
        return None
