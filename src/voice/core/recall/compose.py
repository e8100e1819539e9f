"""Compose the three tiers of recall.

Law: independent of input order. All candidates are ranked, `max_candidates` considered, budget and `limit` applied,
then `order` sorts the display: scores never depend on how much was requested, and counts are true (rulings A15, G, E).
Redacted rows follow the others.
Source: spec retrieval-contract, Core Interface, Provenance, Determinism Guarantees; rulings A15, A17, D14, E, G.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from voice.core.messages import memory as messages
from voice.core.recall.candidates import ShownRows, ranked, redacted_rows
from voice.core.recall.params import query_terms
from voice.core.recall.pins import PinTier
from voice.core.recall.values import CandidateResult, RecalledEntity, RecallParams, RecallProvenance, RecallResult
from voice.core.records import Row
from voice.core.retrieval.values import Reranked
from voice.core.text.instants import date_sort_key
from voice.core.text.prompt_injection import find_instruction, instruction_like
from voice.core.text.sentences import best_match_span
from voice.core.token_estimates import estimate_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """The candidates that fit, in order, with the token count of everything."""

    candidates: tuple[CandidateResult, ...]
    tokens_used: int
    dropped: int = 0
    over_budget_by: int = 0


def tokens_of(entity: RecalledEntity) -> int:
    """Return an entity's tokens (spec: estimateTokens)."""
    return estimate_tokens(entity.content)


def fit(
    kept: Iterable[RecalledEntity], candidates: Sequence[CandidateResult], *, budget: int | None, limit: int | None
) -> Fitted:
    """Choose the candidates that fit beside `kept`, at most `limit`.

    Args:
        kept: pins' targets and the current summary.
        candidates: best first.
        budget: tokens in total; None is unbounded.
        limit: counts fitting candidates only; None is all.
    """
    used = sum(map(tokens_of, kept))
    # The upper tiers are never cut: their excess is reported (ruling A17).
    if budget is not None and used > budget:
        return Fitted(candidates=(), tokens_used=used, dropped=len(candidates), over_budget_by=used - budget)
    fitting: list[CandidateResult] = []
    dropped = 0
    for candidate in candidates:
        if limit is not None and len(fitting) >= limit:  # beyond the limit nothing is dropped by the budget
            break
        tokens = tokens_of(candidate.entity)
        if budget is None or used + tokens <= budget:
            fitting.append(candidate)
            used += tokens
        else:
            dropped += 1  # and the next, smaller one tried (ruling D14)
    return Fitted(candidates=tuple(fitting), tokens_used=used, dropped=dropped)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundCandidates:
    """Results of the search."""

    candidates: Sequence[CandidateResult] = ()
    """Visible rows and summaries, in any order; only fetched rows."""
    unseen: int = 0
    """Matching thoughts that were not fetched."""
    redacted: Sequence[Row] = ()
    reranked: Reranked | None = None
    is_partial: bool = False
    """Whether time ran out before everything was ranked."""


def compose(
    params: RecallParams,
    pins: PinTier,
    summary: RecalledEntity | None,
    searched: FoundCandidates,
    warnings: Sequence[str] = (),
) -> RecallResult:
    """Compose the result of three tiers: pins, the summary unless a pin shows it, and candidates."""
    is_pinned = summary is not None and any(pin.target.id == summary.id for pin in pins.shown)
    current = None if is_pinned else summary
    kept = (*(pin.target for pin in pins.shown), *((current,) if current else ()))
    shown = ShownRows.by(kept)
    scored = ranked(searched.candidates, shown)
    redacted = redacted_rows(searched.redacted, params, shown)  # a quota of their own, or a full list leaves them out
    considered = (*scored[: params.max_candidates], *redacted[: params.max_candidates])
    fitted, quarantined = fit_without_instructions(kept, considered, params)
    like_instructions = _shown_instructions(pins, (*kept, *(one.entity for one in fitted.candidates)))
    redacted_left = len(redacted) - sum(one.entity.redacted for one in fitted.candidates)
    provenance = replace(
        _provenance_of(params),
        total_candidates=len(scored) + searched.unseen + len(redacted),
        considered=len(considered),
        returned_candidates=len(fitted.candidates),
        dropped_by_budget=fitted.dropped,
        truncated_due_to_token_budget=fitted.dropped > 0,
        tokens_used=fitted.tokens_used,
        over_budget_by=fitted.over_budget_by,
        is_partial=searched.is_partial,
        reranked=searched.reranked,
        quarantined=quarantined,
        instruction_like=like_instructions,
        warnings=(
            *params.warnings,
            *warnings,
            *_warnings_on_rows(pins, redacted_left, is_summary_pinned=is_pinned),
            *_instruction_warnings(quarantined, like_instructions),
        ),
    )
    return RecallResult(
        pins=pins.shown, current_summary=current, candidates=_presented(fitted, params), provenance=provenance
    )


def _shown_instructions(pins: PinTier, rows: Sequence[RecalledEntity]) -> tuple[str, ...]:
    return (*(pin.pin.id for pin in pins.shown if find_instruction(pin.pin.reason)), *_instruction_like(rows))


def _provenance_of(params: RecallParams) -> RecallProvenance:
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


def _warnings_on_rows(pins: PinTier, redacted_left: int, *, is_summary_pinned: bool) -> Iterator[str]:
    if pins.lost:
        yield messages.pins_without_target(pins.lost)
    if is_summary_pinned:
        yield messages.SUMMARY_IS_PINNED
    if redacted_left:
        yield messages.redacted_left_out(redacted_left, "s" if redacted_left != 1 else "")


def _presented(fitted: Fitted, params: RecallParams) -> tuple[CandidateResult, ...]:
    terms = query_terms(params.query)
    shown: list[CandidateResult] = []
    for candidate in fitted.candidates:
        entity = candidate.entity
        span = None if entity.redacted else best_match_span(entity.content, terms)
        shown.append(candidate if span is None else replace(candidate, match_start=span[0], match_end=span[1]))
    if params.order is not None:  # after the choice: order is only for display
        latest_first = params.order == "created_at_desc"
        shown.sort(key=lambda one: date_sort_key(one.entity.created_at, latest_first=latest_first))
    return tuple(shown)


def fit_without_instructions(
    kept: Sequence[RecalledEntity], considered: Sequence[CandidateResult], params: RecallParams
) -> tuple[Fitted, tuple[str, ...]]:
    """Return the candidates that fit, and the quarantined ids; only what would be shown is scanned, which is dear."""
    left, quarantined = considered, tuple[str, ...]()
    while True:
        fitted = fit(kept, left, budget=params.token_budget, limit=params.limit)
        found = _instruction_like(one.entity for one in fitted.candidates) if params.quarantine else ()
        if not found:  # what moved up in their place was scanned as well
            return fitted, quarantined
        left, quarantined = [one for one in left if one.entity.id not in found], (*quarantined, *found)


def _instruction_like(shown: Iterable[RecalledEntity]) -> tuple[str, ...]:
    return instruction_like({one.id: one.content for one in shown if not one.redacted})


def _instruction_warnings(quarantined: Sequence[str], shown: Sequence[str]) -> Iterator[str]:
    """Yield the warnings about entities that read like instructions, by id: left out, and shown nevertheless."""
    if quarantined:
        yield messages.instructions_kept_out(len(quarantined), ", ".join(quarantined))
    if shown:
        yield messages.shown_though(", ".join(shown))
