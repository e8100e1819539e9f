"""Reading `memory-bench/1` files: corpora of dated items, and questions with their evidence.

Law: a file is read whole or refused with a sentence that says what is wrong with it.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import cast

from voice.core.errors import DataFileError
from voice.core.records import Origin, Thought

FORMAT = "memory-bench/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question that can be answered, and where its answer stands."""

    text: str
    category: str
    evidence: frozenset[str]
    """Row ids."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """One memory and the questions about it."""

    name: str
    rows: tuple[Thought, ...]
    questions: tuple[Question, ...]
    """Without those that are unanswerable or have no evidence."""

    @property
    def speakers(self) -> frozenset[str]:
        """Everybody who said something in it."""
        return frozenset(row.speaker for row in self.rows if row.speaker)


def read_corpora(path: Path) -> tuple[Corpus, ...]:
    """Return the corpora of a file.

    Raises:
        DataFileError: it cannot be read, or is not a `memory-bench/1` file.
    """
    try:
        data = cast("dict[str, object]", json.loads(path.read_text("utf-8")))
        if data["format"] != FORMAT:
            raise DataFileError(f"{path} is not a {FORMAT} file: its format is {data['format']!r}")
        return tuple(_corpus(corpus) for corpus in cast("list[dict[str, object]]", data["corpora"]))
    except OSError as error:
        raise DataFileError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise DataFileError(f"{path} is not a {FORMAT} file ({type(error).__name__}: {error})") from error


def with_turn_before(corpus: Corpus, *, encodes: bool) -> Corpus:
    """Return the corpus with each message's words after those of the one before it in its thread.

    Args:
        corpus: any.
        encodes: whether it is to be encoded, which wants names where they are said; the index wants the row's own
            speaker first.
    """
    rows = list(corpus.rows[:1])
    for before, row in pairwise(corpus.rows):
        if before.thread != row.thread or before.speaker is None or row.speaker is None:
            rows.append(row)
        elif encodes:
            rows.append(replace(row, speaker=before.speaker, content=f"{before.content} {row.speaker}: {row.content}"))
        else:
            rows.append(replace(row, content=f"{before.speaker}: {before.content} {row.content}"))
    return replace(corpus, rows=tuple(rows))


def _corpus(data: dict[str, object]) -> Corpus:
    questions = cast("list[dict[str, object]]", data["questions"])
    return Corpus(
        name=str(data["id"]),
        rows=tuple(_rows(cast("list[dict[str, str | None]]", data["items"]))),
        questions=tuple(
            _question(entry) for entry in questions if entry.get("evidence") and not entry.get("unanswerable")
        ),
    )


def _rows(items: list[dict[str, str | None]]) -> Iterator[Thought]:
    """Yield the rows; an item without a time was said when the one before it was."""
    said_at = datetime(1970, 1, 1, tzinfo=UTC)
    for item in items:
        written = item.get("created_at")
        said_at = _instant(written) if written else said_at
        yield _row(item, said_at)


def _row(item: dict[str, str | None], said_at: datetime) -> Thought:
    return Thought(
        id=_row_id(str(item["id"])),
        created_at=said_at,
        recorded_at=said_at,
        origin=Origin.LOGGED,
        content=item["text"] or "",
        kind=item.get("kind") or "note",
        speaker=item.get("speaker"),
        thread=item.get("thread"),
    )


def _question(data: dict[str, object]) -> Question:
    evidence = cast("list[str]", data["evidence"])
    return Question(
        text=str(data["question"]),
        category=str(data.get("category", "")),
        evidence=frozenset(_row_id(str(item_id)) for item_id in evidence),
    )


def _row_id(item_id: str) -> str:
    return f"t:{item_id}"


def _instant(text: str) -> datetime:
    """Return the instant; some files write a bare day as `2025-08-29Z`."""
    moment = datetime.fromisoformat(text.removesuffix("Z") if len(text) <= len("2025-08-29Z") else text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
