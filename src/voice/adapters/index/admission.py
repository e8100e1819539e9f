"""Which rows a read may see, before any score.

Law: a row is admitted by its facts alone; what is not admitted has no score, no count and no influence on a hit. Rows
marked for removal, redacted rows and what the inner voice wrote are never admitted.

Source: rulings A13, A18, C10; spec inner_voice.retrieve, include_tags and exclude_tags.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from voice.adapters.index.entries import FLAG_OF_TABLE, Flag, keys_of, micros, scope_keys
from voice.adapters.index.part import Part
from voice.adapters.index.ragged import Mask
from voice.core.records import Scope
from voice.core.retrieval.spoken import days_within
from voice.core.retrieval.values import RowFilter, Window
from voice.core.text.instants import UNDATED
from voice.ports.search_index import IndexQuery

_FIRST_TOLD_US: Final = micros(UNDATED.replace(year=2))
"""What stands before it is undated."""


def admitted_rows(part: Part, query: IndexQuery) -> Mask:
    """Return the rows of the part that pass the query's filter and that it does not exclude by name."""
    row_filter = query.filter
    mask = (part.flags & np.uint8(_forbidden(row_filter))) == 0
    mask = _within(mask, part, row_filter.window)
    mask = _in_scope(mask, part, row_filter.scope)
    if row_filter.include_tags:
        mask = mask & _tagged(part, row_filter.include_tags)
    if row_filter.exclude_tags:
        mask = mask & ~_tagged(part, row_filter.exclude_tags)
    if query.exclude_ids:
        mask[part.segment.keys.find(keys_of(query.exclude_ids))] = False
    return mask


def _forbidden(row_filter: RowFilter) -> Flag:
    forbidden = Flag.HIDDEN | Flag.DEAD
    for table, flag in FLAG_OF_TABLE.items():
        if table not in row_filter.tables:
            forbidden |= flag
    if not row_filter.include_private:
        forbidden |= Flag.PRIVATE
    if not row_filter.include_superseded:
        forbidden |= Flag.SUPERSEDED
    return forbidden


def _within(mask: Mask, part: Part, window: Window) -> Mask:
    """Return the rows that were told in the window, or speak of a date in it (ruling I3)."""
    if window == Window():
        return mask
    return mask & (_told_in(part, window) | _speaking_of(part, window))


def _told_in(part: Part, window: Window) -> Mask:
    created: NDArray[np.int64] = part.segment.facts.created_us
    mask = created >= _FIRST_TOLD_US
    if window.start is not None:
        mask = mask & (created >= micros(window.start))
    if window.end is not None:
        mask = mask & (created < micros(window.end))
    return mask


def _speaking_of(part: Part, window: Window) -> Mask:
    mask = np.zeros(part.segment.size, dtype=np.bool_)
    days = days_within(window)
    if days is not None:
        spoken = part.segment.spoken.values.reshape(-1, 2)
        found = np.flatnonzero((spoken[:, 0] >= days[0]) & (spoken[:, 1] <= days[1]))
        mask[part.segment.spoken.owners(2 * found)] = True
    return mask


def _in_scope(mask: Mask, part: Part, scope: Scope) -> Mask:
    if scope.everything:
        return mask
    if scope.or_unscoped:
        unscoped = ~part.segment.facts.scope.any(axis=0)
        return mask & (
            unscoped if scope.names_none else unscoped | _in_scope(mask, part, replace(scope, or_unscoped=False))
        )
    for dimension, key in enumerate(scope_keys(scope)):
        if key:
            mask = mask & (part.segment.facts.scope[dimension] == np.uint64(key))
    return mask


def _tagged(part: Part, tags: Iterable[str]) -> Mask:
    wanted = keys_of(tags)
    mask = np.zeros(part.segment.size, dtype=np.bool_)
    mask[part.segment.tags.owners(np.flatnonzero(np.isin(part.segment.tags.values, wanted)))] = True
    return mask
