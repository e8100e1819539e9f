"""What only the judge before this one said of a sentence or of its verifiers.

Law: nothing here is judged by any more. Answers that were stored while it judged keep what it said, so that they are
read, audited and proven as they were judged.

Source: rulings D6, H; docs/sessions.md "Answers that an earlier judge judged".
"""

from dataclasses import dataclass
from typing import Literal

LexicalVerdict = Literal["supported", "unsupported", "contradicted", "not_a_claim"]
LexicalKind = Literal["claim", "question", "meta", "quotation"]
LexicalLapse = Literal["late", "failed", "malformed", "budget"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalPart:
    """Its judgement on one part of a compound sentence; `start:end` are offsets into the answer."""

    start: int
    end: int
    verdict: LexicalVerdict
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalDetail:
    """What it said of a sentence and this judge has no word for."""

    kind: LexicalKind
    parts: tuple[LexicalPart, ...] = ()
    """Of a compound sentence: which of its parts the evidence held."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalThresholds:
    """Where a verifier's numbers became votes; None: it never voted so."""

    support: float | None
    doubt: float | None
    contradiction: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalVerifier:
    """One of the verifiers it heard, and by what measure."""

    name: str
    version: str
    thresholds: LexicalThresholds


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalPanel:
    """The verifiers it heard, where there could be several."""

    verifiers: tuple[LexicalVerifier, ...]
    ensemble: Literal["all", "majority"]
    """How many of them had to find a sentence supported."""
    lapses: tuple[tuple[str, LexicalLapse], ...] = ()
    """(verifier, why) for each that gave no opinion where one was wanted."""
