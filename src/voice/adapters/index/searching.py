"""One search: admit, score both arms, put them together, choose.

Law: the choice is by absolute scores in the order `(-score, table, id)`; per table, a smaller limit gives a prefix of a
larger one. The score is the sum of `voice.core.retrieval.fusion`, taken over whole columns, so nothing is cut early.

Source: DESIGN 5; rulings C1, C9, G; promises 5 and 8.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

import numpy as np
from numpy.typing import NDArray

from voice.adapters.index.admission import admitted_rows
from voice.adapters.index.entries import FLAG_OF_TABLE, speaker_key
from voice.adapters.index.neighbours import better_neighbour
from voice.adapters.index.ragged import Mask
from voice.adapters.index.scoring import Scores, cosine_scores, lexical_query, lexical_scores
from voice.adapters.index.snapshot import Part, Snapshot
from voice.adapters.index.terms import query_terms
from voice.core.errors import InvalidParams
from voice.core.records import Table
from voice.core.retrieval.values import Hit
from voice.ports.search_index import IndexAnswer, IndexQuery

_PLACES: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Columns:
    """All rows of all parts, one after another; scores are rounded already."""

    parts: Sequence[Part]
    offsets: Sequence[int]
    flags: NDArray[np.uint8]
    admitted: Mask
    cosine: Scores
    """NaN where there is none."""
    lexical: Scores
    own: Scores
    """0.0 for rows that are not admitted: they lend nothing to their neighbours."""
    speaker: Mask
    matched: Mask

    def in_table(self, table: Table) -> Mask:
        """Return which rows belong to the table."""
        return (self.flags & np.uint8(FLAG_OF_TABLE[table])) != 0

    def row_id(self, place: int) -> str:
        """Return the id of the row at `place`."""
        number = bisect_right(self.offsets, place) - 1
        return self.parts[number].segment.row_id(place - self.offsets[number])

    def created_us(self, place: int) -> int:
        """Return when the row at `place` was made."""
        number = bisect_right(self.offsets, place) - 1
        return int(self.parts[number].segment.facts["created_us"][place - self.offsets[number]])

    def first_by_id(self, places: NDArray[np.intp], most: int) -> NDArray[np.intp]:
        """Return some of the places, among them the `most` whose ids come first; places ascend."""
        bounds = np.searchsorted(places, [*self.offsets, len(self.flags)])
        kept = [
            part.first_by_id(places[start:end] - offset, most) + offset
            for part, offset, start, end in zip(self.parts, self.offsets, bounds[:-1], bounds[1:], strict=True)
        ]
        return np.concatenate(kept)


def search(snapshot: Snapshot, query: IndexQuery, dim: int) -> IndexAnswer:
    """Return the best rows of each table that pass the query's filter.

    Raises:
        InvalidParams: the query's vector has another dimension than the index (promise 5).
    """
    vector = _unit_vector(query.vector, dim)
    tables = sorted(query.filter.tables)
    columns = _columns(snapshot.parts, query, vector) if snapshot.parts else None
    if columns is None:
        zero = dict.fromkeys(tables, 0)
        return IndexAnswer(hits=(), admitted=zero, matched=zero, excluded_other_model=0, folded_seq=snapshot.folded_seq)
    return IndexAnswer(
        hits=tuple(hit for table in tables for hit in _best(columns, table, query)),
        admitted=_counts(columns, columns.admitted, tables),
        matched=_counts(columns, columns.matched, tables),
        excluded_other_model=_without_vector(columns),
        folded_seq=snapshot.folded_seq,
    )


def _unit_vector(data: bytes | None, dim: int) -> NDArray[np.float32] | None:
    if data is None:
        return None
    if len(data) != 4 * dim:
        raise InvalidParams(f"the query's vector has {len(data)} bytes; this index holds vectors of dimension {dim}")
    vector = np.frombuffer(data, dtype="<f4")
    length = float(np.linalg.norm(vector.astype(np.float64)))
    if not np.isfinite(length) or length == 0.0:
        raise InvalidParams("the query's vector has no direction")
    return (vector / np.float32(length)).astype(np.float32)


def _columns(parts: Sequence[Part], query: IndexQuery, vector: NDArray[np.float32] | None) -> _Columns:
    masks = [admitted_rows(part, query) for part in parts]
    words = lexical_query(parts, query_terms(query.text))
    admitted = np.concatenate(masks)
    lexical = np.concatenate([lexical_scores(part, words) for part in parts]).round(_PLACES) * admitted
    if vector is None:
        cosine = np.full(len(admitted), np.nan)
    else:
        scored = [cosine_scores(part, mask, vector) for part, mask in zip(parts, masks, strict=True)]
        cosine = np.concatenate(scored).round(_PLACES) + 0.0
    has_cosine = ~np.isnan(cosine)
    weight, word_weight = query.weights
    own = weight * np.where(has_cosine, cosine, 0.0).clip(min=0.0) + word_weight * lexical / (1.0 - lexical)
    speaker = np.uint64(speaker_key(query.speaker))
    return _Columns(
        parts=parts,
        offsets=list(accumulate((part.segment.size for part in parts[:-1]), initial=0)),
        flags=np.concatenate([part.flags for part in parts]),
        admitted=admitted,
        cosine=cosine,
        lexical=lexical,
        own=own,
        speaker=admitted & bool(speaker) & np.concatenate([part.segment.facts["speaker"] == speaker for part in parts]),
        matched=admitted & (has_cosine | (lexical > 0.0)),
    )


def _best(columns: _Columns, table: Table, query: IndexQuery) -> list[Hit]:
    """Return the table's hits, best first by (score, id)."""
    inside = columns.in_table(table)
    places = np.flatnonzero(columns.matched & inside)
    if not len(places) or query.limit <= 0:
        return []
    base = columns.own + query.speaker_weight * columns.speaker
    neighbour = np.zeros(len(base))
    if query.neighbour_weight > 0.0:
        least = _kth_largest(base[places], query.limit)
        neighbour = _neighbour_scores(columns, inside, _no_lower_than(least, query))
    score = (base + query.neighbour_weight * neighbour).round(_PLACES)
    least = _kth_largest(score[places], query.limit)
    better, ties = places[score[places] > least], places[score[places] == least]
    chosen = np.concatenate([better, columns.first_by_id(ties, query.limit)]).tolist()
    ranked = sorted((-score[place], columns.row_id(place), place) for place in chosen)
    return [_hit(columns, table, row_id, place, float(neighbour[place])) for _, row_id, place in ranked[: query.limit]]


