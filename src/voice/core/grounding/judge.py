"""The judgement: a draft and its evidence in, a grounded response out.

Law: nothing the model says about itself is believed; what it cites is looked up, what it states is compared, and the
order of reasons is fixed (DESIGN 6): a refusal of its own; an invented citation or a contradiction, whatever the ratio;
nothing cited or nothing stated; an answer to another question; coverage; sources; then, by policy, any unsupported
sentence. Pure and deterministic; milliseconds.

Source: spec stateful-design-v2, 1 Strict Grounding Contract; DESIGN 6; rulings A3, A4, D1-D9.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from voice.core.grounding.answering import Answer, off_the_point
from voice.core.grounding.citations import Citations, check_citations, without_markers
from voice.core.grounding.claims import Grounds, Judged, JudgedPart, as_claim, judge_sentence
from voice.core.grounding.coverage import carriers_of, confidence_of, count_sources, coverage_of
from voice.core.grounding.disputes import with_disputes
from voice.core.grounding.explain import explain_refusal, sentence_reasons
from voice.core.grounding.neighbours import judge_sentences
from voice.core.grounding.opinions import Opinion, pair_of, under_opinion
from voice.core.grounding.passages import Passage, all_passages, touched_passages
from voice.core.grounding.premise import premise_notes, without_yes
from voice.core.grounding.referents import named_sentences
from voice.core.grounding.refusal import STATES_NOTHING, cite, evidence_shown, own_refusal, refusal, without_words
from voice.core.grounding.support import carried_share
from voice.core.grounding.values import (
    Draft,
    Evidence,
    GroundedResponse,
    GroundingPolicy,
    LocatedSpan,
    Receipt,
    RefusalReason,
    SentencePart,
    SentenceVerdict,
    SourceCitation,
    Stance,
)
from voice.core.grounding.verification import ClaimPair
from voice.core.grounding.who import people_of
from voice.core.text.comparable import visible
from voice.core.text.sentences import sentence_spans
from voice.core.text.words import content_words

_UNCITED_LOOKED_AT = 60


class _Asked(NamedTuple):
    """What a draft answers."""

    question: str
    stance: Stance
    now: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A draft with everything that was found out about it."""

    draft: Draft
    asked: _Asked
    policy: GroundingPolicy
    sent: Sequence[Evidence]
    citations: Citations
    grounds: Grounds
    sentences: tuple[tuple[int, int, Judged], ...]
    """Start and end in the answer, and the outcome."""
    coverage: float
    carried: tuple[tuple[Evidence, ...], ...]
    """For each sentence the rows that carry it; none for one that is not supported."""
    premise: tuple[str, ...]
    """What the question takes for granted against what is cited."""
    off_the_point: str | None
    """Why this is no answer to the question."""

    @property
    def carriers(self) -> tuple[Evidence, ...]:
        """The rows that count as sources, each once, in the order cited (ruling D2)."""
        carrying = {row.alias for rows in self.carried for row in rows}
        return tuple(row for row in self.grounds.rows if row.alias in carrying)

    @property
    def source_count(self) -> int:
        return count_sources(self.carriers)

    @property
    def claim_weight(self) -> float:
        return sum(judged.weight for _, _, judged in self.sentences)

    def has(self, verdict: str) -> bool:
        return any(judged.verdict == verdict for _, _, judged in self.sentences)


def judge(  # noqa: PLR0913 - what a judgement rests on, by name
    draft: Draft,
    evidence: Sequence[Evidence],
    policy: GroundingPolicy,
    *,
    question: str,
    stance: Stance = Stance.SYNTHESIZE,
    opinions: Mapping[str, Opinion] | None = None,
    now: datetime | None = None,
    by_model: bool = True,
) -> GroundedResponse:
    """Return the judged answer to `question`, or a refusal with its reason.

    Args:
        draft: the model's parsed words; its own numbers are kept as `self_reported` and never used (ruling A3).
        evidence: the rows of this prompt, under their aliases (ruling D4).
        policy: what is grounded enough.
        question: what the person asked; a verbatim answer to something else is refused (ruling D5).
        stance: how the voice was to speak; questions alone are an answer only where it was to ask.
        opinions: what verifiers make of its sentences, by their text; nothing by default.
        now: when it is asked; without it every row that has an end counts as ended.
        by_model: whether a model wrote it, or it was composed of the evidence by rules.
    """
    draft = replace(draft, answer=visible(draft.answer))
    if draft.refused:
        return _refused_outright(draft, evidence, *own_refusal(stance, len(evidence), by_model=by_model))
    if not content_words(draft.answer):
        return _refused_outright(draft, evidence, RefusalReason.COVERAGE_LOW, STATES_NOTHING)
    case = _examine(draft, evidence, policy, _Asked(question, stance, now), opinions or {})
    reason = _reason_to_refuse(case)
    return _accept(case) if reason is None else _refuse(case, reason)


