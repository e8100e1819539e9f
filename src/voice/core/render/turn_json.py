"""A turn, and the events of one that runs, as JSON.

Law: what is shown was judged. `answer` bears the mark of each unproven sentence in its text; a sentence's `text` is
bare, its `shown` is not. Of what was left out there are counts, rungs and reasons, never a word (ruling D9a). Events
are one JSON object each, the same at every door, without a word of a draft (`events.schema.json`); unknown is null,
money a decimal string.
Source: spec stateful-design-v2, 1 and 8; spec nlq, Output; rulings A3, A16, A22, D1, D9, D9a, D18; docs/streaming.md.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from voice.core.grounding.answer_text import marked
from voice.core.grounding.values import SentenceVerdict, SourceCitation
from voice.core.grounding.verifier_values import Verification
from voice.core.messages import showing as messages
from voice.core.recall.values import CandidateResult, RecalledEntity, RecallResult
from voice.core.records import TrustTier
from voice.core.render.answer import render_markdown
from voice.core.render.verification import left_out_line
from voice.core.retrieval.values import Order
from voice.core.session.exchange import with_marks
from voice.core.session.turn_events import (
    Asked,
    Calibrating,
    Done,
    Drafting,
    Event,
    Judged,
    Refused,
    Retrieved,
    Sentence,
    Understood,
)
from voice.core.session.values import DialogueExchange
from voice.core.text.display import counted, excerpt_around, inert_markdown
from voice.core.text.instants import date_sort_key, has_date, render_if_dated, render_instant
from voice.core.usage import Usage


def citation_json(source: SourceCitation) -> dict[str, object]:
    """Return a citation as JSON values; offsets are code points of the row's stored text."""
    return {
        "source_id": source.source_id,
        "source_type": source.source_type,
        "span": source.span,
        "span_start": source.span_start,
        "span_end": source.span_end,
        "relevance": source.relevance,
        "content_hash": source.content_hash,
        **dates_json(source),
        "trust_tier": source.trust_tier.value,
    }


def dates_json(source: SourceCitation) -> dict[str, object]:
    """Return when a source was told; where nobody said, when it came in (ruling I2)."""
    entered = {} if source.entered_at is None else {"entered_at": render_instant(source.entered_at)}
    return {"created_at": render_if_dated(source.created_at), **entered}


def sentence_json(sentence: SentenceVerdict) -> dict[str, object]:
    """Return a sentence's verdict as JSON values; offsets are code points of the answer, `shown` bears the mark."""
    return {
        "start": sentence.start,
        "end": sentence.end,
        "text": sentence.text,
        "shown": marked(sentence.text, sentence.rung),
        "kind": sentence.kind,
        "rung": sentence.rung,
        "score": sentence.score,
        "reasons": list(sentence.reasons),
        "flags": list(sentence.flags),
        "verifier": sentence.verifier,
        "judge": sentence.judge,
        "missing": [{"start": start, "end": end} for start, end in sentence.missing],  # words that no source has
        "sources": list(dict.fromkeys(receipt.row_id for receipt in sentence.receipts)),  # each once, unlike receipts
        "receipts": [
            {"source_id": one.row_id, "span_start": one.start, "span_end": one.end, "content_hash": one.content_hash}
            for one in sentence.receipts
        ],
    }


def _verification_json(verification: Verification) -> dict[str, object]:
    return {
        "verifier": verification.verifier.name,
        "version": verification.verifier.version,
        "sentences_asked": verification.asked,
        "lapse": verification.lapse,
        "answers_question": verification.answers_question,
        "false_support": verification.false_support,
    }


def left_out_json(exchange: DialogueExchange) -> Mapping[str, object] | None:
    """Return what is told of the sentences that were left out of an answer; None where none was."""
    told = left_out_line(exchange)
    if told is None:
        return None
    cut = [
        {"rung": one.rung, "kind": one.kind, "reasons": list(one.reasons), "flags": list(one.flags)}
        for one in exchange.cut
    ]
    return {"sentences_cut": len(cut), "told": told, "cut": cut}  # of what was cut, no word (ruling D9a)


