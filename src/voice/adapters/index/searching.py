"""One search: admit, bound both arms over all rows, choose, count.

Law: counts are true counts over all rows, and do not depend on what is looked at in full (`choosing`).

Source: DESIGN 5; rulings C1, C9, G; promises 5 and 8.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from voice.adapters.index.admission import admitted_rows
from voice.adapters.index.asked import Asked
from voice.adapters.index.choosing import Effort, best_hits
from voice.adapters.index.coverage import Coverage
from voice.adapters.index.entries import FLAG_OF_TABLE, speaker_key
from voice.adapters.index.field import Field
from voice.adapters.index.part import Part
from voice.adapters.index.ragged import Mask
from voice.adapters.index.scoring import holders_of
from voice.adapters.index.snapshot import Snapshot
from voice.adapters.index.terms import ASKS
from voice.core.records import Table
from voice.core.retrieval.values import Hit
from voice.ports.search_index import IndexAnswer, IndexQuery


def search(snapshot: Snapshot, query: IndexQuery, dim: int, effort: Effort) -> IndexAnswer:
    """Return the best rows of each table that pass the query's filter.

    Raises:
        InvalidParams: the query's vector has another dimension than the index (promise 5).
    """
    tables = sorted(query.filter.tables)
    asked = Asked.of(query, snapshot, dim)
    admitted = _admitted(snapshot, query)
    matched = asked.matched(snapshot, admitted)
    found = _counts(snapshot, admitted, tables)
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


def _admitted(snapshot: Snapshot, query: IndexQuery) -> Mask:
    """Return by place which rows pass the query's filter."""
    masks = [admitted_rows(part, query) for part in snapshot.parts]
    return np.concatenate(masks) if masks else np.zeros(0, dtype=np.bool_)


def _field(snapshot: Snapshot, query: IndexQuery, asked: Asked, admitted: Mask, matched: Mask) -> Field:
    speaker = np.uint64(speaker_key(query.speaker))
    (asking,) = holders_of(snapshot, [ASKS])
    return Field(
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
    """Return how many of the rows in `mask`, which are live and `size` in all, the table has."""
    if size == part.live_rows:
        return part.rows_of[table]
    if part.rows_of[table] in {0, part.live_rows}:
        return size if part.rows_of[table] else 0
    return int(np.count_nonzero(part.flags & mask * np.uint8(FLAG_OF_TABLE[table])))


def _without_vector(part: Part, admitted: Mask) -> int:
    if len(part.segment.vectors.rows) == part.segment.size:
        return 0
    return int(np.count_nonzero(admitted & ~part.has_vector))
