"""Judge a proven draft: accept it with citations and coverage, or refuse it with a reason.

Law: nothing the model says about itself is used. Refusal reasons are tried in a fixed order (`_reason_to_refuse`).
Coverage is the share of the claims' content words in proven sentences, over the whole draft, duplicates once (ruling
D1). A source must carry a quarter of a proven claim; rows of one thought or text are one source (ruling D2).
Source: spec stateful-design-v2, 1 Strict Grounding Contract; DESIGN 6; rulings A3, A4, D1-D9a, J5.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from voice.core.grounding.answer_text import (
    JoinedText,
    PlacedSentence,
    cite,
    draft_refusal,
    evidence_shown,
    join_sentences,
    refusal,
    without_text,
)
from voice.core.grounding.claim_verification import JudgedSentence, judged_sentences
from voice.core.grounding.proof import Proof
from voice.core.grounding.refusal_reasons import explain_refusal, reasons_of
from voice.core.grounding.values import (
    CutSentence,
    Evidence,
    GroundedResponse,
    GroundingPolicy,
    Receipt,
    RefusalReason,
    Rung,
    SentenceVerdict,
    SourceCitation,
    Stance,
)
from voice.core.grounding.verifier_values import VerificationReply
from voice.core.messages import asking as messages
from voice.core.text.normalise import content_hash, norm_v1
from voice.core.text.words import content_words, stems_in

_NOT_SHOWN_WITH_CUT: frozenset[Rung] = frozenset({"unverified", "unsupported", "contradicted"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A draft with everything that decides."""

    proof: Proof
    policy: GroundingPolicy
    sentences: tuple[JudgedSentence, ...]
    answers_question: bool | None
    coverage: float
    carriers: tuple[Evidence, ...]  # rows that count as sources, distinct (ruling D2)

    @property
    def source_count(self) -> int:
        return count_sources(self.carriers)

    @property
    def claim_weight(self) -> float:
        return sum(one.weight for one in self.sentences)

    def has(self, *rungs: Rung) -> bool:
        return any(one.decided.rung in rungs for one in self.sentences)


def judge(
    proof: Proof,
    policy: GroundingPolicy,
    *,
    stance: Stance = Stance.SYNTHESIZE,
    reply: VerificationReply | None = None,
    verifier: str | None = None,
    digest: Callable[[str], str] = content_hash,
) -> GroundedResponse:
    """Return the judged answer, or a refusal with its reason.

    Args:
        stance: an answer of questions alone is accepted only for `question`.
        reply: the verifier's reply to `verification_request(proof, …)`; None: not verified.
        digest: the hash under which a cut sentence is kept (ruling D9a); keyed if it is stored.
    """
    draft, by_model = proof.draft, proof.context.by_model
    if draft.refused:
        return _refused_outright(proof, *draft_refusal(stance, len(proof.sent), by_model=by_model))
    # "Yes." or "I see." alone: nothing that a source could support.
    if not any(content_words(one.text) for one in proof.sentences):
        return _refused_outright(proof, RefusalReason.COVERAGE_LOW, messages.STATES_NOTHING)
    case = _case(proof, policy, stance, reply, verifier)
    reason = _reason_to_refuse(case)  # before anything is cut: coverage is of the whole draft
    return _accept(case, digest) if reason is None else _refuse(case, reason)


def _case(
    proof: Proof, policy: GroundingPolicy, stance: Stance, reply: VerificationReply | None, verifier: str | None
) -> _Case:
    sentences = judged_sentences(proof, reply, verifier)
    if stance is Stance.QUESTION and not any(one.weight for one in sentences):
        # A question that is the whole answer weighs as a claim of what it presupposes.
        sentences = tuple(
            one if one.decided.rung == "remark" else replace(one, weight=float(len(content_words(one.sentence.text))))
            for one in sentences
        )
    claims = [WeightedClaim(one.sentence.text, one.weight, one.is_proven) for one in sentences]
    carrying = [row for one in sentences if one.is_proven and one.weight for row in _carriers(one, policy)]
    return _Case(
        proof=proof,
        policy=policy,
        sentences=sentences,
        answers_question=reply.answers_question if reply else None,
        coverage=coverage_of(claims),
        carriers=tuple({row.alias: row for row in carrying}.values()),
    )


def _carriers(one: JudgedSentence, policy: GroundingPolicy) -> tuple[Evidence, ...]:
    """Return the rows that carry a proven sentence; of a verified one, those that decided it."""
    if one.decided.rung == "verified":
        return tuple({row.alias: row for row, _, _ in one.decided.grounds}.values())
    return supporting_rows(one.sentence.text, one.decided.grounds, policy.min_weight_share)


