"""Build a verifier's request for open claims, write and read its JSON, and decide the rung of every sentence.

Law: "supported" counts only with words that we find in a cited row; if a guard raised a doubt, these words must settle
it. Quoted is decided by rules alone. Without a verifier a guard's doubt vetoes, all else is unverified. A verifier
cannot lift an invented citation. A reply is validated here, whatever the provider promised: only `OpinionMalformed` is
raised, without a word of the reply. Files: `schemas/verify.request.schema.json`, `schemas/verify.reply.schema.json`.
Source: DESIGN 6 "The verifier", "Guards" and the ladder of proof; rulings A3, D8.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final, NamedTuple

from voice.core.errors import OpinionMalformed
from voice.core.grounding.answer_text import join_sentences
from voice.core.grounding.citations import row_named
from voice.core.grounding.doubts import Doubt, GivenContext, doubts_of
from voice.core.grounding.draft import TEXT_SCHEMA, is_list, is_object, list_schema, nullable, object_schema, objects_in
from voice.core.grounding.proof import Proof, ProvenSentence
from voice.core.grounding.quotable_sentences import quotable_sentences
from voice.core.grounding.quotations import reads_as_instruction
from voice.core.grounding.source_labels import said_on
from voice.core.grounding.values import PROVEN, Evidence, Rung
from voice.core.grounding.verifier_values import (
    CitedPassage,
    ClaimOpinion,
    ClaimToVerify,
    ClaimVerdict,
    DecidingWords,
    VerificationReply,
    VerificationRequest,
)
from voice.core.messages import asking as messages
from voice.core.text.spans import locate


class RungDecision(NamedTuple):
    """The rung of one sentence, and why."""

    rung: Rung
    grounds: tuple[tuple[Evidence, int, int], ...] = ()
    """The deciding sentences, as row and half-open offsets."""
    reason: str | None = None


def decide_rung(one: ProvenSentence, opinion: ClaimOpinion | None, *, today: date | None) -> RungDecision:
    """Apply a verifier's opinion, None if it gave none, to a sentence that is not quoted; `today` is the person's."""
    if opinion is None:
        return RungDecision("unverified")
    if opinion.verdict == "no_claim":
        # A verifier may not wave a number through by calling its sentence a remark.
        return RungDecision("unsupported", reason=one.doubts[0].message) if one.doubts else RungDecision("remark")
    if opinion.verdict == "contradicted":
        return RungDecision("contradicted", reason=messages.cited_sources(messages.SAY_OTHERWISE))
    if opinion.verdict == "not_stated":
        return RungDecision("unsupported", reason=messages.cited_sources(messages.DO_NOT_SAY_THIS))
    grounds = locate_words(opinion.words, one.rows)
    if not grounds:
        return RungDecision("unverified", reason=messages.NO_WORDS_NAMED)
    if unsettled := _unsettled(one, opinion, grounds, today):
        return RungDecision("unsupported", grounds, reason=unsettled[0].message)
    return RungDecision("verified", grounds)


def locate_words(words: Sequence[DecidingWords], rows: Sequence[Evidence]) -> tuple[tuple[Evidence, int, int], ...]:
    """Return the whole sentences that contain `words`, none from a row that reads like an instruction (ruling D22)."""
    by_alias = {row.alias: row for row in rows}
    found: dict[tuple[str, int], tuple[Evidence, int, int]] = {}
    for one in words:
        named = row_named(one.alias, by_alias)
        for row in (named,) if named else rows:  # the row may be misnamed; its words must be there
            span = locate(one.words, row.text)
            if span.status is None or reads_as_instruction(row):
                continue
            for start, end in enclosing_sentences(row, span.start, span.end):
                found.setdefault((row.alias, start), (row, start, end))
            break
    return tuple(found.values())


def enclosing_sentences(row: Evidence, start: int, end: int) -> tuple[tuple[int, int], ...]:
    """Return the sentences of `row` that overlap the span; the span itself if there are none."""
    found = tuple((one.start, one.end) for one in quotable_sentences(row.text) if one.start < end and start < one.end)
    return found or ((start, end),)


def _unsettled(
    one: ProvenSentence, opinion: ClaimOpinion, grounds: Sequence[tuple[Evidence, int, int]], today: date | None
) -> list[Doubt]:
    """Return the doubts that the deciding words do not settle; an exact one they settle only by giving the same."""
    if not one.doubts:
        return []
    # A number elsewhere in a cited row may be of something else: only the deciding sentences settle.
    excerpts = tuple(replace(row, text=row.text[start:end]) for row, start, end in grounds)
    remaining = {(doubt.flag, doubt.start) for doubt in doubts_of(one.text, GivenContext(excerpts, today=today))}
    settled = {words.doubt for words in opinion.words if words.doubt is not None and locate_words((words,), one.rows)}
    return [
        doubt
        for number, doubt in enumerate(one.doubts, 1)
        if (doubt.is_exact or number not in settled) and (doubt.flag, doubt.start) in remaining
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedSentence:
    """One sentence with its rung."""

    sentence: ProvenSentence
    decided: RungDecision
    weight: float
    verifier: str | None

    @property
    def is_proven(self) -> bool:
        """Whether it may be shown without a warning."""
        return self.decided.rung in PROVEN


def judged_sentences(
    proof: Proof, reply: VerificationReply | None, verifier: str | None = None
) -> tuple[JudgedSentence, ...]:
    """Return a draft's sentences with rungs; `reply` answers `verification_request(proof, …)`, None: not verified."""
    opinions = {opinion.number: opinion for opinion in reply.opinions} if reply else {}
    judged: list[JudgedSentence] = []
    number = 0
    for one in proof.sentences:
        if one.is_quoted:
            outcome = RungDecision("quoted", one.quoted)
        elif reply is not None:
            number += 1  # as in `verification_request`; beyond `MAX_CLAIMS` there is no opinion
            outcome = decide_rung(one, opinions.get(number), today=proof.context.today)
        else:
            outcome = _decide_by_rules(one, by_model=proof.context.by_model)
        who = verifier if number and outcome.rung in ("verified", "unsupported", "contradicted") else None
        weight = 0.0 if outcome.rung == "remark" else one.weight
        judged.append(JudgedSentence(sentence=one, decided=outcome, weight=weight, verifier=who))
    return tuple(judged)


