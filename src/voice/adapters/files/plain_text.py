"""The reader of plain text: a file, or a folder of `.txt` files.

Law: a paragraph (what stands between blank lines) is one thought, word for word, so that a text which grew brings its
new paragraphs alone; a line that is a heading by its look goes with the paragraph after it. All paragraphs of a file
share a thread and the date in its name. One paragraph is held at a time.

Source: docs/import.md.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO, Final

from voice.core.interchange.foreign.dates import DateReading
from voice.core.interchange.json_fields import stored_text
from voice.core.interchange.memory_lines import MAX_TEXT_CHARS, BadLine, FileLine, ParsedLine, ThoughtLine

TEXT_SUFFIXES: Final = frozenset({".txt", ".text"})
_MAX_BYTES: Final = 4 * MAX_TEXT_CHARS
_HEADING_CHARS: Final = 60
_SENTENCE_ENDS: Final = (".", "!", "?", "…", ",", ";")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSource:
    """Where a text comes from."""

    name: str | None = None
    """Its path within the folder, or its name; None for standard input."""
    at: datetime | None = None
    """The day in its name."""


def source_of(name: str | None, dates: DateReading) -> TextSource:
    """Return the name and date of a text.

    Args:
        name: its path within what is imported; None for standard input.
        dates: how dates are read.
    """
    return TextSource(name=name, at=dates.day_of_path(name) if name else None)


def read_plain_text(stream: BinaryIO, source: TextSource) -> Iterator[FileLine]:
    """Yield the paragraphs of a text, in order.

    Raises:
        OSError: the stream cannot be read.
    """
    for number, raw in _with_headings(_paragraphs(stream)):
        where = f"{source.name or 'standard input'} line {number}"
        try:
            text = stored_text(raw.decode("utf-8-sig"))
        except UnicodeDecodeError:
            yield BadLine(where=where, reason="is not UTF-8 text; save it as UTF-8")
            continue
        if len(text) > MAX_TEXT_CHARS or len(raw) > _MAX_BYTES:
            yield BadLine(where=where, reason=f"is longer than {MAX_TEXT_CHARS:,} characters; split it")
        elif text.strip():
            line = ThoughtLine(content=text, created_at=source.at, thread=source.name, source_ref=source.name)
            yield ParsedLine(where=where, record=line)


def _paragraphs(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield what stands between blank lines, with the number of its first line; no more of it than is ever kept."""
    held = bytearray()
    begun = number = 0
    at_start = True
    while line := stream.readline(_MAX_BYTES):
        number += at_start
        if at_start and not line.strip(b" \t\r\n\xef\xbb\xbf"):
            if held:
                yield begun, bytes(held)
            held.clear()
        else:
            begun = begun if held else number
            held += line[: max(0, _MAX_BYTES + 1 - len(held))]
        at_start = line.endswith(b"\n")
    if held:
        yield begun, bytes(held)


def _with_headings(paragraphs: Iterator[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    """Yield paragraphs, a heading together with the one after it."""
    heading: tuple[int, bytes] | None = None
    for number, raw in paragraphs:
        if heading is not None:
            yield heading[0], heading[1] + b"\n" + raw
            heading = None
        elif _is_heading(raw):
            heading = number, raw
        else:
            yield number, raw
    if heading is not None:
        yield heading


def _is_heading(raw: bytes) -> bool:
    line = raw.strip()
    return (
        b"\n" not in line
        and len(line) <= _HEADING_CHARS
        and not line.decode("utf-8", "replace").endswith(_SENTENCE_ENDS)
    )
