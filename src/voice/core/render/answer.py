"""A judged turn as people and programs read it.

Law: what is shown was judged; a sentence shows its verdict and what it rests on, a refusal shows its reason and the
evidence there was (rulings D1, D3, D6). Percentages are the computed ones. Nothing here decides.

Source: spec stateful-design-v2, 8 format_response_with_sources; DESIGN 6; rulings A3, A16, D6.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import regex

from voice.core.grounding.refusal import opening_of
from voice.core.grounding.values import Receipt, SentencePart, SentenceVerdict, SourceCitation
from voice.core.grounding.verification import Verification
from voice.core.retrieval.values import Order
from voice.core.session.values import DialogueExchange
from voice.core.text.patterns import late_pattern
from voice.core.text.tables import readable

NOTE_BELOW = 0.8
Mark = Literal["supported", "partly", "unsupported", "question", "none"]
SIGN_OF_MARK: Mapping[Mark, str] = {"supported": "✓", "partly": "~", "unsupported": "✗", "question": "?", "none": "·"}
MARK_IN_WORDS: Mapping[Mark, str] = {
    "supported": "supported",
    "partly": "partly supported",
    "unsupported": "not supported",
    "question": "a question",
    "none": "states nothing",
}
_NUMBERED = late_pattern(r"^(?P<number>\d{1,9})(?P<sign>[.)])(?=\s)", regex.MULTILINE)
_HEADING = late_pattern(r"^ {0,3}#{1,6}\s+", regex.MULTILINE)
_DOUBTFUL: frozenset[Mark] = frozenset({"partly", "unsupported"})


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedSentence:
    """One sentence with its mark and the numbers of the sources it rests on (from 1)."""

    mark: Mark
    text: str
    footnotes: tuple[int, ...]
    reasons: tuple[str, ...]
    """Why it is in doubt, in words; what of it is not held stands here word for word."""

    @property
    def sign(self) -> str:
        """The mark as one character."""
        return SIGN_OF_MARK[self.mark]

    @property
    def is_doubtful(self) -> bool:
        """Whether the reader has to know more than the mark."""
        return self.mark in _DOUBTFUL


def mark_of(sentence: SentenceVerdict) -> Mark:
    """Return the mark of a verdict; a sentence of which the sources hold a part alone is partly supported."""
    held = {part.verdict == "supported" for part in sentence.parts}
    match sentence.verdict:
        case "contradicted":
            return "unsupported"
        case "unsupported":
            return "partly" if held == {True, False} else "unsupported"
        case "supported":
            return "partly" if sentence.flags else "question" if sentence.kind == "question" else "supported"
        case _:
            return "question" if sentence.kind == "question" else "none"


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
            reasons=tuple(dict.fromkeys((*_unheld_parts(sentence, exchange.answer), *sentence.reasons))),
        )
        for sentence in exchange.sentences
    )


def _unheld_parts(sentence: SentenceVerdict, answer: str) -> Iterator[str]:
    """Yield what of a compound sentence the sources do not hold, word for word, with what speaks against it."""
    for part in sentence.parts:
        if part.verdict in ("unsupported", "contradicted"):
            why = f": {'; '.join(part.reasons)}" if part.reasons else ""
            yield f"not held: “{quoted(answer[part.start : part.end])}”{why}"


def source_numbers(sources: tuple[SourceCitation, ...]) -> dict[str, int]:
    """Return each cited row's number in the list of sources, from 1, in order of first citation."""
    return {row_id: number for number, row_id in enumerate(dict.fromkeys(s.source_id for s in sources), start=1)}


def sources_by_row(sources: Sequence[SourceCitation]) -> tuple[tuple[SourceCitation, ...], ...]:
    """Return the citations of each row together, the rows in the order of their numbers (`source_numbers`)."""
    rows: dict[str, list[SourceCitation]] = {}
    for source in sources:
        rows.setdefault(source.source_id, []).append(source)
    return tuple(tuple(cited) for cited in rows.values())


def quoted_spans(row: Sequence[SourceCitation]) -> tuple[str, ...]:
    """Return what is cited of one row, each passage once, as a person reads it."""
    return tuple(dict.fromkeys(quoted(source.span) for source in row))


def render_markdown(exchange: DialogueExchange) -> str:
    """Return the turn as S2 prints it: the answer, numbered sources with their spans, the coverage where it is low."""
    if exchange.refused:
        return _refusal_markdown(exchange)
    parts = [_unlisted(exchange.answer), *(f"*{line}*" for line in premise_lines(exchange))]
    if exchange.sources:
        rows = enumerate(sources_by_row(exchange.sources), start=1)
        lines = [f"{number}. [{row[0].source_id}] {' … '.join(quoted_spans(row))}" for number, row in rows]
        parts.append("**Sources:**\n" + "\n".join(lines))
    doubts = [line for sentence in marked_sentences(exchange) if sentence.is_doubtful for line in _doubt(sentence)]
    if doubts:
        parts.append("**In doubt:**\n" + "\n".join(doubts))
    note = coverage_note(exchange)
    if note:
        parts.append(f"*{note}*")
    return "\n\n".join(parts)


def _unlisted(answer: str) -> str:
    """Return an answer whose quoted "3." no reader of Markdown counts anew; a list that counts from 1 stays one."""
    numbers = [int(match["number"]) for match in _NUMBERED.finditer(answer)]
    return answer if numbers == list(range(1, len(numbers) + 1)) else _NUMBERED.sub(r"\g<number>\\\g<sign>", answer)


def _doubt(sentence: MarkedSentence) -> Iterator[str]:
    yield f"- {sentence.sign} {quoted(sentence.text)} ({MARK_IN_WORDS[sentence.mark]})"
    yield from (f"  - {quoted(reason)}" for reason in sentence.reasons)