def _decide_by_rules(one: ProvenSentence, *, by_model: bool) -> RungDecision:
    """Decide by rules alone: a guard vetoes, all else is unverified."""
    if one.kind != "claim" and not by_model:  # what rules add to quotations states nothing
        return RungDecision("remark")
    if one.ended is not None:
        return RungDecision("unsupported", reason=one.ended)
    if one.doubts:
        return RungDecision("unsupported", reason=one.doubts[0].message)
    if one.kind == "claim" and not one.rows:
        return RungDecision("unsupported", reason=messages.CITES_NOTHING)
    return RungDecision("unverified")


MAX_CLAIMS = 40  # bounds what one call costs; sentences beyond it stay unverified


def verification_request(proof: Proof, *, question: str, today: date | None) -> VerificationRequest | None:
    """Build the request for at most `MAX_CLAIMS` unquoted sentences with the rows they cite; None without any."""
    if proof.is_settled:
        return None
    unproven = [one for one in proof.sentences if not one.is_quoted][:MAX_CLAIMS]
    claims = tuple(claim_of(number, one) for number, one in enumerate(unproven, 1))
    cited = {alias for claim in claims for alias in claim.cited}
    passages = tuple(passage_of(row) for row in proof.sent if row.alias in cited)
    answer = join_sentences([(one.before, one.text) for one in proof.sentences]).text
    return VerificationRequest(question=question, today=today, claims=claims, passages=passages, answer=answer)


def passage_of(row: Evidence) -> CitedPassage:
    """Return a cited row in the form a verifier reads."""
    return CitedPassage(
        alias=row.alias,
        text=row.text,
        day=said_on(row),
        speaker=row.speaker,
        context=row.context or row.thread,  # a message has no path, only its conversation
        until=row.valid_until.date() if row.valid_until else None,
    )


