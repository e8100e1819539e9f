"""Select the snippets from the candidates, with the diagnostics of the choice, and re-rank the best by a model.

Law: independent of the candidates' order (promise 8). Every drop has a reason (promise 9), unless fetching stopped
early, when no partial account is given.

  quoted phrase → floor per source → dedupe over all → allocate by mix → cap → final order

The model reads the best `BEST` rows as indexed, with the question; they gain 0 to `WEIGHT`, so that no row drops behind
an unread one. Only ranks change; the shown cosine stays (ruling C20; `python -m bench.locomo --rerank`).
Source: DESIGN 5 "Re-ranking"; spec inner_voice.retrieve, Behavior 4-9; rulings A11, A15, C2-C9, C12, C13, C20, E.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from voice.core.messages import asking as messages
from voice.core.records import Observation, Row, Table, Thought
from voice.core.retrieval.ranking import PLACES, Measure, by_rank, in_shown_order, ranked, shown_by, unit_score
from voice.core.retrieval.searchable_text import holding, indexed_text, unheld
from voice.core.retrieval.selection_rules import Allocation, Deduped, Floored, allocate, apply_floor, dedupe
from voice.core.retrieval.values import (
    LOCAL_FTS,
    SOURCE_TYPE,
    Candidate,
    Diagnostics,
    Dropped,
    Reranked,
    RetrieveParams,
    Selection,
    Snippet,
)
from voice.core.text.sentences import cap_span

OUT_OF_TIME: Final = messages.SEARCH_TIMED_OUT
"""Message of a `partial` answer (spec nlq 9; ruling E)."""
LEXICAL_ONLY_WARNING = messages.RANKED_BY_WORDS
NO_VECTORS_WARNING = messages.NO_VECTORS


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFacts:
    """What the search reports for the diagnostics."""

    provider: str
    """Name of the query's encoder; `none` without vectors."""
    model: str
    dim: int
    excluded_other_model: int = 0
    dropped: tuple[Dropped, ...] = ()
    found: Mapping[Table, int] | None = None
    """Rows returned per table; None counts the candidates."""
    admitted: Mapping[Table, int] = field(default_factory=dict[Table, int])
    matched: Mapping[Table, int] = field(default_factory=dict[Table, int])
    candidate_limit: int = 1
    reranked: Reranked | None = None
    is_complete: bool = True
    """Whether all hits were fetched, so that every drop can be reported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The outcome of every step."""

    kg: Floored
    thoughts: Floored
    without_phrase: tuple[Candidate, ...]
    unique: Deduped
    allocation: Allocation


def uncompared_warning(excluded: int, admitted: int) -> str | None:
    """Return the warning about visible rows without a vector of the current encoder; None if all have one."""
    if not excluded or not admitted:
        return None
    if excluded >= admitted:
        return NO_VECTORS_WARNING
    return messages.rows_without_vector(excluded, admitted)


def effective_provider(params: RetrieveParams) -> str:
    """Return the ranking provider: `local-fts` if only words were requested (ruling C17)."""
    return LOCAL_FTS if params.lexical_only else params.provider


def select(params: RetrieveParams, candidates: Iterable[Candidate], facts: SearchFacts) -> Selection:
    """Return S0's snippets, best `score` first, or by date (`params.order`), or by rank after re-ranking."""
    final = by_rank if params.rerank else shown_by(effective_provider(params))
    return _selection(params, candidates, facts, final)


def select_evidence(params: RetrieveParams, candidates: Iterable[Candidate], facts: SearchFacts) -> Selection:
    """Return the same choice with the best rank first, for prompts (ruling C20)."""
    return _selection(params, candidates, facts, by_rank)


