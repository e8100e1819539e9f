"""Which rows of a table are looked at in full, and which of these are the best.

Law: the choice is by absolute scores in the order `(-score, id)`, and a smaller limit gives a prefix of a larger one. A
row is left out only when a bound on its score shows that `limit` others are better; everything else is scored exactly.
So the answer is that of scoring every row, whatever the `Effort`.

    bounds of all rows → the most promising ones in full → what could still beat the worst of these, in full → the best

Source: DESIGN 5; rulings C1, C9, G; promise 8.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from voice.adapters.index.asked import PLACES, Asked, Bounds, OwnScores
from voice.adapters.index.coverage import Coverage
from voice.adapters.index.line import Places
from voice.adapters.index.neighbours import (
    ANSWERED,
    JUST_BEFORE,
    NEIGHBOURS,
    NOBODY,
    best_bound_beside,
    mere_question,
    rows_around,
    share_taken,
)
from voice.adapters.index.part import Part, by_part, offsets_of
from voice.adapters.index.ragged import Mask
from voice.adapters.index.scoring import Holders, Scores
from voice.adapters.index.snapshot import Snapshot
from voice.adapters.index.terms import ASKS
from voice.core.records import Table
from voice.core.retrieval.values import Hit
from voice.ports.search_index import IndexQuery


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How much is looked at in full; changes the time an answer takes, never the answer."""

    unbounded_rows: int = 512
    """A table of no more rows than this is scored in full."""
    columns: int = 1 << 14
    """Promising rows are the best of so many groups."""
    probes: int = 2
    """Promising rows looked at, as a multiple of the limit."""


DEFAULT_EFFORT: Final = Effort()
_FEW_TIES: Final = 4
"""Ties, as a multiple of the limit, that are sorted by their ids as they are."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Field:
    """All rows of a snapshot before one question."""

    snapshot: Snapshot
    asked: Asked
    query: IndexQuery
    admitted: Mask
    matched: Mask
    """Admitted, with a comparable vector or a term of the question."""
    own: Bounds
    """What each row scores by itself at most; 0 for rows that are not admitted: they lend nothing."""
    speaker: Mask | None
    """Which rows the query's speaker said; None when nobody is asked about."""
    coverage: Coverage | None
    """Which words of the question stand where; None when the query does not ask for coverage."""

    @property
    def parts(self) -> Sequence[Part]:
        """The snapshot's parts."""
        return self.snapshot.parts

    def place_of(self, place: int) -> tuple[Part, int]:
        """Return the part and row at a place."""
        offsets = offsets_of(self.parts)
        number = int(np.searchsorted(offsets, place, "right")) - 1
        return self.parts[number], place - offsets[number]

    def own_scores(self, places: Places) -> OwnScores:
        """Return what the rows at `places` score by themselves, exactly."""
        scores = OwnScores(np.empty(len(places)), np.empty(len(places)), np.empty(len(places)))
        for number, mine, rows in by_part(self.parts, places):
            found = self.asked.own_scores(number, self.parts[number], rows.astype(np.uint32))
            scores.cosine[mine], scores.lexical[mine], scores.own[mine] = found.cosine, found.lexical, found.own
        return scores

    def shares_lent(self, places: Places, beside: NDArray[np.intp]) -> Scores:
        """Return how much of each neighbour's own score counts for the rows at `places`; -1 stands for nobody."""
        counts = np.repeat(share_taken(self._lengths(places))[:, None], beside.shape[1], axis=1)
        there = np.flatnonzero(beside[:, JUST_BEFORE] >= 0)
        asking = there[self._asks(self.snapshot.line.places[beside[there, JUST_BEFORE]])]
        counts[asking, JUST_BEFORE] *= ANSWERED
        return counts

    def _asks(self, places: Places) -> Mask:
        """Return which rows end in a question."""
        asks = np.zeros(len(places), dtype=np.bool_)
        for number, mine, rows in by_part(self.parts, places):
            holders = Holders(*self.parts[number].segment.postings.of(ASKS))
            if len(holders.rows):
                asks[mine] = holders.times_in(rows.astype(np.uint32)) > 0
        return asks

    def _lengths(self, places: Places) -> NDArray[np.uint32]:
        lengths = np.empty(len(places), dtype=np.uint32)
        for number, mine, rows in by_part(self.parts, places):
            lengths[mine] = self.parts[number].segment.facts.length[rows]
        return lengths

    def speaker_boosts(self, places: Places) -> Scores:
        """Return what the speaker adds to the rows at `places`."""
        if self.speaker is None:
            return np.zeros(len(places))
        return self.query.speaker_weight * self.speaker[places].astype(np.float64)

    def asking(self, places: Places) -> Scores:
        """Return how much of a mere question each row is."""
        if self.query.question_weight <= 0.0:
            return np.zeros(len(places))
        return (mere_question(self._lengths(places)) * self._asks(places)).round(PLACES)

    def covered(self, places: Places, around: NDArray[np.intp]) -> Scores:
        """Return what the rows at `places` cover with those at the positions around them."""
        if self.coverage is None:
            return np.zeros(len(places))
        beside = np.where(around >= 0, self.snapshot.line.places[around], NOBODY)
        return self.coverage.of_rows(self.parts, places, beside).round(PLACES)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Scored:
    """Rows scored in full."""

    places: Places
    own: OwnScores
    neighbour: Scores
    coverage: Scores
    asking: Scores
    score: Scores

    def kept(self, keep: Mask) -> Self:
        """Return some of the rows."""
        own = OwnScores(self.own.cosine[keep], self.own.lexical[keep], self.own.own[keep])
        return replace(
            self,
            places=self.places[keep],
            own=own,
            neighbour=self.neighbour[keep],
            coverage=self.coverage[keep],
            asking=self.asking[keep],
            score=self.score[keep],
        )


