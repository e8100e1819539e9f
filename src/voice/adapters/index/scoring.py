"""Words: what each row's BM25 is, and what it cannot exceed.

Law: statistics are exact counts over live rows at the time of the question, so a score does not depend on how the index
came to be, and a row's score is the same bits whoever is asked about with it. A bound is never below the score.
Terms that most rows hold tell them apart so little that one number bounds them all; they are not walked through.

Source: DESIGN 5; rulings C1, C9, G.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from voice.adapters.index.part import Part
from voice.adapters.index.picked import Picked
from voice.adapters.index.ragged import Mask
from voice.adapters.index.terms import Term
from voice.core.retrieval.fusion import WORDS_UNIT

K1: Final = 1.0
B: Final = 0.6
"""A little less than usual of both: rows of a memory are short and of like length."""
COMMON_SHARE: Final = 0.05
"""Share of all rows from which on a term may be bounded by one number."""
COMMON_BOUND: Final = 1.0
"""What all terms so bounded may add up to at most, as a BM25 score."""
Scores = NDArray[np.float64]
Rows = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Holders:
    """The rows of one part that hold a term, ascending, and how often each does."""

    rows: Rows
    counts: NDArray[np.uint16]

    def times_in(self, rows: Rows) -> NDArray[np.uint16]:
        """Return how often each of `rows` holds the term; at least one row must."""
        place = self.rows.searchsorted(rows)
        times = self.counts.take(place, mode="clip")
        times *= self.rows.take(place, mode="clip") == rows
        return times


@dataclass(frozen=True, slots=True)
class WeighedTerm:
    """A term of the question with its weight times its inverse document frequency."""

    weight: float
    holders: tuple[Holders, ...]
    """By part."""
    share: float
    """Share of all rows that hold it."""
    is_common: bool = False
    """Whether one number bounds what it adds to any row."""

    @property
    def most(self) -> float:
        """What the term adds to any row's BM25 at most."""
        return self.weight * (K1 + 1.0)


@dataclass(frozen=True, slots=True)
class LexicalQuery:
    """A question's terms against the statistics of all live rows."""

    terms: tuple[WeighedTerm, ...]
    mean_length: float

    @property
    def common(self) -> float:
        """What the common terms add to any row's BM25 at most."""
        return sum(term.most for term in self.terms if term.is_common)

    def add_bounds(self, number: int, part: Part, factor: float, out: NDArray[np.float32]) -> None:
        """Add `factor` times what the terms give each row of part `number` at most, but for the common ones."""
        damping_of = part.lengths * np.float32(K1 * B / self.mean_length)
        damping_of += np.float32(K1 * (1.0 - B))
        for term in self.terms:
            holders = term.holders[number]
            if term.is_common or not len(holders.rows):
                continue
            gain = holders.counts.astype(np.float32)
            damping = damping_of.take(holders.rows)
            damping += gain
            gain /= damping
            gain *= np.float32(factor * term.most)
            out[holders.rows] += gain

    def score(self, picked: Picked) -> Scores:
        """Return the BM25 score of some rows; 0.0 where no term matches."""
        damping = K1 * (1.0 - B + B / self.mean_length * picked.lengths().astype(np.float64))
        scores = np.zeros(picked.size)
        for term in self.terms:
            often = times_of(term.holders, picked)
            scores += term.most * often / (often + damping)
        return scores

    def matching(self, number: int, part: Part) -> Mask:
        """Return which rows of part `number` hold a term."""
        mask = np.zeros(part.segment.size, dtype=np.bool_)
        for term in self.terms:
            mask[term.holders[number].rows] = True
        return mask


def times_of(holders: Sequence[Holders], picked: Picked) -> NDArray[np.uint16]:
    """Return how often each of some rows holds a term, given who holds it by part."""
    times = np.zeros(picked.size, dtype=np.uint16)
    for piece in picked.pieces:
        held = holders[piece.number]
        if len(held.rows):
            times[piece.mine] = held.times_in(piece.rows)
    return times


def holders_of(parts: Sequence[Part], term: Term) -> tuple[Holders, ...]:
    """Return who holds a term, by part."""
    return tuple(Holders(*part.segment.postings.of(term)) for part in parts)


def lexical_query(parts: Sequence[Part], terms: Sequence[tuple[Term, float]], *, alone: bool = False) -> LexicalQuery:
    """Return the question's terms weighed against all parts; a word that no row holds weighs most.

    Args:
        parts: all of them.
        terms: with their weights.
        alone: whether words alone rank; then the weightiest term tells rows apart, however many hold it.
    """
    documents = sum(part.documents for part in parts)
    total_length = sum(part.total_length for part in parts)
    found: list[WeighedTerm] = []
    for term, weight in terms:
        holders = holders_of(parts, term)
        frequency = sum(_frequency(part, held.rows) for part, held in zip(parts, holders, strict=True))
        found.append(WeighedTerm(weight * _rarity(frequency, documents), holders, frequency / max(documents, 1)))
    return LexicalQuery(
        terms=_with_common_ones(found, alone=alone),
        mean_length=total_length / documents if documents else 1.0,
    )


def as_share(scores: Scores) -> Scores:
    """Return BM25 scores as odds against `WORDS_UNIT`, in [0, 1)."""
    return scores / (scores + WORDS_UNIT)


def _with_common_ones(terms: Sequence[WeighedTerm], *, alone: bool) -> tuple[WeighedTerm, ...]:
    """Return the terms with those marked as common that are frequent and together add up to little."""
    room = COMMON_BOUND
    common: set[int] = set()
    lightest_first = sorted(range(len(terms)), key=lambda number: terms[number].most)
    for number in lightest_first[:-1] if alone else lightest_first:
        room -= terms[number].most
        if room < 0.0:
            break
        common.add(number)
    return tuple(
        replace(term, is_common=number in common and term.share > COMMON_SHARE) for number, term in enumerate(terms)
    )


def _frequency(part: Part, rows: Rows) -> int:
    if part.live_rows == part.segment.size:
        return len(rows)
    return int(np.count_nonzero(part.live[rows]))


def _rarity(frequency: int, documents: int) -> float:
    return log(1.0 + (documents - frequency + 0.5) / (frequency + 0.5))
