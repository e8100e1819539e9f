"""What was superseded, and by what, in memory; implements `HistoryStore`."""

from collections.abc import Sequence
from datetime import datetime

from voice.adapters.memory.state import Tables
from voice.core.graph.removal.lifecycle import is_no_longer_held, was_away
from voice.core.records import Observation, Relation, Row, RowStatus, Thought
from voice.core.text.normalise import clean_text


class TransientHistoryStore:
    """`HistoryStore` over the shared tables."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def replaced_by(self, row_ids: Sequence[str]) -> list[Row]:
        """Return the rows whose place these took; see `HistoryStore.replaced_by`."""
        asked = set(row_ids)
        return [row for row in self._superseded() if row.superseded_by in asked]

    async def past_of(self, entity_ids: Sequence[str]) -> list[Observation | Relation]:
        """Return the superseded rows around the entities; see `HistoryStore.past_of`."""
        asked = set(entity_ids)
        rows = (row for row in self._sorted() if is_no_longer_held(row) and isinstance(row, Observation | Relation))
        return [row for row in rows if asked.intersection(_named_by(row))]

    async def not_held_at(self, moment: datetime) -> set[str]:
        """Return what was recorded later or superseded by then; see `HistoryStore.not_held_at`."""
        late = {row.id for row in self._tables.now.rows.values() if row.recorded_at > moment}
        gone = {
            row.id
            for row in self._tables.now.rows.values()
            if (row.superseded_at <= moment if row.superseded_at else row.status is RowStatus.SUPERSEDED)
        }
        away = {row.id for row in self._tables.now.rows.values() if was_away(row.away, moment)}
        return late | gone | away

    async def found_at(self, source_refs: Sequence[str]) -> list[Thought]:
        """Return the live thoughts found there; see `HistoryStore.found_at`."""
        asked = {clean_text(each) for each in source_refs}
        rows = (row for row in self._sorted() if isinstance(row, Thought) and row.status is RowStatus.ACTIVE)
        return [row for row in rows if row.source_ref in asked]

    def _superseded(self) -> list[Row]:
        return [row for row in self._sorted() if row.status is RowStatus.SUPERSEDED]

    def _sorted(self) -> list[Row]:
        rows = self._tables.now.rows
        return [rows[row_id] for row_id in sorted(rows)]


def _named_by(row: Observation | Relation) -> tuple[str, ...]:
    return row.entity_ids if isinstance(row, Observation) else (row.source_id, row.target_id)