def best_hits(field: Field, table: Table, effort: Effort) -> list[Hit]:
    """Return the table's hits, best first by (score, id)."""
    span = field.snapshot.line.span(table)
    matched = field.matched[field.snapshot.line.places[span]]
    if np.count_nonzero(matched) <= max(effort.unbounded_rows, field.query.limit):
        scored = _scored(field, span.start + np.flatnonzero(matched))
    else:
        scored = _scored_candidates(field, span, matched, effort)
    if not len(scored.places):
        return []
    limit = field.query.limit
    least = _kth_largest(scored.score, limit)
    better, ties = np.flatnonzero(scored.score > least), np.flatnonzero(scored.score == least)
    chosen = [*better.tolist(), *_first_by_id(field, scored.places, ties, limit)]
    ranked = sorted((-scored.score[number], _row_id(field, scored.places[number]), number) for number in chosen)
    return [_hit(field, table, row_id, scored, number) for _, row_id, number in ranked[:limit]]


def _scored_candidates(field: Field, span: slice, matched: Mask, effort: Effort) -> _Scored:
    """Score in full whatever may be among the best of the rows that match."""
    bounds = _score_bounds(field, span)
    margin = _margin(field, bounds)
    np.copyto(bounds, -np.inf, where=~matched)
    promising = _most_promising(bounds, field.query.limit * effort.probes, effort)
    probed = _scored(field, span.start + promising[matched[promising]])
    enough = len(probed.score) >= field.query.limit
    least = _kth_largest(probed.score, field.query.limit) - margin if enough else -np.inf
    candidates = np.flatnonzero(matched if not enough else bounds >= np.float32(least))
    return _scored(field, span.start + candidates, least=least)


def _score_bounds(field: Field, span: slice) -> Bounds:
    """Return per position of the line within `span` what its row scores at most."""
    places, query = field.snapshot.line.places[span], field.query
    own = field.own[places]
    bounds = own
    if query.neighbour_weight > 0.0:
        bounds = best_bound_beside(own)
        bounds *= np.float32(query.neighbour_weight)
        bounds += own
    if field.speaker is not None and query.speaker_weight > 0.0:
        bounds = bounds + np.float32(query.speaker_weight) * field.speaker[places]
    if field.coverage is not None:
        covered = field.coverage.bounds(places)
        covered *= np.float32(query.coverage_weight)
        covered += bounds
        bounds = covered
    return bounds


def _margin(field: Field, bounds: Bounds) -> float:
    """Return by how much rounding and float32 may lift a score above its bound.

    Rounding BM25 as a share of 1 to 6 places moves BM25 itself by more the larger it is.
    """
    asked, reach = field.asked, 1.0 + ANSWERED * max(field.query.neighbour_weight, 0.0)
    most = float(bounds.max(initial=0.0))
    words = 1.0 + (most / asked.word_weight if asked.word_weight > 0.0 else 0.0)
    rounding = 10.0**-PLACES * (abs(asked.vector_weight) + abs(asked.word_weight) * words * words)
    return reach * rounding + 2e-5 * most + 4.0 * 10.0**-PLACES