def claims_to_verify(
    draft: Draft,
    evidence: Sequence[Evidence],
    policy: GroundingPolicy,
    *,
    question: str,
    stance: Stance,
    now: datetime | None = None,
) -> tuple[ClaimPair, ...]:
    """Return the sentences of a draft that verifiers may be asked about, each once, with what they are held against.

    Nothing is asked about a draft that is refused whatever they say: an invented citation, a contradiction, no source.
    """
    if draft.refused or not content_words(draft.answer):
        return ()
    case = _examine(draft, evidence, policy, _Asked(question, stance, now), {})
    if case.citations.fabricated or case.has("contradicted") or not case.citations.accepted:
        return ()
    answer = without_markers(visible(draft.answer), tuple(row.alias for row in evidence))
    found = (pair_of(answer[start:end], judged, case.grounds.passages) for start, end, judged in case.sentences)
    return tuple({pair.claim: pair for pair in found if pair is not None}.values())


def _examine(
    draft: Draft,
    evidence: Sequence[Evidence],
    policy: GroundingPolicy,
    asked: "_Asked",
    opinions: Mapping[str, Opinion],
) -> _Case:
    rows: Mapping[str, Evidence] = {row.alias: row for row in evidence}
    citations = check_citations(draft, rows)
    grounds = _grounds(citations, rows, evidence, asked.question)
    answer = without_markers(draft.answer, tuple(rows))
    spans = sentence_spans(answer)
    texts = [answer[start:end] for start, end in spans]
    judged = judge_sentences(texts, grounds, policy.support_threshold)
    judged = [under_opinion(text, outcome, opinions.get(text)) for text, outcome in zip(texts, judged, strict=True)]
    judged = with_disputes(texts, judged, evidence, now=asked.now)
    premise = () if asked.stance is Stance.CHALLENGE else premise_notes(asked.question, grounds.passages, evidence)
    judged = without_yes(texts, judged, premise)
    if asked.stance is Stance.QUESTION and not any(outcome.weight for outcome in judged if outcome.kind != "question"):
        judged = [as_claim(outcome, policy.support_threshold) for outcome in judged]
    return _Case(
        draft=draft,
        asked=asked,
        policy=policy,
        sent=evidence,
        citations=citations,
        grounds=grounds,
        sentences=tuple((start, end, outcome) for (start, end), outcome in zip(spans, judged, strict=True)),
        coverage=coverage_of(list(zip(texts, judged, strict=True))),
        carried=_carriers(texts, judged, grounds, policy),
        premise=premise,
        off_the_point=off_the_point(
            asked.question, asked.stance, Answer.of(draft.answer, texts, judged, grounds.passages), evidence
        ),
    )


def _grounds(
    citations: Citations, rows: Mapping[str, Evidence], evidence: Sequence[Evidence], question: str
) -> Grounds:
    cited = [rows[alias] for alias in dict.fromkeys(span.alias for span in citations.accepted)]
    return Grounds(
        rows=tuple(cited),
        passages=tuple(p for row in cited for p in touched_passages(row, citations.spans_of(row.alias))),
        people=people_of(evidence),
        asked=frozenset(word.stem for word in content_words(question)),
        question=question,
    )


def _carriers(
    texts: Sequence[str], judged: Sequence[Judged], grounds: Grounds, policy: GroundingPolicy
) -> tuple[tuple[Evidence, ...], ...]:
    named = named_sentences(texts, grounds.people)
    return tuple(
        _carriers_of_one(text, whom, outcome, grounds, policy) if outcome.verdict == "supported" else ()
        for text, whom, outcome in zip(texts, named, judged, strict=True)
    )


