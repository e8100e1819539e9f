"""Scores of all rows for one query, bounds for all and exact values for few, with what adjacent rows contribute.

Law: a bound never underestimates; own scores are computed once per query.

Neighbours are the live rows on the same timeline within `REACH` (scores) or `AROUND` (words) and `MAX_GAP`; rows
not admitted contribute nothing. A question lends more to the next row; long rows take a smaller share and lend no
words. Coverage counts each term once and uses one bit for each of the `MOST_TERMS` heaviest terms. Following threads
instead was no better on dialogue and worse on notes.

  coverage = share taken × Σ (weight × rarity of each term in the row or around it) / WORDS_UNIT

Source: DESIGN 5 ("neighbouring items smoothed in"); promise 8.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from datetime import timedelta
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from voice.adapters.index.columns import Mask
from voice.adapters.index.part import Places, RowSelection
from voice.adapters.index.query import (
    PLACES,
    Bounds,
    LexicalQuery,
    OwnScores,
    PreparedQuery,
    Scores,
    TermRows,
    WeightedTerm,
    sum_in_order,
)
from voice.adapters.index.snapshot import Snapshot
from voice.core.retrieval.ranking import WORDS_UNIT
from voice.ports.search_index import IndexQuery

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
_MERE_QUESTION: Final = 30  # up to this many terms a row that ends in a question mark is a mere question
_STEPS: Final = [step for step in range(-AROUND, AROUND + 1) if step]  # -4 … -1, 1 … 4
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
    # Unequal beyond the ends of the timeline.
    near = (inside == beside) & (owners == owners[:, :1]) & (np.abs(moments - moments[:, :1]) <= _GAP_US)
    lengths = picked.lengths().reshape(places.shape)
    return Neighbourhood(np.where(near, beside, NOBODY)[:, 1:], places, picked, lengths)


def neighbour_bounds(own: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return upper bounds of what neighbours lend, ignoring time gaps."""
    best = np.zeros(len(own), dtype=np.float32)
    best[1:] = own[:-1]
    best *= np.float32(ANSWERED)
    np.maximum(best[:-1], own[1:], out=best[:-1])  # the row after lends without the factor
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


MOST_TERMS: Final = 16  # as many as `Bits` has
EVERYWHERE: Final = 0.15
"""Share of rows from which a term is looked up for candidates only."""
_FEW: Final = 8  # places with bits are gathered if fewer than one in this many has any
_CHUNK: Final = 4_096  # rows summed at a time
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
            weights.pop()  # `_sums` doubles with each weight
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
    return wide[:-1] | padded[2 * AROUND :]  # 8 places wide by doubling; the ninth is the last


def _sums(weights: Sequence[float]) -> NDArray[np.float32]:
    sums = np.zeros(1, dtype=np.float32)
    for weight in weights:
        sums = np.concatenate([sums, sums + np.float32(weight)])
    return sums


