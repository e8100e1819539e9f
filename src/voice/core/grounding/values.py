"""Input and output values of a judgement, and which evidence has ended.

Law: evidence is frozen per turn under per-prompt aliases (ruling D4); citations are cut from rows, never from the
model's text (ruling D1). The graph decides what has ended: superseded, or past its validity.
Source: spec stateful-design-v2, 1 Strict Grounding Contract; rulings A3, A4, D1-D9, F; DESIGN 2 promise 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final, Literal

from voice.core.grounding.verifier_values import LexicalDetail, Verification
from voice.core.messages import asking as messages
from voice.core.records import TrustTier


class RefusalReason(StrEnum):
    """Why a turn ended without an accepted answer (ruling D6)."""

    NO_SOURCES = "no_sources"
    TOO_FEW_SOURCES = "too_few_sources"
    COVERAGE_LOW = "coverage_low"
    OFF_TOPIC = "off_topic"
    INVALID_CITATION = "invalid_citation"
    UNSUPPORTED_CLAIM = "unsupported_claim"
    CONTRADICTION = "contradiction"
    MALFORMED = "malformed"
    CUT = "cut"
    DECLINED = "declined"
    MODEL_REFUSED = "model_refused"
    BUDGET = "budget"
    DEADLINE = "deadline"
    PROVIDER_ERROR = "provider_error"
    CANCELLED = "cancelled"


Ending = Literal["complete", "cut", "declined", "model_refused"]
"""How a reply ended: complete, at the token limit, stopped by the provider, refused by the model (ruling J3)."""


class Stance(StrEnum):
    """How to answer; all stances obey the same contract."""

    SYNTHESIZE = "synthesize"
    CHALLENGE = "challenge"
    QUESTION = "question"


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundingPolicy:
    """Thresholds of the judge; recorded with each exchange (ruling A4)."""

    min_coverage: float = 0.6  # S2's, as `min_sources` (ruling A4)
    min_sources: int = 2
    single_source: Literal["off", "green"] = "off"
    """`green`: one trusted row with coverage 1.0 passes despite `min_sources` (ruling D3)."""
    on_unsupported: Literal["mark", "cut", "refuse"] = "cut"
    min_weight_share: float = 0.25
    """Minimum share of a supported claim's weight for a row to count as a source (ruling D2)."""

    single_source_of: Stance | None = None
    """The stance whose setting decided `single_source`; None: the general setting."""
    support_threshold: float | None = None
    """Score above which the earlier lexical judge called a sentence unsupported; None: not judged by it."""

    def under(self, own: "PolicyOverrides", stance: Stance) -> "GroundingPolicy":
        """Return the policy with a stance's overrides applied."""
        return replace(
            self,
            min_coverage=self.min_coverage if own.min_coverage is None else own.min_coverage,
            min_sources=self.min_sources if own.min_sources is None else own.min_sources,
            single_source=self.single_source if own.single_source is None else own.single_source,
            single_source_of=None if own.single_source is None else stance,
            on_unsupported=self.on_unsupported if own.on_unsupported is None else own.on_unsupported,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyOverrides:
    """A stance's overrides of the general policy; None inherits (ruling A4)."""

    min_coverage: float | None = None
    min_sources: int | None = None
    single_source: Literal["off", "green"] | None = None
    on_unsupported: Literal["mark", "cut", "refuse"] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One row of the memory as it was in this prompt."""

    alias: str
    """Per-prompt id (`S1`, `S2`, …)."""
    row_id: str
    source_type: str
    """`kg_entity` | `kg_observation` | `kg_relation`."""
    text: str
    """The full stored rendering; offsets refer to it (ruling C19)."""
    shown: str
    """The part of `text` in the prompt."""
    content_hash: str
    trust: TrustTier
    created_at: datetime
    """Its date is the shown one, in the zone it was shown in; `UNDATED` if unknown (ruling I2)."""
    entered_at: datetime | None = None
    """When the row was stored."""
    thought_ids: tuple[str, ...] = ()
    """Its source thoughts; rows that share one count as one source (ruling D2)."""
    entity_names: tuple[str, ...] = ()
    speaker: str | None = None
    context: str | None = None
    """Title, headings and parent bullets, joined by " › " (ruling I1); None if unknown."""
    thread: str | None = None
    """The conversation's distinguishing label; None for a note."""
    place: tuple[str, int] | None = None
    """Its thought and its offset there; None if it is not a sentence of one."""
    valid_until: datetime | None = None
    superseded_by: str | None = None
    """The id of its successor."""
    is_private: bool = False
    relevance: float = 0.0
    """Rank score for the question, 0-1."""
    passage: int | None = None
    """Its passage, numbered from the best; None for single rows."""
    is_hit: bool = False
    """Whether it is the matching sentence of its passage."""
    is_relevant: bool = False
    """Whether a re-ranker reads it, without the rest of its passage, as relevant to the question."""
    score: float = 0.0
    """The score `retrieve` shows, 0-1: cosine, or the provider's own if there is none."""


SentenceKind = Literal["claim", "remark", "question"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftSource:
    """One citation as the model wrote it."""

    source_id: str
    span: str
    """Quoted words; empty cites the whole row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftSentence:
    """One sentence as the model wrote it, with its citations."""

    text: str
    kind: SentenceKind = "claim"
    sources: tuple[DraftSource, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A model's parsed reply; not shown or stored before judgement (ruling D9)."""

    sentences: tuple[DraftSentence, ...] = ()
    refused: bool = False
    notes: str | None = None
    self_reported: tuple[tuple[str, str], ...] = ()
    """The model's numbers about itself, as text; recorded, never used (ruling A3)."""


SpanStatus = Literal[
    "exact", "normalised", "elided", "fuzzy", "fabricated_span", "unknown_source", "uninformative_span"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class LocatedSpan:
    """A cited span's location: half-open code-point offsets into `Evidence.text` (ruling C13)."""

    alias: str
    status: SpanStatus
    start: int = 0
    end: int = 0
    reason: str | None = None
    """Why it was rejected; None if accepted."""

    @property
    def accepted(self) -> bool:
        """Whether the row contains the span."""
        return self.status in ("exact", "normalised", "elided", "fuzzy")


Rung = Literal["quoted", "verified", "unverified", "unsupported", "contradicted", "remark"]
"""A sentence's rung on the ladder of proof (DESIGN 6); a `remark` states nothing to prove."""
PROVEN: frozenset[Rung] = frozenset({"quoted", "verified"})
"""Rungs that are shown without a warning and count for coverage."""
JUDGE: Final = "ladder-1"
"""Version of this judge, stored per sentence so that old answers are read by their own judge."""
LEXICAL_JUDGE: Final = "lexical-1"
"""Version of the earlier judge, whose "supported" reads as `verified`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The evidence of one sentence, stored for verification without a model (DESIGN 6)."""

    row_id: str
    content_hash: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceVerdict:
    """The judgement on one sentence; `start:end` are offsets into the answer."""

    start: int
    end: int
    text: str
    kind: SentenceKind
    rung: Rung
    score: float | None = None
    """Dissimilarity to the cited words, 0 (verbatim) to 1; ranking only. None for a remark."""
    weight: float = 0.0
    """Content words: the sentence's weight in coverage."""
    receipts: tuple[Receipt, ...] = ()
    reasons: tuple[str, ...] = ()
    """Messages without a free word of the draft: "the cited sources do not give 41"."""
    flags: tuple[str, ...] = ()
    """Guards that fired: `number`, `date`, `name`, …"""
    missing: tuple[tuple[int, int], ...] = ()
    """Half-open spans of `text` that no citation supports."""
    verifier: str | None = None
    """Who checked it; None if rules decided."""
    judge: str = JUDGE
    lexical: LexicalDetail | None = None
    """Further findings of the earlier judge; None if this one judged."""

    @property
    def is_proven(self) -> bool:
        """Whether it may be shown without a warning."""
        return self.rung in PROVEN

    @property
    def needs_mark(self) -> bool:
        """Whether a reader has to be warned."""
        return not self.is_proven and self.rung != "remark"


@dataclass(frozen=True, slots=True, kw_only=True)
class CutSentence:
    """Record of a sentence cut from an answer, without its text (ruling D9a)."""

    rung: Rung
    kind: SentenceKind
    weight: float
    digest: str
    """Keyed hash of its text."""
    reasons: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceCitation:
    """An accepted citation (spec: stateful-design-v2, SourceCitation)."""

    source_id: str
    source_type: str
    span: str
    relevance: float
    span_start: int
    span_end: int
    content_hash: str
    created_at: datetime
    trust_tier: TrustTier
    entered_at: datetime | None = None
    """When an undated row was stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundedResponse:
    """A judged answer (spec: stateful-design-v2, GroundedResponse) with its evidence."""

    answer: str
    sources: tuple[SourceCitation, ...]
    confidence: float
    coverage_ratio: float
    refused: bool
    notes: str | None = None
    reason: RefusalReason | None = None
    sentences: tuple[SentenceVerdict, ...] = ()
    """The shown ones; in a refusal, verdicts without text."""
    cut: tuple[CutSentence, ...] = ()
    """Unproven sentences left out, in the draft's order."""
    rejected_citations: tuple[LocatedSpan, ...] = ()
    evidence_found: tuple[SourceCitation, ...] = ()
    """In a refusal: the available evidence, verbatim (ruling D3)."""
    source_count: int = 0
    """Distinct valid sources (ruling D2)."""
    self_reported: tuple[tuple[str, str], ...] = ()
    verification: Verification | None = None
    """The verifier's record; None: no verifier, or nothing to ask."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two rows of one prompt that cannot both hold now."""

    earlier: Evidence
    later: Evidence


def has_ended(row: Evidence, now: datetime | None) -> bool:
    """Return whether `row` no longer holds; without `now` any row with an end has ended."""
    if row.superseded_by is not None:
        return True
    return row.valid_until is not None and (now is None or row.valid_until <= now)


def conflicts_among(rows: Sequence[Evidence], now: datetime | None) -> tuple[Conflict, ...]:
    """Return the pairs of `rows` in which one supersedes the other, earlier row first."""
    by_id = {row.row_id: row for row in rows}
    return tuple(
        Conflict(earlier=row, later=by_id[row.superseded_by])
        for row in rows
        if row.superseded_by in by_id and has_ended(row, now)
    )


def describe_ending(row: Evidence) -> str:
    """Return a sentence on how a row ended."""
    if row.valid_until is not None:
        return messages.source_ended(row.valid_until)
    return messages.SOURCE_REPLACED
