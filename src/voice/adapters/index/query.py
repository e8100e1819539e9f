"""A prepared query: vector, terms, BM25 scores.

Law: statistics are exact over live rows; a row's score has the same bits in any batch. Bounds never underestimate.
Terms in most rows share one constant bound. Each score component has a float32 bound for all rows and an exact value
for few.

  own score = vector weight × max(cosine, 0) + word weight × BM25 / WORDS_UNIT      (`voice.core.retrieval.ranking`)
Source: DESIGN 5; rulings C1, C9, G; promise 5.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import log
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from voice.adapters.index.columns import Mask
from voice.adapters.index.part import Part, Places, RowSelection
from voice.adapters.index.segment import QuantisedVectors
from voice.adapters.index.snapshot import Snapshot
from voice.adapters.index.terms import Term, query_terms
from voice.core.errors import InvalidParams
from voice.core.retrieval.ranking import WORDS_UNIT
from voice.ports.search_index import IndexQuery

K1: Final = 1.0
B: Final = 0.6
"""Both below the usual values: rows are short and of similar length."""
COMMON_SHARE: Final = 0.05
"""Share of rows from which a term may have a constant bound."""
COMMON_BOUND: Final = 1.0
"""Maximum sum of constant bounds, as a BM25 score."""
_FEW: Final = 8  # frequency is counted by dead rows if these are fewer than one in this many
_CHUNK: Final = 4_096  # rows scored at a time
Scores = NDArray[np.float64]
Rows = NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class TermRows:
    """Ascending places of rows with a term, with counts."""

    places: Rows
    counts: NDArray[np.uint16]

    @cached_property
    def indices(self) -> Places:
        """The places as `intp`; other types are converted on each use."""
        return self.places.astype(np.intp)

    def times_in(self, places: Rows) -> NDArray[np.uint16]:
        """Return the term count at each of `places`."""
        if not len(self.places):
            return np.zeros(len(places), dtype=np.uint16)
        at = self.places.searchsorted(places)
        times = self.counts.take(at, mode="clip")
        times *= self.places.take(at, mode="clip") == places
        return times

    def hold(self, places: Rows) -> Mask:
        """Return whether the row at each of `places` holds the term."""
        if not len(self.places):
            return np.zeros(len(places), dtype=np.bool_)
        return self.places.take(self.places.searchsorted(places), mode="clip") == places


@dataclass(frozen=True, slots=True)
class WeightedTerm:
    """A query term with weight × inverse document frequency."""

    weight: float
    holders: TermRows
    share: float
    """Share of rows that hold it."""
    is_common: bool = False
    """Whether it has a constant bound."""

    @property
    def most(self) -> float:
        """Maximum contribution to BM25."""
        return self.weight * (K1 + 1.0)


@dataclass(frozen=True, slots=True)
class LexicalQuery:
    """Query terms with collection statistics."""

    terms: tuple[WeightedTerm, ...]
    mean_length: float

    @property
    def common(self) -> float:
        """Maximum BM25 contribution of the common terms."""
        return sum(term.most for term in self.terms if term.is_common)

    def add_bounds(self, snapshot: Snapshot, factor: float, out: NDArray[np.float32]) -> None:
        """Add `factor` × the upper bound of each row's BM25, without common terms."""
        # weight · idf · (K1 + 1) · count / (count + K1 · (1 - B + B · length / mean length))
        damping_of = np.empty(len(out), dtype=np.float32)
        for part, span in snapshot.spans():
            np.multiply(part.lengths, np.float32(K1 * B / self.mean_length), out=damping_of[span])
        damping_of += np.float32(K1 * (1.0 - B))
        for term in self.terms:
            if term.is_common:
                continue
            gain = term.holders.counts.astype(np.float32)
            damping = damping_of.take(term.holders.indices)
            damping += gain
            gain /= damping
            gain *= np.float32(factor * term.most)
            np.add.at(out, term.holders.indices, gain)

    def score(self, picked: RowSelection) -> Scores:
        """Return exact BM25 scores; 0.0 without a match."""
        damping = K1 * (1.0 - B + B / self.mean_length * picked.lengths().astype(np.float64))
        often = np.array([term.holders.times_in(picked.places) for term in self.terms], dtype=np.uint16)
        most = np.array([term.most for term in self.terms])[:, None]  # one line per term
        scores = np.zeros(picked.size)
        for start in range(0, picked.size if self.terms else 0, _CHUNK):
            some = slice(start, start + _CHUNK)
            scores[some] = sum_in_order(most * often[:, some] / (often[:, some] + damping[some]))
        return scores

    def matching(self, rows: int) -> Mask:
        """Return the mask of rows with a term."""
        mask = np.zeros(rows, dtype=np.bool_)
        for term in self.terms:
            mask[term.holders.indices] = True
        return mask


