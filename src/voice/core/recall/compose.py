"""The three tiers put together.

Law: a pure function of what was gathered: the same rows, pins, summaries and scores give the same result, in whatever
order they came. First every candidate has its place, then `max_candidates` are weighed, then the budget and `limit`
choose, and only then `order` arranges what is shown: so no score and no rank depends on how much was asked for, and
every count is a true one (rulings A15, G, E). Redacted rows take no place of a candidate that says something: they
come after those, as many again at most, and where some are not shown that is said.

Source: spec retrieval-contract, Core Interface, Provenance, Determinism Guarantees; rulings A15, A17, D14, E, G.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from voice.core.recall.budget import Fitted
from voice.core.recall.candidates import Taken, ranked, redacted_rows
from voice.core.recall.pins import PinTier
from voice.core.recall.quarantine import fit_without_instructions, instruction_like, told_of_instructions
from voice.core.recall.values import CandidateResult, Recalled, RecallParams, RecallProvenance, RecallResult
from voice.core.recall.words import query_terms
from voice.core.records import Row
from voice.core.retrieval.values import Reranked
from voice.core.text.capping import match_span
from voice.core.text.instants import in_order


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """What the search brought."""

    candidates: Sequence[CandidateResult] = ()
    """Rows and summaries that may be seen, in any order; rows are there as far as they were looked at."""
    unseen: int = 0
    """Thoughts that matched and were not looked at: each could have been a candidate."""
    redacted: Sequence[Row] = ()
    reranked: Reranked | None = None
    is_partial: bool = False
    """Whether time was up before everything was ranked."""


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
    considered = (*scored[: params.max_candidates], *redacted[: params.max_candidates])
    fitted, kept_out = fit_without_instructions(kept, considered, params)
    like_instructions = instruction_like((*kept, *(one.entity for one in fitted.candidates)))
    provenance = replace(
        _asked(params),
        total_candidates=len(scored) + searched.unseen + len(redacted),
        considered=len(considered),
        returned_candidates=len(fitted.candidates),
        dropped_by_budget=fitted.dropped,
        truncated_due_to_token_budget=fitted.dropped > 0,
        tokens_used=fitted.tokens_used,
        over_budget_by=fitted.over_budget_by,
        is_partial=searched.is_partial,
        reranked=searched.reranked,
        quarantined=kept_out,
        instruction_like=like_instructions,
        warnings=(
            *params.warnings,
            *warnings,
            *_lost(pins.lost),
            *notes,
            *_unshown(len(redacted), fitted),
            *told_of_instructions(kept_out, like_instructions),
        ),
    )
    return RecallResult(
        pins=pins.shown, current_summary=current, candidates=_presented(fitted, params), provenance=provenance
    )


def _asked(params: RecallParams) -> RecallProvenance:
    """Return what was asked for; nothing is counted yet."""
    return RecallProvenance(
        query=params.query,
        scope=params.scope,
        provider_used=params.provider,
        token_budget=params.token_budget,
        now=params.now,
        when=params.when,
        when_unparsed=params.when_unparsed,
        window=params.window,
    )


def _beside(pins: PinTier, summary: Recalled | None) -> tuple[Recalled | None, tuple[str, ...]]:
    """Return the current summary unless it is pinned: nothing stands in two tiers."""
    if summary is None or all(pin.target.id != summary.id for pin in pins.shown):
        return summary, ()
    return None, ("the current summary is pinned and stands among the pins",)


def _unshown(redacted: int, fitted: Fitted) -> tuple[str, ...]:
    left_out = redacted - sum(one.entity.redacted for one in fitted.candidates)
    if not left_out:
        return ()
    return (f"no place or budget left for {left_out} redacted row{'s' if left_out != 1 else ''}",)


def _lost(count: int) -> tuple[str, ...]:
    if not count:
        return ()
    what = "1 pin points" if count == 1 else f"{count} pins point"
    return (f"{what} to something that is gone or no longer found; `voice pins list` shows them",)


def _presented(fitted: Fitted, params: RecallParams) -> tuple[CandidateResult, ...]:
    terms = query_terms(params.query)
    shown = [_with_context(candidate, terms) for candidate in fitted.candidates]
    if params.order is not None:
        latest_first = params.order == "created_at_desc"
        shown.sort(key=lambda one: in_order(one.entity.created_at, latest_first=latest_first))
    return tuple(shown)


def _with_context(candidate: CandidateResult, terms: Sequence[str]) -> CandidateResult:
    if candidate.entity.redacted:
        return candidate
    span = match_span(candidate.entity.content, terms)
    return candidate if span is None else replace(candidate, match_start=span[0], match_end=span[1])
