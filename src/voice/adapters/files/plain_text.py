"""The readers of plain text, and of `memory-bench/1`.

Law: a paragraph (the text between blank lines) is one thought, verbatim, so that of a text that grew only the new
paragraphs are imported; a line that looks like a heading belongs to the paragraph after it. All paragraphs of a file
share a thread and the date in its name. One paragraph is held in memory.

`memory-bench/1` holds public test sets of long conversations and personal records. One item is one thought; its
`source_ref` is `<corpus>/<item>` and its thread `<corpus>/<thread>`, so that corpora in one store stay apart and a
question's evidence can be found again. An item's origin follows from its speaker and kind (`core.interchange.arrival`).
Questions are not memories and are not read.

Source: docs/import.md; docs/formats.md.
"""

import json
from collections.abc import Iterator
from datetime import UTC, tzinfo
from pathlib import Path
from typing import BinaryIO, Final, cast

from voice.core.errors import DataFileError, InvalidParams
from voice.core.interchange.foreign.dates import DateReading
from voice.core.interchange.json_fields import Fields, stored_text
from voice.core.interchange.memory_lines import MAX_TEXT_CHARS, BadLine, FileLine, Omission, ParsedLine, ThoughtLine
from voice.core.messages.files import DATES_UNCLEAR, NOTES_WITHOUT_TEXT

TEXT_SUFFIXES: Final = frozenset({".txt", ".text"})
_MAX_BYTES: Final = 4 * MAX_TEXT_CHARS  # UTF-8 takes at most 4 bytes for a character
_HEADING_CHARS: Final = 60
_SENTENCE_ENDS: Final = (".", "!", "?", "…", ",", ";")


def read_plain_text(stream: BinaryIO, name: str | None, dates: DateReading) -> Iterator[FileLine]:
    """Yield the paragraphs of a text, in order; `name` is its path within the import, None for standard input. Raises
    OSError: the stream cannot be read."""
    at = dates.day_of_path(name) if name else None
    has_told = False
    if name and at is None and dates.is_unclear(name):
        yield Omission(where=name, reason=DATES_UNCLEAR)
    for number, raw in _with_headings(_paragraphs(stream)):
        where = f"{name or 'standard input'} line {number}"
        try:
            text = stored_text(raw.decode("utf-8-sig"))  # the first may begin with a byte order mark
        except UnicodeDecodeError:
            yield BadLine(where=where, reason="is not UTF-8 text; save it as UTF-8")
            has_told = True
            continue
        if len(text) > MAX_TEXT_CHARS or len(raw) > _MAX_BYTES:
            yield BadLine(where=where, reason=f"is longer than {MAX_TEXT_CHARS:,} characters; split it")
        elif text.strip():
            line = ThoughtLine(content=text, created_at=at, thread=name, source_ref=name)
            yield ParsedLine(where=where, record=line)
        has_told = has_told or bool(text.strip())
    if name and not has_told:
        yield Omission(where=name, reason=NOTES_WITHOUT_TEXT)


