"""What was found about an answer of anybody's, as JSON.

Law: one form for every door; the schema `cli/check.schema.json` lists every member. `support` ranks and proves nothing:
`rung` says what is proven.
Source: DESIGN 6 "The judge is a product of its own".
"""

from voice.core.grounding.check import CheckedClaim, CheckReport
from voice.core.grounding.verifier_values import Verification
from voice.core.messages import showing as messages
from voice.core.render.verification import name_of


def render_check(report: CheckReport, verification: Verification | None = None) -> dict[str, object]:
    """Return a report as JSON values; `verification` says who was asked, if anybody was."""
    return {
        "proven": report.is_proven,
        "coverage_ratio": report.coverage,
        "claims": [_claim(claim) for claim in report.claims],
        "invented": list(report.invented),
        "answers_question": report.answers_question,
        "verification": None if verification is None else _verification(verification),
    }


def unheard_note(verification: Verification) -> str | None:
    """Return why a verifier gave no opinion, and what follows; None where it gave one."""
    if verification.lapse is None:
        return None
    who = name_of(verification.verifier)
    if verification.lapse == "not_believed" and verification.false_support is None:  # it was never tried at all
        return messages.never_tested(who)
    return messages.claims_stay_unverified(who, messages.LAPSES[verification.lapse])


def _claim(claim: CheckedClaim) -> dict[str, object]:
    return {
        "text": claim.text,
        "kind": claim.kind,
        "rung": claim.rung,
        "proven": claim.is_proven,
        "support": round(1 - claim.score, 4),  # the score says how doubtful it is
        "sources": [
            {"source_id": one.source_id, "span": one.span, "span_start": one.start, "span_end": one.end}
            for one in claim.citations
        ],
        "missing": [{"start": one.start, "end": one.end, "text": one.text} for one in claim.missing],
        "reasons": list(claim.reasons),
        "verifier": claim.verifier,
    }


def _verification(one: Verification) -> dict[str, object]:
    return {
        "verifier": one.verifier.name,
        "version": one.verifier.version,
        "claims_asked": one.asked,
        "lapse": one.lapse,
        "false_support": one.false_support,
    }
