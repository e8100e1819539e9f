"""Decide early refusals, and explain every refusal in words.

Law: it says what was missing, with the numbers that decided; of the draft it repeats nothing but numbers and dates
(rulings D3, D6, D9).

A draft that has cited what is not in the prompt is refused before its answer is written, so that nobody pays for it.
Nothing is decided here that the judgement on the whole draft would not decide: citations are checked by the same
function. What else refuses a draft (too few sources, too little proven) is left to its end: until then another
sentence, or a marker in one, may cite what is missing.

Nothing is refused before the call but where there is nothing to show: no row was found, or none of those that were may
be shown, or none fits. Whether rows answer the question is the model's to say and the verifier's to check; without a
model passages were judged before. A claim that nothing takes up has nothing against it. What a refusal says of the
memory is literally true of what was found (ruling D5).

Source: DESIGN 6; rulings D2, D6; docs/streaming.md; `voice.core.grounding.judge`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from voice.core.grounding.citations import Citations, check_citations
from voice.core.grounding.claim_verification import RungDecision
from voice.core.grounding.extractive.evidence_sentences import MOST_READ, sentences_of
from voice.core.grounding.extractive.term_overlap import overlap_share
from voice.core.grounding.proof import ProvenSentence
from voice.core.grounding.refusal import refusal, summarise_rejected, with_advice
from voice.core.grounding.values import DraftSource, Evidence, GroundedResponse, GroundingPolicy, RefusalReason
from voice.core.messages import showing as messages
from voice.core.text.words import words


def reasons_of(decided: RungDecision, sentence: ProvenSentence) -> tuple[str, ...]:
    """Return why a sentence is not proven, as human sentences; empty where it is, and where nobody checked it."""
    if decided.rung in ("quoted", "verified", "remark"):
        return ()
    doubts = [doubt.told for doubt in sentence.doubts]
    told = [*([decided.reason] if decided.reason else []), *doubts]
    return tuple(dict.fromkeys(told)) or (messages.SOURCES_UNCHECKED,)


_SAYS_IT_ALL = frozenset({RefusalReason.INVALID_CITATION, RefusalReason.NO_SOURCES, RefusalReason.OFF_TOPIC})
"""What a draft is refused for whatever its sentences say."""


def explain_refusal(
    reason: RefusalReason,
    *,
    citations: Citations,
    reasons: Sequence[str],
    coverage: float,
    source_count: int,
    policy: GroundingPolicy,
) -> str:
    """Return the note of a refusal: what decided, what was found wrong, and what the person can do about it."""
    decided = _decided(reason, citations, coverage, source_count, policy)
    more = _more_sources(coverage, source_count, policy) if reason is RefusalReason.TOO_FEW_SOURCES else []
    told = () if reason in _SAYS_IT_ALL else dict.fromkeys(reasons)
    return with_advice("; ".join([decided, *more, *told]), _advised_as(reason))


def _advised_as(reason: RefusalReason) -> RefusalReason:
    """Return by which reason a judged draft is advised on: one that cites nothing failed by itself, as a false one."""
    return RefusalReason.INVALID_CITATION if reason is RefusalReason.NO_SOURCES else reason


def _more_sources(coverage: float, source_count: int, policy: GroundingPolicy) -> list[str]:
    """Return what the person can do about too few sources: the setting where it alone is against the answer."""
    is_alone = source_count == 1 and coverage >= 1.0 and policy.single_source == "off"
    return [single_source_hint(policy) if is_alone else messages.ADD_A_SOURCE]


def single_source_hint(policy: GroundingPolicy) -> str:
    """Return which setting lets a single source be enough."""
    return messages.single_source_accepted(f"{policy.single_source_of.name}_" if policy.single_source_of else "")


def _decided(
    reason: RefusalReason, citations: Citations, coverage: float, source_count: int, policy: GroundingPolicy
) -> str:
    match reason:
        case RefusalReason.INVALID_CITATION:
            return messages.citation_invented(summarise_rejected(citations.fabricated))
        case RefusalReason.COVERAGE_LOW:
            return messages.coverage_low(coverage, policy.min_coverage)
        case RefusalReason.TOO_FEW_SOURCES:
            return messages.too_few_sources(source_count, policy.min_sources)
        case _:
            return messages.DECIDED.get(reason, reason.value)


def early_refusal(
    sources: Sequence[DraftSource], evidence: Sequence[Evidence], policy: GroundingPolicy
) -> GroundedResponse | None:
    """Return the refusal that a draft ends in whatever else it says; None where that is not certain yet.

    Args:
        sources: citations that have come.
        evidence: the rows of the prompt.
    """
    citations = check_citations(sources, "", {row.alias: row for row in evidence})
    if not citations.fabricated:
        return None
    reason = RefusalReason.INVALID_CITATION
    notes = explain_refusal(reason, citations=citations, reasons=(), coverage=0.0, source_count=0, policy=policy)
    return replace(refusal(reason, notes=notes, evidence=evidence), rejected_citations=citations.fabricated)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answerability:
    """Whether to go on, and if not, why."""

    ok: bool
    reason: RefusalReason = RefusalReason.NO_SOURCES
    missing: str | None = None
    """What the memory lacks, in words; None when it can be tried."""


def check_evidence(evidence: Sequence[Evidence], *, unshown: int = 0, unfit: int = 0) -> Answerability:
    """Return whether there is anything to show.

    Args:
        evidence: the rows that would be shown.
        unshown: how many rows were kept out because they read like instructions (ruling D22).
        unfit: how many rows took more room than there is.
    """
    if evidence:
        return Answerability(ok=True)
    if unfit:
        return Answerability(ok=False, missing=messages.NOTHING_FITS)
    return Answerability(ok=False, missing=messages.ALL_KEPT_OUT if unshown else messages.NOTHING_FOUND)


def check_challenge(claim: str, evidence: Sequence[Evidence], policy: GroundingPolicy) -> Answerability:
    """Return whether rows may speak against a claim: whether they take up anything of it at all.

    What speaks against a claim need hold neither its names nor all of its words ("I work at Acme": "I work at Globex").

    Args:
        claim: the person's.
        evidence: the rows that would be shown.
        policy: with fewer distinct rows than it demands, no answer could pass.
    """
    if not evidence:
        return Answerability(ok=False, missing=messages.NO_NOTE_AGAINST)
    found = len({row.content_hash for row in evidence})
    if found < policy.min_sources and policy.single_source != "green":
        few = messages.found_too_few(policy.min_sources, single_source_hint(policy))
        return Answerability(ok=False, reason=RefusalReason.TOO_FEW_SOURCES, missing=few)
    told = frozenset[str]().union(*(sentence.stems for row in evidence for sentence in sentences_of(row)))
    telling = [word for word in words(claim[:MOST_READ]) if not word.is_stop]
    if telling and not overlap_share(telling, told):
        return Answerability(ok=False, missing=messages.NEITHER_FOR_NOR_AGAINST)
    return Answerability(ok=True)
