"""What is asked of a verifier, what it answers, and what is recorded of it.

Law: a verifier sees a claim and its evidence and nothing else; it declares its name, its version and the thresholds by
which its numbers become votes, and these are kept with the exchange. One that failed is on record as such: the verdicts
are then the default ones, and it says so.

Source: GROUNDING step 5; DESIGN 6 stage 5.
"""

from dataclasses import dataclass, field
from datetime import date
from typing import Literal

Ensemble = Literal["all", "majority"]
"""How many of the verifiers that were asked must find a sentence supported; any veto wins under both."""
Lapse = Literal["late", "failed", "malformed", "budget"]
"""Why there is no opinion: it took too long, broke, answered otherwise than its contract says, or cost too much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimPair:
    """One claim and the sentences it is held against."""

    claim: str = field(repr=False)
    evidence: tuple[str, ...] = field(repr=False)
    """In the order of the sources, each with who said it."""
    days: tuple[date | None, ...] = ()
    """The day each was written on, None where it is not known; empty where no day is known."""
    lexical: float = 0.0
    """How unsupported the lexical comparison finds it; 0 is word for word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """One verifier's answer on one pair, both in [0, 1]; they need not add up to 1."""

    entailed: float
    contradicted: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Where a verifier's numbers become votes; None = it never votes so."""

    support: float | None
    """`entailed` at or over it: the sentence is supported in other words, a copied one reworded included."""
    doubt: float | None
    """`entailed` under it: the sentence is not supported."""
    contradiction: float | None
    """`contradicted` at or over it: the sources say otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifierInfo:
    """Who gave an opinion, and by what measure."""

    name: str
    version: str
    """Another one wherever the same pair could score otherwise."""
    thresholds: Thresholds


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What is kept of the verifiers of one answer."""

    verifiers: tuple[VerifierInfo, ...]
    ensemble: Ensemble
    asked: int
    """Sentences that an opinion was wanted on."""
    lapses: tuple[tuple[str, Lapse], ...] = ()
    """(verifier, why) for each that gave no opinion where one was wanted."""

    @property
    def is_degraded(self) -> bool:
        """Whether a verifier that was to be heard was not."""
        return bool(self.lapses)
