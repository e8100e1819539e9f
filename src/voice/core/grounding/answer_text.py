"""The text of an answer with its warning marks, and the fixed texts of refusals, interrupted replies and remarks.

Law: offsets are half-open code points of the joined text and exclude the marks. Every unproven sentence carries its
mark inside the text, so copying the text cannot lose it. List items and separate lines stay on their own lines.

A refusal is one fixed sentence per reason, a reason code, what was missing and the verbatim evidence; it contains
no word of the draft (rulings D3, D6, D9), `sources` is empty and confidence 0. A reply without a draft is `cut`,
`declined` or `model_refused` by how the provider says it ended; it is not retried, as each attempt costs (ruling J3).
Source: DESIGN 2 promise 2; DESIGN 6; spec stateful-design-v2, 4 and 8; rulings D1, D6, D8, J3.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from typing import NamedTuple

from voice.core.grounding.draft import DraftFault
from voice.core.grounding.values import (
    PROVEN,
    Ending,
    Evidence,
    GroundedResponse,
    RefusalReason,
    Rung,
    SentenceVerdict,
    SourceCitation,
    Stance,
)
from voice.core.messages import showing as messages
from voice.core.messages.files import CLOSEST_UNDATED, HOW_TO_DATE, NOTES_UNDATED
from voice.core.text.instants import UNDATED, has_date
from voice.core.text.lazy import late_pattern
from voice.core.text.sentences import sentence_spans
from voice.core.text.word_lists import word_set

_SHOWN = 3  # rows of a refusal without passages
_MAX_SPAN = 400  # characters of a row's opening
# German needs no table: "mein…" becomes "dein…" with the same ending.
_MINE = late_pattern(r"\b(my|our|mine|ours|mein(e[nmrs]?)?)\b")
_YOURS = {"my": "your", "our": "your", "mine": "yours", "ours": "yours"}


def opening_of(reason: RefusalReason | None) -> str:
    """Return a refusal's opening sentence; stored turns without a reason have the default."""
    return messages.REFUSALS.get(reason or "", messages.REFUSED)


def advice_of(reason: RefusalReason | None) -> str | None:
    """Return general advice on a refusal; None if only its notes give it."""
    return messages.REFUSAL_ADVICE.get(reason or "")


def with_advice(notes: str, reason: RefusalReason) -> str:
    """Append the advice for a reason to a note."""
    note = in_second_person(notes)
    advice = advice_of(reason)
    return f"{note}; {advice}" if advice else note


def in_second_person(notes: str) -> str:
    """Turn "my" into "your" in a note that quotes the question."""
    return _MINE.sub(lambda found: _YOURS.get(found[1], f"dein{found[2] or ''}"), notes)


def refusal(reason: RefusalReason, *, notes: str | None, evidence: Sequence[Evidence]) -> GroundedResponse:
    """Build a refusal without a draft; `notes` is for a person and never a word of a draft."""
    return GroundedResponse(
        answer=opening_of(reason),
        sources=(),
        confidence=0.0,
        coverage_ratio=0.0,
        refused=True,
        notes=notes,
        reason=reason,
        evidence_found=evidence_shown(evidence),
    )


def draft_refusal(stance: Stance, read: int, *, by_model: bool) -> tuple[RefusalReason, str]:
    """Return reason and note for a draft without an answer; a model's saying so is no evidence (ruling J3)."""
    is_challenge = stance is Stance.CHALLENGE
    if by_model:  # reported as the model's own statement, about the rows it saw
        shown = messages.SHOWN_NOTE if read == 1 else messages.shown_notes(read)
        note = messages.model_sees_nothing(shown) if is_challenge else messages.model_cannot_answer(shown)
        return RefusalReason.MODEL_REFUSED, note
    note = messages.nothing_against(_read(read)) if is_challenge else messages.notes_do_not_answer(_read(read))
    return RefusalReason.NO_SOURCES, note


def missing_in_time(
    missing: str, reason: RefusalReason, *, time: str, is_elsewhere: bool, anytime: Sequence[Evidence] = ()
) -> str:
    """Return what is missing in the time asked for; rows of other times are told of, not shown (ruling E).

    If all of the closest rows (`anytime`) are undated, it is said how to date a note.
    """
    note = messages.missing_then(" ".join(time.split()), in_second_person(missing))
    if not anytime or any(has_date(row.created_at) for row in anytime):
        return messages.answered_elsewhere(note) if is_elsewhere else with_advice(note, reason)
    told = messages.answered_elsewhere(note, NOTES_UNDATED) if is_elsewhere else f"{note}; {CLOSEST_UNDATED}"
    return f"{told}; {HOW_TO_DATE}"


def _read(rows: int) -> str:
    if rows == 1:
        return messages.READ_ONE
    return messages.read_closest(rows) if rows else messages.NO_NOTE


def evidence_shown(rows: Sequence[Evidence]) -> tuple[SourceCitation, ...]:
    """Return the openings of the most relevant rows, verbatim, best first; passages are shown whole, in order."""
    if any(row.passage is not None for row in rows):
        return tuple(cite(row, 0, len(row.text)) for row in rows if row.text.strip())
    ranked = sorted(enumerate(rows), key=lambda pair: (-pair[1].relevance, pair[0]))[:_SHOWN]
    return tuple(cite(row, *_opening(row.text)) for _, row in ranked if row.text.strip())


