"""A judgement in words for the person who asked.

Law: it says what was missing, with the numbers that decided; of the draft it repeats nothing but numbers and dates
(rulings D3, D6, D9).
"""

from collections.abc import Sequence

from voice.core.grounding.citations import Citations
from voice.core.grounding.claims import Judged
from voice.core.grounding.refusal import advised, summarise_rejected
from voice.core.grounding.values import GroundingPolicy, RefusalReason

UNCITED = "another source that was sent holds this, but the answer does not cite it"


def sentence_reasons(judged: Judged, *, is_uncited: bool) -> tuple[str, ...]:
    """Return why a sentence is not supported, as human sentences; empty for a supported one without any note."""
    reasons = list(dict.fromkeys(finding.text for finding in judged.findings))
    if judged.verdict == "unsupported" and not any(f.effect == "unsupported" for f in judged.findings):
        reasons.append("the cited sources do not hold this")
    if is_uncited:
        reasons.append(UNCITED)
    return tuple(reasons)


def explain_refusal(  # noqa: PLR0913 - what decided, by name
    reason: RefusalReason,
    *,
    citations: Citations,
    judged: Sequence[Judged],
    coverage: float,
    source_count: int,
    policy: GroundingPolicy,
    off_the_point: str | None = None,
) -> str:
    """Return the note of a refusal: what decided, what was found wrong, and what the person can do about it."""
    findings = list(
        dict.fromkeys(finding.text for one in judged for finding in one.findings if finding.effect != "note")
    )
    decided = _decided(reason, citations, coverage, source_count, policy)
    if reason is RefusalReason.UNSUPPORTED_CLAIM and off_the_point is not None:
        decided = off_the_point
    setting = _setting_that_decides(reason, coverage, source_count, policy)
    notes = "; ".join([decided, *setting, *findings])
    return notes if setting else advised(notes, _advised_as(reason, coverage))


def _advised_as(reason: RefusalReason, coverage: float) -> RefusalReason:
    """Return by which reason a judged draft is advised on: one that cites nothing failed by itself, as a false one."""
    if reason is RefusalReason.UNSUPPORTED_CLAIM and coverage < 1.0:
        return RefusalReason.COVERAGE_LOW
    return RefusalReason.INVALID_CITATION if reason is RefusalReason.NO_SOURCES else reason


def _setting_that_decides(
    reason: RefusalReason, coverage: float, source_count: int, policy: GroundingPolicy
) -> list[str]:
    """Return what the person can change where the policy alone stands against an answer that is wholly covered."""
    is_alone = source_count == 1 and coverage >= 1.0 and policy.single_source == "off"
    if reason is not RefusalReason.TOO_FEW_SOURCES or not is_alone:
        return []
    own = f"{policy.single_source_of.name}_" if policy.single_source_of else ""
    return [f"SURR_INNER_VOICE_{own}SINGLE_SOURCE=green lets one trusted source that holds it all be enough"]


def _decided(
    reason: RefusalReason, citations: Citations, coverage: float, source_count: int, policy: GroundingPolicy
) -> str:
    decided = {
        RefusalReason.INVALID_CITATION: f"a citation is not real: {summarise_rejected(citations.fabricated)}",
        RefusalReason.CONTRADICTION: "the answer contradicts the sources it cites",
        RefusalReason.NO_SOURCES: "an answer was found that names no note it rests on",
        RefusalReason.COVERAGE_LOW: f"the cited sources hold {coverage:.0%} of what the answer states, "
        f"and {policy.min_coverage:.0%} are needed",
        RefusalReason.TOO_FEW_SOURCES: f"{_sources(source_count)} the answer, and {policy.min_sources} are needed",
        RefusalReason.UNSUPPORTED_CLAIM: "a sentence of the answer is not supported by the sources it cites",
    }
    return decided.get(reason, reason.value)


def _sources(count: int) -> str:
    return "only 1 distinct source supports" if count == 1 else f"only {count} distinct sources support"
