"""Values of recall: pins, capsules, parameters, results.

Law: three tiers in order: pins, current summary, candidates; the first two are never cut, no row is in two, counts are
true (rulings A17, G). S4's observation is a thought here, its summary a capsule's; a session is a capsule (ruling G.3).
Source: spec retrieval-contract, Core Interface, Retrieval Tiering, Provenance; rulings A16-A18, D14, D15, G.
"""

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from voice.core.errors import InvalidParams
from voice.core.messages import memory as messages
from voice.core.records import Origin, Provenance, Scope, TrustTier, require_utc
from voice.core.retrieval.values import Order, Reranked, Window

REDACTED_TEXT = "[redacted]"
"""Content of a redacted row (spec: Redaction Handling)."""
DEFAULT_MAX_CANDIDATES = 50  # S4's
CapsuleStatus = Literal["open", "closed"]
EntityKind = Literal["observation", "summary"]
CurrentOf = Literal["anybody", "caller"]
"""Whose open conversations may give the current summary: all, or only the caller's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """A pinned target with reason and lifetime; unique per target and scope (ruling G)."""

    id: str
    """`p:…`"""
    target_id: str
    """A row (`t:`, `e:`, `o:`, `r:`) or a summary (`m:`)."""
    reason: str
    created_at: datetime
    expires_at: datetime | None = None
    """Exclusive; None never expires."""
    scope: Scope = Scope()
    is_private: bool = False
    """Whether its target was private when pinned; the reason stays private then."""
    seq: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "created_at", require_utc(self.created_at, "created_at"))
        if self.expires_at is not None:
            object.__setattr__(self, "expires_at", require_utc(self.expires_at, "expires_at"))
            if self.expires_at <= self.created_at:
                raise InvalidParams(messages.PIN_EXPIRES_FIRST)

    def is_active(self, now: datetime) -> bool:
        """Return whether it is active at `now` (spec: Tier 1)."""
        return self.expires_at is None or now < self.expires_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A capsule's summary with its sources (spec: Entity-Level Provenance)."""

    id: str
    """`m:` and the capsule's id."""
    capsule_id: str
    content: str
    confidence: float
    evidence_refs: tuple[str, ...]
    created_at: datetime
    scope: Scope = Scope()
    is_private: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Capsule:
    """A bounded unit of work with one summary; thoughts belong to it by `thread` (DESIGN 10)."""

    id: str
    """`c:…`"""
    intent: str
    """Its purpose, in the opener's words."""
    opened_at: datetime
    closed_at: datetime | None = None
    scope: Scope = Scope()
    summary: Summary | None = None
    """The written summary; without one it is extracted from its thoughts."""
    revision: int = 1
    seq: int = 0

    @property
    def status(self) -> CapsuleStatus:
        """Open until `closed_at` is set."""
        return "open" if self.closed_at is None else "closed"


def summary_id(capsule_id: str) -> str:
    """Return the summary id of a capsule or session."""
    return f"m:{capsule_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallParams:
    """Validated parameters of a recall (`voice.core.recall.params`)."""

    query: str = field(repr=False)
    scope: Scope
    now: datetime
    """Reference for pins' expiry and recency; the same `now` gives the same bytes."""
    token_budget: int | None = None
    max_candidates: int = DEFAULT_MAX_CANDIDATES
    include_redacted: bool = False
    include_private: bool = False
    provider: str = "local-hybrid"
    when: str | None = None
    """The requested time in words: `when`, or from the query."""
    when_unparsed: str | None = None
    window: Window = Window()
    limit: int | None = None
    """Maximum candidates returned, not scored (ruling A15); None is all that fit."""
    order: Order | None = None
    rerank: bool = False
    quarantine: bool = True
    """Whether candidates that read like instructions are excluded (ruling D22)."""
    current: CurrentOf = "anybody"
    conversation: str | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledEntity:
    """A returned row or summary."""

    id: str
    entity_kind: EntityKind
    kind: str
    """The thought's kind (`note`, `tool_call`, `file_diff`, …), the graph table's, or `summary`."""
    content: str
    """`[redacted]` for a redacted row."""
    created_at: datetime
    scope: Scope
    trust: TrustTier
    is_private: bool = False
    redacted: bool = False
    origin: Origin | None = None
    """A row's author; None for a summary."""
    thread: str | None = None
    source_ref: str | None = None
    provenance: tuple[Provenance, ...] = ()
    """Source spans of a graph row."""
    evidence_refs: tuple[str, ...] = ()
    confidence: float | None = None
    capsule_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PinResult:
    """A pin with its target (spec: PinResult)."""

    pin: Pin
    target: RecalledEntity


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateResult:
    """A candidate with its score in [0, 1] and match span (spec: CandidateResult)."""

    entity: RecalledEntity
    score: float
    found_by: str | None = None
    """The graph row that matched in its place and gave the score."""
    match_start: int | None = None
    match_end: int | None = None
    """Half-open code-point span of the content; None without a matching word."""

    @property
    def match_context(self) -> str | None:
        """The text of the match span (ruling G.2)."""
        return None if self.match_start is None else self.entity.content[self.match_start : self.match_end]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallProvenance:
    """How the result was made; counts are true (spec: Provenance Structure; ruling G)."""

    query: str = field(repr=False)
    scope: Scope
    provider_used: str
    total_candidates: int = 0
    """Distinct possible results, before any limit; matching thoughts that were not fetched count one each."""
    considered: int = 0
    """Candidates considered: at most `max_candidates`, plus as many redacted ones."""
    returned_candidates: int = 0
    dropped_by_budget: int = 0
    """Considered candidates that did not fit (ruling D14)."""
    truncated_due_to_token_budget: bool = False
    token_budget: int | None = None
    tokens_used: int = 0
    over_budget_by: int = 0
    """Excess of pins and summary alone; there are no candidates then (ruling A17)."""
    now: datetime
    when: str | None = None
    when_unparsed: str | None = None
    window: Window = Window()
    is_partial: bool = False
    reranked: Reranked | None = None
    quarantined: tuple[str, ...] = ()
    """Candidates excluded because they read like instructions."""
    instruction_like: tuple[str, ...] = ()
    """Pins whose reason, and pinned rows and summary whose text, reads like instructions; shown, since never cut."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallResult:
    """The three tiers in order, with provenance."""

    pins: tuple[PinResult, ...]
    current_summary: RecalledEntity | None
    candidates: tuple[CandidateResult, ...]
    provenance: RecallProvenance


MAX_KIND_CHARS = 40
COMMON_KINDS = ("tool_call", "command", "file_diff", "error", "message", "note")
"""Kinds that tools and agents use; kinds are an open set, these are named in messages."""
_WORD = re.compile(r"[^\W\d_][\w-]*")  # "file_diff", "follow-up"; not "2nd" or "_x"


def require_kind(text: str) -> str:
    """Validate one word of letters, digits, `_` and `-`, a letter first. Raises InvalidParams: it is not."""
    if len(text) > MAX_KIND_CHARS or not _WORD.fullmatch(text):
        raise InvalidParams(messages.kind_shape(MAX_KIND_CHARS, ", ".join(COMMON_KINDS)))
    return text
