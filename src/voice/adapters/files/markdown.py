"""Reading a folder of Markdown notes.

Law: one note is one thought, whole and verbatim; its front matter says when it was written, how it is tagged and
whether it is private. Notes come in the order of their paths. Hidden files and folders are not looked at, a folder is
visited once however many links lead to it, and what cannot be read is reported and left alone.

Source: docs/formats.md.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Final

from voice.core.errors import InvalidParams
from voice.core.interchange import (
    MAX_TEXT_CHARS,
    BadLine,
    FileLine,
    LeftOut,
    LinkedNote,
    ParsedLine,
    ThoughtLine,
    parse_instant,
)

if TYPE_CHECKING:
    from voice.adapters.files.front_matter import FrontMatter

NOTE_SUFFIXES: Final = frozenset({".md", ".markdown"})
_MAX_BYTES: Final = 4 * MAX_TEXT_CHARS
_DATE_IN_NAME: Final = re.compile(r"(?<!\d)(\d{4})[-_.](\d{2})[-_.](\d{2})(?!\d)")


def list_notes(root: Path, suffixes: frozenset[str] = NOTE_SUFFIXES) -> list[Path]:
    """Return the notes in a folder and its folders, by path; `root` itself when it is a file.

    Args:
        root: the folder.
        suffixes: the endings of the files that are meant.

    Raises:
        OSError: the folder cannot be read.
    """
    if not root.is_dir():
        return [root]
    notes: list[Path] = []
    _collect(root, suffixes, {_identity(root)}, notes)
    return sorted(notes, key=lambda note: note.relative_to(root).as_posix())


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteWords:
    """What the text of a note says, before it is a line."""

    content: str
    tags: tuple[str, ...] = ()
    """Those within the text."""
    note: LinkedNote | None = None
    known_keys: frozenset[str] = frozenset()
    """Keys of the front matter that mean something here, besides those that always do."""


Understand = Callable[[str, "FrontMatter", str], NoteWords | LeftOut]
"""The file's name without its ending, the front matter and the body → what the note says, or why it is left out."""


def read_note(note: Path, root: Path, zone: tzinfo = UTC) -> FileLine:
    """Return what a note says, or why it cannot be read.

    Args:
        note: the file.
        root: the folder it was found in; `source_ref` is the path from there.
        zone: the person's zone, for dates without an offset.
    """
    return read_note_as(_plain, note, root, zone)


def read_note_as(understand: Understand, note: Path, root: Path, zone: tzinfo) -> FileLine:
    """Return what a note says as `understand` reads its text, or why it cannot be read."""
    where = note.relative_to(root).as_posix() if note != root else note.name
    where = where.encode("utf-8", "replace").decode("utf-8")
    try:
        return _parse_note(note, where, zone, understand)
    except InvalidParams as error:
        return BadLine(where=where, reason=error.message)
    except UnicodeDecodeError:
        return BadLine(where=where, reason="is not UTF-8 text; save it as UTF-8")
    except OSError as error:
        return BadLine(where=where, reason=f"cannot be read: {error.strerror or 'unknown reason'}")


def _collect(folder: Path, suffixes: frozenset[str], visited: set[tuple[int, int]], notes: list[Path]) -> None:
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            identity = _identity(entry)
            if identity not in visited:
                visited.add(identity)
                _collect_if_readable(entry, suffixes, visited, notes)
        elif entry.suffix.lower() in suffixes and (entry.is_file() or entry.is_symlink()):
            notes.append(entry)


def _collect_if_readable(
    folder: Path, suffixes: frozenset[str], visited: set[tuple[int, int]], notes: list[Path]
) -> None:
    """A folder that may not be entered stands in the list as itself, so that reading it reports it."""
    try:
        _collect(folder, suffixes, visited, notes)
    except PermissionError:
        notes.append(folder)


def _identity(folder: Path) -> tuple[int, int]:
    stat = folder.stat()
    return stat.st_dev, stat.st_ino


def _parse_note(note: Path, where: str, zone: tzinfo, understand: Understand) -> ParsedLine | LeftOut:
    stat = note.stat()
    if stat.st_size > _MAX_BYTES:
        raise InvalidParams(f"is longer than {MAX_TEXT_CHARS:,} characters; split it")
    text = note.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    from voice.adapters.files.front_matter import split_front_matter  # noqa: PLC0415 - brings YAML, which notes alone need

    front, body = split_front_matter(text)
    words = understand(note.stem, front, body)
    if isinstance(words, LeftOut):
        return replace(words, where=where)
    written = front.instant(zone) or date_of_name(note.stem, zone) or datetime.fromtimestamp(stat.st_mtime, UTC)
    line = ThoughtLine(
        content=_checked(words.content),
        created_at=written,
        kind=front.text("kind") or "note",
        speaker=front.text("speaker"),
        thread=front.text("thread"),
        source_ref=where,
        tags=tuple(dict.fromkeys((*front.tags(), *words.tags))),
        is_private=front.is_private(),
    )
    unknown = tuple(name for name in front.unknown() if name not in words.known_keys)
    return ParsedLine(where=where, record=line, unknown_fields=unknown, note=words.note)


def _plain(_stem: str, front: "FrontMatter", body: str) -> NoteWords:
    return NoteWords(content=with_title(front.text("title"), body.strip("\n").rstrip()))


def with_title(title: str | None, body: str) -> str:
    """Return a body with a title before it that it does not open with, for a title is part of what was said."""
    first_line = body.partition("\n")[0].lstrip("# ").strip()
    return body if title is None or title == first_line else f"{title}\n\n{body}".rstrip()


def _checked(content: str) -> str:
    if not content.strip():
        raise InvalidParams("is empty")
    if "\x00" in content:
        raise InvalidParams("contains a NUL character; it is no text file")
    if len(content) > MAX_TEXT_CHARS:
        raise InvalidParams(f"is longer than {MAX_TEXT_CHARS:,} characters; split it")
    return content


def date_of_name(stem: str, zone: tzinfo) -> datetime | None:
    """Return the day that a file's name names, its start in the person's zone."""
    found = _DATE_IN_NAME.search(stem)
    if found is None:
        return None
    try:
        return parse_instant("-".join(found.groups()), zone)
    except InvalidParams:
        return None