def cite(row: Evidence, start: int, end: int) -> SourceCitation:
    """Cite `row.text[start:end]`; the span is cut from the row (rulings C13, D1)."""
    return SourceCitation(
        source_id=row.row_id,
        source_type=row.source_type,
        span=row.text[start:end],
        relevance=round(row.score, 4),
        span_start=start,
        span_end=end,
        content_hash=row.content_hash,
        created_at=row.created_at.astimezone(UTC) if has_date(row.created_at) else UNDATED,
        trust_tier=row.trust,
        # Never beside a known date: a reader would take it for the date of what is told (ruling I2).
        entered_at=None if has_date(row.created_at) else row.entered_at,
    )


def without_text(sentences: Sequence[SentenceVerdict]) -> tuple[SentenceVerdict, ...]:
    """Remove the draft's text from verdicts; scores, kinds and reasons remain (ruling D9)."""
    return tuple(replace(sentence, text="", receipts=()) for sentence in sentences)


def _opening(text: str) -> tuple[int, int]:
    """Return the span of the first sentences within `_MAX_SPAN`; at least part of one."""
    spans = sentence_spans(text)
    start = spans[0][0]
    end = max((stop for _, stop in spans if stop - start <= _MAX_SPAN), default=0)  # 0: the first is longer
    return start, end or min(spans[0][1], start + _MAX_SPAN)


_FINISH_REASONS = word_set(  # documented finish reasons of providers; an unknown one could contain words of a reply
    "blocklist content_filter image_other image_prohibited_content image_recitation image_safety jailbreak language "
    "malformed_function_call malformed_response model_armor no_image other pause_turn prohibited_content recitation "
    "refusal safety sensitive spii tool_calls tool_use too_many_tool_calls unexpected_tool_call"
)


def incomplete_reply(
    ending: Ending, fault: DraftFault, *, provider: str, why: str | None, limit: int
) -> tuple[RefusalReason, str] | None:
    """Return reason and note for a reply without a draft, with a known finish reason; None if it is only malformed."""
    if ending == "cut":
        return RefusalReason.CUT, with_advice(messages.reply_limit(limit), RefusalReason.CUT)
    if ending == "model_refused":
        return RefusalReason.MODEL_REFUSED, with_advice(messages.MODEL_REFUSED, RefusalReason.MODEL_REFUSED)
    if ending == "complete" and fault.code != "empty":  # malformed; the caller asks for a repair
        return None
    message = messages.reply_ended if ending == "declined" else messages.reply_was_empty
    finish = f" ({why})" if why is not None and why.lower() in _FINISH_REASONS else ""
    return RefusalReason.DECLINED, with_advice(f"{message(provider)}{finish}", RefusalReason.DECLINED)


def remark_response(said: str) -> GroundedResponse:
    """Wrap words that state nothing as an answer without citations."""
    sentences = tuple(
        SentenceVerdict(start=start, end=end, text=said[start:end], kind="remark", rung="remark")
        for start, end in sentence_spans(said)
    )
    return GroundedResponse(
        answer=said, sources=(), confidence=0.0, coverage_ratio=0.0, refused=False, sentences=sentences
    )


# What must stay on a line of its own: list items, headings, quotations, table rows.
_LINE = late_pattern(r"(?:[-*+•‣◦>|]|#{1,6}|\(?\d{1,3}[.)])[ \t]|\|")


class PlacedSentence(NamedTuple):
    """One sentence in the joined text; `start:end` exclude its mark."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class JoinedText:
    """An answer's text with the offsets of its sentences."""

    text: str
    places: tuple[PlacedSentence, ...]


def join_sentences(sentences: Sequence[tuple[str, str]], rungs: Sequence[Rung] = ()) -> JoinedText:
    """Join sentences, each after its white space; without rungs, without marks."""
    parts: list[str] = []
    places: list[PlacedSentence] = []
    at = 0
    last = ""
    for number, (before, text) in enumerate(sentences):
        opening = opening_of_mark(rungs[number]) if rungs else ""
        closing = MARK_CLOSING if opening else ""
        is_on_own_line = "\n" in before or _is_line(text) or _is_line(last) or "\n" in text
        glue = "\n\n" if before.count("\n") > 1 else "\n" if is_on_own_line else " "
        glue = glue if places else ""  # nothing before the first
        start = at + len(glue) + len(opening)  # a mark is no part of its sentence
        places.append(PlacedSentence(start, start + len(text), text))
        parts += [glue, opening, text, closing]
        at, last = start + len(text) + len(closing), text
    return JoinedText("".join(parts), tuple(places))


def _is_line(text: str) -> bool:
    return _LINE.match(text) is not None


SIGN_OF_RUNG: Mapping[Rung, str] = {
    "quoted": "✓",
    "verified": "✓",
    "unverified": "~",
    "unsupported": "✗",
    "contradicted": "✗",
    "remark": "·",
}
MARK_CLOSING = "]"


def mark_of(rung: Rung) -> str | None:
    """Return the mark of a rung, such as "✗ not supported"; None if it has none."""
    if rung in PROVEN or rung == "remark":
        return None
    return f"{SIGN_OF_RUNG[rung]} {messages.RUNGS[rung]}"


def opening_of_mark(rung: Rung) -> str:
    """Return the text before a sentence on this rung; empty if it has no mark."""
    mark = mark_of(rung)
    return "" if mark is None else f"[{mark}: "


def marked(text: str, rung: Rung) -> str:
    """Return a sentence in its mark: "[✗ not supported: She sold it.]"."""
    opening = opening_of_mark(rung)
    return f"{opening}{text}{MARK_CLOSING}" if opening else text
