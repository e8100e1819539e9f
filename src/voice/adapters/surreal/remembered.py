"""Rows that were read before, each decoded once while it stays as it is.

Law: what is returned is what the store holds now. Every write of a row takes a number (`plan`), so what is remembered
stays true but for the rows that have a number after the one up to which it was known to be true: these are asked for,
and forgotten, before anything remembered is returned, unless nothing was written since that was done last
(`connection.Watched`). What is read while this number moves on is not remembered. Memory is bounded: long rows are read
each time, and those used last stay.

Source: DESIGN 4 (`seq`); docs/store.md, "What it costs".
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from voice.adapters.surreal.codec import Record, text_of
from voice.adapters.surreal.connection import Connection, epochs_of
from voice.adapters.surreal.dialect import META, PAGE, key_of
from voice.adapters.surreal.reading import read_rows
from voice.core.records import Row

MOST_ROWS: Final = 4_000
MOST_CHARS: Final = 2_000
"""Of a row that is remembered: what is said in a sentence or in a short note."""
_MOST_CHANGED: Final = PAGE
"""Rows that are forgotten one by one; where more were written all are."""
_SINCE: Final = "RETURN [(SELECT VALUE id FROM stamps WHERE seq > $after LIMIT $limit), $meta.{seq, restoring}]"


@dataclass(slots=True, kw_only=True)
class RememberedRows:
    """Reads rows from one store and remembers those that it read last."""

    connection: Connection
    most: int = MOST_ROWS
    _known: OrderedDict[str, Row] = field(default_factory=OrderedDict[str, Row], repr=False)
    _seq: int = 0
    """Up to this number of the store at least, all that is known is true."""
    _sure_in: object | None = None
    """The epoch in which that was seen."""
    _epoch: Callable[[], object | None] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._epoch = epochs_of(self.connection)

    async def read(self, ids: Sequence[str]) -> dict[str, Row]:
        """Return the rows that exist, by id.

        Raises:
            StoreDamaged: a record cannot be read.
        """
        epoch = self._epoch()
        if (epoch is None or epoch is not self._sure_in) and not self._known.keys().isdisjoint(ids):
            await self._forget_what_changed()
        found = {row_id: self._known[row_id] for row_id in ids if row_id in self._known}
        for row_id in found:
            self._known.move_to_end(row_id)
        if missing := [row_id for row_id in ids if row_id not in found]:
            epoch, seq = self._epoch(), self._seq
            rows = await read_rows(self.connection, missing)
            if self._seq == seq:
                self._remember(rows, epoch)
            found |= rows
        return found

    def begin_at(self, seq: int) -> None:
        """Note that the store has this number, before anything is read of it: what is read from now on is no older."""
        if not self._known:
            self._seq = max(self._seq, seq)

    async def _forget_what_changed(self) -> None:
        epoch, seq = self._epoch(), self._seq
        asked = {"meta": META, "after": seq, "limit": _MOST_CHANGED + 1}
        answer = await self.connection.run("read changes", _SINCE, asked)
        changed, itself = cast("tuple[list[object], Record]", answer)
        for each in changed:
            self._known.pop(key_of(each), None)
        last_seq = cast("int", itself["seq"])
        # A store that lost writes, or is being filled, says nothing of what is known by its numbers.
        if len(changed) > _MOST_CHANGED or last_seq < seq or itself.get("restoring"):
            self._known.clear()
        if self._seq == seq:
            self._seq, self._sure_in = last_seq, epoch

    def _remember(self, rows: Mapping[str, Row], epoch: object | None) -> None:
        if not self._known:
            self._seq, self._sure_in = max([self._seq, *(row.seq for row in rows.values())]), epoch
        for row_id, row in rows.items():
            if len(text_of(row)) <= MOST_CHARS:
                self._known[row_id] = row
        while len(self._known) > self.most:
            self._known.popitem(last=False)