def _carriers_of_one(
    text: str, named: str, judged: Judged, grounds: Grounds, policy: GroundingPolicy
) -> tuple[Evidence, ...]:
    def holds_alone(own: Sequence[Passage]) -> bool:
        alone = replace(grounds, rows=(own[0].row,), passages=tuple(own))
        return judge_sentence(text, alone, policy.support_threshold, named=named).verdict == "supported"

    return carriers_of(judged, grounds.passages, policy.min_weight_share, holds_alone)


def _reason_to_refuse(case: _Case) -> RefusalReason | None:
    """Return the first reason that holds, in the order of DESIGN 6; None accepts."""
    policy = case.policy
    if case.citations.fabricated:
        return RefusalReason.INVALID_CITATION
    if case.has("contradicted"):
        return RefusalReason.CONTRADICTION
    if not case.citations.accepted:
        return RefusalReason.NO_SOURCES
    if case.off_the_point is not None:
        return RefusalReason.UNSUPPORTED_CLAIM
    if not case.claim_weight or case.coverage < policy.min_coverage:
        return RefusalReason.COVERAGE_LOW
    if case.source_count < policy.min_sources and not _one_green_is_enough(case):
        return RefusalReason.TOO_FEW_SOURCES
    if policy.on_unsupported == "refuse" and case.has("unsupported"):
        return RefusalReason.UNSUPPORTED_CLAIM
    return None


def _one_green_is_enough(case: _Case) -> bool:
    """Return whether the policy lets a single green source with full coverage pass (ruling D3)."""
    return (
        case.policy.single_source == "green"
        and case.coverage >= 1.0
        and case.source_count >= 1
        and all(row.trust == "green" for row in case.carriers)
    )


def _accept(case: _Case) -> GroundedResponse:
    verdicts = _verdicts(case)
    answer, kept = case.draft.answer, verdicts
    if case.policy.on_unsupported == "cut":
        answer, kept = _without_unsupported(case.draft.answer, verdicts)
    carrying = {row.alias for row in case.carriers}
    idle = [
        replace(span, reason="the quotation is real but supports no sentence of the answer")
        for span in case.citations.accepted
        if span.alias not in carrying
    ]
    return GroundedResponse(
        answer=answer,
        sources=tuple(_citation(case, span) for span in case.citations.accepted if span.alias in carrying),
        confidence=round(confidence_of(case.coverage, case.claim_weight), 4),
        coverage_ratio=round(case.coverage, 4),
        refused=False,
        notes=_note_on_unsupported(case),
        sentences=kept,
        rejected_citations=(*case.citations.rejected, *idle),
        source_count=case.source_count,
        self_reported=case.draft.self_reported,
        premise=case.premise,
    )


def _refuse(case: _Case, reason: RefusalReason) -> GroundedResponse:
    found = tuple(_citation(case, span) for span in case.citations.accepted)
    note = explain_refusal(
        reason,
        citations=case.citations,
        judged=[judged for _, _, judged in case.sentences],
        coverage=case.coverage,
        source_count=case.source_count,
        policy=case.policy,
        off_the_point=case.off_the_point,
    )
    return replace(
        refusal(reason, notes=note, evidence=case.sent),
        coverage_ratio=round(case.coverage, 4),
        sentences=without_words(_verdicts(case)),
        rejected_citations=case.citations.rejected,
        evidence_found=found or evidence_shown(case.sent),
        source_count=case.source_count,
        self_reported=case.draft.self_reported,
    )


def _refused_outright(draft: Draft, evidence: Sequence[Evidence], reason: RefusalReason, note: str) -> GroundedResponse:
    return replace(refusal(reason, notes=note, evidence=evidence), self_reported=draft.self_reported)


def _verdicts(case: _Case) -> tuple[SentenceVerdict, ...]:
    doubted = any(judged.verdict == "unsupported" for _, _, judged in case.sentences)
    uncited = _uncited(case) if doubted else case.grounds
    return tuple(
        _verdict(case, sentence, carrying, uncited)
        for sentence, carrying in zip(case.sentences, case.carried, strict=True)
    )


