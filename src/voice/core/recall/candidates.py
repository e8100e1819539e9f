"""Tier 3 of recall: rows and summaries found by search, in one order.

Law: order is `(-score, table, id)`; less trusted rows need a score higher by `DISTRUST`. No id or text appears twice or
in two tiers; of duplicates the most trusted stays, at the best score (rulings C8, C9). A graph row lends its score to
the visible thought it repeats, else stands alone (ruling C19); repeats of redacted, hidden or private thoughts are
dropped.

Source: spec retrieval-contract, Tier 3, Deduplication and Provider Contract; rulings A11, A13, C8-C10, C19, G, H.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final

from voice.core.recall.capsules import is_summary_visible, live_summary
from voice.core.recall.disclosure import (
    behind,
    is_content_visible,
    is_shown_redacted,
    shown_redacted,
    shown_row,
    shown_summary,
    thoughts_behind,
)
from voice.core.recall.params import text_scorer
from voice.core.recall.values import CandidateResult, RecalledEntity, RecallParams, Summary
from voice.core.records import TRUST_RANK, Row, Table, Thought, TrustTier, table_of
from voice.core.retrieval.candidates import Neighbourhood, admits, build_candidates
from voice.core.retrieval.ranking import DEFAULT_PROFILE, PLACES, fts_score, own_score, recency, unit_score
from voice.core.retrieval.selection import BEST, placed_text, raised_score
from voice.core.retrieval.values import LOCAL_FTS, Found, Hit, RowFilter
from voice.core.text.normalise import content_hash


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateHit:
    """A candidate row with its best score; `found_by` is the row that matched, if another."""

    row_id: str
    score: float
    found_by: str | None = None


def lift(
    found: Iterable[Found], rows: Mapping[str, Row], row_filter: RowFilter, shown: frozenset[str]
) -> tuple[CandidateHit, ...]:
    """Map hits to the rows they stand for, each once, by id, without those `shown` in other tiers."""
    best: dict[str, CandidateHit] = {}
    for one in found:
        row = rows.get(one.hit.row_id)
        if row is None or is_already_shown(row, shown) or not is_content_visible(row, rows, row_filter):
            continue
        score = 0.0 if math.isnan(one.score) else round(min(max(one.score, 0.0), 1.0), PLACES)
        lifted = _lifted(row, score, rows, row_filter)
        known = best.get(lifted.row_id)
        if known is None or _preference(lifted) < _preference(known):
            best[lifted.row_id] = lifted
    return tuple(best[row_id] for row_id in sorted(best))  # by id: independent of the order of the hits


def is_already_shown(row: Row, shown: frozenset[str]) -> bool:
    """Return whether the row or a thought it repeats is already shown."""
    return row.id in shown or not shown.isdisjoint(thoughts_behind(row))


def _lifted(row: Row, score: float, rows: Mapping[str, Row], row_filter: RowFilter) -> CandidateHit:
    """Return the newest visible thought that the row repeats, or the row itself."""
    visible = [thought for thought in behind(row, rows) if admits(row_filter, thought)]
    if not visible:
        return CandidateHit(row_id=row.id, score=score)
    # A person reads the thought as they wrote it, not the graph's rendering of it.
    newest = max(visible, key=lambda thought: (thought.created_at, thought.id))
    return CandidateHit(row_id=newest.id, score=score, found_by=row.id)


def _preference(lifted: CandidateHit) -> tuple[float, str]:
    """Sort key: better score first, then direct hits."""
    return -lifted.score, lifted.found_by or ""


SUMMARIES = "summaries"
"""Sorts after the tables of rows."""
HALF_LIFE_DAYS = 30.0
DISTRUST: Final[Mapping[TrustTier, float]] = {TrustTier.GREEN: 0.0, TrustTier.AMBER: 0.03, TrustTier.RED: 0.06}
"""Required score advantage over a green row."""
READ_CHARS = 500_000
"""Total of all summaries, which bounds the time per query."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRows:
    """Ids and texts in the upper tiers."""

    ids: frozenset[str]
    hashes: frozenset[str]

    @classmethod
    def by(cls, shown: Iterable[RecalledEntity]) -> "ShownRows":
        """Collect ids and hashes; redacted rows only have an id."""
        rows = tuple(shown)
        hashes = frozenset(content_hash(row.content) for row in rows if not row.redacted)
        return cls(ids=frozenset(row.id for row in rows), hashes=hashes)


def row_filter_of(params: RecallParams) -> RowFilter:
    """Return the filter for candidate rows."""
    return RowFilter(
        tables=frozenset(Table), scope=params.scope, window=params.window, include_private=params.include_private
    )


