"""What everything says, in memory; implements `Skimming`."""

from collections.abc import AsyncIterator, Sequence

from voice.adapters.memory.state import Tables
from voice.core.records import Table, table_of
from voice.ports.skimming import SaidRow, SaidTurn, SessionFigures


class TransientSkimming:
    """`Skimming` over the shared tables."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def rows(self, table: Table) -> AsyncIterator[Sequence[SaidRow]]:
        """Yield the rows of a table; see `Skimming.rows`."""
        rows = self._tables.now.rows
        yield [SaidRow.of(rows[row_id]) for row_id in sorted(rows) if table_of(row_id) is table]

    async def turns(self) -> AsyncIterator[Sequence[SaidTurn]]:
        """Yield the turns of all sessions; see `Skimming.turns`."""
        yield [
            SaidTurn(id=each.id, at=each.timestamp, question=each.my_query, answer=each.answer)
            for _, each in sorted(self._tables.now.exchanges.items())
        ]

    async def sessions(self) -> AsyncIterator[Sequence[SessionFigures]]:
        """Yield what each session came to; see `Skimming.sessions`."""
        yield [
            SessionFigures(
                id=each.id,
                turns=each.answered + each.refused + each.errors,
                refused=each.refused,
                tokens=each.total_tokens,
                cost=each.total_cost,
            )
            for _, each in sorted(self._tables.now.sessions.items())
        ]