def _verdict(
    case: _Case, sentence: tuple[int, int, Judged], carrying: Sequence[Evidence], uncited: Grounds
) -> SentenceVerdict:
    start, end, judged = sentence
    is_uncited = (  # a wrong citation, no invention
        judged.verdict == "unsupported"
        and judged.kind != "question"
        and judge_sentence(case.draft.answer[start:end], uncited, case.policy.support_threshold).verdict == "supported"
    )
    flags = dict.fromkeys(finding.flag for finding in judged.findings)
    return SentenceVerdict(
        start=start,
        end=end,
        text=case.draft.answer[start:end],
        kind=judged.kind,
        verdict=judged.verdict,
        score=judged.score,
        weight=judged.weight,
        receipts=_receipts(case, carrying),
        reasons=sentence_reasons(judged, is_uncited=is_uncited),
        flags=(*flags, *(("uncited",) if is_uncited else ())),
        parts=tuple(_part(start, part) for part in judged.parts),
    )


def _part(sentence: int, part: JudgedPart) -> SentencePart:
    """Return the verdict on a part of the sentence that begins at `sentence` in the answer."""
    reasons = tuple(dict.fromkeys(finding.text for finding in part.findings))
    return SentencePart(start=sentence + part.start, end=sentence + part.end, verdict=part.verdict, reasons=reasons)


def _receipts(case: _Case, carrying: Sequence[Evidence]) -> tuple[Receipt, ...]:
    aliases = {row.alias: row for row in carrying}
    return tuple(
        Receipt(
            row_id=aliases[span.alias].row_id,
            content_hash=aliases[span.alias].content_hash,
            start=span.start,
            end=span.end,
        )
        for span in case.citations.accepted
        if span.alias in aliases
    )


def _uncited(case: _Case) -> Grounds:
    """Return the rows that were sent and not cited, as what a sentence might have been held against."""
    cited = {row.alias for row in case.grounds.rows}
    others = sorted((row for row in case.sent if row.alias not in cited), key=lambda row: -row.relevance)
    looked_at = tuple(others[:_UNCITED_LOOKED_AT])
    passages = tuple(passage for row in looked_at for passage in all_passages(row))
    return replace(case.grounds, rows=looked_at, passages=passages)


def _citation(case: _Case, span: LocatedSpan) -> SourceCitation:
    """Return the citation of a span; its relevance is the largest share of a supported claim that its row carries."""
    row = next(row for row in case.grounds.rows if row.alias == span.alias)
    own = [passage for passage in case.grounds.passages if passage.row.alias == span.alias]
    shares = [carried_share(judged.content, own) for _, _, judged in case.sentences if judged.verdict == "supported"]
    return cite(row, span.start, span.end, max(shares, default=0.0))


def _without_unsupported(answer: str, verdicts: Sequence[SentenceVerdict]) -> tuple[str, tuple[SentenceVerdict, ...]]:
    """Return the answer without its unsupported sentences, and the remaining verdicts at their new offsets."""
    ends = [*(verdict.start for verdict in verdicts[1:]), len(answer)]
    pieces: list[str] = []
    kept: list[SentenceVerdict] = []
    position = 0
    for verdict, end in zip(verdicts, ends, strict=True):
        if verdict.verdict in ("supported", "not_a_claim"):
            pieces.append(answer[verdict.start : end])
            kept.append(_moved(verdict, position - verdict.start))
            position += end - verdict.start
    return "".join(pieces).rstrip(), tuple(kept)


def _moved(verdict: SentenceVerdict, by: int) -> SentenceVerdict:
    parts = tuple(replace(part, start=part.start + by, end=part.end + by) for part in verdict.parts)
    return replace(verdict, start=verdict.start + by, end=verdict.end + by, parts=parts)


def _note_on_unsupported(case: _Case) -> str | None:
    count = sum(judged.verdict == "unsupported" for _, _, judged in case.sentences)
    if not count:
        return None
    done = "were left out" if case.policy.on_unsupported == "cut" else "are marked"
    return f"{count} of {len(case.sentences)} sentences are not supported by the cited sources and {done}"
