"""Values that go into a judgement and come out of it; which evidence has ended.

Law: evidence is frozen per turn under per-prompt aliases (ruling D4); a citation that is kept names a row that was in
this prompt, and its span is cut from that row, never the model's string (ruling D1). A refusal is an answer with a
reason (ruling D6).

What of the evidence has ended, and what took its place. The graph decides, by structure: a row that was superseded, or
whose validity is over, has ended; two relations of one subject and one predicate that holds one value at a time
disagree. No grammar of any language is read for it.

Source: spec stateful-design-v2, 1 Strict Grounding Contract; rulings A3, A4, D1-D9; DESIGN 2 promise 1; S2 "Where
sources disagree, give both with their dates"; ruling F (a correction supersedes).
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
"""How a reply ended: of itself, at a limit of tokens, by its provider, by the model's own refusal (ruling J3)."""


class Stance(StrEnum):
    """How the inner voice speaks; every stance obeys the same contract."""

    SYNTHESIZE = "synthesize"
    CHALLENGE = "challenge"
    QUESTION = "question"


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundingPolicy:
    """The one value that says what is grounded enough; recorded with each exchange (ruling A4)."""

    min_coverage: float = 0.6
    min_sources: int = 2
    single_source: Literal["off", "green"] = "off"
    """`green`: one green row with coverage 1.0 passes although `min_sources` is higher (ruling D3)."""
    on_unsupported: Literal["mark", "cut", "refuse"] = "cut"
    min_weight_share: float = 0.25
    """A row counts as a source when it carries at least this share of a supported claim's weight (ruling D2)."""

    single_source_of: Stance | None = None
    """The stance whose own setting decided `single_source`; None is the setting that holds for all."""
    support_threshold: float | None = None
    """The score over which the judge before this one held a sentence to be unsupported; None: this one judged."""

    def under(self, own: "PolicyOverrides", stance: Stance) -> "GroundingPolicy":
        """Return the policy that holds where a stance has some of it its own way; the one value that is recorded."""
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
    """What one stance takes instead of the policy that holds for all; None is as for all (ruling A4)."""

    min_coverage: float | None = None
    min_sources: int | None = None
    single_source: Literal["off", "green"] | None = None
    on_unsupported: Literal["mark", "cut", "refuse"] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One KG row as it stood in this prompt."""

    alias: str
    """Per-prompt id (`S1`, `S2`, …)."""
    row_id: str
    source_type: str
    """`kg_entity` | `kg_observation` | `kg_relation`."""
    text: str
    """The stored full rendering that spans and offsets refer to (ruling C19)."""
    shown: str
    """What the prompt showed of `text` (capped)."""
    content_hash: str
    trust: TrustTier
    created_at: datetime
    """Its day is the day that was shown, in the zone it was shown in; `UNDATED` where nobody told it (ruling I2)."""
    entered_at: datetime | None = None
    """When the row came in."""
    thought_ids: tuple[str, ...] = ()
    """The thoughts it was distilled from; two rows of one thought count as one source (ruling D2)."""
    entity_names: tuple[str, ...] = ()
    speaker: str | None = None
    context: str | None = None
    """Where it stands: title, headings and parent bullets, joined by " › " (ruling I1); None where nothing is known."""
    thread: str | None = None
    """The conversation it was said in, as a reader tells it from others; None of a note."""
    place: tuple[str, int] | None = None
    """The thought it is a sentence of, and where it begins there; None of a row that is no sentence of one."""
    valid_until: datetime | None = None
    superseded_by: str | None = None
    """The id of the row that took its place."""
    is_private: bool = False
    relevance: float = 0.0
    """What the row ranks by for the question, 0-1."""
    passage: int | None = None
    """Which passage it is part of, counted from the best; None where rows stand alone."""
    is_hit: bool = False
    """Whether it is the sentence of its passage that was found."""
    score: float = 0.0
    """The row's score as `retrieve` shows it: its cosine, of a row that cannot be compared its provider's own; 0-1."""


SentenceKind = Literal["claim", "remark", "question"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftSource:
    """One citation as the model wrote it."""

    source_id: str
    span: str
    """Words of the source; empty where the whole row is cited, as by an inline marker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftSentence:
    """One sentence as the model wrote it, with what it cites for it."""

    text: str
    kind: SentenceKind = "claim"
    sources: tuple[DraftSource, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The model's parsed words; never shown nor stored before judgement (ruling D9)."""

    sentences: tuple[DraftSentence, ...] = ()
    refused: bool = False
    notes: str | None = None
    self_reported: tuple[tuple[str, str], ...] = ()
    """Numbers the model claimed about itself, as text; kept for the record, never used (ruling A3)."""


SpanStatus = Literal[
    "exact", "normalised", "elided", "fuzzy", "fabricated_span", "unknown_source", "uninformative_span"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class LocatedSpan:
    """Where a cited span lies in its row: half-open code-point offsets into `Evidence.text` (ruling C13)."""

    alias: str
    status: SpanStatus
    start: int = 0
    end: int = 0
    reason: str | None = None
    """A human sentence when the span was not accepted."""

    @property
    def accepted(self) -> bool:
        """True when the row really holds the span."""
        return self.status in ("exact", "normalised", "elided", "fuzzy")


Rung = Literal["quoted", "verified", "unverified", "unsupported", "contradicted", "remark"]
"""The rung of the ladder of proof that a sentence reached (DESIGN 6); a `remark` states nothing to prove."""
PROVEN: frozenset[Rung] = frozenset({"quoted", "verified"})
"""The rungs whose sentences are shown without a warning and count for coverage."""
JUDGE: Final = "ladder-1"
"""The judge of this program; kept with each sentence, so that an old one is read as it was judged."""
LEXICAL_JUDGE: Final = "lexical-1"
"""The judge before it, whose "supported" is read as `verified` by this name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What one sentence rests on, kept so that it can be verified again without a model (DESIGN 6)."""

    row_id: str
    content_hash: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceVerdict:
    """The judgement on one sentence of the answer; `start:end` are offsets into the answer."""

    start: int
    end: int
    text: str
    kind: SentenceKind
    rung: Rung
    score: float | None = None
    """How little the cited words resemble it, 0 (word for word) to 1; ranks, proves nothing. None for a remark."""
    weight: float = 0.0
    """The sentence's content tokens: its part of the coverage ratio's denominator."""
    receipts: tuple[Receipt, ...] = ()
    reasons: tuple[str, ...] = ()
    """Human sentences without a free word of the draft: "the cited sources do not give 41"."""
    flags: tuple[str, ...] = ()
    """Machine words for the guards that fired: `number`, `date`, `name`, …"""
    missing: tuple[tuple[int, int], ...] = ()
    """Half-open stretches of `text` that nothing cited gives."""
    verifier: str | None = None
    """Who checked it; None where rules decided."""
    judge: str = JUDGE
    lexical: LexicalDetail | None = None
    """What else the judge before this one said; None where this one judged."""

    @property
    def is_proven(self) -> bool:
        """Whether it may be shown without a warning."""
        return self.rung in PROVEN

    @property
    def needs_mark(self) -> bool:
        """Whether a reader has to be warned of it."""
        return not self.is_proven and self.rung != "remark"


@dataclass(frozen=True, slots=True, kw_only=True)
class CutSentence:
    """What is kept of a sentence that was left out of an answer (ruling D9a): nothing to read."""

    rung: Rung
    kind: SentenceKind
    weight: float
    digest: str
    """Keyed hash of its words."""
    reasons: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceCitation:
    """A kept citation (spec: stateful-design-v2, SourceCitation)."""

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
    """When the row came in, of one that is undated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundedResponse:
    """The judged answer (spec: stateful-design-v2, GroundedResponse) with what the judgement rests on."""

    answer: str
    sources: tuple[SourceCitation, ...]
    confidence: float
    coverage_ratio: float
    refused: bool
    notes: str | None = None
    reason: RefusalReason | None = None
    sentences: tuple[SentenceVerdict, ...] = ()
    """Those that are shown; of a refusal the verdicts without words."""
    cut: tuple[CutSentence, ...] = ()
    """What was left out because it is not proven, in the draft's order."""
    rejected_citations: tuple[LocatedSpan, ...] = ()
    evidence_found: tuple[SourceCitation, ...] = ()
    """For a refusal: the verbatim evidence there was (ruling D3)."""
    source_count: int = 0
    """Distinct valid sources, counted as ruling D2 says."""
    self_reported: tuple[tuple[str, str], ...] = ()
    verification: Verification | None = None
    """Who was asked about the sentences that are not quoted; None: there was no verifier, or nothing to ask."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two rows of one prompt that cannot both hold now."""

    earlier: Evidence
    later: Evidence


def has_ended(row: Evidence, now: datetime | None) -> bool:
    """Return whether `row` no longer holds; without `now` every row that has an end counts as ended."""
    if row.superseded_by is not None:
        return True
    return row.valid_until is not None and (now is None or row.valid_until <= now)


def conflicts_among(rows: Sequence[Evidence], now: datetime | None) -> tuple[Conflict, ...]:
    """Return the pairs of `rows` of which the graph knows that one took the other's place, the earlier first."""
    by_id = {row.row_id: row for row in rows}
    return tuple(
        Conflict(earlier=row, later=by_id[row.superseded_by])
        for row in rows
        if row.superseded_by in by_id and has_ended(row, now)
    )


def describe_ending(row: Evidence) -> str:
    """Return a human sentence on how a row ended."""
    if row.valid_until is not None:
        return messages.source_ended(row.valid_until)
    return messages.SOURCE_REPLACED
