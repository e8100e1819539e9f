"""A judged turn as people and programs read it.

Law: what is shown was judged; a sentence shows its verdict and what it rests on, a refusal shows its reason and the
evidence there was (rulings D1, D3, D6). Percentages are the computed ones. Nothing here decides.

Source: spec stateful-design-v2, 8 format_response_with_sources; DESIGN 6; rulings A3, A16, D6.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from voice.core.grounding.values import SentenceVerdict, SourceCitation
from voice.core.retrieval.values import Order
from voice.core.session.values import DialogueExchange

NOTE_BELOW = 0.8
REFUSED = "I cannot provide a well-grounded answer to that question based on available sources."
MARKS = {"supported": "✓", "unsupported": "✗", "contradicted": "✗", "not_a_claim": "·"}
MARK_PARTLY = "~"
MARK_QUESTION = "?"


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedSentence:
    """One sentence with its mark and the numbers of the sources it rests on (from 1)."""

    mark: str
    text: str
    footnotes: tuple[int, ...]
    reasons: tuple[str, ...]


def mark_of(sentence: SentenceVerdict) -> str:
    """Return the sign of a verdict: ✓ supported, ~ supported with a doubt, ✗ not, ? a question, · no claim."""
    if sentence.kind == "question" and sentence.verdict != "unsupported":
        return MARK_QUESTION
    if sentence.verdict == "supported" and sentence.flags:
        return MARK_PARTLY
    return MARKS[sentence.verdict]


def marked_sentences(exchange: DialogueExchange) -> tuple[MarkedSentence, ...]:
    """Return the sentences of an accepted answer, each with its mark and footnotes; nothing of a refused one."""
    if exchange.refused:
        return ()
    numbers = source_numbers(exchange.sources)
    return tuple(
        MarkedSentence(
            mark=mark_of(sentence),
            text=sentence.text,
            footnotes=tuple(sorted({numbers[r.row_id] for r in sentence.receipts if r.row_id in numbers})),
            reasons=sentence.reasons,
        )
        for sentence in exchange.sentences
    )


def source_numbers(sources: tuple[SourceCitation, ...]) -> dict[str, int]:
    """Return each cited row's number in the list of sources, from 1, in order of first citation."""
    return {row_id: number for number, row_id in enumerate(dict.fromkeys(s.source_id for s in sources), start=1)}


def render_markdown(exchange: DialogueExchange) -> str:
    """Return the turn as S2 prints it: the answer, numbered sources with their spans, the coverage where it is low."""
    if exchange.refused:
        return _refusal_markdown(exchange)
    parts = [exchange.answer]
    numbers = source_numbers(exchange.sources)
    if exchange.sources:
        lines = [f"{numbers[s.source_id]}. [{s.source_id}] {_one_line(s.span)}" for s in exchange.sources]
        parts.append("**Sources:**\n" + "\n".join(lines))
    if exchange.coverage_ratio < NOTE_BELOW:
        parts.append(f"*Note: Response based on {exchange.coverage_ratio * 100:.0f}% source coverage*")
    return "\n\n".join(parts)


def _refusal_markdown(exchange: DialogueExchange) -> str:
    why = f"{REFUSED} {exchange.notes}" if exchange.notes else REFUSED
    reason = f"*Reason: {exchange.reason.value}*" if exchange.reason else ""
    found = [f"- [{s.source_id}] {_one_line(s.span)}" for s in exchange.evidence_found]
    evidence = "**What the memory does say:**\n" + "\n".join(found) if found else ""
    return "\n\n".join(part for part in (why, reason, evidence) if part)


def _one_line(text: str) -> str:
    return " ".join(text.split())


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
        "created_at": source.created_at.isoformat(),
        "trust_tier": source.trust_tier.value,
    }


def sentence_json(sentence: SentenceVerdict) -> dict[str, object]:
    """Return a sentence's verdict as JSON values; offsets are code points of the answer."""
    return {
        "start": sentence.start,
        "end": sentence.end,
        "text": sentence.text,
        "kind": sentence.kind,
        "verdict": sentence.verdict,
        "score": sentence.score,
        "reasons": list(sentence.reasons),
        "flags": list(sentence.flags),
        "sources": list(dict.fromkeys(receipt.row_id for receipt in sentence.receipts)),
    }


def exchange_json(exchange: DialogueExchange) -> Mapping[str, object]:
    """Return an exchange as `--json` prints it (schema: schemas/cli/ask.schema.json); cost is a decimal string."""
    return {
        "id": exchange.id,
        "session_id": exchange.session_id,
        "index": exchange.index,
        "timestamp": exchange.timestamp.isoformat(),
        "status": exchange.status,
        "stance": exchange.stance.value,
        "question": exchange.my_query,
        "answer": exchange.answer,
        "refused": exchange.refused,
        "reason": exchange.reason.value if exchange.reason else None,
        "notes": exchange.notes,
        "sources": [citation_json(source) for source in exchange.sources],
        "sentences": [] if exchange.refused else [sentence_json(sentence) for sentence in exchange.sentences],
        "evidence_found": [citation_json(source) for source in exchange.evidence_found],
        "confidence": exchange.confidence,
        "coverage_ratio": exchange.coverage_ratio,
        "provider": exchange.provider,
        "model": exchange.model,
        "prompt_hash": exchange.prompt_hash,
        "prompt_tokens": exchange.prompt_tokens,
        "completion_tokens": exchange.completion_tokens,
        "cost_usd": None if exchange.cost_estimate is None else f"{exchange.cost_estimate:f}",
        "latency_ms": exchange.latency_ms,
        "private": exchange.is_private,
    }


def nlq_json(exchange: DialogueExchange, order: Order = "created_at_desc") -> Mapping[str, object]:
    """Return the turn in S3's shape `{answer, sources: [{id, created_at, score}]}` (ruling A22).

    Args:
        exchange: the judged turn.
        order: of the sources, by date and then by id.
    """
    seen: dict[str, SourceCitation] = {}
    for source in sorted(exchange.sources, key=lambda one: one.source_id):
        seen.setdefault(source.source_id, source)
    shown = sorted(seen.values(), key=lambda one: one.created_at, reverse=order == "created_at_desc")
    return {
        "answer": render_markdown(exchange) if exchange.refused else exchange.answer,
        "sources": [
            {"id": source.source_id, "created_at": source.created_at.isoformat(), "score": source.relevance}
            for source in shown
        ],
    }
