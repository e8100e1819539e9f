"""Scores of all rows for one query: bounds for all, exact values for few.

Law: a bound never underestimates; own scores are computed once per query.
"""

from dataclasses import dataclass, field, fields
from typing import Final, Self

import numpy as np

from voice.adapters.index.columns import Mask
from voice.adapters.index.neighbours import (
    ANSWERED,
    JUST_BEFORE,
    NEIGHBOURS,
    Coverage,
    neighbour_bounds,
    neighbour_share,
    neighbourhood_of,
    question_share,
)
from voice.adapters.index.part import Places
from voice.adapters.index.query import PLACES, Bounds, OwnScores, PreparedQuery, Scores, TermRows
from voice.adapters.index.snapshot import Snapshot
from voice.ports.search_index import IndexQuery


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
    """Whether all rows match."""
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
        """Return the cache, completed for the positions."""
        known = self._looked_up
        missing = known.missing(positions)
        if len(missing):
            places = self.snapshot.line.places[missing]
            known.add(missing, self.asked.own_scores(self.snapshot.picked(places)))
        return known

    def score_bounds(self, span: slice) -> Bounds:
        """Return upper bounds of total scores for the positions in `span`."""
        places, query = self.snapshot.line.places[span], self.query
        own = self.own.take(places)
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
        may[np.arange(len(lent)), seen.best] = False
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
