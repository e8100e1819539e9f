"""Rows as somebody leafs through them: the latest written first, without a question.

Law: what may not be seen is not listed, and that something was passed over is told. Rows stand in the order in which
they were last written, so that a place in the list is one number and leafing costs what a page costs, however many rows
there are.

Source: DESIGN 4 (`seq`), 8 Web; promise 6; rulings A18, F.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from voice.core.records import Row, RowStatus, Table, table_of
from voice.core.retrieval.spoken import is_in
from voice.core.retrieval.values import Window

ALL_TABLES: Final = frozenset(Table)
LIVE: Final = frozenset({RowStatus.ACTIVE})


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueFilter:
    """Which rows are wanted; the default wants all that live and are not private."""

    tables: frozenset[Table] = ALL_TABLES
    statuses: frozenset[RowStatus] = LIVE
    window: Window = Window()
    """When it was told, or what its words speak of."""
    include_tags: tuple[str, ...] = ()
    """Only rows that bear one of these."""
    include_private: bool = False

    def wants(self, row: Row) -> bool:
        """Return whether `row` is wanted, may it be seen or not."""
        tagged = not self.include_tags or not set(self.include_tags).isdisjoint(row.tags)
        in_table = table_of(row.id) in self.tables and row.status in self.statuses
        return in_table and tagged and is_in(self.window, row)

    def admits(self, row: Row) -> bool:
        """Return whether `row` is wanted and may be seen."""
        return self.wants(row) and (self.include_private or not row.is_private)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """Some rows of the list."""

    rows: tuple[Row, ...]
    """The latest written first."""
    next: int | None
    """Below this number the list goes on; None: this is its end."""
    private: int = 0
    """Rows that are wanted, were passed over here, and are private."""


def leaf_of(rows: Iterable[Row], where: CatalogueFilter, *, limit: int, bottom: int) -> Leaf:
    """Return the wanted rows of a stretch, at most `limit` of them.

    Args:
        rows: every row of the stretch, the latest written first.
        where: which are wanted.
        limit: how many are shown at most, at least 1.
        bottom: what lies at or below this number was not looked at; 0: nothing does.
    """
    found: list[Row] = []
    private = 0
    for row in rows:
        if len(found) == limit:
            return Leaf(rows=tuple(found), next=found[-1].seq, private=private)
        if where.admits(row):
            found.append(row)
        elif where.wants(row):
            private += 1
    return Leaf(rows=tuple(found), next=bottom + 1 if bottom else None, private=private)
