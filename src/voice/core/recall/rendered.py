"""What of a result fits as a door renders it.

Law: a budget that a program names bounds all that it is sent: identifiers, names of members and warnings, too, not the
contents alone (ruling J1). Pins and the current summary are never cut; when they alone exceed the budget there are no
candidates, and by how much is said (ruling A17). A candidate that does not fit is skipped and the next smaller one
tried (ruling D14).

Source: spec retrieval-contract, Token Budget and Truncation; rulings A17, D14, J1.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from voice.core.recall.values import CandidateResult, RecallResult

Measure = Callable[[RecallResult], int]
"""What a result takes as a door renders it; the counts in it are part of that."""


def fit_rendered(result: RecallResult, *, budget: int, measure: Measure) -> RecallResult:
    """Return the result with those of its candidates that fit, in their order, and with true counts.

    Args:
        result: everything that was chosen without a budget.
        budget: tokens for all that is rendered.
        measure: of the door.
    """
    shown: list[CandidateResult] = []
    bare = _with(result, shown, budget)
    needed = measure(bare)
    if needed > budget:
        provenance = replace(bare.provenance, tokens_used=needed, over_budget_by=needed - budget)
        return replace(bare, provenance=provenance)
    for candidate in result.candidates:
        tried = _with(result, [*shown, candidate], budget)
        tokens = measure(tried)
        if tokens <= budget:
            shown.append(candidate)
            needed = tokens
    made = _with(result, shown, budget)
    return replace(made, provenance=replace(made.provenance, tokens_used=needed))


def _with(result: RecallResult, shown: Sequence[CandidateResult], budget: int) -> RecallResult:
    """Return the result with these candidates; for what it takes the whole budget is written, the longest number."""
    dropped = len(result.candidates) - len(shown)
    provenance = replace(
        result.provenance,
        returned_candidates=len(shown),
        dropped_by_budget=dropped,
        truncated_due_to_token_budget=dropped > 0,
        token_budget=budget,
        tokens_used=budget,
    )
    return replace(result, candidates=tuple(shown), provenance=provenance)
