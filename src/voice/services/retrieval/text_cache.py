"""The normalised texts of rows and turns, kept while they hold.

Law: what is returned is never older than the store: each call asks what has changed since the last one, and takes that
over before anything is told. What was redacted or forgotten is dropped with the change that says so. Memory is bounded:
of a store that says more than that nothing is kept, and it is read each time.

What rows say, for a reader. The ends of an edge are named as far as the reader may see them; an entity is told without
its edges, which its own page shows (ruling C19, promise 6).

Source: DESIGN 4 (`seq`); promise 6; rulings C2, C19.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

import anyio

from voice.core.graph.row_display import render_row
from voice.core.records import Entity, Relation, Row, Table, table_of
from voice.core.text.normalise import norm_v1
from voice.ports.row_queries import RowWords, StoreScan
from voice.ports.stores import Change, MemoryStore

APART: Final = " | "
"""Stands between the texts of one row, so that no phrase is found across them."""
_FEW: Final = 200  # changes taken over one by one; of more, everything is read afresh
MOST_CHARS: Final = 64_000_000
"""Of all rows together, that are kept."""


@dataclass(frozen=True, slots=True)
class RowText:
    """One row, with its words in normal form."""

    row: RowWords
    """Without its words."""
    normal: str


@dataclass(frozen=True, slots=True)
class TurnText:
    """One turn, with its question and answer in normal form."""

    id: str
    at: datetime
    normal: str


def spoken(row: RowWords) -> RowText:
    """Return a row with its words in normal form."""
    return RowText(replace(row, words=()), norm_v1(APART.join(row.words)))  # held once, in normal form


class TextCache:
    """Reads what rows say when that is first needed, and again what has changed."""

    def __init__(self, store: MemoryStore, scan: StoreScan, *, most: int = MOST_CHARS) -> None:
        """Know where rows are; nothing is read yet, and at most `most` characters will be kept."""
        self._store = store
        self._scan = scan
        self._most = most
        self._lock = anyio.Lock()
        self._seq: int | None = None
        self._kept: dict[Table, dict[str, RowText]] = {}
        self._turns: tuple[int, list[TurnText]] | None = None  # and the store's number up to which they hold

    async def of(self, tables: Collection[Table]) -> list[RowText]:
        """Return the rows of some tables as the store has them now, table by table."""
        async with self._lock:  # one reading for all who ask at once
            last = (await self._store.head()).last_seq  # before the reading, so no change is missed
            changes = [] if self._seq in (None, last) else await self._store.changes(self._seq or 0, _FEW)
            if self._seq is None or len(changes) == _FEW or last < self._seq:
                self._kept, self._seq = {}, last  # also where the store went back, as by a restore
            elif changes:
                self._take_over(changes)
                self._seq = max(last, changes[-1].seq)
            for table in tables:  # one that nobody asked for is not read
                if table not in self._kept:
                    self._kept[table] = {
                        each.id: spoken(each) async for page in self._scan.rows(table) for each in page
                    }
            found = [each for table in sorted(tables) for each in self._kept[table].values()]
            if sum(len(each.normal) for rows in self._kept.values() for each in rows.values()) > self._most:
                self._kept, self._seq = {}, None
            return found

    async def turns(self) -> list[TurnText]:
        """Return the turns of all sessions as the store has them now."""
        async with self._lock:
            last = (await self._store.head()).last_seq
            if self._turns is None or self._turns[0] != last:
                self._turns = None  # freed before the next are read
                read = [
                    TurnText(turn.id, turn.at, norm_v1(f"{turn.question}{APART}{turn.answer}"))
                    async for page in self._scan.turns()
                    for turn in page
                ]
                if sum(len(each.normal) for each in read) > self._most:
                    return read  # too much to keep
                self._turns = last, read
            return self._turns[1]

    def _take_over(self, changes: Sequence[Change]) -> None:
        for change in changes:
            rows = self._kept.get(table_of(change.row_id))
            if rows is None:
                continue
            if change.row is None:
                rows.pop(change.row_id, None)
            else:
                rows[change.row_id] = spoken(RowWords.of(change.row))


async def row_texts(store: MemoryStore, rows: Iterable[Row], *, include_private: bool) -> dict[str, str]:
    """Return what each row says, by its id; private entities are named with `include_private` alone."""
    listed = list(rows)
    edges = [row for row in listed if isinstance(row, Relation)]
    ends = await store.fetch(sorted({end for each in edges for end in (each.source_id, each.target_id)}))
    visible = {
        each.id: each for each in ends.values() if isinstance(each, Entity) and (include_private or not each.is_private)
    }
    # Without relations: an entity's page shows them by themselves.
    return {row.id: render_row(row, entities=visible, relations=()) for row in listed}
