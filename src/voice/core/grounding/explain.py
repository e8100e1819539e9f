"""A judgement in words for the person who asked.

Law: it says what was missing, with the numbers that decided; of the draft it repeats nothing but numbers and dates
(rulings D3, D6, D9).
"""

from collections.abc import Sequence

from voice.core.grounding.citations import Citations
from voice.core.grounding.proof import ProvenSentence
from voice.core.grounding.refusal import advised, summarise_rejected
from voice.core.grounding.values import GroundingPolicy, RefusalReason
from voice.core.grounding.verification.outcome import Decided


def reasons_of(decided: Decided, sentence: ProvenSentence) -> tuple[str, ...]:
    """Return why a sentence is not proven, as human sentences; empty where it is, and where nobody checked it."""
    if decided.rung in ("quoted", "verified", "remark"):
        return ()
    doubts = [doubt.told for doubt in sentence.doubts]
    told = [*([decided.reason] if decided.reason else []), *doubts]
    return tuple(dict.fromkeys(told)) or ("no verifier checked whether the cited sources say this",)


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
    return advised("; ".join([decided, *more, *told]), _advised_as(reason))


def _advised_as(reason: RefusalReason) -> RefusalReason:
    """Return by which reason a judged draft is advised on: one that cites nothing failed by itself, as a false one."""
    return RefusalReason.INVALID_CITATION if reason is RefusalReason.NO_SOURCES else reason


def _more_sources(coverage: float, source_count: int, policy: GroundingPolicy) -> list[str]:
    """Return what the person can do about too few sources: the setting where it alone is against the answer."""
    is_alone = source_count == 1 and coverage >= 1.0 and policy.single_source == "off"
    more = "add another note that says it, or lower SURR_INNER_VOICE_MIN_SOURCES"
    return [one_is_enough(policy) if is_alone else more]


def one_is_enough(policy: GroundingPolicy) -> str:
    """Return which setting lets a single source be enough."""
    own = f"{policy.single_source_of.name}_" if policy.single_source_of else ""
    return f"SURR_INNER_VOICE_{own}SINGLE_SOURCE=green accepts one trusted source that covers everything"


def _decided(
    reason: RefusalReason, citations: Citations, coverage: float, source_count: int, policy: GroundingPolicy
) -> str:
    decided = {
        RefusalReason.INVALID_CITATION: f"a citation is not real: {summarise_rejected(citations.fabricated)}",
        RefusalReason.CONTRADICTION: "the answer contradicts the sources it cites",
        RefusalReason.NO_SOURCES: "the answer cites no note",
        RefusalReason.COVERAGE_LOW: f"the sources it cites prove {coverage:.0%} of the answer, "
        f"and your settings ask for {policy.min_coverage:.0%}",
        RefusalReason.OFF_TOPIC: "the answer is not about your question",
        RefusalReason.TOO_FEW_SOURCES: f"{_sources(source_count)} the answer, "
        f"and your settings ask for {policy.min_sources}",
        RefusalReason.UNSUPPORTED_CLAIM: "a sentence of the answer is not supported by the sources it cites",
    }
    return decided.get(reason, reason.value)


def _sources(count: int) -> str:
    return "only 1 distinct source supports" if count == 1 else f"only {count} distinct sources support"
