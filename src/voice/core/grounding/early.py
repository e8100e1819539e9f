"""What the citations of a draft decide by themselves.

Law: a draft that has cited what is not in the prompt is refused before its answer is written, so that nobody pays for
it. Nothing is decided here that the judgement on the whole draft would not decide: citations are checked by the same
function. Only how the refusal is called can differ, where the whole draft would have refused itself, or stated nothing.

What else refuses a draft (too few sources, too little proven) is left to its end: until then another sentence, or a
marker in one, may cite what is missing.

Source: DESIGN 6; rulings D2, D6; docs/streaming.md; `voice.core.grounding.judge`.
"""

from collections.abc import Sequence
from dataclasses import replace

from voice.core.grounding.citations import check_citations
from voice.core.grounding.explain import explain_refusal
from voice.core.grounding.refusal import refusal
from voice.core.grounding.values import DraftSource, Evidence, GroundedResponse, GroundingPolicy, RefusalReason


def early_refusal(
    sources: Sequence[DraftSource], evidence: Sequence[Evidence], policy: GroundingPolicy
) -> GroundedResponse | None:
    """Return the refusal that a draft ends in whatever else it says; None where that is not certain yet.

    Args:
        sources: citations that have come.
        evidence: the rows of the prompt.
        policy: what is grounded enough.
    """
    citations = check_citations(sources, "", {row.alias: row for row in evidence})
    if not citations.fabricated:
        return None
    reason = RefusalReason.INVALID_CITATION
    notes = explain_refusal(reason, citations=citations, reasons=(), coverage=0.0, source_count=0, policy=policy)
    return replace(refusal(reason, notes=notes, evidence=evidence), rejected_citations=citations.fabricated)
