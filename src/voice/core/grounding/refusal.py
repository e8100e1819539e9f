"""Responses that cite nothing: refusals, replies that ended early, remarks.

Law: a refusal says so in one fixed sentence of its reason, gives a reason code and what was missing, shows the verbatim
evidence there was, and holds no word of the draft (rulings D3, D6, D9). It cites nothing: `sources` is empty,
confidence 0. Wherever the evidence bears no answer the sentence is S2's; where nobody was asked or nothing came back,
it does not speak of sources.

What a turn is called whose reply holds no draft because of how it ended. How a provider says that a reply ended
decides, not what can be read of it: at its limit it is `cut`, by the provider itself it is `declined`, by the model it
is `model_refused`. None of them says anything of the memory, and none is asked again as it was: the same limit would
cut it again, and it is paid for (ruling J3). A draft that is whole is a draft, however its reply ended.

What is said where nothing is asked of the memory. It states nothing, so it cites nothing, proves nothing and bears no
tick; coverage and confidence are 0, as of any answer that claims nothing.

Source: DESIGN 2 promise 2; spec stateful-design-v2, 4 and 8; rulings D6, D8, J3; DESIGN 6 (the rung `remark_response`);
ruling D1.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC

from voice.core.grounding.reply import DraftFault
from voice.core.grounding.values import (
    Ending,
    Evidence,
    GroundedResponse,
    LocatedSpan,
    RefusalReason,
    SentenceVerdict,
    SourceCitation,
    Stance,
)
from voice.core.messages import showing as messages
from voice.core.text.instants import UNDATED, has_date
from voice.core.text.lazy import late_pattern
from voice.core.text.sentences import sentence_spans
from voice.core.text.word_lists import word_set

_SHOWN = 3
_MAX_SPAN = 400


_MINE = late_pattern(r"\b(my|our|mine|ours|mein(e[nmrs]?)?)\b")
_YOURS = {"my": "your", "our": "your", "mine": "yours", "ours": "yours"}


def opening_of(reason: RefusalReason | None) -> str:
    """Return the sentence that a refusal opens with; None is the reason of turns that were kept without one."""
    return messages.REFUSALS.get(reason or "", messages.REFUSED)


def advice_of(reason: RefusalReason | None) -> str | None:
    """Return what the person can do about a refusal, whatever was asked; None where that is in its notes alone."""
    return messages.REFUSAL_ADVICE.get(reason or "")


def with_advice(notes: str, reason: RefusalReason) -> str:
    """Return what was missing with what the person can do about it, where there is something."""
    told = in_second_person(notes)
    advice = advice_of(reason)
    return f"{told}; {advice}" if advice else told


def in_second_person(notes: str) -> str:
    """Return a note that names what a question asks about as one says it to who asked: "my" is "your"."""
    return _MINE.sub(lambda found: _YOURS.get(found[1], f"dein{found[2] or ''}"), notes)


def refusal(reason: RefusalReason, *, notes: str | None, evidence: Sequence[Evidence]) -> GroundedResponse:
    """Return a refusal made without a judged draft.

    Args:
        reason: the code (ruling D6).
        notes: what was missing, in words for a person; never a word of a draft.
        evidence: the rows there were; the most relevant are shown.
    """
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
    """Return the reason and the note of a draft that says of itself that nothing answers.

    Args:
        stance: what was looked for: an answer, or what speaks against a claim.
        read: how many rows the draft was made from.
        by_model: whether a model said so, which is its word and nothing known of the memory (ruling J3); where it was
            composed without one, it is a source that is lacking.
    """
    if by_model:
        return RefusalReason.MODEL_REFUSED, _said_by_model(stance, read)
    if stance is Stance.CHALLENGE:
        return RefusalReason.NO_SOURCES, messages.nothing_against(_read(read))
    return RefusalReason.NO_SOURCES, messages.notes_do_not_answer(_read(read))


def _said_by_model(stance: Stance, read: int) -> str:
    """Return what a model says of the notes it was shown, as its own word: it has not seen the others (ruling J3)."""
    shown = messages.SHOWN_NOTE if read == 1 else messages.shown_notes(read)
    return messages.model_sees_nothing(shown) if stance is Stance.CHALLENGE else messages.model_cannot_answer(shown)


def missing_in_time(missing: str, reason: RefusalReason, *, time: str, is_elsewhere: bool) -> str:
    """Return what is missing in the time that was asked about, and whether it may be told at another.

    Args:
        missing: what is missing, in words.
        time: the time as the person named it.
        is_elsewhere: whether notes of other times may answer; what they say stays unseen (ruling E).
    """
    then = messages.missing_then(" ".join(time.split()), in_second_person(missing))
    return messages.answered_elsewhere(then) if is_elsewhere else with_advice(then, reason)


def _read(rows: int) -> str:
    if rows == 1:
        return messages.READ_ONE
    return messages.read_closest(rows) if rows else messages.NO_NOTE


def evidence_shown(rows: Sequence[Evidence]) -> tuple[SourceCitation, ...]:
    """Return the beginnings of the most relevant rows, verbatim, best first; passages whole and in their order."""
    if any(row.passage is not None for row in rows):
        return tuple(cite(row, 0, len(row.text)) for row in rows if row.text.strip())
    ranked = sorted(enumerate(rows), key=lambda pair: (-pair[1].relevance, pair[0]))[:_SHOWN]
    return tuple(cite(row, *_opening(row.text)) for _, row in ranked if row.text.strip())


def cite(row: Evidence, start: int, end: int) -> SourceCitation:
    """Return the citation of `row.text[start:end]`; the span is cut from the row (rulings C13, D1)."""
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
        entered_at=None if has_date(row.created_at) else row.entered_at,
    )


def without_text(sentences: Sequence[SentenceVerdict]) -> tuple[SentenceVerdict, ...]:
    """Return the verdicts of a rejected draft without its text: scores, kinds and reasons remain (ruling D9)."""
    return tuple(replace(sentence, text="", receipts=()) for sentence in sentences)


def _opening(text: str) -> tuple[int, int]:
    """Return the span of the first sentences of `text` that fit into what is shown; at least part of one."""
    spans = sentence_spans(text)
    start = spans[0][0]
    end = max((stop for _, stop in spans if stop - start <= _MAX_SPAN), default=0)
    return start, end or min(spans[0][1], start + _MAX_SPAN)


def summarise_rejected(rejected: Sequence[LocatedSpan]) -> str:
    """Return what was wrong with the refused citations, each reason once."""
    reasons = dict.fromkeys(span.reason for span in rejected if span.reason)
    return "; ".join(reasons)


_NAMES = word_set(
    "blocklist content_filter image_other image_prohibited_content image_recitation image_safety jailbreak language "
    "malformed_function_call malformed_response model_armor no_image other pause_turn prohibited_content recitation "
    "refusal safety sensitive spii tool_calls tool_use too_many_tool_calls unexpected_tool_call"
)
"""Providers' names for how they end a reply, as their documents have them; any other may hold words of a reply."""