def _reason_to_refuse(case: _Case) -> RefusalReason | None:
    """Return the first reason that applies, in the contract's order; None accepts."""
    policy = case.policy
    if case.proof.citations.fabricated:
        return RefusalReason.INVALID_CITATION
    if not case.proof.citations.accepted:
        return RefusalReason.NO_SOURCES
    if case.answers_question is False:  # None is no opinion
        return RefusalReason.OFF_TOPIC
    if not case.claim_weight or case.coverage < policy.min_coverage:
        return RefusalReason.CONTRADICTION if case.has("contradicted") else RefusalReason.COVERAGE_LOW
    if case.source_count < policy.min_sources and not _one_green_is_enough(case):
        return RefusalReason.TOO_FEW_SOURCES
    if policy.on_unsupported == "refuse" and case.has(*_NOT_SHOWN_WITH_CUT):
        return RefusalReason.CONTRADICTION if case.has("contradicted") else RefusalReason.UNSUPPORTED_CLAIM
    return None


def _one_green_is_enough(case: _Case) -> bool:
    """Return whether a single trusted source with full coverage passes (ruling D3)."""
    is_whole = case.coverage >= 1.0 and case.source_count >= 1
    return case.policy.single_source == "green" and is_whole and all(row.trust == "green" for row in case.carriers)


def _accept(case: _Case, digest: Callable[[str], str]) -> GroundedResponse:
    hidden_rungs = _NOT_SHOWN_WITH_CUT if case.policy.on_unsupported == "cut" else frozenset[Rung]()
    shown = [one for one in case.sentences if one.decided.rung not in hidden_rungs]
    left_out = [one for one in case.sentences if one.decided.rung in hidden_rungs]
    placed, verdicts = _placed(shown)
    # A row that carries too little is no source; its citation is reported, not shown.
    carrying = {row.alias for row in case.carriers}
    idle = tuple(
        replace(span, reason=messages.QUOTATION_CARRIES_NOTHING)
        for span in case.proof.citations.accepted
        if span.alias not in carrying
    )
    return GroundedResponse(
        answer=placed.text,
        sources=_sources(case, shown),
        confidence=round(confidence_of(case.coverage, case.claim_weight), 4),
        coverage_ratio=round(case.coverage, 4),
        refused=False,
        sentences=verdicts,
        cut=tuple(_cut(one, digest) for one in left_out),
        rejected_citations=(*case.proof.citations.rejected, *idle),
        source_count=case.source_count,
        self_reported=case.proof.draft.self_reported,
    )


def _placed(sentences: Sequence[JudgedSentence]) -> tuple[JoinedText, tuple[SentenceVerdict, ...]]:
    """Return the joined sentences, and the verdict on each at its place there."""
    joined = join_sentences(
        [(one.sentence.before, one.sentence.text) for one in sentences], [one.decided.rung for one in sentences]
    )
    return joined, tuple(map(_verdict, sentences, joined.places))


def _sources(case: _Case, shown: Sequence[JudgedSentence]) -> tuple[SourceCitation, ...]:
    """Return the distinct sentences that the shown text rests on, in order (rulings C13, D1)."""
    carrying = {row.alias for row in case.carriers}
    places = dict.fromkeys(
        (row.alias, start, end)
        for one in shown
        if one.is_proven
        for row, start, end in one.decided.grounds
        if row.alias in carrying
    )
    rows = {row.alias: row for row in case.proof.sent}
    return tuple(cite(rows[alias], start, end) for alias, start, end in places)


def _verdict(one: JudgedSentence, place: PlacedSentence) -> SentenceVerdict:
    sentence = one.sentence
    return SentenceVerdict(
        start=place.start,
        end=place.end,
        text=place.text,
        kind=sentence.kind,
        rung=one.decided.rung,
        score=None if one.decided.rung == "remark" else sentence.score,
        weight=one.weight,
        receipts=tuple(
            Receipt(row_id=row.row_id, content_hash=row.content_hash, start=start, end=end)
            for row, start, end in dict.fromkeys(one.decided.grounds if one.is_proven else ())
        ),
        reasons=reasons_of(one.decided, sentence),
        flags=_flags(one),
        missing=() if one.is_proven else tuple((doubt.start, doubt.end) for doubt in sentence.doubts),
        verifier=one.verifier,
    )


def _flags(one: JudgedSentence) -> tuple[str, ...]:
    doubts = () if one.is_proven else tuple(doubt.flag for doubt in one.sentence.doubts)
    ended = ("ended",) if one.sentence.ended is not None and not one.is_proven else ()
    return tuple(dict.fromkeys((*doubts, *ended)))


