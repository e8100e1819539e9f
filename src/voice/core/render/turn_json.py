"""A judged turn as programs read it.

Law: what is shown was judged. `answer` bears the mark of each sentence that is not proven inside its text, in every
shape, so that nobody prints such words without it; a sentence's `text` is bare, its `shown` is not. Of what was left
out there are counts, rungs and reasons, never a word (ruling D9a).

Source: spec stateful-design-v2, 1 and 8; spec nlq, Output; rulings A3, A16, A22, D1, D9a.
"""

from collections.abc import Mapping

from voice.core.grounding.answer_text import marked
from voice.core.grounding.values import CutSentence, Receipt, SentenceVerdict, SourceCitation
from voice.core.grounding.verifier_values import Verification
from voice.core.render.answer import render_markdown
from voice.core.render.proof import left_out_line
from voice.core.retrieval.values import Order
from voice.core.session.exchange import with_marks
from voice.core.session.values import DialogueExchange
from voice.core.text.instants import date_sort_key, render_if_dated, render_instant


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
        "missing": [{"start": start, "end": end} for start, end in sentence.missing],
        "sources": list(dict.fromkeys(receipt.row_id for receipt in sentence.receipts)),
        "receipts": [_receipt_json(receipt) for receipt in sentence.receipts],
    }


def _receipt_json(receipt: Receipt) -> dict[str, object]:
    return {
        "source_id": receipt.row_id,
        "span_start": receipt.start,
        "span_end": receipt.end,
        "content_hash": receipt.content_hash,
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
    return {
        "sentences_cut": len(exchange.cut),
        "told": told,
        "cut": [_cut_json(one) for one in exchange.cut],
    }


def _cut_json(cut: CutSentence) -> Mapping[str, object]:
    return {"rung": cut.rung, "kind": cut.kind, "reasons": list(cut.reasons), "flags": list(cut.flags)}


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
    """Return the turn in S3's shape `{answer, sources: [{id, created_at, score}]}` (ruling A22).

    Where sentences were left out, and only there, `left_out` stands beside it.

    Args:
        exchange: the judged turn.
        order: of the sources, by date and then by id.
    """
    seen: dict[str, SourceCitation] = {}
    for source in sorted(exchange.sources, key=lambda one: one.source_id):
        seen.setdefault(source.source_id, source)
    shown = sorted(
        seen.values(), key=lambda one: date_sort_key(one.created_at, latest_first=order == "created_at_desc")
    )
    left_out = left_out_json(exchange)
    return {
        "answer": render_markdown(exchange) if exchange.refused else with_marks(exchange).answer,
        **({} if left_out is None else {"left_out": left_out}),
        "sources": [{"id": source.source_id, **dates_json(source), "score": source.relevance} for source in shown],
    }