def incomplete_reply(
    ending: Ending, fault: DraftFault, *, provider: str, why: str | None, limit: int
) -> tuple[RefusalReason, str] | None:
    """Return the reason and the note of a reply without a draft, or None: it ended of itself and has another shape.

    Args:
        fault: why it is no draft.
        why: the provider's own name for how it ended; told where it is a known one.
        limit: how many tokens it was allowed.
    """
    if ending == "cut":
        return RefusalReason.CUT, with_advice(messages.reply_limit(limit), RefusalReason.CUT)
    if ending == "model_refused":
        return RefusalReason.MODEL_REFUSED, with_advice(messages.MODEL_REFUSED, RefusalReason.MODEL_REFUSED)
    if ending == "complete" and fault.code != "empty":
        return None
    ended = messages.reply_ended if ending == "declined" else messages.reply_was_empty
    told = f"{ended(provider)}{_named(why)}"
    return RefusalReason.DECLINED, with_advice(told, RefusalReason.DECLINED)


def _named(why: str | None) -> str:
    return f" ({why})" if why is not None and why.lower() in _NAMES else ""


def remark_response(said: str) -> GroundedResponse:
    """Return words that state nothing as the answer they are."""
    sentences = tuple(
        SentenceVerdict(start=start, end=end, text=said[start:end], kind="remark", rung="remark")
        for start, end in sentence_spans(said)
    )
    return GroundedResponse(
        answer=said, sources=(), confidence=0.0, coverage_ratio=0.0, refused=False, sentences=sentences
    )
