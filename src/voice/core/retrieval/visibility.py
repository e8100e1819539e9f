"""Whether a row may be seen at all.

Law: nothing that fails here is ranked, counted or rendered, whichever table it is in (promise 6). The index applies the
same filter before it ranks; the rows themselves are asked again, so that a stale index cannot show what is no longer
to be seen. What the inner voice wrote itself is never seen (ruling A13).

Source: spec inner_voice.retrieve, Constraints; spec retrieval-contract, Scoping; rulings A13, A18, C10, F.
"""

from collections.abc import Iterable
from dataclasses import replace

from voice.core.graph.row_lifetime import is_no_longer_held
from voice.core.graph.vouching import is_declined
from voice.core.records import Row, RowStatus, Table, Thought, table_of
from voice.core.retrieval.spoken import is_in
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