def _no_lower_than(least: float, query: IndexQuery) -> float:
    """Return the own score below which a row whose neighbours are below it too cannot reach `least`."""
    return (least - max(query.speaker_weight, 0.0)) / (1.0 + query.neighbour_weight)


def _neighbour_scores(columns: _Columns, inside: Mask, cut: float) -> Scores:
    strong = columns.admitted & inside & (columns.own >= cut) & (columns.own > 0.0)
    found = better_neighbour(columns.parts, columns.offsets, columns.own, np.flatnonzero(strong))
    return found.round(_PLACES)


def _kth_largest(scores: Scores, k: int) -> float:
    if len(scores) <= k:
        return float(scores.min())
    return float(np.partition(scores, len(scores) - k)[len(scores) - k])


def _hit(columns: _Columns, table: Table, row_id: str, place: int, neighbour: float) -> Hit:
    cosine = float(columns.cosine[place])
    return Hit(
        row_id=row_id,
        table=table,
        cosine=None if np.isnan(cosine) else cosine,
        lexical=float(columns.lexical[place]),
        neighbour=neighbour,
        is_speaker=bool(columns.speaker[place]),
        created_us=columns.created_us(place),
    )


def _counts(columns: _Columns, mask: Mask, tables: Sequence[Table]) -> Mapping[Table, int]:
    return {table: int(np.count_nonzero(mask & columns.in_table(table))) for table in tables}


def _without_vector(columns: _Columns) -> int:
    has_vector = np.zeros(len(columns.flags), dtype=np.bool_)
    for part, offset in zip(columns.parts, columns.offsets, strict=True):
        has_vector[offset + part.segment.vectors.rows.astype(np.intp)] = True
    return int(np.count_nonzero(columns.admitted & ~has_vector))
