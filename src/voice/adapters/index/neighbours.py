"""Scores and question words that adjacent rows contribute to a row.

Law: neighbours are the live rows on the same timeline within `REACH` (scores) or `AROUND` (words) and `MAX_GAP`; rows
not admitted contribute nothing. A question lends more to the next row; long rows take a smaller share and lend no
words. Coverage counts each term once and uses one bit for each of the `MOST_TERMS` heaviest terms. Following threads
instead was no better on dialogue and worse on notes.

  coverage = share taken × Σ (weight × rarity of each term in the row or around it) / WORDS_UNIT
Source: DESIGN 5 ("neighbouring items smoothed in"); promise 8.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from voice.adapters.index.columns import Mask
from voice.adapters.index.part import Places, RowSelection
from voice.adapters.index.query import LexicalQuery, Scores, TermRows, WeightedTerm, sum_in_order
from voice.adapters.index.snapshot import Snapshot
from voice.core.retrieval.ranking import WORDS_UNIT

REACH: Final = 2
AROUND: Final = 4
"""Reach of shared words (`coverage`)."""
MAX_GAP: Final = timedelta(days=1)
NOBODY: Final = -1
ANSWERED: Final = 1.5
"""Factor for what a question lends to the following row."""
ENOUGH_TERMS: Final = 120
"""About sixty words."""
_GAP_US: Final = MAX_GAP // timedelta(microseconds=1)
_MERE_QUESTION: Final = 30
"""Up to this many terms a row that ends in a question mark is a mere question."""
_STEPS: Final = [step for step in range(-AROUND, AROUND + 1) if step]
_REACHED: Final = np.array([0, *_STEPS])
NEIGHBOURS: Final = slice(AROUND - REACH, AROUND + REACH)
"""Columns of `Neighbourhood.beside` that lend scores."""
JUST_BEFORE: Final = _STEPS[NEIGHBOURS].index(-1)
"""Column of the directly preceding row among these."""


@dataclass(frozen=True, slots=True, eq=False)
class Neighbourhood:
    """Rows with their surroundings up to `AROUND`."""

    beside: Places
    """Positions per row; `NOBODY` if absent."""
    places: Places
    """Per row its own place, then its neighbours'; arbitrary for absent ones."""
    picked: RowSelection
    """All these places, flattened."""
    lengths: NDArray[np.uint32]
    """Terms of each."""

    @property
    def own_lengths(self) -> NDArray[np.uint32]:
        """Terms of the rows themselves."""
        return self.lengths[:, 0]

    def hold(self, holders: TermRows) -> Mask:
        """Return whether each row and neighbour holds a term."""
        return holders.hold(self.picked.places).reshape(self.places.shape)


def neighbourhood_of(snapshot: Snapshot, positions: Places) -> Neighbourhood:
    """Return the rows at the positions with their surroundings."""
    line = snapshot.line
    beside = positions[:, None] + _REACHED
    inside = np.minimum(np.maximum(beside, 0), max(len(line.places) - 1, 0))  # `np.clip` takes twice as long
    places = line.places[inside]
    picked = snapshot.picked(places.ravel())
    moments = picked.created_us().reshape(places.shape)
    owners = line.owner_numbers(inside)
    near = (inside == beside) & (owners == owners[:, :1]) & (np.abs(moments - moments[:, :1]) <= _GAP_US)
    lengths = picked.lengths().reshape(places.shape)
    return Neighbourhood(np.where(near, beside, NOBODY)[:, 1:], places, picked, lengths)


