"""Answers as an agent can live with them: what was found, what marks it, and which row says so.

Law: a brief form is a part of the full one, by the same names; it leaves out what only an account of the choice needs,
and everything that says nothing (an empty list, no date, the trust that rows have who can be trusted). Words are those
of the full form; a long text of a candidate is shown around its match, and whole by its id.

Source: rulings A9, A22, J1; specs inner_voice.retrieve, stateful-design-v2 8, retrieval-contract.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, cast

from voice.core.grounding.values import SourceCitation
from voice.core.recall.values import CandidateResult, PinResult, RecalledEntity, RecallResult
from voice.core.records import TrustTier
from voice.core.render.retrieval import RetrieveForm
from voice.core.render.verification import left_out_line
from voice.core.session.exchange import with_marks
from voice.core.session.values import DialogueExchange
from voice.core.text.display import excerpt_around
from voice.core.text.instants import has_date, render_instant

Brief = Mapping[str, object]
MOST_CHARS: Final = 480
"""Of a candidate's text."""
_SCORE_PLACES: Final = 3
_SNIPPET: Final = ("id", "origin", "trust_tier", "created_at", "text", "score")
_DIAGNOSTICS: Final = ("k_req", "k_ret", "no_results", "reason")


def brief_retrieve(form: RetrieveForm) -> Brief:
    """Return the snippets of S0's answer, in its order, each with its id, origin, trust, date, text and score."""
    diagnostics = cast("Mapping[str, object]", form["diagnostics"])
    return {
        "snippets": [_some(cast("Mapping[str, object]", each), _SNIPPET) for each in form["snippets"]],
        "diagnostics": _some(diagnostics, _DIAGNOSTICS),
    }


def brief_recall(result: RecallResult) -> Brief:
    """Return S4's three tiers, each row with its id, words and date, and how many candidates there were."""
    made = result.provenance
    counts = {
        "totalCandidates": made.total_candidates,
        "returnedCandidates": made.returned_candidates,
        "truncatedDueToTokenBudget": made.truncated_due_to_token_budget,
        "tokenBudget": made.token_budget,
        "tokensUsed": made.tokens_used,
    }
    over = {"overBudgetBy": made.over_budget_by} if made.over_budget_by else {}
    return {
        "pins": [_pin(each) for each in result.pins],
        "currentSummary": None if result.current_summary is None else _row(result.current_summary),
        "candidates": [_candidate(each) for each in result.candidates],
        "provenance": {**counts, **over},
    }


def brief_turn(exchange: DialogueExchange) -> Brief:
    """Return S2's answer with its marks, and the rows it rests on with what it quotes of each; or its refusal."""
    shown = with_marks(exchange)
    told: dict[str, object] = {"answer": shown.answer, "refused": exchange.refused}
    if exchange.refused:
        told["reason"] = exchange.reason.value if exchange.reason else None
        told["notes"] = exchange.notes
        told["evidence_found"] = _quotes(exchange.evidence_found)
    else:
        told["sources"] = _quotes(exchange.sources)
    left_out = left_out_line(exchange)
    if left_out is not None:
        told["left_out"] = {"sentences_cut": len(exchange.cut), "told": left_out}
    return {**told, "session_id": exchange.session_id}


def _quotes(sources: Sequence[SourceCitation]) -> list[Brief]:
    """Return each quotation once, in the order in which it is cited."""
    once = dict.fromkeys((each.source_id, each.span) for each in sources)
    return [{"source_id": source_id, "span": span} for source_id, span in once]


def _pin(one: PinResult) -> Brief:
    return {"pin": {"id": one.pin.id, "reason": one.pin.reason}, "target": _row(one.target)}


def _candidate(one: CandidateResult) -> Brief:
    span = (one.match_start or 0, one.match_end or 0)
    text = excerpt_around(one.entity.content, span, MOST_CHARS)
    return {"entity": _row(one.entity, text), "score": round(one.score, _SCORE_PLACES)}


def _row(row: RecalledEntity, text: str | None = None) -> Brief:
    told: dict[str, object] = {"id": row.id, "content": row.content if text is None else text}
    if has_date(row.created_at):
        told["ts"] = render_instant(row.created_at)
    if row.trust is not TrustTier.GREEN and row.entity_kind == "observation":
        told["provenance"] = {"trustTier": row.trust.value}
    return told


def _some(form: Mapping[str, object], names: Iterable[str]) -> Brief:
    return {name: form[name] for name in names if name in form}