def _paragraphs(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield each paragraph with the number of its first line, and no more of it than can be stored."""
    held = bytearray()
    start = number = 0
    at_start = True
    while line := stream.readline(_MAX_BYTES):  # or a part of a very long line
        number += at_start
        if at_start and not line.strip(b" \t\r\n\xef\xbb\xbf"):
            if held:
                yield start, bytes(held)
            held.clear()
        else:
            start = start if held else number
            # One byte more than can be stored tells that it is too long.
            held += line[: max(0, _MAX_BYTES + 1 - len(held))]
        at_start = line.endswith(b"\n")
    if held:
        yield start, bytes(held)


def _with_headings(paragraphs: Iterator[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
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


BENCH_FORMAT: Final = "memory-bench/1"
_MAX_FILE_BYTES: Final = 512 * 1024 * 1024  # parsed as one JSON document, so held in memory
_MAX_NAMED: Final = 20
_NO_WORDS: Final = ": \t\r\n"  # transcript whose turns are all empty consists of these characters


class BenchFile:
    """A file's corpora; its items are parsed one by one."""

    def __init__(self, corpora: tuple[tuple[str, list[object]], ...]) -> None:
        self._corpora = corpora

    @property
    def items(self) -> int:
        """The number of items."""
        return sum(len(items) for _, items in self._corpora)

    def lines(self, *, zone: tzinfo = UTC) -> Iterator[ParsedLine | BadLine]:
        """Yield the items, in order."""
        for corpus, items in self._corpora:
            for number, item in enumerate(items, start=1):
                yield _read_item(corpus, number, item, zone)


def load_memory_bench(path: Path, *, corpus: str | None = None) -> BenchFile:
    """Return the corpora of a file, or only the named one. Raises DataFileError: it cannot be read, is of another
    format, or has no such corpus."""
    corpora = tuple(_corpus(entry) for entry in _corpora(_load(path)))
    if corpus is None:
        return BenchFile(corpora)
    chosen = tuple(entry for entry in corpora if entry[0] == corpus)
    if not chosen:
        names = ", ".join(name for name, _ in corpora[:_MAX_NAMED])
        raise DataFileError(f"the file has no such corpus; it has: {names}")
    return BenchFile(chosen)


def _load(path: Path) -> dict[str, object]:
    try:
        if path.stat().st_size > _MAX_FILE_BYTES:
            raise DataFileError("the file is larger than 512 MiB; split it by corpus")
        # "utf-8-sig": with or without a byte order mark.
        value: object = json.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise DataFileError(f"cannot read {path}: {error.strerror or 'unknown reason'}") from error
    except (ValueError, RecursionError):
        raise DataFileError(f"{path} is not JSON; a {BENCH_FORMAT} file is one JSON object") from None
    if not isinstance(value, dict) or cast("dict[str, object]", value).get("format") != BENCH_FORMAT:
        raise DataFileError(f"{path} is not a {BENCH_FORMAT} file")
    return cast("dict[str, object]", value)


def _corpora(data: dict[str, object]) -> list[object]:
    corpora = data.get("corpora")
    if not isinstance(corpora, list) or not corpora:
        raise DataFileError("the file holds no corpora")
    return cast("list[object]", corpora)


def _corpus(entry: object) -> tuple[str, list[object]]:
    if not isinstance(entry, dict):
        raise DataFileError("a corpus of the file is not an object")
    corpus = cast("dict[str, object]", entry)
    name, items = corpus.get("id"), corpus.get("items")
    if not isinstance(name, str) or not name or not isinstance(items, list):
        raise DataFileError("a corpus of the file has no “id” or no list of “items”")
    return name, cast("list[object]", items)


def _read_item(corpus: str, number: int, item: object, zone: tzinfo) -> ParsedLine | BadLine:
    where = f"{corpus} item {number}"
    if not isinstance(item, dict):
        return BadLine(where=where, reason="is not an object")
    try:
        return _parse_item(corpus, where, Fields(cast("dict[str, object]", item), zone))
    except InvalidParams as error:
        return BadLine(where=where, reason=error.message)


def _parse_item(corpus: str, where: str, fields: Fields) -> ParsedLine:
    text = fields.required("text")
    if not text.strip(_NO_WORDS):
        raise InvalidParams("“text” holds no words")
    thread = fields.text("thread")
    line = ThoughtLine(
        content=text,
        created_at=fields.instant("created_at"),
        kind=fields.text_or("kind", "note"),
        speaker=fields.text("speaker") or None,
        thread=f"{corpus}/{thread}" if thread else corpus,  # corpora may use the same names of threads
        source_ref=f"{corpus}/{fields.required('id')}",
        tags=fields.texts("tags"),
        is_private=bool(fields.flag("is_private")),
    )
    return ParsedLine(where=where, record=line, unknown_fields=fields.unknown())
