"""What a question was understood as, what the search did with it, and what it would send and cost, as JSON.

Law: instants are UTC, the note says the same in local days; what was not understood is said. Counts are of what
happened. Words of the question appear, words of the memory never; money is a decimal string, unknown is null.
Source: spec nlq 8 (the figures of a request), 10; rulings A16, A17, A22, D14, E; docs/budgets.md.
"""

from decimal import Decimal

from voice.core.context.build import ContextPlan
from voice.core.nlq.parsed_query import ParsedQuery, unparsed_time_notice
from voice.core.retrieval.values import Selection, Window
from voice.core.session.budgets import CapState, TokenCalibration
from voice.core.text.instants import render_instant
from voice.core.token_estimates import ESTIMATES
from voice.core.usage import Price


def render_reading(
    parsed: ParsedQuery, selection: Selection | None, searched: Window, plan: ContextPlan | None
) -> dict[str, object]:
    """Return how a question was read, what its search did and what the model was shown; None: it came not so far."""
    return {
        "understood": _understood(parsed, searched),
        "search": None if selection is None else _search(parsed, selection, searched),
        "shown": None if plan is None else _shown(plan),
    }


def _understood(parsed: ParsedQuery, searched: Window) -> dict[str, object]:
    named = (parsed.question[mention.start : mention.end] for mention in parsed.mentions)
    return {
        "phrase": " ".join(parsed.time.text.split()) if parsed.time else None,
        "phrase_from_when": parsed.time_from_when,
        "note": parsed.time.note if parsed.time else None,
        **_window(searched),
        "widened": parsed.window is not None and searched != parsed.window,  # the search looked beyond what was said
        "when_unparsed": unparsed_time_notice(parsed),
        "language": parsed.language,
        "asked_for": parsed.asked_for,
        "entities": list(dict.fromkeys(named)),
        "entity_ids": list(parsed.entity_ids),
        "persons": list(parsed.persons),
        "keywords": list(parsed.terms),
        "quoted": list(parsed.phrases),
        "order": parsed.order,
        "notices": [{"code": notice.code, "detail": notice.detail} for notice in parsed.notices],
    }


def _search(parsed: ParsedQuery, selection: Selection, searched: Window) -> dict[str, object]:
    diagnostics = selection.diagnostics
    scanned = diagnostics.kg_candidates + diagnostics.thought_candidates
    without_phrase = sum(dropped.reason == "no_phrase" for dropped in selection.dropped)
    return {
        **_window(searched),
        "limit": diagnostics.k_req,
        "keywords_count": len(parsed.terms),
        "candidates_scanned": scanned,
        "phrase_filtered": without_phrase,
        "sim_evaluated": max(0, scanned - without_phrase) if diagnostics.dim else 0,  # 0: no vectors were compared
        "returned": diagnostics.k_ret,
        "partial": diagnostics.partial,
        "warnings": list(diagnostics.warnings),
    }


def _shown(plan: ContextPlan) -> dict[str, object]:
    return {
        "tokens": plan.prompt_tokens,
        "budget": plan.budget,
        "sections": dict(plan.sections),
        "pins_truncated": plan.pins_truncated,
        "skipped_for_budget": list(plan.skipped_for_budget),
        "quarantined": list(plan.quarantined),
    }


def render_skipped(plan: ContextPlan | None) -> list[dict[str, object]]:
    """Return what of the conversation so far was left out of a prompt, and why; nothing where there was no prompt."""
    skipped = () if plan is None else plan.skipped
    return [{"part": each.part, "reason": each.reason, "row_ids": list(each.row_ids)} for each in skipped]


def _window(searched: Window) -> dict[str, object]:
    ends = {"window_from": searched.start, "window_to": searched.end}
    return {name: None if moment is None else render_instant(moment) for name, moment in ends.items()}


def counter_in_words(name: str) -> str:
    """Return what counted tokens: a vocabulary, or `estimate` whatever its version."""
    return "estimate" if name in ESTIMATES else name  # versions are for proofs, not for people


def render_tokens(
    plan: ContextPlan | None, calibration: TokenCalibration, *, counted_by: str, most: int, max_output: int
) -> dict[str, object] | None:
    """Return the tokens of a prompt that would be sent; None where there is none."""
    if plan is None:
        return None
    return {
        "prompt": plan.prompt_tokens,
        "budget": plan.budget,
        "most_reported": most,
        "max_output": max_output,
        "counted_by": counter_in_words(counted_by),
        "trued_by_turns": calibration.turns,
        "mean_ratio": round(calibration.mean, 4),
        "largest_ratio": round(calibration.largest, 4),
    }


def render_context(plan: ContextPlan | None) -> dict[str, object] | None:
    """Return what a prompt is made of, and what was left out of it; None where none was made."""
    if plan is None:
        return None
    return {
        "sections": dict(plan.sections),
        "evidence_ids": [row.row_id for row in plan.evidence],
        "exchange_ids": list(plan.exchange_ids),
        "summary_revision": plan.summary_revision,
        "skipped": render_skipped(plan),
        "skipped_for_budget": list(plan.skipped_for_budget),
        "quarantined": list(plan.quarantined),
        "pins_truncated": plan.pins_truncated,
        "is_private": plan.is_private,
    }


def render_cap(state: CapState) -> dict[str, object]:
    """Return a cap with what counts against it."""
    return {
        "name": state.cap.name,
        "limit_usd": plain_money(state.cap.limit),
        "spent_usd": plain_money(state.spent.counted),
        "at_worst_usd": plain_money(state.spent.at_worst),
        "turns_of_unknown_cost": state.spent.unknown,
        "left_usd": plain_money(state.left),
        "frees_at": render_instant(state.cap.frees_at) if state.cap.frees_at else None,
    }


def plain_money(amount: Decimal) -> str:
    """Return an amount without an exponent."""
    return f"{amount:f}"  # 1E+2 is 100


def source_of(price: Price | None) -> str | None:
    """Return where a price is from, and of when."""
    return None if price is None else f"{price.source} {price.as_of}"
