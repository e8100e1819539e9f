"""Which rows may be seen, and which are listed in the catalogue.

Law: nothing that fails here is ranked, counted or rendered, whichever table it is in (promise 6). The index applies the
same filter before it ranks; the rows themselves are asked again, so that a stale index cannot show what is no longer
to be seen. What the inner voice wrote itself is never seen (ruling A13).

Rows as somebody leafs through them: the latest written first, without a question. What may not be seen is not listed,
and that something was passed over is told. Rows stand in the order in which they were last written, so that a place in
the list is one number and leafing costs what a page costs, however many rows there are.

Source: spec inner_voice.retrieve, Constraints; spec retrieval-contract, Scoping; rulings A13, A18, C10, F; DESIGN 4
(`seq`), 8 Web; promise 6; rulings A18, F.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from voice.core.graph.removal.lifecycle import is_no_longer_held
from voice.core.graph.thoughts.vouching import is_declined
from voice.core.records import Row, RowStatus, Table, Thought, table_of
from voice.core.retrieval.indexed_text import is_in
from voice.core.retrieval.values import RowFilter, Window

_ALL_TABLES = frozenset(Table)


def admits(row_filter: RowFilter, row: Row) -> bool:
    """Return whether `row` passes every condition of `row_filter` and was not written by the inner voice."""
    return may_be_seen(row_filter, row) and not is_synthesis(row)


def may_be_seen(row_filter: RowFilter, row: Row) -> bool:
    """Return whether `row` passes every condition of `row_filter`."""
    return (
        table_of(row.id) in row_filter.tables
        and is_live(row, include_superseded=row_filter.include_superseded)
        and (row_filter.include_private or not row.is_private)
        and row_filter.scope.admits(row.scope)
        and is_in(row_filter.window, row)
        and _tags_admit(row_filter, row.tags)
    )


def is_live(row: Row, *, include_superseded: bool = False) -> bool:
    """Return whether the row is in the part of its life in which it is found: not marked, past, redacted or declined.

    Args:
        row: any row.
        include_superseded: whether the past is found, too: what was superseded, or left with its note.
    """
    if is_declined(row):
        return False
    return row.status is RowStatus.ACTIVE or (include_superseded and is_no_longer_held(row))


def is_synthesis(row: Row) -> bool:
    """Return whether the inner voice wrote the row itself (ruling A13)."""
    return isinstance(row, Thought) and row.is_synthesis


def naming_filter(row_filter: RowFilter) -> RowFilter:
    """Return the filter for rows that are only named inside another row's text.

    Privacy, scope and excluded tags bind them as they bind a result; a date or a wanted tag is a condition on the
    result, not on every name in it.
    """
    return replace(row_filter, tables=_ALL_TABLES, window=Window(), include_tags=(), include_superseded=False)


def _tags_admit(row_filter: RowFilter, tags: Iterable[str]) -> bool:
    has = set(tags)
    wanted = not row_filter.include_tags or not has.isdisjoint(row_filter.include_tags)
    return wanted and has.isdisjoint(row_filter.exclude_tags)


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
class CataloguePage:
    """Some rows of the list."""

    rows: tuple[Row, ...]
    """The latest written first."""
    next: int | None
    """Below this number the list goes on; None: this is its end."""
    private: int = 0
    """Rows that are wanted, were passed over here, and are private."""


def catalogue_page(rows: Iterable[Row], where: CatalogueFilter, *, limit: int, bottom: int) -> CataloguePage:
    """Return the wanted rows of a stretch, at most `limit` of them.

    Args:
        rows: every row of the stretch, the latest written first.
        limit: how many are shown at most, at least 1.
        bottom: what lies at or below this number was not looked at; 0: nothing does.
    """
    found: list[Row] = []
    private = 0
    for row in rows:
        if len(found) == limit:
            return CataloguePage(rows=tuple(found), next=found[-1].seq, private=private)
        if where.admits(row):
            found.append(row)
        elif where.wants(row):
            private += 1
    return CataloguePage(rows=tuple(found), next=bottom + 1 if bottom else None, private=private)