def sum_in_order(parts: Scores) -> Scores:
    """Sum sequentially, so that each row's bits are independent of the batch."""
    return np.add.accumulate(parts, axis=0)[-1]


def rows_of_terms(snapshot: Snapshot, terms: Sequence[Term]) -> list[TermRows]:
    """Return the rows of each term."""
    wanted = np.array(terms, dtype=np.uint64)
    found: list[list[tuple[Rows, NDArray[np.uint16]]]] = [[] for _ in terms]
    for part, places in snapshot.spans():
        postings, offset = part.segment.postings, np.uint32(places.start)
        for held, (start, end) in zip(found, postings.spans(wanted), strict=True):
            if start < end:
                rows = postings.rows[start:end]
                held.append((rows + offset if offset else rows, postings.counts[start:end]))
    return [_joined(held) for held in found]


def lexical_query(snapshot: Snapshot, terms: Sequence[tuple[Term, float]], *, alone: bool = False) -> LexicalQuery:
    """Weigh the terms; a term in no row weighs most. If words rank `alone`, the heaviest has no constant bound."""
    documents = sum(part.documents for part in snapshot.parts)
    total_length = sum(part.total_length for part in snapshot.parts)
    found: list[WeightedTerm] = []
    for (_, weight), holders in zip(terms, rows_of_terms(snapshot, [term for term, _ in terms]), strict=True):
        frequency = _frequency(snapshot, holders)
        rarity = log(
            1.0 + (documents - frequency + 0.5) / (frequency + 0.5)
        )  # never negative, even of a term in every row
        found.append(WeightedTerm(weight * rarity, holders, frequency / max(documents, 1)))
    return LexicalQuery(
        terms=_with_common_ones(found, alone=alone), mean_length=total_length / documents if documents else 1.0
    )


def _joined(held: Sequence[tuple[Rows, NDArray[np.uint16]]]) -> TermRows:
    if not held:
        return TermRows(np.empty(0, dtype=np.uint32), np.empty(0, dtype=np.uint16))
    if len(held) == 1:
        return TermRows(*held[0])
    return TermRows(np.concatenate([rows for rows, _ in held]), np.concatenate([counts for _, counts in held]))


def as_share(scores: Scores) -> Scores:
    """Map BM25 to `score / (score + WORDS_UNIT)`, in [0, 1)."""
    return scores / (scores + WORDS_UNIT)


def _with_common_ones(terms: Sequence[WeightedTerm], *, alone: bool) -> tuple[WeightedTerm, ...]:
    """Mark frequent terms as common while their sum stays below `COMMON_BOUND`."""
    room = COMMON_BOUND
    common: set[int] = set()
    most = [term.most for term in terms]
    lightest_first = sorted(range(len(terms)), key=most.__getitem__)
    for number in lightest_first[:-1] if alone else lightest_first:  # the heaviest is last
        room -= most[number]
        if room < 0.0:
            break
        common.add(number)
    return tuple(
        replace(term, is_common=True) if number in common and term.share > COMMON_SHARE else term
        for number, term in enumerate(terms)
    )


def _frequency(snapshot: Snapshot, holders: TermRows) -> int:
    if _FEW * len(snapshot.dead) <= len(holders.places):
        return len(holders.places) - int(np.count_nonzero(holders.times_in(snapshot.dead)))  # fewer look-ups
    return int(np.count_nonzero(snapshot.live.take(holders.indices)))


