"""Rows that were read before, each decoded once while it stays as it is.

Law: what is returned is what the store holds now. A row that was read in this epoch, in which nothing was written
(`connection.Watched`), is returned as it is. Of every other the stamp is asked for; a row whose stamp is the one it was
decoded under is not read or decoded again, because every write of a row gives it another (`plan`). Memory is bounded:
long rows are read each time, and those used last stay.

Source: DESIGN 4 (`seq`); docs/store.md, "What it costs".
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from voice.adapters.surreal.codec import Stamp, text_of
from voice.adapters.surreal.connection import Connection, epochs_of
from voice.adapters.surreal.reading import Stored, read_stored
from voice.core.records import Row

MOST_ROWS: Final = 2_000
MOST_CHARS: Final = 2_000
"""Of a row that is remembered: what is said in a sentence or in a short note."""


@dataclass(frozen=True, slots=True)
class _Known:
    """A row as it was read last."""

    stamp: Stamp
    row: Row
    epoch: object | None
    """In which it was read; None where that was not known."""


@dataclass(slots=True, kw_only=True)
class RememberedRows:
    """Reads rows from one store and remembers those that it read last."""

    connection: Connection
    most: int = MOST_ROWS
    _known: OrderedDict[str, _Known] = field(default_factory=OrderedDict[str, _Known], repr=False)
    _epoch: Callable[[], object | None] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._epoch = epochs_of(self.connection)

    async def read(self, ids: Sequence[str]) -> dict[str, Row]:
        """Return the rows that exist, by id.

        Raises:
            StoreDamaged: a record cannot be read.
        """
        epoch = self._epoch()
        known = {row_id: self._known[row_id] for row_id in ids if row_id in self._known}
        found = {row_id: held.row for row_id, held in known.items() if epoch is not None and held.epoch is epoch}
        for row_id in found:
            self._known.move_to_end(row_id)
        if len(found) < len(ids):
            asked = [row_id for row_id in ids if row_id not in found]
            before = {row_id: (held.stamp, held.row) for row_id, held in known.items() if row_id not in found}
            stored = await read_stored(self.connection, asked, known=before)
            self._remember(stored, epoch)
            found |= {row_id: held.row for row_id, held in stored.items() if held.row is not None}
        return found

    def _remember(self, stored: Mapping[str, Stored], epoch: object | None) -> None:
        for row_id, held in stored.items():
            self._known.pop(row_id, None)
            if held.row is not None and len(text_of(held.row)) <= MOST_CHARS:
                self._known[row_id] = _Known(held.stamp, held.row, epoch)
        while len(self._known) > self.most:
            self._known.popitem(last=False)
