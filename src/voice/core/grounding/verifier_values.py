"""Values of verification: request, reply, record, and what the earlier judge recorded.

Law: a verifier sees the question, the day, the claims and the whole passages they cite, and nothing else of the turn:
neither what the draft thinks of itself nor what was said before. A verdict of support counts only with the words that
decide, and those are looked up by us (`voice.core.grounding.claim_verification`). One that failed is on record as
such; what it was to decide stays unverified.

What only the judge before this one said of a sentence or of its verifiers. Nothing here is judged by any more. Answers
that were stored while it judged keep what it said, so that they are read, audited and proven as they were judged.

Source: DESIGN 6 "The verifier"; rulings D1, D5; rulings D6, H; docs/sessions.md "Answers that an earlier judge judged".
"""

from dataclasses import dataclass, field
from datetime import date
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


ClaimVerdict = Literal["supported", "contradicted", "not_stated", "no_claim"]
"""`no_claim`: the sentence states nothing that could be true or false."""
Lapse = Literal["late", "failed", "malformed", "budget", "not_believed"]
"""Why there is no opinion: it took too long, broke, answered otherwise than its contract says, would have cost too
much, or its calibration shows that it supports what is false."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedPassage:
    """One cited row as a verifier reads it."""

    alias: str
    text: str = field(repr=False)
    """The whole row, with its neighbours where they are known."""
    day: date | None = None
    speaker: str | None = field(default=None, repr=False)
    context: str | None = field(default=None, repr=False)
    until: date | None = None
    """The day its statement ended or was replaced; None where it holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimToVerify:
    """One sentence that is not quoted."""

    number: int
    """From 1, within the request."""
    text: str = field(repr=False)
    cited: tuple[str, ...]
    """Aliases of the passages it cites."""
    doubts: tuple[str, ...] = field(default=(), repr=False)
    """What the guards ask: "the cited passages do not give 41"."""
    is_question: bool = False
    """Whether it asks: then what it presupposes is to be verified."""
    question: str | None = field(default=None, repr=False)
    """What it answers, where that is another question than the request's; only calibration asks so."""
    today: date | None = None
    """The day on which that was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationRequest:
    """All sentences of one draft that are not quoted, with what they cite."""

    question: str = field(repr=False)
    today: date | None
    claims: tuple[ClaimToVerify, ...]
    passages: tuple[CitedPassage, ...]
    answer: str = field(default="", repr=False)
    """The whole draft, to be held against the question; its sentences that are quoted are in it, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidingWords:
    """Words of one passage that a verdict rests on, as the verifier gave them."""

    alias: str
    words: str = field(repr=False)
    doubt: int | None = None
    """The doubt of the claim, from 1, that they settle; None: they decide the claim."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimOpinion:
    """What a verifier makes of one claim."""

    number: int
    verdict: ClaimVerdict
    words: tuple[DecidingWords, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationReply:
    """A verifier's answer to one request."""

    opinions: tuple[ClaimOpinion, ...]
    answers_question: bool | None = None
    """None: it gave no opinion on that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifierInfo:
    """Who gave an opinion."""

    name: str
    version: str
    """Model and prompt hash, or another word that changes wherever the same request could be answered otherwise."""

    @property
    def label(self) -> str:
        """Name and version, as it is kept with a sentence."""
        return f"{self.name} {self.version}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationRecord:
    """How a verifier did on the packaged claims, as it is kept and shown."""

    verifier: str
    """`VerifierInfo.label`."""
    checked_on: date
    claims: int
    """How many it was asked about, half of them false."""
    unanswered: int = 0
    """Those of them that it gave no usable opinion on; they count in neither share."""
    false_support: float
    """Share of the false claims that it let pass, 0-1."""
    false_doubt: float
    """Share of the true claims that it did not let pass, 0-1."""

    @property
    def is_heard(self) -> bool:
        """Whether it gave enough usable opinions to be judged by them."""
        return self.claims > 0 and self.unanswered <= MAX_UNANSWERED * self.claims

    @property
    def is_believed(self) -> bool:
        """Whether it lets at most one in ten false claims pass, and can be understood."""
        return self.is_heard and self.false_support <= MAX_FALSE_SUPPORT


MAX_FALSE_SUPPORT = 0.1
MAX_UNANSWERED = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What is kept of the verifier of one answer."""

    verifier: VerifierInfo
    asked: int
    """Sentences that an opinion was wanted on."""
    lapse: Lapse | None = None
    """Why it gave none, where it did not."""
    answers_question: bool | None = None
    false_support: float | None = None
    """Of its calibration (`CalibrationRecord.false_support`); None where it was not calibrated."""
    panel: LexicalPanel | None = None
    """The verifiers that the judge before this one heard, each by itself; None where this one judged."""

    @property
    def is_degraded(self) -> bool:
        """Whether an opinion was wanted and not given."""
        return self.lapse is not None