def _selection(
    params: RetrieveParams, candidates: Iterable[Candidate], facts: SearchFacts, final: Measure
) -> Selection:
    candidates, shown = tuple(candidates), shown_by(effective_provider(params))
    choice = choose(params, candidates)
    chosen = in_shown_order(ranked(choice.allocation.chosen, final), params.order)
    # Duplicates and drops among the rows not fetched are unknown, and half an account would mislead.
    also_in = choice.unique.also_in if facts.is_complete else {}
    dropped = (*facts.dropped, *_dropped(choice, shown)) if facts.is_complete else ()
    return Selection(
        snippets=tuple(_snippet(candidate, shown, also_in) for candidate in chosen),
        diagnostics=_diagnostics(params, choice, facts),
        dropped=tuple(sorted(dropped, key=lambda one: (one.reason, -one.score, one.id))),
        chosen=chosen,
        unheld=unheld(candidates, params.phrases),
    )


def cut_short(selection: Selection) -> Selection:
    """Mark a selection as partial, with a warning."""
    facts = selection.diagnostics
    return replace(selection, diagnostics=replace(facts, partial=True, warnings=(*facts.warnings, OUT_OF_TIME)))


def choose(params: RetrieveParams, candidates: Iterable[Candidate]) -> Choice:
    """Allocate the places among candidates of all sources, in any order, with the outcome of each step."""
    provider = effective_provider(params)
    holders, others = holding(candidates, params.phrases)
    requested = [each for each in holders if (params.mix < 1.0 if each.table is Table.THOUGHTS else params.mix > 0.0)]
    kg, thoughts = (
        apply_floor(source, provider, floor=params.floor, min_floor=params.min_floor) for source in _sources(requested)
    )
    # After the floors, so that no row below one hides its copy above it; before the places, as a copy takes none.
    unique = dedupe((*kg.kept, *thoughts.kept), by_rank)
    allocation = allocate(*_sources(unique.kept), by_rank, top_k=params.top_k, mix=params.mix)
    return Choice(kg=kg, thoughts=thoughts, without_phrase=others, unique=unique, allocation=allocation)


def _sources(candidates: Iterable[Candidate]) -> tuple[list[Candidate], list[Candidate]]:
    kg: list[Candidate] = []
    thoughts: list[Candidate] = []
    for candidate in candidates:
        (thoughts if candidate.table is Table.THOUGHTS else kg).append(candidate)
    return kg, thoughts


def _snippet(candidate: Candidate, shown: Measure, also_in: dict[str, tuple[str, ...]]) -> Snippet:
    start, end = cap_span(candidate.text)
    row = candidate.row
    return Snippet(
        id=row.id,
        table=candidate.table,
        source_type=SOURCE_TYPE[candidate.table],
        origin=row.origin,
        trust_tier=row.trust,
        created_at=row.created_at,
        entered_at=row.recorded_at,
        text=candidate.text[start:end],
        score=shown(candidate),
        content_hash=candidate.content_hash,
        span_start=start,
        span_end=end,
        rank_score=candidate.rank_score,
        lexical=candidate.lexical,
        cosine=candidate.cosine,
        also_in=also_in.get(row.id, ()),
        boosts=candidate.boosts,
        context_path=row.context_path if isinstance(row, Observation) else (),
        speaker=row.speaker if isinstance(row, Thought | Observation) else None,
        thread=row.thread if isinstance(row, Thought | Observation) else None,
    )


def _diagnostics(params: RetrieveParams, choice: Choice, facts: SearchFacts) -> Diagnostics:
    kg_count, thought_count = _counts(choice, facts)
    returned = len(choice.allocation.chosen)
    empty_reason = "floor_excluded_all" if choice.kg.excluded or choice.thoughts.excluded else "no_candidates"
    floors = [*([choice.kg.floor] if params.mix > 0.0 else []), *([choice.thoughts.floor] if params.mix < 1.0 else [])]
    uncompared = uncompared_warning(facts.excluded_other_model, sum(facts.admitted.values()))
    warning = uncompared or (LEXICAL_ONLY_WARNING if params.lexical_only else None)
    return Diagnostics(
        provider=facts.provider,
        model=facts.model,
        dim=facts.dim,
        k_req=params.top_k,
        k_ret=returned,
        kg_candidates=kg_count,
        thought_candidates=thought_count,
        floor_used=min(floors),  # the lowest of the requested sources (ruling C3)
        no_results=returned == 0,
        reason=None if returned else empty_reason,
        floor_kg=choice.kg.floor,
        floor_thoughts=choice.thoughts.floor,
        kg_slots=choice.allocation.kg_slots,
        thought_slots=choice.allocation.thought_slots,
        backfilled=choice.allocation.backfilled,
        excluded_other_model=facts.excluded_other_model,
        retrieval_provider=effective_provider(params),
        candidate_limit=facts.candidate_limit,
        admitted=facts.admitted,
        matched=facts.matched,
        when=params.when,
        window=params.window,
        reranked=facts.reranked,
        warnings=(*params.warnings, *((warning,) if warning else ())),
    )


