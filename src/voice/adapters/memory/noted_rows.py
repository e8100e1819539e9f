"""Thoughts that somebody has to vouch for, in memory; implements `NotedRows`."""

from collections.abc import Collection

from voice.adapters.memory.state import Tables
from voice.core.records import Thought
from voice.core.vouch import Vouch


class TransientNotedRows:
    """Finds them among the tables."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def noted(self, states: Collection[Vouch]) -> list[str]:
        """Return their ids; see `NotedRows.noted`."""
        rows = self._tables.now.rows
        return sorted(
            row_id for row_id, row in rows.items() if isinstance(row, Thought) and row.vouched in frozenset(states)
        )
