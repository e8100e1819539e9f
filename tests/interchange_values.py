"""Values that tests of imports share."""

from datetime import UTC, datetime

from voice.core.interchange.build import build_thought
from voice.core.interchange.memory_lines import ThoughtLine
from voice.core.interchange.origin import Arrival, Entrance
from voice.core.records import Thought

NOW = datetime(2026, 3, 20, 12, tzinfo=UTC)
OWNER = Arrival(entrance=Entrance.CLI, now=NOW)


def thought_of(line: ThoughtLine) -> Thought:
    """Return the thought that a line is when its owner imports it."""
    return build_thought(line, OWNER)
