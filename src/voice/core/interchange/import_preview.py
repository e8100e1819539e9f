"""Preview of an import, and warnings about unfinished imports.

Law: counts only what would be stored; known or forgotten items contribute nothing. Private text is not shown. Memory
grows with people, not thoughts.
Source: docs/import.md, "While an import runs".
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from voice.core.messages import files as messages
from voice.core.records import Origin, Thought
from voice.core.text.display import counted, truncate
from voice.core.text.instants import has_date

SHOWN_LINES: Final = 5
_LINE_CHARS: Final = 80
_MARKS: Final = re.compile(r"\A\s*+(?:[-*+>]\s++|[-*+]$|#{1,6}\s++)*+")
"""Bullets, quotation marks and headings at the start of a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A speaker of imported text."""

    name: str | None
    """None: not named."""
    origin: Origin
    thoughts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What would be stored."""

    thoughts: int = 0
    private: int = 0
    earliest: datetime | None = None
    latest: datetime | None = None
    undated: int = 0
    """Without a date of their own."""
    people: tuple[Person, ...] = ()
    """Most thoughts first."""
    first_lines: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class PreviewBuilder:
    """Accumulates a preview."""

    _thoughts: int = 0
    _private: int = 0
    _undated: int = 0
    _dates: list[datetime] = field(default_factory=list[datetime])
    _people: Counter[tuple[str | None, Origin]] = field(default_factory=Counter[tuple[str | None, Origin]])
    _lines: list[str] = field(default_factory=list[str])

    def add(self, thought: Thought) -> None:
        """Count a thought that would be stored."""
        self._thoughts += 1
        self._private += thought.is_private
        self._people[thought.speaker, thought.origin] += 1
        if has_date(thought.created_at):
            ends = [*self._dates, thought.created_at]
            self._dates = [min(ends), max(ends)]
        else:
            self._undated += 1
        if len(self._lines) < SHOWN_LINES:
            self._lines.append("(private)" if thought.is_private else first_line(thought.content))

    def preview(self) -> Preview:
        """Return the preview so far."""
        people = [Person(name=name, origin=origin, thoughts=n) for (name, origin), n in self._people.items()]
        return Preview(
            thoughts=self._thoughts,
            private=self._private,
            earliest=self._dates[0] if self._dates else None,
            latest=self._dates[-1] if self._dates else None,
            undated=self._undated,
            people=tuple(sorted(people, key=lambda each: (-each.thoughts, each.name or "", each.origin))),
            first_lines=tuple(self._lines),
        )


def first_line(text: str) -> str:
    """Return the first line with words, without list or heading marks, truncated."""
    lines = [_MARKS.sub("", line).strip() for line in text.split("\n")]
    said = next((line for line in lines if any(map(str.isalnum, line))), None)
    return truncate(said or next(filter(None, lines), ""), _LINE_CHARS)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnfinishedImport:
    """An import or sync of this memory, in any process, that has not finished."""

    path: str
    """What is imported."""
    rows: int
    """Rows stored so far."""
    runs: bool
    """False: its process ended early."""
    is_sync: bool = False

    @property
    def warning(self) -> str:
        """One line on what answers may lack, and what to do."""
        records = counted(self.rows, "record")
        last = self.path.rstrip("/").rpartition("/")[2] or self.path
        name = messages.PIPED_INPUT if self.path == "-" else f"“{last}”"
        what = "sync" if self.is_sync else "import"
        warn = messages.import_running if self.runs else messages.import_stopped
        return warn(what, name, records)


def warnings_of(seen: Iterable[UnfinishedImport]) -> tuple[str, ...]:
    """Return one warning per path, running imports first."""
    by_path: dict[str, UnfinishedImport] = {}
    for each in sorted(seen, key=lambda each: (not each.runs, -each.rows)):
        by_path.setdefault(each.path, each)
    return tuple(each.warning for each in sorted(by_path.values(), key=lambda each: (not each.runs, each.path)))
