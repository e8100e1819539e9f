"""A judgement in words for the person who asked.

Law: it says what was missing, with the numbers that decided; of the draft it repeats nothing but numbers and dates
(rulings D3, D6, D9).
"""

from collections.abc import Sequence
from typing import assert_never

from voice.core.grounding.citations import Citations
from voice.core.grounding.claims import Judged
from voice.core.grounding.refusal import summarise_rejected
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


def explain_refusal(
    reason: RefusalReason,
    *,
    citations: Citations,
    judged: Sequence[Judged],
    coverage: float,
    source_count: int,
    policy: GroundingPolicy,
) -> str:
    """Return the note of a refusal: what decided, then what was found wrong."""
    findings = list(
        dict.fromkeys(finding.text for one in judged for finding in one.findings if finding.effect != "note")
    )
    decided = _decided(reason, citations, coverage, source_count, policy)
    return "; ".join([decided, *findings])


def _decided(
    reason: RefusalReason, citations: Citations, coverage: float, source_count: int, policy: GroundingPolicy
) -> str:
    match reason:
        case RefusalReason.INVALID_CITATION:
            return f"a citation is not real: {summarise_rejected(citations.fabricated)}"
        case RefusalReason.CONTRADICTION:
            return "the answer contradicts the sources it cites"
        case RefusalReason.NO_SOURCES:
            return "the answer cites no source that supports anything"
        case RefusalReason.COVERAGE_LOW:
            return (
                f"the cited sources hold {coverage:.0%} of what the answer states; {policy.min_coverage:.0%} are needed"
            )
        case RefusalReason.TOO_FEW_SOURCES:
            return f"{source_count} distinct source(s) support the answer; {policy.min_sources} are needed"
        case RefusalReason.UNSUPPORTED_CLAIM:
            if coverage < 1.0:
                return "a sentence of the answer is not supported by the sources it cites"
            return "the cited sources do not speak to the question"
        case (
            RefusalReason.MALFORMED
            | RefusalReason.MODEL_REFUSED
            | RefusalReason.BUDGET
            | RefusalReason.DEADLINE
            | RefusalReason.PROVIDER_ERROR
        ):
            return reason.value
        case _:
            assert_never(reason)
