"""One search: admit, bound both arms, choose, count.

Law: counts are exact over all rows, independent of effort.
Source: DESIGN 5; rulings C1, C9, G; promises 5 and 8.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from voice.adapters.index.columns import FLAG_OF_TABLE, Flag, Mask, keys_of, scope_keys, speaker_key, to_micros
from voice.adapters.index.part import Part
from voice.adapters.index.query import PreparedQuery, rows_of_terms
from voice.adapters.index.row_scores import Coverage, RowScores
from voice.adapters.index.snapshot import Snapshot
from voice.adapters.index.terms import ASKS
from voice.adapters.index.top_k import SearchEffort, best_hits
from voice.core.records import Scope, Table
from voice.core.retrieval.searchable_text import days_within
from voice.core.retrieval.values import Hit, RowFilter, Window
from voice.core.text.instants import UNDATED
from voice.ports.search_index import IndexAnswer, IndexQuery

_FIRST_TOLD_US: Final = to_micros(UNDATED.replace(year=2))  # earlier values are undated


def admitted_rows(part: Part, query: IndexQuery) -> Mask:
    """Return the rows that pass the filter and are not excluded by id."""
    row_filter = query.filter
    mask = (part.flags & np.uint8(_forbidden(row_filter))) == 0
    if row_filter.window != Window():  # told in the window, or mentioning a date in it (ruling I3)
        mask = mask & (_told_in(part, row_filter.window) | _speaking_of(part, row_filter.window))
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


def _told_in(part: Part, window: Window) -> Mask:
    created: NDArray[np.int64] = part.segment.facts.created_us
    mask = created >= _FIRST_TOLD_US  # an undated row is in no window
    if window.start is not None:
        mask = mask & (created >= to_micros(window.start))
    if window.end is not None:
        mask = mask & (created < to_micros(window.end))
    return mask


def _speaking_of(part: Part, window: Window) -> Mask:
    mask = np.zeros(part.segment.size, dtype=np.bool_)
    days = days_within(window)
    if days is not None:
        spoken = part.segment.spoken.values.reshape(-1, 2)
        found = np.flatnonzero((spoken[:, 0] >= days[0]) & (spoken[:, 1] <= days[1]))  # all of it is in the window
        mask[part.segment.spoken.owners(2 * found)] = True  # two values per mention
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
        if key:  # what the scope does not name may be anything
            mask = mask & (part.segment.facts.scope[dimension] == np.uint64(key))
    return mask


def _tagged(part: Part, tags: Iterable[str]) -> Mask:
    wanted = keys_of(tags)
    mask = np.zeros(part.segment.size, dtype=np.bool_)
    mask[part.segment.tags.owners(np.flatnonzero(np.isin(part.segment.tags.values, wanted)))] = True
    return mask


def search(snapshot: Snapshot, query: IndexQuery, dim: int, effort: SearchEffort) -> IndexAnswer:
    """Return the best rows per table. Raises InvalidParams: wrong dimension of the query's vector (promise 5)."""
    tables = sorted(query.filter.tables)
    asked = PreparedQuery.of(query, snapshot, dim)
    masks = [admitted_rows(part, query) for part in snapshot.parts]
    admitted = np.concatenate(masks) if masks else np.zeros(0, dtype=np.bool_)
    matched = asked.matched(snapshot, admitted)
    found = _counts(snapshot, admitted, tables)
    # Counted once where both are the same.
    counted = found if matched is admitted else _counts(snapshot, matched, tables)
    hits: list[Hit] = []
    if query.limit > 0 and any(counted.values()):
        field = _field(snapshot, query, asked, admitted, matched)
        hits = best_hits(field, [table for table in tables if counted[table]], effort)
    return IndexAnswer(
        hits=tuple(hits),
        admitted=found,
        matched=counted,
        excluded_other_model=sum(_without_vector(part, admitted[span]) for part, span in snapshot.spans()),
        folded_seq=snapshot.folded_seq,
    )


def _field(snapshot: Snapshot, query: IndexQuery, asked: PreparedQuery, admitted: Mask, matched: Mask) -> RowScores:
    speaker = np.uint64(speaker_key(query.speaker))
    (asking,) = rows_of_terms(snapshot, [ASKS])
    return RowScores(
        snapshot=snapshot,
        asked=asked,
        query=query,
        matched=matched,
        all_match=bool(matched.all()),
        own=asked.own_bounds(snapshot, admitted),
        speaker=np.concatenate([part.segment.facts.speaker == speaker for part in snapshot.parts]) if speaker else None,
        coverage=Coverage.of(asked.words, admitted) if query.coverage_weight > 0.0 else None,
        asking=asking,
    )


def _counts(snapshot: Snapshot, rows: Mask, tables: Sequence[Table]) -> Mapping[Table, int]:
    masks = [(part, rows[span]) for part, span in snapshot.spans()]
    triples = [(part, mask, int(np.count_nonzero(mask))) for part, mask in masks]
    return {table: sum(_count(part, mask, size, table) for part, mask, size in triples) for table in tables}


def _count(part: Part, mask: Mask, size: int, table: Table) -> int:
    """Count the rows of a table in `mask`, which has `size` live rows."""
    if size == part.live_rows:
        return part.rows_of[table]
    if part.rows_of[table] in {0, part.live_rows}:  # only that table, or none of it
        return size if part.rows_of[table] else 0
    return int(np.count_nonzero(part.flags & mask * np.uint8(FLAG_OF_TABLE[table])))


def _without_vector(part: Part, admitted: Mask) -> int:
    if len(part.segment.vectors.rows) == part.segment.size:
        return 0
    return int(np.count_nonzero(admitted & ~part.has_vector))
