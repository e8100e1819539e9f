"""The labelled notes that extraction is measured with; their format is laid down in `docs/extraction.md`."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from voice.core.errors import VoiceError
from voice.core.records import Origin, Thought


class NotesError(ValueError):
    """A file holds no labelled notes; says which line and why."""


@dataclass(frozen=True, slots=True)
class LabelledEntity:
    """A thing that a note names; `entity_type` None takes any."""

    name: str
    entity_type: str | None
    names: frozenset[str]
    """All it is called in the note, as written."""


@dataclass(frozen=True, slots=True)
class LabelledRelation:
    """A relation that a note states."""

    source: str
    rel_type: str
    target: str
    period: tuple[datetime | None, datetime | None]


@dataclass(frozen=True, slots=True)
class LabelledSentence:
    """A sentence of a note: a `statement`, `none`, or `optional` (neither finding nor leaving it is wrong)."""

    start: int
    end: int
    kind: str
    period: tuple[datetime | None, datetime | None]


@dataclass(frozen=True, slots=True)
class LabelledNote:
    """A note with its labels."""

    id: str
    half: str
    thought: Thought
    entities: tuple[LabelledEntity, ...]
    relations: tuple[LabelledRelation, ...]
    sentences: tuple[LabelledSentence, ...]


def read_notes(path: Path) -> Iterator[LabelledNote]:
    """Yield the notes of a JSON-lines file; empty lines are skipped.

    Raises:
        NotesError: a line is no labelled note.
    """
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), start=1):
        if line.strip():
            try:
                yield _note(json.loads(line))
            except (KeyError, ValueError, TypeError, VoiceError) as error:
                raise NotesError(f"{path.name}, line {number}: {error!r}") from error


def _note(row: dict[str, Any]) -> LabelledNote:
    text, moment = str(row["text"]), datetime.fromisoformat(row["created_at"])
    return LabelledNote(
        id=row["id"],
        half=row["half"],
        thought=Thought(
            id=f"t:{row['id']}",
            content=text,
            created_at=moment,
            recorded_at=moment,
            origin=Origin.HUMAN,
            speaker=row.get("speaker"),
        ),
        entities=tuple(
            LabelledEntity(
                one["name"],
                one["type"],
                frozenset([one["name"], *one["aliases"], *(text[start:end] for start, end in one["mentions"])]),
            )
            for one in row["entities"]
        ),
        relations=tuple(
            LabelledRelation(one["source"], one["type"], one["target"], _period(one)) for one in row["relations"]
        ),
        sentences=tuple(
            LabelledSentence(one["start"], one["end"], one["kind"], _period(one)) for one in row["observations"]
        ),
    )


def _period(row: dict[str, Any]) -> tuple[datetime | None, datetime | None]:
    start, end = row["valid_from"], row["valid_until"]
    return (datetime.fromisoformat(start) if start else None, datetime.fromisoformat(end) if end else None)