def exchange_json(exchange: DialogueExchange) -> Mapping[str, object]:
    """Return an exchange as `--json` prints it (schema: schemas/cli/ask.schema.json); cost is a decimal string."""
    exchange = with_marks(exchange)
    return {
        "id": exchange.id,
        "session_id": exchange.session_id,
        "index": exchange.index,
        "timestamp": render_instant(exchange.timestamp),
        "status": exchange.status,
        "stance": exchange.stance.value,
        "my_query": exchange.my_query,
        "answer": exchange.answer,
        "refused": exchange.refused,
        "reason": exchange.reason.value if exchange.reason else None,
        "notes": exchange.notes,
        "premise": list(exchange.premise),
        "left_out": left_out_json(exchange),
        "sources": [citation_json(source) for source in exchange.sources],
        "sentences": [] if exchange.refused else [sentence_json(sentence) for sentence in exchange.sentences],
        "memories_referenced": list(exchange.memories_referenced),
        "evidence_found": [citation_json(source) for source in exchange.evidence_found],
        "confidence": exchange.confidence,
        "coverage_ratio": exchange.coverage_ratio,
        "provider": exchange.provider,
        "model": exchange.model,
        "prompt_hash": exchange.prompt_hash,
        "prompt_tokens": exchange.prompt_tokens,
        "completion_tokens": exchange.completion_tokens,
        "cost_estimate": None if exchange.cost_estimate is None else f"{exchange.cost_estimate:f}",
        "latency_ms": exchange.latency_ms,
        "private": exchange.is_withheld,
        "imported_from": exchange.imported_from,
        "conflict": exchange.conflict,
        "verification": None if exchange.verification is None else _verification_json(exchange.verification),
    }


def nlq_json(exchange: DialogueExchange, order: Order = "created_at_desc") -> Mapping[str, object]:
    """Return the turn in S3's shape `{answer, sources: [{id, created_at, score}]}` (ruling A22), sources in `order`.

    Where sentences were left out, and only there, `left_out` stands beside it.
    """
    seen: dict[str, SourceCitation] = {}
    for source in sorted(exchange.sources, key=lambda one: one.source_id):  # so that equal dates have one order
        seen.setdefault(source.source_id, source)
    shown = sorted(
        seen.values(), key=lambda one: date_sort_key(one.created_at, latest_first=order == "created_at_desc")
    )
    left_out = left_out_json(exchange)
    return {
        "answer": render_markdown(exchange) if exchange.refused else with_marks(exchange).answer,  # a refusal as text
        **({} if left_out is None else {"left_out": left_out}),
        "sources": [{"id": source.source_id, **dates_json(source), "score": source.relevance} for source in shown],
    }


_CENT = Decimal("0.01")  # less is told in words: "$0.00" would be wrong


def event_json(event: Event) -> Mapping[str, object]:
    """Return an event as a JSON object; `event` is its kind."""
    match event:
        case Understood():
            return _understood(event)
        case Retrieved(ids=ids, shown=shown):
            return {"event": "retrieved", "ids": list(ids), "shown": list(shown)}
        case Asked():
            return {
                "event": "asked",
                "provider": event.provider,
                "model": event.model,
                "prompt_tokens": event.prompt_tokens,
                "attempt": event.attempt,
            }
        case Drafting(tokens=tokens, attempt=attempt):
            return {"event": "drafting", "tokens": tokens, "attempt": attempt}
        case Calibrating():
            return {
                "event": "calibrating",
                "verifier": event.verifier,
                "calls": event.calls,
                "expected_cost_usd": _money(event.expected_cost),
            }
        case Judged():
            return _judged(event)
        case _:
            return _outcome(event)


def error_json(code: str, message: str) -> Mapping[str, object]:
    """Return how a stream ends whose turn could not be made: in place of `done`."""
    return {"event": "error", "code": code, "message": message}


def event_line(event: Event) -> str:
    """Return what a person is told while they wait."""
    match event:
        case Understood(time=time):
            return messages.LOOKING if time is None else f"{messages.LOOKING}; {time}"
        case Retrieved(ids=ids, shown=shown):
            return messages.found_for_prompt(counted(len(ids), "sentence"), len(shown))
        case Asked():
            return messages.asking(f"{event.provider}/{event.model}", event.attempt)
        case Drafting(tokens=tokens):
            return messages.drafting(counted(tokens, "token"))
        case Calibrating():
            return calibrating_line(event)
        case Judged():
            return messages.JUDGED
        case _:
            return messages.DONE


