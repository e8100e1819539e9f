"""What the memory held before: rows that were superseded, and by what, or left with their notes.

Law: nothing here is lost by a correction (ruling F); what was forgotten or redacted is no history and is not told here.

Source: ruling F; DESIGN 4 (`recorded_at`).
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from voice.core.records import Observation, Relation, Row, Thought


class HistoryStore(Protocol):
    """Reads what was superseded."""

    async def replaced_by(self, row_ids: Sequence[str]) -> list[Row]:
        """Return the superseded rows whose place one of these took, directly, by id."""
        ...

    async def past_of(self, entity_ids: Sequence[str]) -> list[Observation | Relation]:
        """Return the rows that were superseded, or left with their notes, and name or touch an entity, by id."""
        ...

    async def not_held_at(self, moment: datetime) -> set[str]:
        """Return the ids of the rows that the memory did not hold then: recorded later, superseded or left by then, or
        away then, and back since.

        A superseded row of which it was not kept when that happened counts as superseded by then.
        """
        ...

    async def found_at(self, source_refs: Sequence[str]) -> list[Thought]:
        """Return the live thoughts that an import found at any of these places, by id."""
        ...
