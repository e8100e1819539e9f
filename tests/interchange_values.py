"""Values that tests of imports share, and what came in, was left out or is broken among lines that were read."""

from collections.abc import Iterable
from datetime import UTC, datetime

from voice.core.interchange.build import build_thought
from voice.core.interchange.memory_lines import BadLine, FileLine, LinkedNote, Omission, ParsedLine, ThoughtLine
from voice.core.interchange.origin import Arrival, Entrance
from voice.core.records import Thought

NOW = datetime(2026, 3, 20, 12, tzinfo=UTC)
OWNER = Arrival(entrance=Entrance.CLI, now=NOW)


def thought_of(line: ThoughtLine) -> Thought:
    """Return the thought that a line is when its owner imports it."""
    return build_thought(line, OWNER)


def record_of(line: FileLine) -> ThoughtLine:
    """Return the thought that must stand in the line."""
    assert isinstance(line, ParsedLine), line
    assert isinstance(line.record, ThoughtLine)
    return line.record


def note_of(line: FileLine) -> LinkedNote:
    """Return what must be known of the note in the line."""
    assert isinstance(line, ParsedLine), line
    assert line.note is not None
    return line.note


def records(lines: Iterable[FileLine]) -> list[ThoughtLine]:
    return [record_of(line) for line in lines if isinstance(line, ParsedLine)]


def contents(lines: Iterable[FileLine]) -> list[str]:
    return [record.content for record in records(lines)]


def left_out(lines: Iterable[FileLine]) -> list[tuple[str, str]]:
    """Return where something was left out, and why."""
    return [(line.where, line.reason) for line in lines if isinstance(line, Omission)]


def broken(lines: Iterable[FileLine]) -> list[tuple[str, str]]:
    """Return where something could not be read, and why."""
    return [(line.where, line.reason) for line in lines if isinstance(line, BadLine)]
