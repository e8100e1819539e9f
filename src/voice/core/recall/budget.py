"""What fits.

Law: pins and the current summary are counted first and never cut; when they alone exceed the budget there are no
candidates, and by how much is said (ruling A17). A candidate that does not fit is skipped and the next smaller one
tried (ruling D14). Tokens are an upper estimate of an entity's content (ruling D15), and the estimate of a whole is at
most the sum of its parts', so what is counted here is never too little.

Source: spec retrieval-contract, Token Budget and Truncation; rulings A17, D14, D15.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from voice.core.recall.values import CandidateResult, Recalled
from voice.core.tokens import estimate_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """The candidates that fit, in their order, and what everything takes."""

    candidates: tuple[CandidateResult, ...]
    tokens_used: int
    dropped: int = 0
    """Candidates whose turn came and that did not fit."""
    over_budget_by: int = 0


def tokens_of(entity: Recalled) -> int:
    """Return what an entity costs (spec: estimateTokens)."""
    return estimate_tokens(entity.content)


def fit(
    kept: Iterable[Recalled], candidates: Sequence[CandidateResult], *, budget: int | None, limit: int | None
) -> Fitted:
    """Return what of `candidates` fits beside `kept`, and no more than `limit` of it.

    Args:
        kept: pins' targets and the current summary.
        candidates: best first.
        budget: tokens for everything; None is unbounded.
        limit: how many are wanted; what does not fit takes no place. None is all.
    """
    used = sum(map(tokens_of, kept))
    if budget is not None and used > budget:
        return Fitted(candidates=(), tokens_used=used, dropped=len(candidates), over_budget_by=used - budget)
    fitting: list[CandidateResult] = []
    dropped = 0
    for candidate in candidates:
        if limit is not None and len(fitting) >= limit:
            break
        tokens = tokens_of(candidate.entity)
        if budget is None or used + tokens <= budget:
            fitting.append(candidate)
            used += tokens
        else:
            dropped += 1
    return Fitted(candidates=tuple(fitting), tokens_used=used, dropped=dropped)
