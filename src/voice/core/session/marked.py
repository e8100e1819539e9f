"""Answers with the marks of their sentences in them.

Law: an answer bears its marks from the moment it is judged. One that was kept before that, or that came in a file
without them, gets them here, before anybody reads it.

Source: DESIGN 6; ruling D1.
"""

from dataclasses import replace

from voice.core.grounding.marks import CLOSING, opening_of_mark
from voice.core.grounding.values import SentenceVerdict
from voice.core.session.values import DialogueExchange


def with_marks(exchange: DialogueExchange) -> DialogueExchange:
    """Return the turn with a mark around each sentence of its answer that needs one and has none."""
    if (
        exchange.refused
        or not exchange.answer
        or all(_is_marked(exchange.answer, sentence) for sentence in exchange.sentences)
    ):
        return exchange
    answer = exchange.answer
    parts: list[str] = []
    moved: list[SentenceVerdict] = []
    read = added = 0
    for sentence in sorted(exchange.sentences, key=lambda one: (one.start, one.end)):
        opening = "" if _is_marked(answer, sentence) else opening_of_mark(sentence.rung)
        start, end = max(read, sentence.start), max(read, sentence.end)
        added += len(opening)
        parts += [answer[read:start], opening, answer[start:end], CLOSING if opening else ""]
        moved.append(replace(sentence, start=sentence.start + added, end=sentence.end + added))
        added += len(CLOSING) if opening else 0
        read = end
    return replace(exchange, answer="".join([*parts, answer[read:]]), sentences=tuple(moved))


def _is_marked(answer: str, sentence: SentenceVerdict) -> bool:
    """Return whether the mark that a sentence needs stands before it; one that needs none lacks none."""
    opening = opening_of_mark(sentence.rung)
    return not opening or answer[max(0, sentence.start - len(opening)) : sentence.start] == opening
