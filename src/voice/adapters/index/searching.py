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
    parts, tables = snapshot.parts, sorted(query.filter.tables)
    asked = Asked.of(query, parts, dim)
    admitted = [admitted_rows(part, query) for part in parts]
    matched = [asked.matched(number, part, admitted[number]) for number, part in enumerate(parts)]
    found = _counts(parts, admitted, tables)
    is_same = all(mask is other for mask, other in zip(admitted, matched, strict=True))
    counted = found if is_same else _counts(parts, matched, tables)
    hits: list[Hit] = []
    if query.limit > 0 and any(counted.values()):
        field = _field(snapshot, query, asked, admitted, matched)
        hits = best_hits(field, [table for table in tables if counted[table]], effort)
    return IndexAnswer(
        hits=tuple(hits),
        admitted=found,
        matched=counted,
        excluded_other_model=sum(_without_vector(part, mask) for part, mask in zip(parts, admitted, strict=True)),
        folded_seq=snapshot.folded_seq,
    )


def _field(
    snapshot: Snapshot, query: IndexQuery, asked: Asked, admitted: Sequence[Mask], matched: Sequence[Mask]
) -> Field:
    offsets = snapshot.offsets.tolist()
    own = np.zeros(offsets[-1], dtype=np.float32)
    for number, part in enumerate(snapshot.parts):
        asked.own_bounds(number, part, admitted[number], own[offsets[number] : offsets[number + 1]])
    speaker, admits = np.uint64(speaker_key(query.speaker)), np.concatenate(admitted)
    return Field(
        snapshot=snapshot,
        asked=asked,
        query=query,
        matched=np.concatenate(matched),
        own=own,
        speaker=np.concatenate([part.segment.facts.speaker == speaker for part in snapshot.parts]) if speaker else None,
        coverage=Coverage.of(asked.words, snapshot.parts, admits) if query.coverage_weight > 0.0 else None,
        asking=holders_of(snapshot.parts, ASKS),
    )


def _counts(parts: Sequence[Part], masks: Sequence[Mask], tables: Sequence[Table]) -> Mapping[Table, int]:
    sizes = [int(np.count_nonzero(mask)) for mask in masks]
    triples = list(zip(parts, masks, sizes, strict=True))
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