def found_rows(
    lifted: Iterable[CandidateHit], rows: Mapping[str, Row], around: Neighbourhood, params: RecallParams
) -> tuple[CandidateResult, ...]:
    """Return the lifted rows as candidates, without rows that state nothing (ruling C19)."""
    by_id = {one.row_id: one for one in lifted}
    hits = (
        Found(
            hit=Hit(row_id=one.row_id, table=table_of(one.row_id), cosine=None, lexical=0.0),
            score=one.score,
            rank_score=one.score,
        )
        for one in by_id.values()
    )
    built = build_candidates(hits, rows, around, row_filter_of(params))
    return tuple(
        CandidateResult(
            entity=shown_row(one.row, one.text, is_private=one.is_private),
            score=one.relevance,
            found_by=by_id[one.row.id].found_by,
        )
        for one in built.found
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryMatch:
    """A summary with a word of the query, and its relevance."""

    summary: Summary
    relevance: float


def weighed_summaries(summaries: Iterable[Summary], params: RecallParams) -> tuple[tuple[SummaryMatch, ...], int]:
    """Return the relevant visible summaries, and the number left unread.

    `summaries` are in the scope of the read; their texts are read newest first, up to `READ_CHARS` in total.
    """
    visible = [
        each
        for each in summaries
        if params.window.admits(each.created_at) and (params.include_private or not each.is_private)
    ]
    ends = accumulate(len(each.content) for each in visible)
    read = [each for each, end in zip(visible, ends, strict=True) if end <= READ_CHARS]  # the newest, up to the total
    weigh = text_scorer(params.query)
    weighed = (SummaryMatch(summary=each, relevance=weigh(each.content)) for each in read)
    return tuple(each for each in weighed if each.relevance), len(visible) - len(read)  # no common word: not found


def found_summaries(
    weighed: Iterable[SummaryMatch], rows: Mapping[str, Row], params: RecallParams
) -> tuple[CandidateResult, ...]:
    """Return the summaries that are visible and valid by their `rows` and the thoughts behind those, scored."""
    found: list[CandidateResult] = []
    for each in weighed:
        summary = live_summary(each.summary, rows)
        if summary is not None and is_summary_visible(summary, rows, params):
            if params.provider == LOCAL_FTS:  # on the scale of the rows that this provider returns
                age = recency(summary.created_at, params.now, half_life_days=HALF_LIFE_DAYS)
                score = fts_score(each.relevance, age)
            else:
                score = unit_score(own_score(None, each.relevance, DEFAULT_PROFILE.weights))  # a summary has no vector
            found.append(CandidateResult(entity=shown_summary(summary), score=score))
    return tuple(found)


def best_to_read(found: Iterable[CandidateResult]) -> tuple[CandidateResult, ...]:
    """Return the candidates for the re-ranker, best first."""
    return tuple(sorted(found, key=_sort_key)[:BEST])


def text_to_read(one: CandidateResult, row: Row | None) -> str:
    """Return a candidate's text for the re-ranker; `row` is its matching row, None for a summary."""
    return one.entity.content if row is None else placed_text(row, one.entity.content)


def add_rerank_gains(found: Iterable[CandidateResult], logits: Mapping[str, float]) -> tuple[CandidateResult, ...]:
    """Add the re-ranker's gains; `logits` are by id of the shown row."""
    return tuple(
        replace(one, score=raised_score(one.score, logits[one.entity.id])) if one.entity.id in logits else one
        for one in found
    )


def ranked(found: Iterable[CandidateResult], shown: ShownRows) -> tuple[CandidateResult, ...]:
    """Return the candidates best first, distinct by id and text, without those shown in upper tiers."""
    preferred = sorted(found, key=lambda one: (-TRUST_RANK[one.entity.trust], *_sort_key(one)))
    kept: dict[str, CandidateResult] = {}
    for one in preferred:
        text = content_hash(one.entity.content)
        if one.entity.id in shown.ids or text in shown.hashes:
            continue
        first = kept.setdefault(text, one)
        # The most trusted copy stands for the text, at the score of the best one.
        if one.score > first.score:
            kept[text] = replace(first, score=one.score, found_by=one.found_by or one.entity.id)
    return tuple(sorted(kept.values(), key=_sort_key))


def redacted_rows(rows: Iterable[Row], params: RecallParams, shown: ShownRows) -> tuple[CandidateResult, ...]:
    """Return the requested redacted rows, newest first; graph rows only if their thought is not shown."""
    if not params.include_redacted:
        return ()
    row_filter = row_filter_of(params)
    visible = {row.id: row for row in rows if is_shown_redacted(row, row_filter) and row.id not in shown.ids}
    ids = shown.ids | visible.keys()
    found = [
        row
        for row in visible.values()
        if isinstance(row, Thought) or not any(origin.thought_id in ids for origin in row.provenance)
    ]
    found.sort(key=lambda row: row.id)  # then by time: sorting is stable
    found.sort(key=lambda row: row.created_at, reverse=True)
    return tuple(CandidateResult(entity=shown_redacted(row), score=0.0) for row in found)


def _sort_key(one: CandidateResult) -> tuple[float, str, str]:
    entity = one.entity
    table = SUMMARIES if entity.entity_kind == "summary" else table_of(entity.id).value
    return -round(one.score - DISTRUST[entity.trust], PLACES), table, entity.id  # only the order, not the shown score
