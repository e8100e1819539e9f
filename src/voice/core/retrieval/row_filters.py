"""Which rows may be seen, and which are listed in the catalogue.

Law: invisible rows are never ranked, counted or rendered (promise 6). Index and rows are both filtered, so a stale
index reveals nothing; the inner voice's own writings are excluded (ruling A13). The catalogue is ordered by last write
(`seq`), so its cursor is one number and a page costs O(page).
Source: spec inner_voice.retrieve, Constraints; spec retrieval-contract, Scoping; rulings A13, A18, C10, F; DESIGN 4, 8.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from voice.core.graph.removal.lifecycle import is_no_longer_held
from voice.core.graph.thoughts.vouching import is_declined
from voice.core.records import Row, RowStatus, Table, Thought, table_of
from voice.core.retrieval.indexed_text import is_in
from voice.core.retrieval.values import RowFilter, Window

ALL_TABLES: Final = frozenset(Table)
LIVE: Final = frozenset({RowStatus.ACTIVE})


def admits(row_filter: RowFilter, row: Row) -> bool:
    """Return whether `row` may be seen and was not written by the inner voice."""
    return may_be_seen(row_filter, row) and not is_synthesis(row)


def may_be_seen(row_filter: RowFilter, row: Row) -> bool:
    """Return whether `row` passes every condition of `row_filter`."""
    return (
        table_of(row.id) in row_filter.tables
        and is_live(row, include_superseded=row_filter.include_superseded)
        and (row_filter.include_private or not row.is_private)
        and row_filter.scope.admits(row.scope)
        and is_in(row_filter.window, row)
        and (not row_filter.include_tags or not set(row.tags).isdisjoint(row_filter.include_tags))
        and set(row.tags).isdisjoint(row_filter.exclude_tags)
    )


def is_live(row: Row, *, include_superseded: bool = False) -> bool:
    """Return whether a row is active, or past if `include_superseded`; never if declined, deleted or redacted."""
    if is_declined(row):
        return False
    return row.status is RowStatus.ACTIVE or (include_superseded and is_no_longer_held(row))


def is_synthesis(row: Row) -> bool:
    """Return whether the inner voice wrote the row (ruling A13)."""
    return isinstance(row, Thought) and row.is_synthesis


def naming_filter(row_filter: RowFilter) -> RowFilter:
    """Return the filter for rows named in another row's text.

    Privacy, scope and excluded tags apply to names; windows and wanted tags only to results.
    """
    return replace(row_filter, tables=ALL_TABLES, window=Window(), include_tags=(), include_superseded=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueFilter:
    """Which rows to list; default: live and not private."""

    tables: frozenset[Table] = ALL_TABLES
    statuses: frozenset[RowStatus] = LIVE
    window: Window = Window()
    """When it was told, or a date it mentions."""
    include_tags: tuple[str, ...] = ()
    """Only rows with one of these."""
    include_private: bool = False

    def wants(self, row: Row) -> bool:
        """Return whether `row` matches, visible or not."""
        has_tag = not self.include_tags or not set(self.include_tags).isdisjoint(row.tags)
        is_listed = table_of(row.id) in self.tables and row.status in self.statuses
        return is_listed and has_tag and is_in(self.window, row)

    def admits(self, row: Row) -> bool:
        """Return whether `row` matches and may be seen."""
        return self.wants(row) and (self.include_private or not row.is_private)


@dataclass(frozen=True, slots=True, kw_only=True)
class CataloguePage:
    """One page of the catalogue."""

    rows: tuple[Row, ...]
    """Latest written first."""
    next: int | None
    """Cursor of the next page; None: the end."""
    private: int = 0
    """Matching private rows that were skipped."""


def catalogue_page(rows: Iterable[Row], where: CatalogueFilter, *, limit: int, bottom: int) -> CataloguePage:
    """Return one page of the matching rows.

    Args:
        rows: a range of rows, latest written first.
        limit: at least 1.
        bottom: rows with `seq` up to this were not read; 0: all were.
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
