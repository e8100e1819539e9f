"""Rows that were read before, each decoded once while it stays as it is.

Law: what is returned is what the store holds now. Every reading asks for the stamp of every row; a row whose stamp is
the one it was decoded under is not read or decoded again, because every write of a row gives it another (`plan`).
Memory is bounded: long rows are read each time, and those used last stay.

Source: DESIGN 4 (`seq`); docs/store.md, "What it costs".
"""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from voice.adapters.surreal.codec import Stamp, text_of
from voice.adapters.surreal.connection import Connection
from voice.adapters.surreal.reading import Stored, read_stored
from voice.core.records import Row

MOST_ROWS: Final = 2_000
MOST_CHARS: Final = 2_000
"""Of a row that is remembered: what is said in a sentence or in a short note."""


@dataclass(slots=True, kw_only=True)
class RememberedRows:
    """Reads rows from one store and remembers those that it read last."""

    connection: Connection
    most: int = MOST_ROWS
    _known: OrderedDict[str, tuple[Stamp, Row]] = field(default_factory=OrderedDict[str, tuple[Stamp, Row]], repr=False)

    async def read(self, ids: Sequence[str]) -> dict[str, Row]:
        """Return the rows that exist, by id.

        Raises:
            StoreDamaged: a record cannot be read.
        """
        known = {row_id: self._known[row_id] for row_id in ids if row_id in self._known}
        stored = await read_stored(self.connection, ids, known=known)
        self._remember(stored)
        return {row_id: held.row for row_id, held in stored.items() if held.row is not None}

    def _remember(self, stored: Mapping[str, Stored]) -> None:
        for row_id, held in stored.items():
            self._known.pop(row_id, None)
            if held.row is not None and len(text_of(held.row)) <= MOST_CHARS:
                self._known[row_id] = (held.stamp, held.row)
        while len(self._known) > self.most:
            self._known.popitem(last=False)