def _cut(one: JudgedSentence, digest: Callable[[str], str]) -> CutSentence:
    return CutSentence(
        rung=one.decided.rung,
        kind=one.sentence.kind,
        weight=one.weight,
        digest=digest(one.sentence.text),  # the text itself is not kept
        reasons=reasons_of(one.decided, one.sentence),
        flags=_flags(one),
    )


def _refuse(case: _Case, reason: RefusalReason) -> GroundedResponse:
    accepted = case.proof.citations.accepted
    rows = {row.alias: row for row in case.proof.sent}  # accepted spans name rows of this prompt only
    found = tuple(cite(rows[span.alias], span.start, span.end) for span in accepted)
    _, verdicts = _placed(case.sentences)  # places in a text that is not kept (ruling D9)
    note = explain_refusal(
        reason,
        citations=case.proof.citations,
        reasons=[text for one in case.sentences for text in reasons_of(one.decided, one.sentence)],
        coverage=case.coverage,
        source_count=case.source_count,
        policy=case.policy,
    )
    return replace(
        refusal(reason, notes=note, evidence=case.proof.sent),
        coverage_ratio=round(case.coverage, 4),
        sentences=without_text(verdicts),
        rejected_citations=case.proof.citations.rejected,
        evidence_found=found or evidence_shown(case.proof.sent),  # what the draft rightly cited is nearest
        source_count=case.source_count,
        self_reported=case.proof.draft.self_reported,
    )


def _refused_outright(proof: Proof, reason: RefusalReason, note: str) -> GroundedResponse:
    refused = refusal(reason, notes=note, evidence=proof.sent)
    return replace(refused, self_reported=proof.draft.self_reported)


_Z = 1.2816  # one-sided 90 % quantile of the normal distribution


class WeightedClaim(NamedTuple):
    """A claim with its weight, as coverage counts it."""

    text: str
    weight: float
    is_proven: bool


def coverage_of(claims: Sequence[WeightedClaim]) -> float:
    """Return the weighted share of claims that are proven; duplicates count once, 0.0 without claims."""
    seen: dict[str, WeightedClaim] = {}
    for claim in claims:
        if claim.weight > 0:
            seen.setdefault(norm_v1(claim.text), claim)  # said twice, a true sentence would outweigh a false one
    total = sum(claim.weight for claim in seen.values())
    return sum(claim.weight for claim in seen.values() if claim.is_proven) / total if total else 0.0


def supporting_rows(text: str, grounds: Sequence[tuple[Evidence, int, int]], min_share: float) -> tuple[Evidence, ...]:
    """Return the rows with at least `min_share` of the claim's words, in the order of `grounds` (ruling D2)."""
    stems = {word.stem for word in content_words(text)}
    supported: dict[str, set[str]] = {}
    rows: dict[str, Evidence] = {}
    for row, start, end in grounds:
        rows[row.alias] = row
        supported.setdefault(row.alias, set()).update(stems & stems_in(row.text[start:end]))
    total = len(set[str]().union(*supported.values()))
    carrying = [row for alias, row in rows.items() if total and len(supported[alias]) >= min_share * total]
    # A claim of stop words alone is proven without a stem in common; it still rests on a row.
    return tuple(carrying) or tuple(rows.values())[:1]


def count_sources(rows: Sequence[Evidence]) -> int:
    """Count distinct sources: rows that share a thought or a text are one (ruling D2)."""
    groups: list[set[str]] = []
    for row in rows:
        marks = {
            f"row {row.row_id}",
            f"text {row.content_hash}",
            *(f"thought {thought}" for thought in row.thought_ids),
        }
        # One row may join groups that had nothing in common before it.
        touching = [group for group in groups if group & marks]
        groups = [group for group in groups if not group & marks]
        groups.append(marks.union(*touching))
    return len(groups)


def confidence_of(coverage: float, claim_weight: float) -> float:
    """Return the Wilson lower bound (one-sided 90 %) of coverage, for this many content words.

    A fully covered answer scores 0.83 with eight content words, 0.96 with forty; the model's own number is not used.
    """
    if claim_weight <= 0:
        return 0.0
    square = _Z * _Z
    middle = coverage + square / (2 * claim_weight)
    spread = _Z * math.sqrt((coverage * (1 - coverage) + square / (4 * claim_weight)) / claim_weight)
    return max(0.0, min(1.0, (middle - spread) / (1 + square / claim_weight)))
