"""Reading `memory-bench/1`: public test sets of long conversations and personal records.

Law: one item is one thought; its `source_ref` is `<corpus>/<item>` and its thread `<corpus>/<thread>`, so that several
corpora in one store stay apart and a question's evidence can be found again. The file claims no origin: whose words an
item is follows from its speaker and kind (`core.interchange.arrival`). Questions are not memories and are not read.

Source: docs/formats.md.
"""

import json
from collections.abc import Iterator
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Final, cast

from voice.core.errors import DataFileError, InvalidParams
from voice.core.interchange.json_fields import Fields
from voice.core.interchange.memory_lines import BadLine, ParsedLine, ThoughtLine

BENCH_FORMAT: Final = "memory-bench/1"
_MAX_BYTES: Final = 512 * 1024 * 1024
_MAX_NAMED: Final = 20
_NO_WORDS: Final = ": \t\r\n"
"""A transcript whose turns are all empty consists of these."""


class BenchFile:
    """A file that has been read; its items are understood one by one."""

    def __init__(self, corpora: tuple[tuple[str, list[object]], ...]) -> None:
        self._corpora = corpora

    @property
    def items(self) -> int:
        """How many items there are in all."""
        return sum(len(items) for _, items in self._corpora)

    def lines(self, *, zone: tzinfo = UTC) -> Iterator[ParsedLine | BadLine]:
        """Yield the items as they stand."""
        for corpus, items in self._corpora:
            for number, item in enumerate(items, start=1):
                yield _read_item(corpus, number, item, zone)


def load_memory_bench(path: Path, *, corpus: str | None = None) -> BenchFile:
    """Return the corpora of a file, or the one that is named.

    Raises:
        DataFileError: it cannot be read, is of another format, or has no such corpus.
    """
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
        if path.stat().st_size > _MAX_BYTES:
            raise DataFileError("the file is larger than 512 MiB; split it by corpus")
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
        thread=f"{corpus}/{thread}" if thread else corpus,
        source_ref=f"{corpus}/{fields.required('id')}",
        tags=fields.texts("tags"),
        is_private=bool(fields.flag("is_private")),
    )
    return ParsedLine(where=where, record=line, unknown_fields=fields.unknown())