def premise_lines(exchange: DialogueExchange) -> tuple[str, ...]:
    """Return what the question takes for granted against the sources of an accepted answer, as sentences."""
    return () if exchange.refused else tuple(f"{note[:1].upper()}{note[1:]}." for note in exchange.premise)


def coverage_note(exchange: DialogueExchange) -> str | None:
    """Return S2's note on an answer that its sources cover thinly, with the computed percentage; None otherwise."""
    if exchange.refused or exchange.coverage_ratio >= NOTE_BELOW:
        return None
    return f"Note: Response based on {exchange.coverage_ratio * 100:.0f}% source coverage"


def render_plain(exchange: DialogueExchange, day_of: Callable[[datetime], str]) -> str:
    """Return the turn in whole sentences, one a line, without signs, columns or colours: to be read aloud.

    Args:
        exchange: the judged turn.
        day_of: the day on which an instant falls where the person lives.
    """
    if exchange.refused:
        return "\n".join(_plain_refusal(exchange, day_of))
    marked = marked_sentences(exchange)
    rows = sources_by_row(exchange.sources)
    lines = [line for place, sentence in enumerate(marked, start=1) for line in _plain_sentence(place, sentence)]
    lines += [f"Mind: {line}" for line in premise_lines(exchange)]
    lines += [f"Source {number}: {_plain_source(row, day_of)}" for number, row in enumerate(rows, start=1)]
    covered = f"{exchange.coverage_ratio * 100:.0f} percent of the answer is covered by {_counted(len(rows))}."
    return "\n".join([*(lines or [exchange.answer]), covered])


def _plain_sentence(place: int, sentence: MarkedSentence) -> Iterator[str]:
    by = f" by {_listed(sentence.footnotes)}" if sentence.footnotes else ""
    yield f"Sentence {place}, {MARK_IN_WORDS[sentence.mark]}{by}: {quoted(sentence.text)}"
    if sentence.is_doubtful:
        yield from (f"Reason: {quoted(reason)}." for reason in sentence.reasons)


def _listed(numbers: Sequence[int]) -> str:
    *first, last = [str(number) for number in numbers]
    return f"sources {', '.join(first)} and {last}" if first else f"source {last}"


def _counted(sources: int) -> str:
    return "1 source" if sources == 1 else f"{sources} sources"


def _plain_source(row: Sequence[SourceCitation], day_of: Callable[[datetime], str]) -> str:
    said = ". And: ".join(quoted_spans(row))
    return f"{day_of(row[0].created_at)}, row {row[0].source_id}, says: {said}"


def _plain_refusal(exchange: DialogueExchange, day_of: Callable[[datetime], str]) -> Iterator[str]:
    yield f"No answer. {opening_of(exchange.reason)}"
    yield from (f"Reason: {quoted(note)}." for note in notes_of(exchange))
    for place, row in enumerate(sources_by_row(exchange.evidence_found), start=1):
        yield f"What the memory does say, {place}: {_plain_source(row, day_of)}"


def notes_of(exchange: DialogueExchange) -> tuple[str, ...]:
    """Return what a turn's note says, piece by piece."""
    return tuple(filter(None, (piece.strip().rstrip(".") for piece in (exchange.notes or "").split("; "))))


def _refusal_markdown(exchange: DialogueExchange) -> str:
    opening = opening_of(exchange.reason)
    why = f"{opening} {_sentence(exchange.notes)}" if exchange.notes else opening
    reason = f"*Reason: {exchange.reason.value}*" if exchange.reason else ""
    rows = sources_by_row(exchange.evidence_found)
    found = [f"- [{row[0].source_id}] {' … '.join(quoted_spans(row))}" for row in rows]
    evidence = "**What the memory does say:**\n" + "\n".join(found) if found else ""
    return "\n\n".join(part for part in (why, reason, evidence) if part)


def _sentence(notes: str) -> str:
    """Return a note as a sentence of its own: with a capital, and with a full stop where nothing else ends it."""
    said = quoted(notes)
    return f"{said[0].upper()}{said[1:]}" + ("" if said.endswith((".", "!", "?", "…")) else ".") if said else ""


def quoted(span: str) -> str:
    """Return a stored span as a person reads it: on one line, headings and rows of tables in words.

    Nothing stored changes.
    """
    return " ".join(_HEADING.sub("", readable(span)).split())


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
        "mark": mark_of(sentence),
        "parts": [_part_json(part) for part in sentence.parts],
        "sources": list(dict.fromkeys(receipt.row_id for receipt in sentence.receipts)),
        "receipts": [_receipt_json(receipt) for receipt in sentence.receipts],
    }


def _part_json(part: SentencePart) -> dict[str, object]:
    return {"start": part.start, "end": part.end, "verdict": part.verdict, "reasons": list(part.reasons)}


def _receipt_json(receipt: Receipt) -> dict[str, object]:
    return {
        "source_id": receipt.row_id,
        "span_start": receipt.start,
        "span_end": receipt.end,
        "content_hash": receipt.content_hash,
    }


def _verification_json(verification: Verification) -> dict[str, object]:
    lapses = dict(verification.lapses)
    return {
        "ensemble": verification.ensemble,
        "sentences_asked": verification.asked,
        "verifiers": [
            {"name": each.name, "version": each.version, "lapse": lapses.get(each.name)}
            for each in verification.verifiers
        ],
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
        "premise": list(exchange.premise),
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
        "private": exchange.is_withheld,
        "imported_from": exchange.imported_from,
        "conflict": exchange.conflict,
        "verification": None if exchange.verification is None else _verification_json(exchange.verification),
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
