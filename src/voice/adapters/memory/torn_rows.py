"""Rows whose thoughts were never stored, in memory; implements `TornRows`."""

from collections.abc import Mapping

from voice.adapters.memory.state import Tables
from voice.core.errors import InvalidParams
from voice.core.records import Thought


class TransientTornRows:
    """`TornRows` in memory."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def torn(self) -> list[str]:
        """Return the ids of what rests on nothing; see `TornRows.torn`."""
        now = self._tables.now
        known = now.rows.keys() | now.tombstones.keys()
        derived = (row for row in now.rows.values() if not isinstance(row, Thought) and row.provenance)
        return sorted(row.id for row in derived if not any(span.thought_id in known for span in row.provenance))

    async def take_back(self, revisions: Mapping[str, int]) -> None:
        """Remove rows; see `TornRows.take_back`."""
        with self._tables.transaction() as draft:
            for row_id, revision in revisions.items():
                held = draft.rows.pop(row_id, None)
                if held is None or held.revision != revision:
                    raise InvalidParams(f"{row_id} was changed or removed meanwhile; look again")
                draft.vectors.pop(row_id, None)
