"""What everything says, in memory; implements `Skimming`."""

from collections.abc import AsyncIterator, Sequence

from voice.adapters.memory.state import Tables
from voice.core.records import Entity, Observation, Row, Table, Thought, table_of
from voice.ports.skimming import SaidRow, SaidTurn, SessionFigures


class TransientSkimming:
    """`Skimming` over the shared tables."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def rows(self, table: Table) -> AsyncIterator[Sequence[SaidRow]]:
        """Yield the rows of a table; see `Skimming.rows`."""
        rows = self._tables.now.rows
        yield [_said(rows[row_id]) for row_id in sorted(rows) if table_of(row_id) is table]

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


def _said(row: Row) -> SaidRow:
    if isinstance(row, Thought):
        return SaidRow(
            id=row.id,
            words=(row.content,),
            status=row.status,
            is_private=row.is_private,
            place=row.source_ref,
        )
    first = row.provenance[0].thought_id if row.provenance else None
    words: tuple[str, ...]
    ends: tuple[str, ...] = ()
    if isinstance(row, Observation):
        words = (row.text,)
    elif isinstance(row, Entity):
        words = (row.name, row.description, *row.aliases)
    else:
        words, ends = (row.rel_type, row.description), (row.source_id, row.target_id)
    return SaidRow(
        id=row.id,
        words=tuple(filter(None, words)),
        status=row.status,
        is_private=row.is_private,
        thought_id=first,
        ends=ends,
    )
