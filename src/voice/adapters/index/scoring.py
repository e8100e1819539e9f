"""Words: what each row's BM25 is, and what it cannot exceed.

Law: statistics are exact counts over live rows at the time of the question, so a score does not depend on how the index
came to be, and a row's score is the same bits whoever is asked about with it. A bound is never below the score.
Terms that most rows hold tell them apart so little that one number bounds them all; they are not walked through.

Source: DESIGN 5; rulings C1, C9, G.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from voice.adapters.index.picked import Picked, Places
from voice.adapters.index.ragged import Mask
from voice.adapters.index.snapshot import Snapshot
from voice.adapters.index.terms import Term
from voice.core.retrieval.ranking import WORDS_UNIT

K1: Final = 1.0
B: Final = 0.6
"""A little less than usual of both: rows of a memory are short and of like length."""
COMMON_SHARE: Final = 0.05
"""Share of all rows from which on a term may be bounded by one number."""
COMMON_BOUND: Final = 1.0
"""What all terms so bounded may add up to at most, as a BM25 score."""
_FEW: Final = 8
"""Who holds a term is asked of the dead rows rather than of all when these are one in so many."""
_CHUNK: Final = 4_096
"""Rows that are scored at a time, all terms together."""
Scores = NDArray[np.float64]
Rows = NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class Holders:
    """The rows that hold a term, by their places, which ascend, and how often each does."""

    places: Rows
    counts: NDArray[np.uint16]

    @cached_property
    def indices(self) -> Places:
        """The places as numpy picks by them: told to it as anything else, they are made these each time."""
        return self.places.astype(np.intp)

    def times_in(self, places: Rows) -> NDArray[np.uint16]:
        """Return how often the row at each of `places` holds the term."""
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
class WeighedTerm:
    """A term of the question with its weight times its inverse document frequency."""

    weight: float
    holders: Holders
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

    def add_bounds(self, snapshot: Snapshot, factor: float, out: NDArray[np.float32]) -> None:
        """Add `factor` times what the terms give each row at most, but for the common ones."""
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

    def score(self, picked: Picked) -> Scores:
        """Return the BM25 score of some rows; 0.0 where no term matches."""
        damping = K1 * (1.0 - B + B / self.mean_length * picked.lengths().astype(np.float64))
        often = np.array([term.holders.times_in(picked.places) for term in self.terms], dtype=np.uint16)
        most = np.array([term.most for term in self.terms])[:, None]
        scores = np.zeros(picked.size)
        for start in range(0, picked.size if self.terms else 0, _CHUNK):
            some = slice(start, start + _CHUNK)
            scores[some] = in_order(most * often[:, some] / (often[:, some] + damping[some]))
        return scores

    def matching(self, rows: int) -> Mask:
        """Return by place which of so many rows hold a term."""
        mask = np.zeros(rows, dtype=np.bool_)
        for term in self.terms:
            mask[term.holders.indices] = True
        return mask


def in_order(parts: Scores) -> Scores:
    """Return the sum of the lines, added one by one: a row's has the same bits whoever is asked about with it."""
    return np.add.accumulate(parts, axis=0)[-1]


def holders_of(snapshot: Snapshot, terms: Sequence[Term]) -> list[Holders]:
    """Return who holds each of the terms."""
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
    """Return the question's terms weighed against all rows; a word that no row holds weighs most.

    Args:
        snapshot: all rows.
        terms: with their weights.
        alone: whether words alone rank; then the weightiest term tells rows apart, however many hold it.
    """
    documents = sum(part.documents for part in snapshot.parts)
    total_length = sum(part.total_length for part in snapshot.parts)
    found: list[WeighedTerm] = []
    for (_, weight), holders in zip(terms, holders_of(snapshot, [term for term, _ in terms]), strict=True):
        frequency = _frequency(snapshot, holders)
        found.append(WeighedTerm(weight * _rarity(frequency, documents), holders, frequency / max(documents, 1)))
    return LexicalQuery(
        terms=_with_common_ones(found, alone=alone),
        mean_length=total_length / documents if documents else 1.0,
    )


def _joined(held: Sequence[tuple[Rows, NDArray[np.uint16]]]) -> Holders:
    if not held:
        return Holders(np.empty(0, dtype=np.uint32), np.empty(0, dtype=np.uint16))
    if len(held) == 1:
        return Holders(*held[0])
    return Holders(np.concatenate([rows for rows, _ in held]), np.concatenate([counts for _, counts in held]))


def as_share(scores: Scores) -> Scores:
    """Return BM25 scores as odds against `WORDS_UNIT`, in [0, 1)."""
    return scores / (scores + WORDS_UNIT)


def _with_common_ones(terms: Sequence[WeighedTerm], *, alone: bool) -> tuple[WeighedTerm, ...]:
    """Return the terms with those marked as common that are frequent and together add up to little."""
    room = COMMON_BOUND
    common: set[int] = set()
    most = [term.most for term in terms]
    lightest_first = sorted(range(len(terms)), key=most.__getitem__)
    for number in lightest_first[:-1] if alone else lightest_first:
        room -= most[number]
        if room < 0.0:
            break
        common.add(number)
    return tuple(
        replace(term, is_common=True) if number in common and term.share > COMMON_SHARE else term
        for number, term in enumerate(terms)
    )


def _frequency(snapshot: Snapshot, holders: Holders) -> int:
    if _FEW * len(snapshot.dead) <= len(holders.places):
        return len(holders.places) - int(np.count_nonzero(holders.times_in(snapshot.dead)))
    return int(np.count_nonzero(snapshot.live.take(holders.indices)))


def _rarity(frequency: int, documents: int) -> float:
    return log(1.0 + (documents - frequency + 0.5) / (frequency + 0.5))
