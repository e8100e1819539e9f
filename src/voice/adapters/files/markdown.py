"""The reader of Markdown notes.

Law: one note is one thought, whole and verbatim; its front matter says when it was written, how it is tagged and
whether it is private. A field that cannot be read is named and costs no more than itself (ruling I6).

Source: docs/formats.md.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, BinaryIO, Final

from voice.adapters.files.entries import UNREADABLE, Entry, unsized, why_unreadable
from voice.adapters.files.folder import place_in
from voice.core.errors import InvalidParams
from voice.core.interchange.foreign.dates import DateReading
from voice.core.interchange.memory_lines import (
    MAX_TEXT_CHARS,
    BadLine,
    FileLine,
    LeftOut,
    LinkedNote,
    ParsedLine,
    ThoughtLine,
)

if TYPE_CHECKING:
    from voice.adapters.files.front_matter import FrontMatter

_MAX_BYTES: Final = 4 * MAX_TEXT_CHARS
BROKEN_FIELDS: Final = "fields of front matter that cannot be read"
WORDLESS: Final = "notes without text"
_AS_WRITTEN: Final = DateReading()


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteWords:
    """The text of a note and its fields."""

    content: str
    tags: tuple[str, ...] = ()
    """Those within the text."""
    note: LinkedNote | None = None
    known_keys: frozenset[str] = frozenset()
    """Keys of the front matter that mean something here, besides those that always do."""
    front: "FrontMatter | None" = None
    """The front matter with what the text says of the note besides."""


Understand = Callable[[str, "FrontMatter", str], NoteWords | LeftOut]
"""The file's name without its ending, the front matter and the body → what the note says, or why it is left out."""


def read_note(note: Path, root: Path, dates: DateReading = _AS_WRITTEN) -> FileLine:
    """Return the record of a note, or why it cannot be read.

    Args:
        note: the file.
        root: the folder it was found in; `source_ref` is the path from there.
        dates: how dates are read.
    """
    return read_note_as(as_it_stands, unsized(note, place_in(root, note)), dates)


def read_note_as(understand: Understand, note: Entry, dates: DateReading) -> FileLine:
    """Return the record of a note, read with `understand`, or why it cannot be read."""
    try:
        with note.open() as stream:
            return read_note_stream(stream, note.name, dates, understand)
    except UNREADABLE as error:
        return BadLine(where=note.name, reason=why_unreadable(error))


def read_note_stream(
    stream: BinaryIO, where: str, dates: DateReading, understand: Understand | None = None
) -> FileLine:
    """Return the record of a note's source, or why it cannot be read.

    Args:
        stream: its bytes.
        where: its path within what is imported.
        dates: how dates are read.
        understand: how its text is read; as it stands where nothing is given.

    Raises:
        OSError: the stream cannot be read.
    """
    raw = stream.read(_MAX_BYTES + 1)
    try:
        return _note_line(raw, where, dates, understand or as_it_stands)
    except InvalidParams as error:
        return BadLine(where=where, reason=error.message)
    except UnicodeDecodeError:
        return BadLine(where=where, reason="is not UTF-8 text; save it as UTF-8")


def _note_line(raw: bytes, where: str, dates: DateReading, understand: Understand) -> ParsedLine | LeftOut:
    """Return the record of a note's source.

    Raises:
        InvalidParams: it has no words, or too many, or is no text.
        UnicodeDecodeError: it is not UTF-8.
    """
    if len(raw) > _MAX_BYTES:
        raise InvalidParams(f"is longer than {MAX_TEXT_CHARS:,} characters; split it")
    text = raw.decode("utf-8-sig").replace("\r\n", "\n")
    from voice.adapters.files.front_matter import split_front_matter  # noqa: PLC0415 - brings YAML, which notes alone need

    front, body = split_front_matter(text)
    stem = PurePosixPath(where).stem
    words = understand(stem, front, body)
    if isinstance(words, LeftOut):
        return replace(words, where=where)
    front = words.front or front
    line = ThoughtLine(
        content=_checked(words.content),
        created_at=front.instant(dates) or dates.day_of_path(where),
        kind=front.text("kind") or "note",
        speaker=front.text("speaker"),
        thread=front.text("thread"),
        source_ref=where,
        tags=tuple(dict.fromkeys((*front.tags(), *words.tags))),
        is_private=front.is_private(),
    )
    unknown = tuple(name for name in front.unknown() if name not in words.known_keys)
    return ParsedLine(where=where, record=line, unknown_fields=unknown, note=words.note, partly=_broken(front, where))


def _broken(front: "FrontMatter", where: str) -> tuple[LeftOut, ...]:
    """Return the fields that could not be read; of one about privacy, with what follows from it."""
    said = [f"{name}; the note is private" if "private" in name else name for name in front.broken()]
    return tuple(LeftOut(where=where, reason=f"{BROKEN_FIELDS} ({name})") for name in said)


def as_it_stands(stem: str, front: "FrontMatter", body: str) -> NoteWords | LeftOut:
    """Return what a note of no program says."""
    content = with_title(front.text("title"), body.strip("\n").rstrip())
    return NoteWords(content=content) if content.strip() else LeftOut(where=stem, reason=WORDLESS)


def with_title(title: str | None, body: str) -> str:
    """Return a body with a title before it that it does not open with, for a title is part of what was said."""
    first_line = body.partition("\n")[0].lstrip("# ").strip()
    return body if title is None or title == first_line else f"{title}\n\n{body}".rstrip()


def _checked(content: str) -> str:
    if "\x00" in content:
        raise InvalidParams("contains a NUL character, so it is not a text file")
    if len(content) > MAX_TEXT_CHARS:
        raise InvalidParams(f"is longer than {MAX_TEXT_CHARS:,} characters; split it")
    return content
