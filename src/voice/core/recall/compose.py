"""The three tiers put together.

Law: a pure function of what was gathered: the same rows, pins, summaries and scores give the same result, in whatever
order they came. First every candidate has its place, then `max_candidates` are weighed, then `limit` and the budget
choose, and only then `order` arranges what is shown: so no score and no rank depends on how much was asked for, and
every count is a true one (rulings A15, G, E).

Source: spec retrieval-contract, Core Interface, Provenance, Determinism Guarantees; rulings A15, A17, D14, E, G.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from voice.core.recall.budget import Fitted, fit
from voice.core.recall.candidates import Taken, ranked, redacted_rows
from voice.core.recall.pins import PinTier
from voice.core.recall.values import CandidateResult, Recalled, RecallParams, RecallProvenance, RecallResult
from voice.core.recall.words import query_terms
from voice.core.records import Row
from voice.core.text.capping import match_span


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """What the search brought."""

    candidates: Sequence[CandidateResult] = ()
    """Rows and summaries that may be seen, in any order."""
    matched: int = 0
    """Rows that the provider says it could have returned."""
    looked_at: int = 0
    """Of those, how many it did return."""
    redacted: Sequence[Row] = ()


def compose(
    params: RecallParams, pins: PinTier, summary: Recalled | None, searched: Searched, warnings: Sequence[str] = ()
) -> RecallResult:
    """Return the result.

    Args:
        params: what was asked for.
        pins: the first tier.
        summary: the second tier, unless a pin shows it already.
        searched: what the third tier is chosen from.
        warnings: what else is to be said.
    """
    current, notes = _beside(pins, summary)
    kept = (*(pin.target for pin in pins.shown), *((current,) if current else ()))
    taken = Taken.by(kept)
    scored = ranked(searched.candidates, taken)
    redacted = redacted_rows(searched.redacted, params, taken)
    considered = (*scored, *redacted)[: params.max_candidates]
    wanted = considered if params.limit is None else considered[: params.limit]
    fitted = fit(kept, wanted, params.token_budget)
    provenance = RecallProvenance(
        query=params.query,
        scope=params.scope,
        provider_used=params.provider,
        total_candidates=_total(searched, len(scored)) + len(redacted),
        considered=len(considered),
        returned_candidates=len(fitted.candidates),
        dropped_by_budget=len(wanted) - len(fitted.candidates),
        truncated_due_to_token_budget=len(fitted.candidates) < len(wanted),
        token_budget=params.token_budget,
        tokens_used=fitted.tokens_used,
        over_budget_by=fitted.over_budget_by,
        now=params.now,
        warnings=(*params.warnings, *warnings, *_lost(pins.lost), *notes),
    )
    return RecallResult(
        pins=pins.shown, current_summary=current, candidates=_presented(fitted, params), provenance=provenance
    )


def _beside(pins: PinTier, summary: Recalled | None) -> tuple[Recalled | None, tuple[str, ...]]:
    """Return the current summary unless it is pinned: nothing stands in two tiers."""
    if summary is None or all(pin.target.id != summary.id for pin in pins.shown):
        return summary, ()
    return None, ("the current summary is pinned and stands among the pins",)


def _total(searched: Searched, scored: int) -> int:
    """Return how many matched, without those that turned out to be one with another, shown above, or not to be seen."""
    beyond = max(0, searched.matched - searched.looked_at)
    return scored + beyond


def _lost(count: int) -> tuple[str, ...]:
    if not count:
        return ()
    what = "1 pin points" if count == 1 else f"{count} pins point"
    return (f"{what} to something that is gone or no longer found; `voice pins list` shows them",)


def _presented(fitted: Fitted, params: RecallParams) -> tuple[CandidateResult, ...]:
    terms = query_terms(params.query)
    shown = [_with_context(candidate, terms) for candidate in fitted.candidates]
    if params.order is not None:
        shown.sort(key=lambda one: one.entity.created_at, reverse=params.order == "created_at_desc")
    return tuple(shown)


def _with_context(candidate: CandidateResult, terms: Sequence[str]) -> CandidateResult:
    if candidate.entity.redacted:
        return candidate
    span = match_span(candidate.entity.content, terms)
    return candidate if span is None else replace(candidate, match_start=span[0], match_end=span[1])
