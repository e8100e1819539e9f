"""How doubts of several kinds make one number.

Law: a claim is wrong in one way or another: the evidence holds too little of it, it ends with something of its own, it
is told of somebody else, it denies what is affirmed. One grave doubt outweighs several slight ones of different kinds,
which every honest paraphrase raises: doubts of one kind add up, those of different kinds are put together between
their sum and the greatest of them. What a check found beside these kinds is added as it is.

Source: DESIGN 6 stages 3 and 4; ruling D1. How the exponent was chosen: docs/grounding-measured.md.
"""

from collections.abc import Sequence

from voice.core.grounding.findings import Finding, Flag

_EXPONENT = 1.5
"""Between 1, the sum, and infinity, the greatest alone."""
_ANOTHER: frozenset[Flag] = frozenset({"person"})
_TURNED: frozenset[Flag] = frozenset({"polarity", "antonym", "quantifier"})


def together(*doubts: float) -> float:
    """Return doubts of different kinds as one; never less than the greatest, never more than their sum."""
    return sum(max(doubt, 0.0) ** _EXPONENT for doubt in doubts) ** (1 / _EXPONENT)


def doubt_of(unheld: float, appended: float, findings: Sequence[Finding]) -> float:
    """Return one number for how doubtful a claim is, 0 when nothing speaks against it.

    Args:
        unheld: how much of it the evidence lacks all over.
        appended: how much it ends with that the evidence lacks.
        findings: what the checks found; of these the notes count, with their weights.
    """
    another, turned, other = (_noted(findings, flags) for flags in (_ANOTHER, _TURNED, None))
    return together(unheld, appended, another, turned) + other


def _noted(findings: Sequence[Finding], flags: frozenset[Flag] | None) -> float:
    """Return the weight of the notes of some flags; of all that are of no kind when none are given."""
    wanted = flags or frozenset(one.flag for one in findings) - _ANOTHER - _TURNED
    return sum(one.weight for one in findings if one.effect == "note" and one.flag in wanted)
