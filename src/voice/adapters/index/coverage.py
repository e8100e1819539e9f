"""How much of what a question asks stands in a row and around it, each word counted once.

Law: the coverage of a row is what the question's terms weigh that it holds or that one of the rows around it holds, at
most `AROUND` before and after it on its line and `MAX_GAP` away; however often, and by whomever, a term counts once. A
row that the read does not admit lends no words, nor does one of more than `ENOUGH_TERMS` terms: a long answer repeats
what was asked, so its words say nothing of the rows beside it. As of what neighbours lend, a long row takes less. Only
the `MOST_TERMS` terms that weigh most count, one bit each: so the coverage of all rows costs a few passes over one
column, and a bound for every row is nearly its coverage.

    coverage = share taken × Σ (weight × rarity of each term in the row or around it) / WORDS_UNIT

Source: DESIGN 5 ("neighbouring items smoothed in"); promise 8.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from voice.adapters.index.neighbours import AROUND, ENOUGH_TERMS, Surroundings, share_taken
from voice.adapters.index.picked import Places
from voice.adapters.index.ragged import Mask
from voice.adapters.index.scoring import LexicalQuery, Scores, WeighedTerm, in_order
from voice.core.retrieval.ranking import WORDS_UNIT

MOST_TERMS: Final = 16
EVERYWHERE: Final = 0.15
"""Share of all rows from which on a term stands in or around most of them: so it is looked up where it matters only."""
_FEW: Final = 8
"""Places with bits are picked out when fewer than one in so many has any."""
_CHUNK: Final = 4_096
"""Rows whose coverage is summed at a time, all terms together."""
Bits = NDArray[np.uint16]
"""A bit per term."""


@dataclass(frozen=True, slots=True, eq=False)
class Coverage:
    """The question's terms, and which rows hold them."""

    terms: tuple[WeighedTerm, ...]
    held: Bits
    """By place, of admitted rows; without the terms that stand `EVERYWHERE`."""
    admitted: Mask
    """By place."""
    sums: NDArray[np.float32]
    """What the terms of each set of bits weigh with those that stand `EVERYWHERE`."""

    @classmethod
    def of(cls, words: LexicalQuery, admitted: Mask) -> Self:
        """Return the coverage of a question's words by the rows that are admitted."""
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
        """Return the most that each row covers, for all places of a table in the order of its line."""
        around = _around(self.held.take(places))
        if _FEW * np.count_nonzero(around) > len(around):
            return self.sums.take(around)
        bounds = np.full(len(around), self.sums[0], dtype=np.float32)
        some = np.flatnonzero(around != 0)  # of truths it is found eight times as fast as of numbers
        bounds[some] = self.sums.take(around[some])
        return bounds

    def of_rows(self, rows: Surroundings) -> Scores:
        """Return what some rows cover with those around them, exactly."""
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
            covered[some] = in_order(weights * (around[some] >> bits & 1))
        return covered * share_taken(rows.own_lengths)


def _is_everywhere(term: WeighedTerm) -> bool:
    return term.is_common or term.share > EVERYWHERE


def _around(held: Bits) -> Bits:
    """Return what each row holds or one that stands up to `AROUND` before or after it; `AROUND` is a power of two."""
    padded = np.zeros(len(held) + 2 * AROUND, dtype=np.uint16)
    padded[AROUND:-AROUND] = held
    wide, step = padded, 1
    while step <= AROUND:
        wide = wide[:-step] | wide[step:]
        step *= 2
    return wide[:-1] | padded[2 * AROUND :]


def _sums(weights: Sequence[float]) -> NDArray[np.float32]:
    """Return per set of bits what the weights of these add up to."""
    sums = np.zeros(1, dtype=np.float32)
    for weight in weights:
        sums = np.concatenate([sums, sums + np.float32(weight)])
    return sums
