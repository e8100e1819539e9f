"""Imports that run, told of beside answers, and what an import tells of itself.

Source: docs/import.md, "While an import runs".
"""

from collections.abc import Awaitable
from dataclasses import replace

from voice.core.interchange.under_way import told_of
from voice.ports.import_marks import ImportMarks, Tell
from voice.services.importing import Progress
from voice.services.turn import Turn


async def with_imports(marks: ImportMarks, asking: Awaitable[Turn]) -> Turn:
    """Return a turn with what its answer may lack, because it was still coming in when it was asked."""
    told = told_of(marks.seen())
    turn = await asking
    return replace(turn, warnings=(*turn.warnings, *told)) if told else turn


def telling(tell: Tell, storing: Progress | None) -> Progress:
    """Return what tells both the marks and whoever waits how many rows are stored."""

    def both(done: int, total: int | None) -> None:
        tell(done)
        if storing:
            storing(done, total)

    return both
