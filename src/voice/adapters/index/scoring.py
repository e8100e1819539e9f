"""The two arms, over one part at a time.

Law: both arms score every row, so nothing is cut before the arms are put together. Everything runs on the caller's one
thread: `np.vecdot` takes one dot product per row and never wakes BLAS's threads, and a row's score is the same bits
wherever the row stands. BM25's statistics are exact counts over live rows.

Source: DESIGN 5; rulings C1, C9, G.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from voice.adapters.index.ragged import Mask
from voice.adapters.index.snapshot import Part
from voice.adapters.index.terms import Term
from voice.core.retrieval.fusion import WORDS_UNIT

K1: Final = 1.0
B: Final = 0.6
"""A little less than usual of both: rows of a memory are short and of like length."""
Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class WeighedTerm:
    """A term of the question with its weight times its inverse document frequency."""

    term: Term
    weight: float


@dataclass(frozen=True, slots=True)
class LexicalQuery:
    """A question's terms against the statistics of all live rows."""

    terms: tuple[WeighedTerm, ...]
    mean_length: float


def lexical_query(parts: Sequence[Part], terms: Sequence[tuple[Term, float]]) -> LexicalQuery:
    """Return the question's terms weighed against all parts; a word that no row holds weighs most."""
    documents = sum(part.documents for part in parts)
    total_length = sum(part.total_length for part in parts)
    weighed = tuple(
        WeighedTerm(term, weight * _rarity(sum(_frequency(part, term) for part in parts), documents))
        for term, weight in terms
    )
    return LexicalQuery(
        terms=weighed,
        mean_length=total_length / documents if documents else 1.0,
    )


def lexical_scores(part: Part, query: LexicalQuery) -> Scores:
    """Return each row's BM25 score as odds against `WORDS_UNIT`, in [0, 1); 0.0 where no term matches."""
    scores = np.zeros(part.segment.size)
    for term in query.terms:
        rows, counts = part.segment.postings.of(term.term)
        if len(rows):
            times = counts.astype(np.float64)
            damping = K1 * (1.0 - B + B / query.mean_length * part.lengths[rows])
            scores[rows] += term.weight * (K1 + 1.0) * times / (times + damping)
    return scores / (scores + WORDS_UNIT)


def cosine_scores(part: Part, admitted: Mask, vector: NDArray[np.float32]) -> Scores:
    """Return the cosine of each admitted row that has a vector, and NaN for every other row."""
    scores = np.full(part.segment.size, np.nan)
    rows, matrix = part.segment.vectors.rows, part.segment.vectors.matrix
    wanted = admitted[rows]
    if 2 * np.count_nonzero(wanted) < len(rows):
        rows, matrix = rows[wanted], matrix[wanted]
    cosines = np.vecdot(matrix, vector)
    if len(rows) == len(scores):
        scores = cosines.astype(np.float64)
    else:
        scores[rows] = cosines
    scores[~admitted] = np.nan
    return scores


def _frequency(part: Part, term: Term) -> int:
    rows, _ = part.segment.postings.of(term)
    if part.live_rows == part.segment.size:
        return len(rows)
    return int(np.count_nonzero(part.live[rows]))


def _rarity(frequency: int, documents: int) -> float:
    return log(1.0 + (documents - frequency + 0.5) / (frequency + 0.5))