def claim_of(number: int, one: ProvenSentence) -> ClaimToVerify:
    """Return a sentence as a numbered claim for the verifier."""
    return ClaimToVerify(
        number=number,
        text=one.text,
        cited=tuple(row.alias for row in one.rows),
        doubts=tuple(messages.passages_lack(one.text[doubt.start : doubt.end].strip()) for doubt in one.doubts),
        is_question=one.kind == "question",
    )


_VERDICTS: Final[tuple[ClaimVerdict, ...]] = ("supported", "contradicted", "not_stated", "no_claim")
VERDICT_SCHEMA: Final = object_schema(
    claims=list_schema(
        number={"type": "integer"},
        words=list_schema(source_id=TEXT_SCHEMA, words=TEXT_SCHEMA, doubt=nullable("integer")),
        verdict={"type": "string", "enum": list(_VERDICTS)},
    ),
    answers_question={"type": "boolean"},
)
"""Schema of the reply; words precede the verdict, so that a model quotes before it decides."""
_MAX_REPLY_CHARS = 200_000  # the rest of an endless reply is not parsed
_MAX_WORDS = 24  # deciding spans of a claim; each is searched for in every row


def request_json(asked: VerificationRequest) -> dict[str, object]:
    """Return a request as JSON values."""
    return {
        "question": asked.question,
        "today": asked.today.isoformat() if asked.today else None,
        "sources": [
            {
                "source_id": passage.alias,
                "date": passage.day.isoformat() if passage.day else None,
                "until": passage.until.isoformat() if passage.until else None,
                "speaker": passage.speaker,
                "context": passage.context,
                "text": passage.text,
            }
            for passage in asked.passages
        ],
        "answer": asked.answer,
        "claims": [_claim_json(claim) for claim in asked.claims],
    }


def _claim_json(claim: ClaimToVerify) -> dict[str, object]:
    """Return a claim; own question and date only if it has them."""
    own = {"question": claim.question, "today": claim.today.isoformat() if claim.today else None}
    return {
        "number": claim.number,
        "text": claim.text,
        "is_question": claim.is_question,
        "cites": list(claim.cited),
        "doubts": list(claim.doubts),
        **({} if claim.question is None else own),  # in a turn all claims share the request's
    }


def parse_reply(text: str, wanted: int) -> VerificationReply:
    """Parse a reply on `wanted` claims. Raises OpinionMalformed: wrong shape, or not exactly one verdict for each."""
    found = objects_in(text[:_MAX_REPLY_CHARS], json.JSONDecoder())
    value = next((each for each in found if "claims" in each), None)
    if value is None:
        raise OpinionMalformed(messages.OPINION_NOT_JSON)
    items = value.get("claims")
    opinions = [_opinion(item) for item in items] if is_list(items) else []
    if sorted(one.number for one in opinions) != list(range(1, wanted + 1)):
        raise OpinionMalformed(messages.OPINION_CLAIMS)
    answers = value.get("answers_question")
    return VerificationReply(opinions=tuple(opinions), answers_question=answers if isinstance(answers, bool) else None)


def _opinion(item: object) -> ClaimOpinion:
    fields = _members(item)
    number, words = _number(fields.get("number")), fields.get("words")
    verdict: ClaimVerdict | None = next((each for each in _VERDICTS if each == fields.get("verdict")), None)
    if number is None or verdict is None:
        raise OpinionMalformed(messages.OPINION_SHAPE)
    found = (_words(each) for each in (words[:_MAX_WORDS] if is_list(words) else ()))
    return ClaimOpinion(number=number, verdict=verdict, words=tuple(one for one in found if one is not None))


def _words(item: object) -> DecidingWords | None:
    """Parse one deciding span; None if malformed."""
    fields = _members(item)
    alias, words, doubt = fields.get("source_id"), fields.get("words"), fields.get("doubt")
    if not isinstance(alias, str) or not isinstance(words, str) or not words.strip():
        return None
    return DecidingWords(alias=alias.strip(), words=words, doubt=_number(doubt))


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None  # `true` is an int


def _members(item: object) -> Mapping[str, object]:
    return item if is_object(item) else {}
