"""A question made ready: its vector, its words and what each counts for.

Law: a row's own score is a sum of parts, each given twice here: as a bound for all rows at once, in float32 and never
too low, and exactly for a few rows. A further part of the score is one more term in `own_bounds` and in `own_scores`,
and nothing else changes.

    own score = vector weight × max(cosine, 0) + word weight × BM25 / WORDS_UNIT      (`voice.core.retrieval.ranking`)

Source: DESIGN 5; rulings C1, C9; promise 5.
"""

from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from voice.adapters.index.part import Part
from voice.adapters.index.picked import Picked, Places
from voice.adapters.index.ragged import Mask
from voice.adapters.index.scoring import LexicalQuery, Scores, as_share, lexical_query
from voice.adapters.index.sketch import Sketch
from voice.adapters.index.snapshot import Snapshot
from voice.adapters.index.terms import query_terms
from voice.core.errors import InvalidParams
from voice.core.retrieval.ranking import WORDS_UNIT
from voice.ports.search_index import IndexQuery

PLACES: Final = 6
_SPARSE: Final = 4
"""Vectors are picked out rather than scanned when fewer than one in so many is admitted."""
Bounds = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class OwnScores:
    """What some rows score by themselves; arm scores are rounded."""

    cosine: Scores
    """NaN where there is none."""
    lexical: Scores
    own: Scores

    def taken(self, places: Places) -> Self:
        """Return those of some rows."""
        return type(self)(self.cosine.take(places), self.lexical.take(places), self.own.take(places))

    def followed_by(self, other: Self) -> Self:
        """Return these and others."""
        pairs = ((self.cosine, other.cosine), (self.lexical, other.lexical), (self.own, other.own))
        return type(self)(*(np.concatenate(pair) for pair in pairs))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Asked:
    """One question against one snapshot."""

    vector: NDArray[np.float32] | None
    """Of length 1."""
    sketch: Sketch | None
    words: LexicalQuery
    vector_weight: float
    word_weight: float

    @classmethod
    def of(cls, query: IndexQuery, snapshot: Snapshot, dim: int) -> Self:
        """Return the question.

        Raises:
            InvalidParams: the query's vector has another dimension than the index, or no direction (promise 5).
        """
        vector = _unit_vector(query.vector, dim)
        return cls(
            vector=vector,
            sketch=None if vector is None else Sketch.of(vector[None, :]),
            words=lexical_query(snapshot, query_terms(query.text), alone=query.vector is None),
            vector_weight=query.weights[0],
            word_weight=query.weights[1],
        )

    def own_bounds(self, snapshot: Snapshot, admitted: Mask) -> Bounds:
        """Return by place what the rows score by themselves at most; 0 for those that are not admitted."""
        bounds = np.zeros(len(admitted), dtype=np.float32)
        if self.sketch is not None and self.vector_weight > 0.0:
            for part, span in snapshot.spans():
                _put_cosine_bounds(part, admitted[span], self.sketch, bounds[span])
            np.maximum(bounds, np.float32(0.0), out=bounds)
            bounds *= np.float32(self.vector_weight)
        if self.word_weight > 0.0:
            factor = self.word_weight / WORDS_UNIT
            self.words.add_bounds(snapshot, factor, bounds)
            if common := self.words.common:
                bounds += np.float32(factor * common)
        np.copyto(bounds, 0.0, where=~admitted)
        return bounds

    def own_scores(self, picked: Picked) -> OwnScores:
        """Return what some rows score by themselves, exactly."""
        cosine = self._cosines(picked).round(PLACES) + 0.0
        lexical = as_share(self.words.score(picked)).round(PLACES)
        has_cosine = ~np.isnan(cosine)
        own = self.vector_weight * np.where(has_cosine, cosine, 0.0).clip(min=0.0)
        own += self.word_weight * lexical / (1.0 - lexical)
        return OwnScores(cosine, lexical, own)

    def matched(self, snapshot: Snapshot, admitted: Mask) -> Mask:
        """Return which admitted rows, by place, have a comparable vector or hold a term."""
        if self.vector is None:
            return admitted & self.words.matching(len(admitted))
        if all(len(part.segment.vectors.rows) == part.segment.size for part in snapshot.parts):
            return admitted
        matching = self.words.matching(len(admitted))
        return admitted & (matching | np.concatenate([part.has_vector for part in snapshot.parts]))

    def _cosines(self, picked: Picked) -> Scores:
        cosines = np.full(picked.size, np.nan)
        if self.vector is None:
            return cosines
        for piece in picked.pieces:
            vectors, mine, places = piece.part.segment.vectors, piece.mine, piece.rows.astype(np.intp)
            if len(vectors.rows) < piece.part.segment.size:
                there = piece.part.has_vector[piece.rows]
                mine, places = mine[there], vectors.rows.searchsorted(piece.rows[there])
            cosines[mine] = np.vecdot(vectors.taken(places), self.vector)
        return cosines


def _put_cosine_bounds(part: Part, admitted: Mask, question: Sketch, out: Bounds) -> None:
    vectors = part.segment.vectors
    is_dense = len(vectors.rows) == len(out)
    wanted = admitted if is_dense else admitted[vectors.rows]
    if _SPARSE * np.count_nonzero(wanted) < len(wanted):
        places = np.flatnonzero(wanted)
        bounds = np.empty(len(places), dtype=np.float32)
        vectors.sketch.taken(places).bounds(question, bounds)
        out[vectors.rows[places]] = bounds
    elif is_dense:
        vectors.sketch.bounds(question, out)
    else:
        bounds = np.empty(len(vectors.rows), dtype=np.float32)
        vectors.sketch.bounds(question, bounds)
        out[vectors.rows] = bounds


def _unit_vector(data: bytes | None, dim: int) -> NDArray[np.float32] | None:
    if data is None:
        return None
    if len(data) != 4 * dim:
        raise InvalidParams(f"the query's vector has {len(data)} bytes; this index holds vectors of dimension {dim}")
    vector = np.frombuffer(data, dtype="<f4").astype(np.float64)  # the length of a float32 need not be one
    length = float(np.linalg.norm(vector))
    if not np.isfinite(length) or length == 0.0:
        raise InvalidParams("the query's vector has no direction")
    return (vector / length).astype(np.float32)