def neighbour_bounds(own: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return upper bounds of what neighbours lend, ignoring time gaps."""
    best = np.zeros(len(own), dtype=np.float32)
    best[1:] = own[:-1]
    best *= np.float32(ANSWERED)
    np.maximum(best[:-1], own[1:], out=best[:-1])
    for step in range(2, REACH + 1):
        np.maximum(best[step:], own[:-step], out=best[step:])
        np.maximum(best[:-step], own[step:], out=best[:-step])
    return best


def neighbour_share(lengths: NDArray[np.uint32]) -> NDArray[np.float64]:
    """Return the share a row takes of what neighbours lend, by its length."""
    return ENOUGH_TERMS / np.maximum(lengths.astype(np.float64), ENOUGH_TERMS)


def question_share(lengths: NDArray[np.uint32]) -> NDArray[np.float64]:
    """Return how much a question row is a mere question, by its length."""
    return _MERE_QUESTION / np.maximum(lengths.astype(np.float64), _MERE_QUESTION)


MOST_TERMS: Final = 16
EVERYWHERE: Final = 0.15
"""Share of rows from which a term is looked up for candidates only."""
_FEW: Final = 8
"""Places with bits are gathered if fewer than one in this many has any."""
_CHUNK: Final = 4_096
"""Rows summed at a time."""
Bits = NDArray[np.uint16]
"""One bit per term."""


@dataclass(frozen=True, slots=True, eq=False)
class Coverage:
    """The question's terms and the rows that hold them."""

    terms: tuple[WeightedTerm, ...]
    held: Bits
    """By place, admitted rows only, without terms that are `EVERYWHERE`."""
    admitted: Mask
    """By place."""
    sums: NDArray[np.float32]
    """Weight per bit set, including terms that are `EVERYWHERE`."""

    @classmethod
    def of(cls, words: LexicalQuery, admitted: Mask) -> Self:
        """Build the coverage for the admitted rows."""
        terms = tuple(sorted(words.terms, key=lambda term: -term.weight)[:MOST_TERMS])
        held = np.zeros(len(admitted), dtype=np.uint16)
        for bit, term in enumerate(terms):
            if not _is_everywhere(term):
                np.add.at(held, term.holders.indices, np.uint16(1 << bit))  # no place stands twice
        np.copyto(held, 0, where=~admitted)
        everywhere = sum(term.weight for term in terms if _is_everywhere(term)) / WORDS_UNIT
        weights = [0.0 if _is_everywhere(term) else term.weight / WORDS_UNIT for term in terms]
        while weights and not weights[-1]:
            weights.pop()
        return cls(terms, held, admitted, _sums(weights) + np.float32(everywhere))

    def bounds(self, places: Places) -> NDArray[np.float32]:
        """Return upper bounds for all places of a table in timeline order."""
        around = _around(self.held.take(places))
        if _FEW * np.count_nonzero(around) > len(around):
            return self.sums.take(around)
        bounds = np.full(len(around), self.sums[0], dtype=np.float32)
        some = np.flatnonzero(around != 0)  # of truths it is found eight times as fast as of numbers
        bounds[some] = self.sums.take(around[some])
        return bounds

    def of_rows(self, rows: Neighbourhood) -> Scores:
        """Return the exact coverage of some rows."""
        held = self.held[rows.places]
        for bit, term in enumerate(self.terms):
            if _is_everywhere(term):
                held |= rows.hold(term.holders) * np.uint16(1 << bit)
        lends = (rows.beside >= 0) & self.admitted[rows.places[:, 1:]] & (rows.lengths[:, 1:] <= ENOUGH_TERMS)
        around = held[:, 0] | np.bitwise_or.reduce(held[:, 1:] * lends, axis=1)
        covered = np.zeros(len(around))
        weights = np.array([term.weight / WORDS_UNIT for term in self.terms])[:, None]
        bits = np.arange(len(self.terms), dtype=np.uint16)[:, None]
        for start in range(0, len(around) if self.terms else 0, _CHUNK):
            some = slice(start, start + _CHUNK)
            covered[some] = sum_in_order(weights * (around[some] >> bits & 1))
        return covered * neighbour_share(rows.own_lengths)


def _is_everywhere(term: WeightedTerm) -> bool:
    return term.is_common or term.share > EVERYWHERE


def _around(held: Bits) -> Bits:
    """OR the bits within `AROUND`, a power of two, by doubling."""
    padded = np.zeros(len(held) + 2 * AROUND, dtype=np.uint16)
    padded[AROUND:-AROUND] = held
    wide, step = padded, 1
    while step <= AROUND:
        wide = wide[:-step] | wide[step:]
        step *= 2
    return wide[:-1] | padded[2 * AROUND :]


def _sums(weights: Sequence[float]) -> NDArray[np.float32]:
    """Return the sum of weights for each bit set."""
    sums = np.zeros(1, dtype=np.float32)
    for weight in weights:
        sums = np.concatenate([sums, sums + np.float32(weight)])
    return sums
