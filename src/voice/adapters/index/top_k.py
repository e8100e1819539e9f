"""Choose the best rows of each table by bounds, scoring few exactly.

Law: order is `(-score, id)`; a smaller limit gives a prefix. A row is skipped only if its bound is below `limit`
others, so results equal an exhaustive scan for any `SearchEffort`.

  bounds of all rows → lower bounds of the most promising → exact scores of rivals → the best
Source: DESIGN 5; rulings C1, C9, G; promise 8.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import numpy as np
from numpy.typing import NDArray

from voice.adapters.index.columns import Mask, to_micros
from voice.adapters.index.part import Places
from voice.adapters.index.query import PLACES, Bounds, OwnScores, Scores
from voice.adapters.index.row_scores import RowScores, ScoredRows
from voice.core.records import TRUST_RANK, Table, TrustTier
from voice.core.retrieval.ranking import FTS_SHARE, RECENCY_SHARE
from voice.core.retrieval.values import Hit
from voice.ports.search_index import Freshness

_DAY_US: Final = timedelta(days=1) // timedelta(microseconds=1)
_MARGIN: Final = 2e-6  # twice the rounding error of a score at 6 places


def may_be_freshest(lexical: Scores, created_us: NDArray[np.int64], fresh: Freshness) -> Mask:
    """Return the rows with a common word (`lexical` is in [0, 1]) that may be among the best `fresh.keep`."""
    age_days = np.maximum(to_micros(fresh.now) - created_us, 0) / _DAY_US
    score = FTS_SHARE * lexical + RECENCY_SHARE * 0.5 ** (age_days / fresh.half_life_days)
    holds = lexical > 0.0
    if np.count_nonzero(holds) <= fresh.keep:
        return holds
    least = np.partition(score[holds], -fresh.keep)[-fresh.keep]  # the `keep`-th best
    return holds & (score >= least - _MARGIN)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchEffort:
    """How many rows are scored exactly; affects time only."""

    unbounded_rows: int = 64
    """Tables up to this size are scored completely."""
    columns: int = 1 << 12
    """Number of groups whose best rows are probed."""
    probes: float = 1.5
    """Probes, as a multiple of the limit."""


DEFAULT_EFFORT: Final = SearchEffort()
_TIERS: Final = sorted(TrustTier, key=TRUST_RANK.__getitem__)
_FEW_TIES: Final = 4  # ties sorted directly, as a multiple of the limit


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Race:
    """The rows of one table that match."""

    start: int  # position of the table's first row
    probes: Places  # positions of rows to look at first: all that match, or the most promising ones
    matched: Mask
    # What each row scores at most, minus infinity for those that do not match; None where all are probed.
    bounds: Bounds | None
    margin: float

    def rivals(self, least: float) -> Places:
        """Return the positions of further rows that may score `least`."""
        if self.bounds is None:
            return self.probes[:0]
        # With too few probes all that match are rivals.
        may = self.bounds >= np.float32(least) if np.isfinite(least) else self.matched.copy()
        may[self.probes - self.start] = False
        return self.start + np.flatnonzero(may)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Scored:
    """Rows scored in full."""

    seen: ScoredRows
    own: OwnScores
    neighbour: Scores
    score: Scores


def best_hits(field: RowScores, tables: Sequence[Table], effort: SearchEffort) -> list[Hit]:
    """Return the hits per table, in this order, by (-score, id)."""
    races = [_race(field, table, effort) for table in tables]
    return _hits(field, tables, _scored_candidates(field, races))


def _race(field: RowScores, table: Table, effort: SearchEffort) -> _Race:
    span = field.snapshot.line.span(table)
    places = field.snapshot.line.places[span]
    matched = np.ones(len(places), dtype=np.bool_) if field.all_match else field.matched.take(places)
    size = int(np.count_nonzero(matched))
    if size <= max(effort.unbounded_rows, field.query.limit):
        probes = span.start + np.flatnonzero(matched)
        most = float(field.own.max(initial=0.0))
        return _Race(start=span.start, probes=probes, matched=matched, bounds=None, margin=field.margin(3.0 * most))
    bounds = field.score_bounds(span)
    margin = field.margin(float(bounds.max(initial=0.0)))
    if size < len(matched):
        np.copyto(bounds, -np.inf, where=~matched)
    promising = _most_promising(bounds, int(field.query.limit * effort.probes), effort)
    probes = span.start + promising[matched[promising]]
    return _Race(start=span.start, probes=probes, matched=matched, bounds=bounds, margin=margin)


def _most_promising(bounds: Bounds, wanted: int, effort: SearchEffort) -> Places:
    """Return the positions of high bounds: the best of each group, of the best groups; neighbours are in several."""
    columns = min(effort.columns, len(bounds))
    rows = len(bounds) // columns
    table = bounds[: rows * columns].reshape(rows, columns)  # rows left over are found by their bounds
    best = table.max(axis=0)
    groups = np.arange(columns) if columns <= wanted else np.argpartition(best, columns - wanted)[columns - wanted :]
    return np.sort(table[:, groups].argmax(axis=0) * columns + groups)


def _scored_candidates(field: RowScores, races: Sequence[_Race]) -> _Scored:
    """Score in full whatever may be among the best of the rows that match."""
    seen = _seen(field, [race.probes for race in races])
    least = _least(field, seen, races)
    others = _seen(field, [race.rivals(float(low)) for race, low in zip(races, least, strict=True)])
    possible = field.best_possible(others, field.own[others.places])  # with bounds of their own scores
    others = others.kept(possible >= least[others.groups])
    field.look_up(others)
    seen = seen.followed_by(others)
    own = field.own_scores(seen.positions)
    keep = field.best_possible(seen, own.own) >= least[seen.groups]
    return _with_neighbours(field, seen.kept(keep), own.taken(np.flatnonzero(keep)), races)


def _seen(field: RowScores, positions: Sequence[Places]) -> ScoredRows:
    groups = np.repeat(np.arange(len(positions)), [len(some) for some in positions])
    return field.seen(np.concatenate(positions), groups)


def _least(field: RowScores, seen: ScoredRows, races: Sequence[_Race]) -> Scores:
    """Return per table what a row must be able to score, given what the probes score at least."""
    field.look_up(seen)
    score = field.base(seen, field.own_scores(seen.positions).own)
    if field.query.neighbour_weight > 0.0:
        score += field.query.neighbour_weight * field.lent_by_one(seen).round(PLACES)
    least = np.full(len(races), -np.inf)
    for number, race in enumerate(races):
        mine = score[seen.groups == number]
        if len(mine) >= field.query.limit:
            # Rounded, as final scores are.
            least[number] = _kth_largest(mine.round(PLACES), field.query.limit) - race.margin
    return least


def _with_neighbours(field: RowScores, seen: ScoredRows, own: OwnScores, races: Sequence[_Race]) -> _Scored:
    neighbour, score = np.zeros(len(own.own)), field.base(seen, own.own)
    if field.query.neighbour_weight > 0.0:
        margins = np.array([race.margin for race in races])
        neighbour = field.lent(seen, margins[seen.groups]).round(PLACES)
        score += field.query.neighbour_weight * neighbour
    return _Scored(seen=seen, own=own, neighbour=neighbour, score=score.round(PLACES))


def _kth_largest(scores: Scores, k: int) -> float:
    if len(scores) <= k:
        return float(scores.min())
    return float(np.partition(scores, len(scores) - k)[len(scores) - k])


def _hits(field: RowScores, tables: Sequence[Table], scored: _Scored) -> list[Hit]:
    chosen = [_chosen(field, scored, np.flatnonzero(scored.seen.groups == number)) for number in range(len(tables))]
    together = np.concatenate(chosen)
    picked = field.snapshot.picked(scored.seen.places[together])
    ids, scores = picked.ids(), scored.score[together].tolist()
    order: list[int] = []
    start = 0
    for mine in chosen:
        ranked = sorted(range(start, start + len(mine)), key=lambda place: (-scores[place], ids[place]))
        order += ranked[: field.query.limit]
        start += len(mine)
    owners = [table for table, mine in zip(tables, chosen, strict=True) for _ in range(len(mine))]
    named = [(owners[place], ids[place]) for place in order]
    created_us = picked.created_us()[order].tolist()
    says = picked.column(lambda part: part.segment.facts.says, np.uint64)[order].tolist()
    ranks = picked.column(lambda part: part.segment.facts.trust, np.uint8)[order].tolist()
    return _made(field, scored, together[order], named, created_us, says, [_TIERS[int(rank)] for rank in ranks])


def _chosen(field: RowScores, scored: _Scored, mine: Places) -> Places:
    """Return which of the rows of one table are among the best, in any order; more of them where scores tie."""
    limit, fresh = field.query.limit, field.query.fresh
    if not len(mine):
        return mine
    score = scored.score[mine]
    least = _kth_largest(score, limit)
    better, ties = mine[score > least], mine[score == least]
    ties = _first_by_id(field, scored.seen.places, ties, limit)
    if fresh is None:
        return np.concatenate([better, ties])
    room = limit - len(better)
    ties = ties if len(ties) <= room else ties[_by_id(field, scored.seen.places[ties])[:room]]
    chosen = np.concatenate([better, ties])
    created_us = field.snapshot.picked(scored.seen.places[chosen]).created_us()
    return chosen[may_be_freshest(scored.own.lexical[chosen], created_us, fresh)]


def _by_id(field: RowScores, places: Places) -> Places:
    """Return which of the rows at some places comes first by its id, which next."""
    ids = field.snapshot.picked(places).ids()
    return np.array(sorted(range(len(ids)), key=ids.__getitem__), dtype=np.intp)


def _first_by_id(field: RowScores, places: Places, ties: Places, most: int) -> Places:
    """Return some of the ties, among them the `most` whose ids come first."""
    if len(ties) <= _FEW_TIES * most:
        return ties
    kept = [ties[:0]]
    for piece in field.snapshot.picked(places[ties]).pieces:
        first = piece.mine
        if len(first) > _FEW_TIES * most:
            first = first[np.argpartition(piece.part.id_ranks[piece.rows], most)[:most]]
        kept.append(ties[first])
    return np.concatenate(kept)


def _made(
    field: RowScores, scored: _Scored, chosen: Places, named: Iterable[tuple[Table, str]], *known: Sequence[object]
) -> list[Hit]:
    seen, own, cosines = scored.seen, scored.own, scored.own.cosine[chosen]
    has_cosine = ~np.isnan(cosines)
    spoken = [False] * len(chosen) if field.speaker is None else field.speaker[seen.places[chosen]].tolist()
    columns = (own.lexical, scored.neighbour, seen.coverage, seen.asking)
    lists = [column[chosen].tolist() for column in columns]
    rows = zip(named, cosines.tolist(), has_cosine.tolist(), *lists, spoken, *known, strict=True)
    return [
        Hit(
            row_id=row_id,
            table=table,
            cosine=cosine if has else None,
            lexical=lexical,
            neighbour=neighbour,
            coverage=coverage,
            asking=asking,
            is_speaker=said,
            created_us=created,
            says=says,
            trust=trust,
        )
        for (table, row_id), cosine, has, lexical, neighbour, coverage, asking, said, created, says, trust in rows
    ]
