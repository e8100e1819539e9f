"""What the sources of a draft decide by themselves.

Law: a draft that has cited what is not in the prompt, or too little whatever its answer says, is refused before its
answer is written, so that nobody pays for it. Nothing is decided here that the judgement on the whole draft would not
decide: the citations are checked by the same function, and as many sources are counted as could count at most. Only how
the refusal is called can differ, where the whole draft would have had a second fault that is called first: a
contradiction, too little coverage, a refusal of its own.

What cites nothing is left to end: that may be a refusal of the model's own, and those are short.

Source: DESIGN 6; rulings D2, D3, D6; docs/streaming.md; `voice.core.grounding.judge`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import cast

from voice.core.grounding.citations import Citations, check_citations, row_named
from voice.core.grounding.coverage import count_sources
from voice.core.grounding.draft import source_id_of, sources_of
from voice.core.grounding.explain import explain_refusal
from voice.core.grounding.partial import Partial
from voice.core.grounding.refusal import advised, cite, refusal
from voice.core.grounding.values import (
    Draft,
    DraftSource,
    Evidence,
    GroundedResponse,
    GroundingPolicy,
    RefusalReason,
)
from voice.core.text.counting import counted


def early_refusal(partial: Partial, evidence: Sequence[Evidence], policy: GroundingPolicy) -> GroundedResponse | None:
    """Return the refusal that a draft ends in whatever else it says; None where that is not certain yet.

    Args:
        partial: what has come of it.
        evidence: the rows of the prompt.
        policy: what is grounded enough.
    """
    if partial.value.get("refused") is True:
        return None
    rows = {row.alias: row for row in evidence}
    citations = _citations(partial, rows)
    reason = None if citations is None else _reason(citations, rows, policy)
    return None if citations is None or reason is None else _refused(reason, citations, evidence, policy)


def _citations(partial: Partial, rows: Mapping[str, Evidence]) -> Citations | None:
    """Return the citations as they stand: of a closed list all, of an open one those of what was not sent."""
    if partial.has_all_sources:
        sources = sources_of(partial.value)
        return check_citations(Draft(answer="", sources=sources), rows) if sources else None
    items = partial.value.get("sources")
    named = [source_id_of(item) for item in cast("list[object]", items)] if isinstance(items, list) else []
    unknown = [name for name in named if name is not None and row_named(name, rows) is None]
    sources = tuple(DraftSource(source_id=name, span="") for name in unknown)
    return check_citations(Draft(answer="", sources=sources), rows) if unknown else None


def _reason(citations: Citations, rows: Mapping[str, Evidence], policy: GroundingPolicy) -> RefusalReason | None:
    if citations.fabricated:
        return RefusalReason.INVALID_CITATION
    if not citations.accepted:
        return RefusalReason.NO_SOURCES
    cited = _cited(citations, rows)
    is_green_enough = policy.single_source == "green" and any(row.trust == "green" for row in cited)
    if is_green_enough or most_sources(cited) >= policy.min_sources:
        return None
    return RefusalReason.TOO_FEW_SOURCES


def _cited(citations: Citations, rows: Mapping[str, Evidence]) -> list[Evidence]:
    return [rows[alias] for alias in dict.fromkeys(span.alias for span in citations.accepted)]


def most_sources(cited: Sequence[Evidence]) -> int:
    """Return how many distinct sources some of these rows could be at most (ruling D2).

    Two rows that a third one joins into one source are two where the third carries nothing.
    """
    are_apart = any(count_sources(pair) == len(pair) for pair in combinations(cited, 2))
    return len(cited) if are_apart else min(1, len(cited))


def _refused(
    reason: RefusalReason, citations: Citations, evidence: Sequence[Evidence], policy: GroundingPolicy
) -> GroundedResponse:
    rows = {row.alias: row for row in evidence}
    sources = count_sources(_cited(citations, rows))
    if reason is RefusalReason.TOO_FEW_SOURCES:
        few = f"only {counted(sources, 'distinct source')} is cited, and {policy.min_sources} are needed"
        notes = advised(few if sources == 1 else few.replace(" is cited", " are cited"), reason)
    else:
        notes = explain_refusal(
            reason, citations=citations, judged=(), coverage=0.0, source_count=sources, policy=policy
        )
    found = tuple(cite(rows[span.alias], span.start, span.end) for span in citations.accepted)
    refused = refusal(reason, notes=notes, evidence=evidence)
    return replace(refused, rejected_citations=citations.rejected, evidence_found=found or refused.evidence_found)
