"""What the history holds of rows that are to be forgotten.

Law: a value that was corrected is still there, with its words and with why it was corrected; who forgets what took its
place forgets it, too, and what rests on it (rulings F, H). An entity that rests on other notes as well keeps the past
that rests on those: a row is found by what it was replaced by, or by the thought it rests on, and never by its name.

Source: rulings F, G, H.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from voice.core.records import Row, RowStatus
from voice.ports.history import HistoryStore
from voice.ports.stores import GraphStore


@dataclass(frozen=True, slots=True, kw_only=True)
class PastWords:
    """Finds superseded rows by those that took their place."""

    history: HistoryStore
    graph: GraphStore

    async def of(self, row_ids: Sequence[str]) -> tuple[Row, ...]:
        """Return every superseded row that says how one of the rows was before, or rests on such a thought, by id.

        Args:
            row_ids: of any table, also of rows that are gone already: what they replaced is found all the same.

        Raises:
            StoreError: it cannot be read.
        """
        found: dict[str, Row] = {}
        asked = set(row_ids)
        next_ids = sorted(asked)
        while next_ids:
            thoughts = [row_id for row_id in next_ids if row_id.startswith("t:")]
            rows = list(await self.history.replaced_by(next_ids))
            rows += await self.graph.derived_from(thoughts) if thoughts else []
            new = {row.id: row for row in rows if row.status is RowStatus.SUPERSEDED and row.id not in found}
            found |= new
            next_ids = sorted(new.keys() - asked)
        return tuple(found[row_id] for row_id in sorted(found))
