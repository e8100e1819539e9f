"""Build the stored exchange of a turn; read and write turns of the earlier, lexical judge.

Law: every outcome is stored with its reason (ruling D6) and all provider calls (rulings D8, D18); the prompt only as
a keyed hash (ruling D20), the draft not at all (D9). Answers always carry their marks. Turns of the lexical judge
convert without loss, because the hash chain commits to their original form (ruling H).
Source: spec stateful-design-v2, 5 DialogueExchange and 8; rulings A7, D1; DESIGN 6; docs/sessions.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from typing import Final, Literal, cast

from voice.core.grounding.answer_text import MARK_CLOSING, opening_of_mark
from voice.core.grounding.draft import is_list, is_object
from voice.core.grounding.values import (
    LEXICAL_JUDGE,
    GroundedResponse,
    GroundingPolicy,
    Receipt,
    RefusalReason,
    Rung,
    SentenceVerdict,
    Stance,
)
from voice.core.grounding.verifier_values import (
    LexicalDetail,
    LexicalKind,
    LexicalLapse,
    LexicalPart,
    LexicalVerdict,
    LexicalVerifier,
    Verification,
)
from voice.core.session.values import Attempt, DialogueExchange, ExchangeStatus, PromptRecord
from voice.core.usage import NO_USAGE, Price, Usage, cost_of

_ERRORS = frozenset({RefusalReason.PROVIDER_ERROR, RefusalReason.DEADLINE, RefusalReason.CANCELLED})


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFacts:
    """What is fixed about a turn before any call."""

    exchange_id: str
    session_id: str
    index: int
    timestamp: datetime
    question: str = field(repr=False)
    stance: Stance
    provider: str
    model: str
    price: Price | None
    policy: GroundingPolicy
    by_model: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnSpent:
    """Prompt, calls and time of a turn."""

    prompt: PromptRecord | None = None
    """The last prompt sent; None: none was sent."""
    attempts: tuple[Attempt, ...] = ()
    latency_ms: int
    is_private: bool = False
    """Whether anything private was, or would have been, in the prompt (ruling H)."""


def status_of(response: GroundedResponse) -> ExchangeStatus:
    """Return how the turn ended: a provider failure is an error, any other non-answer a refusal."""
    if not response.refused:
        return "answered"
    return "error" if response.reason in _ERRORS else "refused"


def build_exchange(facts: TurnFacts, response: GroundedResponse, spent: TurnSpent) -> DialogueExchange:
    """Return the row to append: question, judged answer, receipts, usage and cost."""
    usage = total_usage(spent.attempts)
    return DialogueExchange(
        id=facts.exchange_id,
        session_id=facts.session_id,
        index=facts.index,
        timestamp=facts.timestamp,
        my_query=facts.question,
        answer=response.answer,
        sources=response.sources,
        confidence=response.confidence,
        coverage_ratio=response.coverage_ratio,
        refused=response.refused,
        memories_referenced=tuple(dict.fromkeys(source.source_id for source in response.sources)),  # each row once
        prompt_tokens=usage.input_tokens,
        completion_tokens=usage.output_tokens,
        cached_tokens=usage.cached_input_tokens,
        latency_ms=spent.latency_ms,
        cost_estimate=total_cost(spent.attempts, facts.price),
        prompt_hash=spent.prompt.prompt_hash if spent.prompt else None,
        status=status_of(response),
        stance=facts.stance,
        reason=response.reason,
        notes=response.notes,
        sentences=_scores_only(response.sentences) if response.refused else response.sentences,
        rejected_citations=response.rejected_citations,
        evidence_found=response.evidence_found,
        prompt=spent.prompt,
        policy=facts.policy,
        attempts=spent.attempts,
        price_source=f"{facts.price.source} {facts.price.as_of}" if facts.price else None,
        price=facts.price,
        provider=facts.provider,
        model=facts.model,
        is_private=spent.is_private,
        self_reported=response.self_reported,
        verification=response.verification,
        cut=response.cut,
    )


def _scores_only(sentences: Sequence[SentenceVerdict]) -> tuple[SentenceVerdict, ...]:
    """Remove the text of a rejected draft from its verdicts (ruling D9)."""
    return tuple(replace(sentence, text="", reasons=(), receipts=()) for sentence in sentences)


def total_usage(attempts: Sequence[Attempt]) -> Usage:
    """Sum the tokens of all calls; unknown if any call's are."""
    return sum((attempt.usage for attempt in attempts), NO_USAGE)


def total_cost(attempts: Sequence[Attempt], price: Price | None) -> Decimal | None:
    """Sum the cost of all calls: 0 without calls, None if any is unknown."""
    costs = [cost_of(attempt.usage, price) for attempt in attempts]
    known = [cost for cost in costs if cost is not None]
    return sum(known, Decimal(0)) if len(known) == len(costs) else None