def calibrating_line(event: Calibrating) -> str:
    """Return what a person is told before a verifier is tried: how many calls, and what they would cost."""
    cost = messages.PRICE_UNKNOWN if event.expected_cost is None else messages.about_dollars(event.expected_cost)
    cost = messages.UNDER_A_CENT if event.expected_cost is not None and event.expected_cost < _CENT else cost
    return messages.testing(event.verifier, counted(event.calls, "call"), cost)


def _understood(event: Understood) -> Mapping[str, object]:
    return {
        "event": "understood",
        "terms": list(event.terms),
        "phrases": list(event.phrases),
        "entity_ids": list(event.entity_ids),
        "time": event.time,
        "start": None if event.start is None else render_instant(event.start),
        "end": None if event.end is None else render_instant(event.end),
    }


def _judged(event: Judged) -> Mapping[str, object]:
    return {
        "event": "judged",
        "refused": event.refused,
        "reason": event.reason.value if event.reason else None,
        "coverage_ratio": event.coverage_ratio,
        "source_count": event.source_count,
        "rungs": list(event.rungs),
        "sentences_cut": event.sentences_cut,
        "stopped": event.stopped,
    }


def _outcome(event: Sentence | Refused | Done) -> Mapping[str, object]:
    match event:
        case Sentence(index=index, judged=judged, spans=spans):
            told = sentence_json(judged)
            return {"event": "sentence", "index": index, **told, "spans": [citation_json(span) for span in spans]}
        case Refused():
            return {
                "event": "refused",
                "reason": event.reason.value if event.reason else None,
                "message": event.message,
                "notes": event.notes,
                "evidence": [citation_json(source) for source in event.evidence],
            }
        case _:
            return {
                "event": "done",
                "usage": _usage(event.usage),
                "cost_estimate": _money(event.cost),
                "reckoned": None if event.reckoned is None else _usage(event.reckoned),
                "reckoned_cost_estimate": _money(event.reckoned_cost),
                "turn": exchange_json(event.exchange),
            }


def _usage(usage: Usage) -> Mapping[str, object]:
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cached_input_tokens": usage.cached_input_tokens,
    }


def _money(sum_: Decimal | None) -> str | None:
    return None if sum_ is None else f"{sum_:f}"


Brief = Mapping[str, object]
MOST_CHARS: Final = 480
"""Of a candidate's text."""
_SCORE_PLACES: Final = 3
_SNIPPET: Final = ("id", "origin", "trust_tier", "created_at", "text", "score")  # what a model needs to cite
_DIAGNOSTICS: Final = ("k_req", "k_ret", "no_results", "reason")


def brief_retrieve(form: Mapping[str, Any]) -> Brief:
    """Return the snippets of S0's answer, in its order, each with its id, origin, trust, date, text and score."""
    return {
        "snippets": [_some(each, _SNIPPET) for each in form["snippets"]],
        "diagnostics": _some(form["diagnostics"], _DIAGNOSTICS),
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
        "pins": [
            {"pin": {"id": each.pin.id, "reason": each.pin.reason}, "target": _row(each.target)} for each in result.pins
        ],
        "currentSummary": None if result.current_summary is None else _row(result.current_summary),
        "candidates": [_candidate(each) for each in result.candidates],
        "provenance": {**counts, **over},
    }


def brief_turn(exchange: DialogueExchange) -> Brief:
    """Return S2's answer with its marks, inert in Markdown, and its rows with what it quotes; or its refusal."""
    shown = with_marks(exchange)
    told: dict[str, object] = {"answer": inert_markdown(shown.answer), "refused": exchange.refused}
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


def _candidate(one: CandidateResult) -> Brief:
    span = (one.match_start or 0, one.match_end or 0)  # no match: the beginning
    text = excerpt_around(one.entity.content, span, MOST_CHARS)
    return {"entity": _row(one.entity, text), "score": round(one.score, _SCORE_PLACES)}


def _row(row: RecalledEntity, text: str | None = None) -> Brief:
    told: dict[str, object] = {"id": row.id, "content": row.content if text is None else text}
    if has_date(row.created_at):
        told["ts"] = render_instant(row.created_at)
    if row.trust is not TrustTier.GREEN and row.entity_kind == "observation":  # green goes without saying
        told["provenance"] = {"trustTier": row.trust.value}
    return told


def _some(form: Mapping[str, object], names: Iterable[str]) -> Brief:
    return {name: form[name] for name in names if name in form}
