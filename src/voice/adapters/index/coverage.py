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

from voice.adapters.index.line import Places
from voice.adapters.index.neighbours import AROUND, ENOUGH_TERMS, share_taken
from voice.adapters.index.part import Part, by_part, offsets_of
from voice.adapters.index.ragged import Mask
from voice.adapters.index.scoring import LexicalQuery, Scores, WeighedTerm
from voice.core.retrieval.fusion import WORDS_UNIT

MOST_TERMS: Final = 16
Bits = NDArray[np.uint16]
"""A bit per term."""


@dataclass(frozen=True, slots=True, eq=False)
class Coverage:
    """The question's terms, and which rows hold them."""

    terms: tuple[WeighedTerm, ...]
    held: Bits
    """By place, of admitted rows; without the terms that most rows hold: these are looked up only where it matters."""
    admitted: Mask
    """By place."""

    @classmethod
    def of(cls, words: LexicalQuery, parts: Sequence[Part], admitted: Mask) -> Self:
        """Return the coverage of a question's words by the rows that are admitted."""
        terms = tuple(sorted(words.terms, key=lambda term: -term.weight)[:MOST_TERMS])
        offsets = offsets_of(parts)
        held = np.zeros(offsets[-1], dtype=np.uint16)
        for number in range(len(parts)):
            mine = held[offsets[number] : offsets[number + 1]]
            for bit, term in enumerate(terms):
                if not term.is_common:
                    mine[term.holders[number].rows] |= np.uint16(1 << bit)
        held *= admitted
        return cls(terms, held, admitted)

    def bounds(self, places: Places) -> NDArray[np.float32]:
        """Return the most that each row covers, for all places of a table in the order of its line."""
        weights = [0.0 if term.is_common else term.weight / WORDS_UNIT for term in self.terms]
        bounds = _sums(weights)[_around(self.held[places])]
        bounds += np.float32(sum(term.weight for term in self.terms if term.is_common) / WORDS_UNIT)
        return bounds

    def of_rows(self, parts: Sequence[Part], places: Places, beside: Places) -> Scores:
        """Return what some rows cover, exactly.

        Args:
            parts: the snapshot's parts.
            places: the rows.
            beside: the places of the rows around each, one row each; -1 stands for nobody.
        """
        held, lengths = self._held_at(parts, places)
        around, sizes = (found.reshape(beside.shape) for found in self._held_at(parts, np.maximum(beside, 0).ravel()))
        lends = (beside >= 0) & self.admitted[beside] & (sizes <= ENOUGH_TERMS)
        held |= np.bitwise_or.reduce(around * lends, axis=1)
        covered = np.zeros(len(places))
        for bit, term in enumerate(self.terms):
            covered += term.weight / WORDS_UNIT * (held >> bit & 1)
        return covered * share_taken(lengths)

    def _held_at(self, parts: Sequence[Part], places: Places) -> tuple[Bits, NDArray[np.uint32]]:
        """Return which terms the rows hold, and how many terms each has in all."""
        held, lengths = self.held[places], np.empty(len(places), dtype=np.uint32)
        common = [(bit, term) for bit, term in enumerate(self.terms) if term.is_common]
        for number, mine, rows in by_part(parts, places):
            lengths[mine] = parts[number].segment.facts.length[rows]
            for bit, term in common:
                if len(term.holders[number].rows):
                    is_held = term.holders[number].times_in(rows.astype(np.uint32)) > 0
                    held[mine[is_held]] |= np.uint16(1 << bit)
        return held, lengths


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