def figures_of(exchange: DialogueExchange) -> Mapping[str, float | int | str | bool]:
    """Return a turn's numbers for its metrics row; no text, unknown values omitted (rulings D18, D19)."""
    cost = exchange.cost_estimate
    figures = {
        "latency_ms": exchange.latency_ms,
        "coverage_ratio": exchange.coverage_ratio,
        "refused": exchange.refused,
        "status": exchange.status,
        "prompt_tokens": exchange.prompt_tokens,
        "completion_tokens": exchange.completion_tokens,
        "cost_estimate": None if cost is None else str(cost),  # exact: JSON has no decimals
    }
    return {name: figure for name, figure in figures.items() if figure is not None}


def with_marks(exchange: DialogueExchange) -> DialogueExchange:
    """Add missing marks to an answer's unproven sentences, and shift the offsets."""
    if (
        exchange.refused  # no sentence to mark
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
        start, end = max(read, sentence.start), max(read, sentence.end)  # no word twice where sentences overlap
        added += len(opening)
        parts += [answer[read:start], opening, answer[start:end], MARK_CLOSING if opening else ""]
        moved.append(replace(sentence, start=sentence.start + added, end=sentence.end + added))
        added += len(MARK_CLOSING) if opening else 0  # the closing moves only what follows
        read = end
    return replace(exchange, answer="".join([*parts, answer[read:]]), sentences=tuple(moved))


def _is_marked(answer: str, sentence: SentenceVerdict) -> bool:
    """Return whether a sentence has its mark or needs none."""
    opening = opening_of_mark(sentence.rung)
    return not opening or answer[max(0, sentence.start - len(opening)) : sentence.start] == opening  # right before it


_VERDICTS: Final[Mapping[Rung, LexicalVerdict]] = {  # today's rungs and the lexical judge's verdicts, read both ways
    "verified": "supported",
    "unsupported": "unsupported",
    "contradicted": "contradicted",
    "remark": "not_a_claim",
}
_RUNGS: Final[Mapping[object, Rung]] = {verdict: rung for rung, verdict in _VERDICTS.items()}
_KINDS: Final = {"question": "question", "meta": "remark"}  # all others are claims


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalSentence:
    """A verdict in the lexical judge's form; offsets are into the answer."""

    start: int
    end: int
    text: str
    kind: LexicalKind
    verdict: LexicalVerdict
    score: float | None = None
    weight: float = 0.0
    receipts: tuple[Receipt, ...] = ()
    reasons: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    parts: tuple[LexicalPart, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalVerification:
    """A verification record in the lexical judge's form."""

    verifiers: tuple[LexicalVerifier, ...]
    ensemble: Literal["all", "majority"]
    asked: int
    lapses: tuple[tuple[str, LexicalLapse], ...] = ()


def as_written(value: SentenceVerdict | Verification) -> LexicalSentence | LexicalVerification | None:
    """Return a value in the lexical judge's form; None if it is not one of its values."""
    if isinstance(value, SentenceVerdict):
        return None if value.lexical is None else _sentence_written(value, value.lexical)
    panel = value.panel
    if panel is None:
        return None
    return LexicalVerification(
        verifiers=panel.verifiers, ensemble=panel.ensemble, asked=value.asked, lapses=panel.lapses
    )


def _sentence_written(sentence: SentenceVerdict, detail: LexicalDetail) -> LexicalSentence:
    return LexicalSentence(
        start=sentence.start,
        end=sentence.end,
        text=sentence.text,
        kind=detail.kind,
        verdict=_VERDICTS[sentence.rung],
        score=sentence.score,
        weight=sentence.weight,
        receipts=sentence.receipts,
        reasons=sentence.reasons,
        flags=sentence.flags,
        parts=detail.parts,
    )


def read_today(members: Mapping[str, object]) -> dict[str, object]:
    """Convert a stored or exported turn's members to the current form; unknown forms pass, for validation."""
    read = dict(members)
    sentences = members.get("sentences")
    if is_list(sentences):
        read["sentences"] = [_sentence_today(each) for each in sentences]
    if "verification" in members:
        read["verification"] = _merge_verification(members["verification"])
    return read


def _sentence_today(sentence: object) -> object:
    if not is_object(sentence) or "verdict" not in sentence or "rung" in sentence:
        return sentence  # of today's form already
    written = dict(sentence)
    kind, verdict = written.get("kind"), written.pop("verdict")
    is_told = verdict != "not_a_claim"
    return written | {
        "kind": _KINDS.get(str(kind), "claim"),
        "rung": _RUNGS.get(verdict),
        "judge": LEXICAL_JUDGE,
        "verifier": LEXICAL_JUDGE if is_told else None,
        "lexical": {"kind": kind, "parts": written.pop("parts", ())},
    }


def _merge_verification(record: object) -> object:
    """Merge the record of several verifiers into one with their joined names."""
    if not is_object(record) or "verifiers" not in record:
        return record
    verifiers = cast("Sequence[Mapping[str, object]]", record["verifiers"])
    lapses = cast("Sequence[Sequence[object]]", record.get("lapses", ()))
    return {
        "verifier": {name: " + ".join(str(each[name]) for each in verifiers) for name in ("name", "version")},
        "asked": record.get("asked"),
        "lapse": lapses[0][1] if lapses else None,
        "panel": {"verifiers": verifiers, "ensemble": record.get("ensemble"), "lapses": lapses},
    }