def _counts(choice: Choice, facts: SearchFacts) -> tuple[int, int]:
    if facts.found is None:
        kg, thoughts = (len(source.kept) + len(source.excluded) for source in (choice.kg, choice.thoughts))
        return kg, thoughts
    of_thoughts = facts.found.get(Table.THOUGHTS, 0)
    return sum(facts.found.values()) - of_thoughts, of_thoughts


def _dropped(choice: Choice, shown: Measure) -> Iterator[Dropped]:
    for candidate in choice.without_phrase:
        yield Dropped(id=candidate.row.id, reason="no_phrase", score=shown(candidate))
    for candidate in (*choice.kg.excluded, *choice.thoughts.excluded):
        yield Dropped(id=candidate.row.id, reason="below_floor", score=shown(candidate))
    for candidate, kept_id in choice.unique.duplicates:
        yield Dropped(id=candidate.row.id, reason="duplicate", score=shown(candidate), of=kept_id)
    for candidate in choice.allocation.left_out:
        yield Dropped(id=candidate.row.id, reason="no_slot", score=shown(candidate))


BEST: Final = 30
"""Rows that are read: about 0.3 s of CPU."""
WEIGHT: Final = 0.3
"""Maximum gain, on the scale of a fused rank."""
SOFTNESS: Final = 3.0
"""Logit difference that multiplies the odds of an answer by e."""
BOOST: Final = "reranker"
"""Name of the boost in the explain form."""
UNREAD: Final = messages.RERANKER_TIMED_OUT
_LEAST: Final = -50.0  # the gain is 0 long before, and `exp` of more than 709 overflows
_ALMOST_ONE: Final = 0.999_999  # a share of 1 would be an infinite rank


def placed_text(row: Row, text: str) -> str:
    """Return a row as a re-ranker reads it; `text` is the rendering of an entity or relation."""
    return indexed_text(row, {}) if isinstance(row, Thought | Observation) else text


def best_of(params: RetrieveParams, candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Return the rows to read, best first: the choice with `top_k=BEST`."""
    return choose(replace(params, top_k=BEST), candidates).allocation.chosen


def gain(logit: float) -> float:
    """Return the gain for a logit, 0 to `WEIGHT`."""
    return round(WEIGHT / (1.0 + math.exp(-max(logit / SOFTNESS, _LEAST))), PLACES)


def with_gains(candidates: Iterable[Candidate], logits: Mapping[str, float]) -> tuple[Candidate, ...]:
    """Add the gains to the candidates that were read; `logits` are by row id."""
    return tuple(_raised(each, logits[each.row.id]) if each.row.id in logits else each for each in candidates)


def _raised(candidate: Candidate, logit: float) -> Candidate:
    more = gain(logit)
    return replace(
        candidate, rank_score=round(candidate.rank_score + more, PLACES), boosts=(*candidate.boosts, (BOOST, more))
    )


def raised_score(score: float, logit: float) -> float:
    """Apply a logit's gain to a score in [0, 1] that is a mapped rank."""
    within = min(score, _ALMOST_ONE)  # `unit_score` undone, raised and done again
    return max(score, unit_score(within / (1.0 - within) + gain(logit)))
