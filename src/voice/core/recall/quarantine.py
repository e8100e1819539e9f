"""What recall keeps out because it speaks to a model.

Law: what recall returns is put into somebody's prompt, so a candidate that reads like instructions is kept out of it,
as out of our own (ruling D22): it takes no place and no budget, and its id is named. Pins and the current summary are
never cut (ruling A17): one that reads like instructions is shown, and named. What was weighed stays counted.

Source: rulings D22, A17; promise 9.
"""

from collections.abc import Iterable, Sequence

from voice.core.recall.budget import Fitted, fit
from voice.core.recall.values import CandidateResult, Recalled, RecallParams
from voice.core.text.instructions import instruction_in, split_orders


def fit_without_instructions(
    kept: Sequence[Recalled], considered: Sequence[CandidateResult], params: RecallParams
) -> tuple[Fitted, tuple[str, ...]]:
    """Return the candidates that fit, and the ids of those that were kept out.

    Only what would be shown is read, since reading costs more than fitting.
    """
    left, out = considered, tuple[str, ...]()
    while True:
        fitted = fit(kept, left, budget=params.token_budget, limit=params.limit)
        found = instruction_like(one.entity for one in fitted.candidates) if params.quarantine else ()
        if not found:
            return fitted, out
        left, out = [one for one in left if one.entity.id not in found], (*out, *found)


def instruction_like(shown: Iterable[Recalled]) -> tuple[str, ...]:
    """Return the ids of what reads like instructions to a model, alone or with the next, in order."""
    rows = [one for one in shown if not one.redacted]
    spread = split_orders([one.content for one in rows])
    return tuple(one.id for at, one in enumerate(rows) if at in spread or instruction_in(one.content))


def told_of_instructions(kept_out: Sequence[str], shown: Sequence[str]) -> tuple[str, ...]:
    """Return what is to be said of them."""
    told: list[str] = []
    if kept_out:
        were, read = ("candidate was", "it reads") if len(kept_out) == 1 else ("candidates were", "they read")
        told.append(
            f"{len(kept_out)} {were} kept out because {read} like instructions to a model: {', '.join(kept_out)}; "
            "SURR_QUARANTINE_INSTRUCTIONS=0 lets such notes in"
        )
    if shown:
        reads = "it reads" if len(shown) == 1 else "they read"
        told.append(f"mind {', '.join(shown)}: shown, though {reads} like instructions to a model")
    return tuple(told)
