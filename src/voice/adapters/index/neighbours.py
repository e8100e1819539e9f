"""What the rows before and after a row lend it: scores, and words of the question.

Law: the neighbours of a row are the `REACH` live rows before it and after it on the line of its table and scope, by
(time, id), in whatever part they stand and at most `MAX_GAP` away. A neighbour that the read does not admit lends
nothing and is not skipped over. What follows a question may be its answer, whatever its words: a row that ends in a
question lends the next one more than itself. What is long says by itself what it is about: a row of more than
`ENOUGH_TERMS` terms takes the less of what its neighbours lend the longer it is. Conversation, diary and calendar alike
put what belongs together next to one another in time; following threads instead did no better on dialogue, and worse on
a person's year of notes and messages.

How much of what a question asks stands in a row and around it, each word counted once. The coverage of a row is what
the question's terms weigh that it holds or that one of the rows around it holds, at most `AROUND` before and after it
on its line and `MAX_GAP` away; however often, and by whomever, a term counts once. A row that the read does not admit
lends no words, nor does one of more than `ENOUGH_TERMS` terms: a long answer repeats what was asked, so its words say
nothing of the rows beside it. As of what neighbours lend, a long row takes less. Only the `MOST_TERMS` terms that weigh
most count, one bit each: so the coverage of all rows costs a few passes over one column, and a bound for every row is
nearly its coverage.

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
"""How far words count together (`coverage`)."""
MAX_GAP: Final = timedelta(days=1)
NOBODY: Final = -1
ANSWERED: Final = 1.5
"""How often over a row that ends in a question lends its score to the row after it."""
ENOUGH_TERMS: Final = 120
"""About sixty words."""
_GAP_US: Final = MAX_GAP // timedelta(microseconds=1)
_MERE_QUESTION: Final = 30
"""Terms up to which a row that ends in a question is nothing else."""
_STEPS: Final = [step for step in range(-AROUND, AROUND + 1) if step]
_REACHED: Final = np.array([0, *_STEPS])
NEIGHBOURS: Final = slice(AROUND - REACH, AROUND + REACH)
"""The columns of `Surroundings.beside` that lend their scores."""
JUST_BEFORE: Final = _STEPS[NEIGHBOURS].index(-1)
"""The column among these that holds the row just before."""


@dataclass(frozen=True, slots=True, eq=False)
class Neighbourhood:
    """Some rows, each with those up to `AROUND` from it on the line."""

    beside: Places
    """Their positions, one line a row; `NOBODY` where there is none."""
    places: Places
    """Per row its own place, then theirs; that of nobody is any."""
    picked: RowSelection
    """All these places, line after line."""
    lengths: NDArray[np.uint32]
    """Terms of each."""

    @property
    def own_lengths(self) -> NDArray[np.uint32]:
        """How many terms each of the rows themselves has."""
        return self.lengths[:, 0]

    def hold(self, holders: TermRows) -> Mask:
        """Return whether each row, and then each beside it, holds a term, given who holds it."""
        return holders.hold(self.picked.places).reshape(self.places.shape)


def neighbourhood_of(snapshot: Snapshot, positions: Places) -> Neighbourhood:
    """Return the rows at the positions and around them."""
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
    """Return per position the most that those up to `REACH` away lend, near in time or not: never too little."""
    best = np.zeros(len(own), dtype=np.float32)
    best[1:] = own[:-1]
    best *= np.float32(ANSWERED)
    np.maximum(best[:-1], own[1:], out=best[:-1])
    for step in range(2, REACH + 1):
        np.maximum(best[step:], own[:-step], out=best[step:])
        np.maximum(best[:-step], own[step:], out=best[:-step])
    return best


def neighbour_share(lengths: NDArray[np.uint32]) -> NDArray[np.float64]:
    """Return which share of what its neighbours lend a row takes, given how many terms it has."""
    return ENOUGH_TERMS / np.maximum(lengths.astype(np.float64), ENOUGH_TERMS)


def question_share(lengths: NDArray[np.uint32]) -> NDArray[np.float64]:
    """Return how much of a mere question a row that ends in one is, given how many terms it has."""
    return _MERE_QUESTION / np.maximum(lengths.astype(np.float64), _MERE_QUESTION)


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

    terms: tuple[WeightedTerm, ...]
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

    def of_rows(self, rows: Neighbourhood) -> Scores:
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
            covered[some] = sum_in_order(weights * (around[some] >> bits & 1))
        return covered * neighbour_share(rows.own_lengths)


def _is_everywhere(term: WeightedTerm) -> bool:
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