def _most_promising(bounds: Bounds, wanted: int, effort: Effort) -> Places:
    """Return the positions of high bounds: the best of each group, of the best groups; neighbours are in several."""
    columns = min(effort.columns, len(bounds))
    rows = len(bounds) // columns
    table = bounds[: rows * columns].reshape(rows, columns)
    best = table.max(axis=0)
    groups = np.arange(columns) if columns <= wanted else np.argpartition(best, columns - wanted)[columns - wanted :]
    return np.sort(table[:, groups].argmax(axis=0) * columns + groups)


def _scored(field: Field, positions: Places, *, least: float = -np.inf) -> _Scored:
    """Return the rows at the positions that may score `least`, in full; positions ascend."""
    query, places = field.query, field.snapshot.line.places[positions]
    own, nothing = field.own_scores(places), np.zeros(len(places))
    around = rows_around(field.snapshot, positions) if _looks_around(field) and len(places) else None
    covered = nothing if around is None else field.covered(places, around)
    asking = field.asking(places)
    base = own.own + field.speaker_boosts(places)
    base += query.coverage_weight * covered - query.question_weight * asking
    scored = _Scored(places=places, own=own, neighbour=nothing, coverage=covered, asking=asking, score=base)
    if query.neighbour_weight > 0.0 and around is not None:
        scored = _with_neighbours(field, scored, around[:, NEIGHBOURS], positions, least)
    return replace(scored, score=scored.score.round(PLACES))


def _looks_around(field: Field) -> bool:
    return field.query.neighbour_weight > 0.0 or field.coverage is not None


def _with_neighbours(
    field: Field, scored: _Scored, beside: NDArray[np.intp], positions: Places, least: float
) -> _Scored:
    """Return the rows that may score `least`, with what those beside them lend."""
    weight = field.query.neighbour_weight
    shares = field.shares_lent(scored.places, beside)
    bounds = np.where(beside >= 0, field.own[field.snapshot.line.places[beside]], 0.0)
    keep = scored.score + weight * (shares * bounds).max(axis=1) >= least
    lent = shares[keep] * _own_beside(field, beside[keep], positions, scored.own.own)
    neighbour = lent.max(axis=1, initial=0.0).round(PLACES)
    kept = scored.kept(keep)
    return replace(kept, neighbour=neighbour, score=kept.score + weight * neighbour)


def _own_beside(field: Field, beside: NDArray[np.intp], known: Places, own: Scores) -> Scores:
    """Return the own score at each of the positions; -1 stands for nobody, `known` positions ascend."""
    wanted = np.unique(beside[beside >= 0])
    wanted = wanted[field.admitted[field.snapshot.line.places[wanted]]]
    scores = np.zeros(len(wanted))
    place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    is_known = known[place] == wanted
    scores[is_known] = own[place[is_known]]
    scores[~is_known] = field.own_scores(field.snapshot.line.places[wanted[~is_known]]).own
    if not len(wanted):
        return np.zeros(beside.shape)
    at = np.minimum(np.searchsorted(wanted, beside), len(wanted) - 1)
    return np.where(wanted[at] == beside, scores[at], 0.0)


def _kth_largest(scores: Scores, k: int) -> float:
    if len(scores) <= k:
        return float(scores.min())
    return float(np.partition(scores, len(scores) - k)[len(scores) - k])


def _first_by_id(field: Field, places: Places, ties: Places, most: int) -> list[int]:
    """Return some of the ties, among them the `most` whose ids come first."""
    kept: list[int] = []
    for number, mine, rows in by_part(field.parts, places[ties]):
        first = mine
        if len(rows) > _FEW_TIES * most:
            first = mine[np.argpartition(field.parts[number].id_ranks[rows], most)[:most]]
        kept += ties[first].tolist()
    return kept


def _row_id(field: Field, place: np.intp) -> str:
    part, row = field.place_of(int(place))
    return part.segment.row_id(row)


def _hit(field: Field, table: Table, row_id: str, scored: _Scored, number: int) -> Hit:
    place = int(scored.places[number])
    part, row = field.place_of(place)
    cosine = float(scored.own.cosine[number])
    return Hit(
        row_id=row_id,
        table=table,
        cosine=None if np.isnan(cosine) else cosine,
        lexical=float(scored.own.lexical[number]),
        neighbour=float(scored.neighbour[number]),
        coverage=float(scored.coverage[number]),
        asking=float(scored.asking[number]),
        is_speaker=field.speaker is not None and bool(field.speaker[place]),
        created_us=int(part.segment.facts.created_us[row]),
    )
