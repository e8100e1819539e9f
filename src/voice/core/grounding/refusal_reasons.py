"""Decide early refusals, and explain every refusal in words.

Law: a note gives what was missing and the deciding numbers; of the draft it repeats only numbers and dates (rulings
D3, D6, D9). A stream is refused early only for an invented citation, by the judge's own check; all other reasons may
still be cured by a later sentence. Statements about the memory are literally true of what was found (ruling D5).
Source: DESIGN 6; rulings D2, D6; docs/streaming.md; `voice.core.grounding.judge`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from voice.core.grounding.answer_text import refusal, with_advice
from voice.core.grounding.citations import Citations, check_citations
from voice.core.grounding.claim_verification import RungDecision
from voice.core.grounding.extractive.evidence_sentences import MOST_READ, overlap_share, sentences_of
from voice.core.grounding.proof import ProvenSentence
from voice.core.grounding.values import DraftSource, Evidence, GroundedResponse, GroundingPolicy, RefusalReason
from voice.core.messages import showing as messages
from voice.core.text.words import words


def reasons_of(
    decided: RungDecision, sentence: ProvenSentence, *, default: str = messages.SOURCES_UNCHECKED
) -> tuple[str, ...]:
    """Return why a sentence is not proven, `default` if for no known reason; empty if it is."""
    if decided.rung in ("quoted", "verified", "remark"):
        return ()
    doubts = [doubt.message for doubt in sentence.doubts]
    reasons = [*([decided.reason] if decided.reason else []), *doubts]
    return tuple(dict.fromkeys(reasons)) or (default,)


# Reasons that do not depend on single sentences.
_SAYS_IT_ALL = frozenset({RefusalReason.INVALID_CITATION, RefusalReason.NO_SOURCES, RefusalReason.OFF_TOPIC})


def explain_refusal(
    reason: RefusalReason,
    *,
    citations: Citations,
    reasons: Sequence[str],
    coverage: float,
    source_count: int,
    policy: GroundingPolicy,
) -> str:
    """Return the note of a refusal: what decided, the findings, and advice."""
    parts = [_decided(reason, citations, coverage, source_count, policy)]
    if reason is RefusalReason.TOO_FEW_SOURCES:
        is_only_setting = source_count == 1 and coverage >= 1.0 and policy.single_source == "off"
        parts.append(single_source_hint(policy) if is_only_setting else messages.ADD_A_SOURCE)
    if reason not in _SAYS_IT_ALL:
        parts += dict.fromkeys(reasons)
    # A draft without citations failed like one with false ones, and gets the same advice.
    return with_advice(
        "; ".join(parts), RefusalReason.INVALID_CITATION if reason is RefusalReason.NO_SOURCES else reason
    )


def single_source_hint(policy: GroundingPolicy) -> str:
    """Return the setting that accepts a single source."""
    return messages.single_source_accepted(f"{policy.single_source_of.name}_" if policy.single_source_of else "")


def _decided(
    reason: RefusalReason, citations: Citations, coverage: float, source_count: int, policy: GroundingPolicy
) -> str:
    match reason:
        case RefusalReason.INVALID_CITATION:
            reasons = dict.fromkeys(span.reason for span in citations.fabricated if span.reason)
            return messages.citation_invented("; ".join(reasons))
        case RefusalReason.COVERAGE_LOW:
            return messages.coverage_low(coverage, policy.min_coverage)
        case RefusalReason.TOO_FEW_SOURCES:
            return messages.too_few_sources(source_count, policy.min_sources)
        case _:
            return messages.DECIDED.get(reason, reason.value)


def early_refusal(
    sources: Sequence[DraftSource], evidence: Sequence[Evidence], policy: GroundingPolicy
) -> GroundedResponse | None:
    """Return the refusal that the citations so far make certain; None if there is none yet."""
    # A sentence's sources stand before its text, which is not known yet.
    citations = check_citations(sources, "", {row.alias: row for row in evidence})
    if not citations.fabricated:
        return None
    reason = RefusalReason.INVALID_CITATION
    notes = explain_refusal(reason, citations=citations, reasons=(), coverage=0.0, source_count=0, policy=policy)
    return replace(refusal(reason, notes=notes, evidence=evidence), rejected_citations=citations.fabricated)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answerability:
    """Whether to continue, and if not, why."""

    ok: bool
    reason: RefusalReason = RefusalReason.NO_SOURCES
    missing: str | None = None
    """What the memory lacks, in words; None if it can be tried."""


def check_evidence(evidence: Sequence[Evidence], *, unshown: int = 0, unfit: int = 0) -> Answerability:
    """Return whether there is evidence; not told of rows like instructions (D22), nor of those too long."""
    if evidence:
        return Answerability(ok=True)
    if unfit:  # found and allowed, but too long for the prompt
        return Answerability(ok=False, missing=messages.NOTHING_FITS)
    return Answerability(ok=False, missing=messages.ALL_KEPT_OUT if unshown else messages.NOTHING_FOUND)


def check_challenge(claim: str, evidence: Sequence[Evidence], policy: GroundingPolicy) -> Answerability:
    """Return whether rows share a content word with a claim, its names apart, and so may contradict it."""
    if not evidence:
        return Answerability(ok=False, missing=messages.NO_NOTE_AGAINST)
    found = len({row.content_hash for row in evidence})  # equal texts are one source
    if found < policy.min_sources and policy.single_source != "green":  # no answer could pass; asking costs
        few = messages.found_too_few(policy.min_sources, single_source_hint(policy))
        return Answerability(ok=False, reason=RefusalReason.TOO_FEW_SOURCES, missing=few)
    stems = frozenset[str]().union(*(sentence.stems for row in evidence for sentence in sentences_of(row)))
    content = [word for word in words(claim[:MOST_READ]) if not word.is_stop]  # none in "Is it so?"
    if content and not overlap_share(content, stems):
        return Answerability(ok=False, missing=messages.NEITHER_FOR_NOR_AGAINST)
    return Answerability(ok=True)
