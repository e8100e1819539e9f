"""Values of verification: request, reply, record, and what the earlier judge recorded.

Law: a verifier sees the question, the day, the claims and the passages they cite, nothing else of the turn. A failed
verifier is recorded; its claims stay unverified. `Lexical*` values are read from stored answers, never produced.
Source: DESIGN 6 "The verifier"; rulings D1, D5, D6, H; docs/sessions.md "Answers that an earlier judge judged".
"""

from dataclasses import dataclass, field
from datetime import date
from typing import Literal

LexicalVerdict = Literal["supported", "unsupported", "contradicted", "not_a_claim"]
LexicalKind = Literal["claim", "question", "meta", "quotation"]
LexicalLapse = Literal["late", "failed", "malformed", "budget"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalPart:
    """The earlier judge's verdict on part of a compound sentence; `start:end` are offsets into the answer."""

    start: int
    end: int
    verdict: LexicalVerdict
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalDetail:
    """The earlier judge's findings that this one has no term for."""

    kind: LexicalKind
    parts: tuple[LexicalPart, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalThresholds:
    """Vote thresholds of one verifier; None: it had no such vote."""

    support: float | None
    doubt: float | None
    contradiction: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalVerifier:
    """One verifier of the earlier judge."""

    name: str
    version: str
    thresholds: LexicalThresholds


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalPanel:
    """The verifiers of the earlier judge."""

    verifiers: tuple[LexicalVerifier, ...]
    ensemble: Literal["all", "majority"]
    """How many of them had to support a sentence."""
    lapses: tuple[tuple[str, LexicalLapse], ...] = ()
    """(verifier, reason) for each missing opinion."""


ClaimVerdict = Literal["supported", "contradicted", "not_stated", "no_claim"]
"""`no_claim`: the sentence states nothing true or false."""
Lapse = Literal["late", "failed", "malformed", "budget", "not_believed"]
"""Why there is no opinion: timeout, failure, malformed reply, spending cap, or failed calibration."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedPassage:
    """One cited row in the form a verifier reads."""

    alias: str
    text: str = field(repr=False)
    """The whole row, with its neighbours if known."""
    day: date | None = None
    speaker: str | None = field(default=None, repr=False)
    context: str | None = field(default=None, repr=False)
    until: date | None = None
    """The day it ended or was replaced; None if it holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimToVerify:
    """One sentence that is not quoted."""

    number: int
    """From 1, within the request."""
    text: str = field(repr=False)
    cited: tuple[str, ...]
    """Aliases of the cited passages."""
    doubts: tuple[str, ...] = field(default=(), repr=False)
    """The guards' questions: "the cited passages do not give 41"."""
    is_question: bool = False
    """Whether it is a question, whose presuppositions are to be verified."""
    question: str | None = field(default=None, repr=False)
    """Its own question, if not the request's; used in calibration only."""
    today: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationRequest:
    """All sentences of a draft that are not quoted, with their passages."""

    question: str = field(repr=False)
    today: date | None
    claims: tuple[ClaimToVerify, ...]
    passages: tuple[CitedPassage, ...]
    answer: str = field(default="", repr=False)
    """The whole draft, including quoted sentences, to compare with the question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidingWords:
    """Words of a passage that a verdict rests on."""

    alias: str
    words: str = field(repr=False)
    doubt: int | None = None
    """The doubt they settle, from 1; None: they decide the claim."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimOpinion:
    """A verifier's verdict on one claim."""

    number: int
    verdict: ClaimVerdict
    words: tuple[DecidingWords, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationReply:
    """A verifier's answer to one request."""

    opinions: tuple[ClaimOpinion, ...]
    answers_question: bool | None = None
    """None: no opinion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifierInfo:
    """Who gave an opinion."""

    name: str
    version: str
    """Model and prompt hash; changes whenever the same request could be answered differently."""

    @property
    def label(self) -> str:
        """Name and version, as stored with a sentence."""
        return f"{self.name} {self.version}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationRecord:
    """A verifier's result on the packaged claims."""

    verifier: str
    """`VerifierInfo.label`."""
    checked_on: date
    claims: int
    """Claims asked about, half of them false."""
    unanswered: int = 0
    """Claims without a usable opinion; excluded from both shares."""
    false_support: float
    """Share of false claims that passed, 0-1."""
    false_doubt: float
    """Share of true claims that did not pass, 0-1."""

    @property
    def is_heard(self) -> bool:
        """Whether it gave enough usable opinions to be judged."""
        return self.claims > 0 and self.unanswered <= MAX_UNANSWERED * self.claims

    @property
    def is_believed(self) -> bool:
        """Whether it is heard and passes at most `MAX_FALSE_SUPPORT` of false claims."""
        return self.is_heard and self.false_support <= MAX_FALSE_SUPPORT


MAX_FALSE_SUPPORT = 0.1  # DESIGN 6: "more than 1 in 10 false pairs is not believed"
MAX_UNANSWERED = 0.2  # of the claims asked about


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """The stored record of an answer's verifier."""

    verifier: VerifierInfo
    asked: int
    """Sentences sent to it."""
    lapse: Lapse | None = None
    answers_question: bool | None = None
    false_support: float | None = None
    """`CalibrationRecord.false_support`; None if not calibrated."""
    panel: LexicalPanel | None = None
    """The earlier judge's verifiers; None if this one judged."""

    @property
    def is_degraded(self) -> bool:
        """Whether a wanted opinion is missing."""
        return self.lapse is not None