@dataclass(slots=True, eq=False)
class _LookedUp:
    """Cache of own scores by ascending position."""

    positions: Places = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    scores: OwnScores = field(default_factory=lambda: OwnScores(np.empty(0), np.empty(0), np.empty(0)))

    def missing(self, positions: Places) -> Places:
        """Return the distinct uncached positions, ascending."""
        wanted = np.sort(positions)  # `np.unique` of so few takes five times as long
        if len(wanted) > 1:
            wanted = wanted[np.append(True, wanted[1:] != wanted[:-1])]
        if not len(self.positions):
            return wanted
        # A position after the last is not cached.
        return wanted[self.positions.take(self.positions.searchsorted(wanted), mode="clip") != wanted]

    def add(self, positions: Places, scores: OwnScores) -> None:
        """Cache scores of further positions."""
        together = np.concatenate([self.positions, positions])
        order = together.argsort(kind="stable")
        self.positions, self.scores = together[order], self.scores.followed_by(scores).taken(order)

    def at(self, positions: Places) -> OwnScores:
        """Return cached scores."""
        return self.scores.taken(self.positions.searchsorted(positions))

    def own_at(self, positions: Places) -> Scores:
        """Return cached own scores, both arms combined."""
        return self.scores.own.take(self.positions.searchsorted(positions))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowScores:
    """All rows of a snapshot for one query."""

    snapshot: Snapshot
    asked: PreparedQuery
    query: IndexQuery
    matched: Mask
    """Admitted, with a comparable vector or a term."""
    all_match: bool
    own: Bounds
    """Upper bounds of own scores; 0 if not admitted."""
    speaker: Mask | None
    """Rows said by the query's speaker; None without one."""
    coverage: Coverage | None
    """None if the query does not use coverage."""
    asking: TermRows
    """Rows that end in a question."""
    _looked_up: _LookedUp = field(default_factory=_LookedUp)

    def look_up(self, seen: "ScoredRows") -> None:
        """Compute own scores of rows and of each one's most promising neighbour."""
        lent = np.flatnonzero(self._most_lent(seen) > 0.0)
        self._known(np.concatenate([seen.positions, seen.beside[lent, seen.best[lent]]]))

    def own_scores(self, positions: Places) -> OwnScores:
        """Return exact own scores at positions."""
        return self._known(positions).at(positions)

    def _known(self, positions: Places) -> _LookedUp:
        known = self._looked_up
        missing = known.missing(positions)
        if len(missing):
            places = self.snapshot.line.places[missing]
            known.add(missing, self.asked.own_scores(self.snapshot.picked(places)))
        return known

    def score_bounds(self, span: slice) -> Bounds:
        """Return upper bounds of total scores for the positions in `span`."""
        places, query = self.snapshot.line.places[span], self.query
        own = self.own.take(places)  # a copy, which the sums below may change
        bounds = own
        if query.neighbour_weight > 0.0:
            bounds = neighbour_bounds(own)
            bounds *= np.float32(query.neighbour_weight)
            bounds += own
        if self.speaker is not None and query.speaker_weight > 0.0:
            bounds += np.float32(query.speaker_weight) * self.speaker[places]
        if self.coverage is not None:
            covered = self.coverage.bounds(places)
            covered *= np.float32(query.coverage_weight)
            bounds += covered
        return bounds

    def margin(self, most: float) -> float:
        """Return the maximum rounding error, if no bound exceeds `most`; BM25's grows with its size."""
        asked, reach = self.asked, 1.0 + ANSWERED * max(self.query.neighbour_weight, 0.0)
        words = 1.0 + (most / asked.word_weight if asked.word_weight > 0.0 else 0.0)
        rounding = 10.0**-PLACES * (abs(asked.vector_weight) + abs(asked.word_weight) * words * words)
        return reach * rounding + 2e-5 * most + 4.0 * 10.0**-PLACES

    def seen(self, positions: Places, groups: Places) -> "ScoredRows":
        """Return rows with everything but own scores."""
        query, rows = self.query, neighbourhood_of(self.snapshot, positions)
        places, nothing = rows.places[:, 0], np.zeros(len(positions))
        asks = rows.hold(self.asking)
        beside = rows.beside[:, NEIGHBOURS]
        shares = np.repeat(neighbour_share(rows.own_lengths)[:, None], beside.shape[1], axis=1)
        # The row just before asks, and is there: it lends more.
        shares[asks[:, 1:][:, NEIGHBOURS][:, JUST_BEFORE] & (beside[:, JUST_BEFORE] >= 0), JUST_BEFORE] *= ANSWERED
        lent = shares * np.where(beside >= 0, self.own[rows.places[:, 1:][:, NEIGHBOURS]], 0.0)
        asking = query.question_weight > 0.0
        return ScoredRows(
            positions=positions,
            groups=groups,
            places=places,
            beside=beside,
            shares=shares,
            lent=lent,
            most=lent.max(axis=1),
            best=lent.argmax(axis=1),
            speaker=nothing if self.speaker is None else query.speaker_weight * self.speaker[places].astype(np.float64),
            coverage=nothing if self.coverage is None else self.coverage.of_rows(rows).round(PLACES),
            asking=(question_share(rows.own_lengths) * asks[:, 0]).round(PLACES) if asking else nothing,
        )

    def best_possible(self, seen: "ScoredRows", own: Scores | Bounds) -> Scores:
        """Return upper bounds of totals, given own scores."""
        return self.base(seen, own) + self._most_lent(seen)

    def _most_lent(self, seen: "ScoredRows") -> Scores:
        return max(self.query.neighbour_weight, 0.0) * seen.most

    def base(self, seen: "ScoredRows", own: Scores | Bounds) -> Scores:
        """Return scores without neighbours."""
        query = self.query
        return own + seen.speaker + (query.coverage_weight * seen.coverage - query.question_weight * seen.asking)

    def lent_by_one(self, seen: "ScoredRows") -> Scores:
        """Return what the most promising neighbour lends."""
        return self._lent(seen, np.arange(len(seen.best)), seen.best)

    def _lent(self, seen: "ScoredRows", lines: Places, columns: Places) -> Scores:
        lent = np.zeros(len(lines))
        there = np.flatnonzero(seen.lent[lines, columns] > 0.0)
        lines, columns = lines[there], columns[there]
        beside = seen.beside[lines, columns]
        lent[there] = seen.shares[lines, columns] * self._known(beside).own_at(beside)
        return lent.clip(min=0.0)

    def lent(self, seen: "ScoredRows", margins: Scores) -> Scores:
        """Return the maximum lent by any neighbour; only possible maxima are computed."""
        lent = self.lent_by_one(seen)
        may = seen.lent + margins[:, None] > lent[:, None]
        may[np.arange(len(lent)), seen.best] = False  # known already
        lines, columns = np.nonzero(may)
        np.maximum.at(lent, lines, self._lent(seen, lines, columns))
        return lent


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoredRows:
    """Rows with score components except own and neighbours'."""

    positions: Places
    groups: Places
    """Index of the table."""
    places: Places
    beside: Places
    """Neighbour positions, one line per row."""
    shares: Scores
    """Share of each neighbour's own score."""
    lent: Scores
    """Upper bound of what each neighbour lends."""
    most: Scores
    """Maximum of `lent` per row."""
    best: Places
    """Argmax of `lent` per row."""
    speaker: Scores
    coverage: Scores
    asking: Scores

    def kept(self, keep: Mask) -> Self:
        """Return a subset."""
        return type(self)(**{name: getattr(self, name)[keep] for name in _COLUMNS})

    def followed_by(self, other: Self) -> Self:
        """Concatenate."""
        return type(self)(**{name: np.concatenate([getattr(self, name), getattr(other, name)]) for name in _COLUMNS})


_COLUMNS: Final = tuple(each.name for each in fields(ScoredRows))
