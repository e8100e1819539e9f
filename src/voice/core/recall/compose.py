"""The three tiers put together.

Law: a pure function of what was gathered: the same rows, pins, summaries and scores give the same result, in whatever
order they came. First every candidate has its place, then `max_candidates` are weighed, then the budget and `limit`
choose, and only then `order` arranges what is shown: so no score and no rank depends on how much was asked for, and
every count is a true one (rulings A15, G, E). Redacted rows take no place of a candidate that says something: they
come after those, as many again at most, and where some are not shown that is said.

Source: spec retrieval-contract, Core Interface, Provenance, Determinism Guarantees; rulings A15, A17, D14, E, G.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from voice.core.messages import memory as messages
from voice.core.recall.candidates import ShownRows, ranked, redacted_rows
from voice.core.recall.params import query_terms
from voice.core.recall.pins import PinTier
from voice.core.recall.values import CandidateResult, RecalledEntity, RecallParams, RecallProvenance, RecallResult
from voice.core.records import Row
from voice.core.retrieval.values import Reranked
from voice.core.text.instants import date_sort_key
from voice.core.text.prompt_injection.detection import find_instruction, split_instructions
from voice.core.text.sentences import best_match_span
from voice.core.token_estimates import estimate_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """The candidates that fit, in their order, and what everything takes."""

    candidates: tuple[CandidateResult, ...]
    tokens_used: int
    dropped: int = 0
    """Candidates whose turn came and that did not fit."""
    over_budget_by: int = 0


def tokens_of(entity: RecalledEntity) -> int:
    """Return what an entity costs (spec: estimateTokens)."""
    return estimate_tokens(entity.content)


def fit(
    kept: Iterable[RecalledEntity], candidates: Sequence[CandidateResult], *, budget: int | None, limit: int | None
) -> Fitted:
    """Return what of `candidates` fits beside `kept`, and no more than `limit` of it.

    Args:
        kept: pins' targets and the current summary.
        candidates: best first.
        budget: tokens for everything; None is unbounded.
        limit: how many are wanted; what does not fit takes no place. None is all.
    """
    used = sum(map(tokens_of, kept))
    if budget is not None and used > budget:
        return Fitted(candidates=(), tokens_used=used, dropped=len(candidates), over_budget_by=used - budget)
    fitting: list[CandidateResult] = []
    dropped = 0
    for candidate in candidates:
        if limit is not None and len(fitting) >= limit:
            break
        tokens = tokens_of(candidate.entity)
        if budget is None or used + tokens <= budget:
            fitting.append(candidate)
            used += tokens
        else:
            dropped += 1
    return Fitted(candidates=tuple(fitting), tokens_used=used, dropped=dropped)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundCandidates:
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
    params: RecallParams,
    pins: PinTier,
    summary: RecalledEntity | None,
    searched: FoundCandidates,
    warnings: Sequence[str] = (),
) -> RecallResult:
    """Return the result.

    Args:
        summary: the second tier, unless a pin shows it already.
        searched: what the third tier is chosen from.
        warnings: what else is to be said.
    """
    current, notes = _beside(pins, summary)
    kept = (*(pin.target for pin in pins.shown), *((current,) if current else ()))
    taken = ShownRows.by(kept)
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


def _beside(pins: PinTier, summary: RecalledEntity | None) -> tuple[RecalledEntity | None, tuple[str, ...]]:
    """Return the current summary unless it is pinned: nothing stands in two tiers."""
    if summary is None or all(pin.target.id != summary.id for pin in pins.shown):
        return summary, ()
    return None, (messages.SUMMARY_IS_PINNED,)


def _unshown(redacted: int, fitted: Fitted) -> tuple[str, ...]:
    left_out = redacted - sum(one.entity.redacted for one in fitted.candidates)
    if not left_out:
        return ()
    return (messages.redacted_left_out(left_out, "s" if left_out != 1 else ""),)


def _lost(count: int) -> tuple[str, ...]:
    if not count:
        return ()
    return (messages.pins_without_target(count),)


def _presented(fitted: Fitted, params: RecallParams) -> tuple[CandidateResult, ...]:
    terms = query_terms(params.query)
    shown = [_with_context(candidate, terms) for candidate in fitted.candidates]
    if params.order is not None:
        latest_first = params.order == "created_at_desc"
        shown.sort(key=lambda one: date_sort_key(one.entity.created_at, latest_first=latest_first))
    return tuple(shown)


def _with_context(candidate: CandidateResult, terms: Sequence[str]) -> CandidateResult:
    if candidate.entity.redacted:
        return candidate
    span = best_match_span(candidate.entity.content, terms)
    return candidate if span is None else replace(candidate, match_start=span[0], match_end=span[1])


def fit_without_instructions(
    kept: Sequence[RecalledEntity], considered: Sequence[CandidateResult], params: RecallParams
) -> tuple[Fitted, tuple[str, ...]]:
    """Return the candidates that fit, and the ids of those that were kept out.

    Only what would be shown is read, since reading costs more than fitting.
    """
    left, out = considered, tuple[str, ...]()
    while True:
        fitted = fit(kept, left, budget=params.token_budget, limit=params.limit)
        found = instruction_like(one.entity for one in fitted.candidates) if params.quarantine else ()
        if not found:
            return fitted, out
        left, out = [one for one in left if one.entity.id not in found], (*out, *found)


def instruction_like(shown: Iterable[RecalledEntity]) -> tuple[str, ...]:
    """Return the ids of what reads like instructions to a model, alone or with the next, in order."""
    rows = [one for one in shown if not one.redacted]
    spread = split_instructions([one.content for one in rows])
    return tuple(one.id for at, one in enumerate(rows) if at in spread or find_instruction(one.content))


def told_of_instructions(kept_out: Sequence[str], shown: Sequence[str]) -> tuple[str, ...]:
    """Return what is to be said of them."""
    told: list[str] = []
    if kept_out:
        told.append(messages.instructions_kept_out(len(kept_out), ", ".join(kept_out)))
    if shown:
        told.append(messages.shown_though(", ".join(shown)))
    return tuple(told)