PLACES: Final = 6  # decimals of a score, so that equal rows tie (ruling G)
_SPARSE: Final = 4  # vectors are gathered if fewer than one in this many is admitted
Bounds = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class OwnScores:
    """Own scores of rows; arm scores are rounded."""

    cosine: Scores
    """NaN if there is none."""
    lexical: Scores
    own: Scores

    def taken(self, places: Places) -> Self:
        """Return a subset."""
        return type(self)(self.cosine.take(places), self.lexical.take(places), self.own.take(places))

    def followed_by(self, other: Self) -> Self:
        """Concatenate."""
        pairs = ((self.cosine, other.cosine), (self.lexical, other.lexical), (self.own, other.own))
        return type(self)(*(np.concatenate(pair) for pair in pairs))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PreparedQuery:
    """A query against one snapshot."""

    vector: NDArray[np.float32] | None
    """Unit length."""
    sketch: QuantisedVectors | None
    words: LexicalQuery
    vector_weight: float
    word_weight: float

    @classmethod
    def of(cls, query: IndexQuery, snapshot: Snapshot, dim: int) -> Self:
        """Prepare a query. Raises InvalidParams: wrong dimension, or a vector without direction (promise 5)."""
        vector = _unit_vector(query.vector, dim)
        return cls(
            vector=vector,
            sketch=None if vector is None else QuantisedVectors.of(vector[None, :]),
            words=lexical_query(snapshot, query_terms(query.text), alone=query.vector is None),
            vector_weight=query.weights[0],
            word_weight=query.weights[1],
        )

    def own_bounds(self, snapshot: Snapshot, admitted: Mask) -> Bounds:
        """Return upper bounds of own scores by place; 0 if not admitted."""
        bounds = np.zeros(len(admitted), dtype=np.float32)
        if self.sketch is not None and self.vector_weight > 0.0:
            for part, span in snapshot.spans():
                _put_cosine_bounds(part, admitted[span], self.sketch, bounds[span])
            np.maximum(bounds, np.float32(0.0), out=bounds)  # a negative cosine counts as 0
            bounds *= np.float32(self.vector_weight)
        if self.word_weight > 0.0:
            factor = self.word_weight / WORDS_UNIT
            self.words.add_bounds(snapshot, factor, bounds)
            if common := self.words.common:
                bounds += np.float32(factor * common)
        np.copyto(bounds, 0.0, where=~admitted)
        return bounds

    def own_scores(self, picked: RowSelection) -> OwnScores:
        """Return exact own scores."""
        cosine = self._cosines(picked).round(PLACES) + 0.0  # `+ 0.0` makes 0.0 of -0.0
        lexical = as_share(self.words.score(picked)).round(PLACES)
        has_cosine = ~np.isnan(cosine)
        own = self.vector_weight * np.where(has_cosine, cosine, 0.0).clip(min=0.0)
        own += self.word_weight * lexical / (1.0 - lexical)  # BM25 / WORDS_UNIT, from its rounded share
        return OwnScores(cosine, lexical, own)

    def matched(self, snapshot: Snapshot, admitted: Mask) -> Mask:
        """Return the admitted rows with a comparable vector or a term."""
        if self.vector is None:
            return admitted & self.words.matching(len(admitted))
        if all(len(part.segment.vectors.rows) == part.segment.size for part in snapshot.parts):  # every row has one
            return admitted
        matching = self.words.matching(len(admitted))
        return admitted & (matching | np.concatenate([part.has_vector for part in snapshot.parts]))

    def _cosines(self, picked: RowSelection) -> Scores:
        cosines = np.full(picked.size, np.nan)
        if self.vector is None:
            return cosines
        for piece in picked.pieces:
            vectors, mine, places = piece.part.segment.vectors, piece.mine, piece.rows.astype(np.intp)
            if len(vectors.rows) < piece.part.segment.size:
                there = piece.part.has_vector[piece.rows]
                mine, places = mine[there], vectors.rows.searchsorted(piece.rows[there])
            # Row by row: bits of a matrix product depend on the batch.
            cosines[mine] = np.vecdot(vectors.taken(places), self.vector)
        return cosines


def _put_cosine_bounds(part: Part, admitted: Mask, question: QuantisedVectors, out: Bounds) -> None:
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
    if not np.isfinite(length) or length == 0.0:  # NaN and infinity come from a faulty encoder
        raise InvalidParams("the query's vector is zero or not finite")
    return (vector / length).astype(np.float32)
