"""What recall keeps, asks for and returns.

Law: three tiers in one order: pins, the current summary, candidates; the first two are never cut, no row stands in two
of them, and every count is a true one (rulings A17, G). What S4 calls an observation is a thought here, its kind the
thought's `kind`; what S4 calls a summary is the summary of a capsule. A session is a capsule, and its rolling summary
is that capsule's (ruling G.3).

The kinds of thoughts. A kind is one word and the set is open: who writes may bring words of their own. What the
contract calls an observation's kind is the kind of a thought (ruling G); the contract's own are named wherever a kind
is refused, so that they are spelled alike.

Source: spec retrieval-contract, Core Interface, Retrieval Tiering, Provenance; rulings A16-A18, D14, D15, G; spec
retrieval-contract, Core Interface (kind).
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
"""What stands in place of a redacted row's content when it is asked for (spec: Redaction Handling)."""
DEFAULT_MAX_CANDIDATES = 50
CapsuleStatus = Literal["open", "closed"]
EntityKind = Literal["observation", "summary"]
CurrentOf = Literal["anybody", "caller"]
"""Whose open conversations may give the current summary: all of them, or the caller's own alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """A target marked as important, with its reason and lifetime; unique per target and scope (ruling G)."""

    id: str
    """`p:…`"""
    target_id: str
    """A row (`t:`, `e:`, `o:`, `r:`) or a summary (`m:`)."""
    reason: str
    created_at: datetime
    expires_at: datetime | None = None
    """From then on it is not active; None never expires."""
    scope: Scope = Scope()
    is_private: bool = False
    """Whether its target was private when it was pinned: then its reason is, whatever becomes of the target."""
    seq: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "created_at", require_utc(self.created_at, "created_at"))
        if self.expires_at is not None:
            object.__setattr__(self, "expires_at", require_utc(self.expires_at, "expires_at"))
            if self.expires_at <= self.created_at:
                raise InvalidParams(messages.PIN_EXPIRES_FIRST)

    def is_active(self, now: datetime) -> bool:
        """Return whether it counts at `now` (spec: Tier 1)."""
        return self.expires_at is None or now < self.expires_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a capsule comes to, with what it rests on (spec: Entity-Level Provenance)."""

    id: str
    """`m:` and the id of its capsule: a capsule has one summary."""
    capsule_id: str
    content: str
    confidence: float
    evidence_refs: tuple[str, ...]
    created_at: datetime
    scope: Scope = Scope()
    is_private: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Capsule:
    """A bounded unit of work that has one summary; thoughts belong to it by their `thread` (DESIGN 10)."""

    id: str
    """`c:…`"""
    intent: str
    """What it is about, in the words of whoever opened it."""
    opened_at: datetime
    closed_at: datetime | None = None
    scope: Scope = Scope()
    summary: Summary | None = None
    """Written by whoever works in it; without one the capsule's is made of its thoughts' own sentences."""
    revision: int = 1
    seq: int = 0

    @property
    def status(self) -> CapsuleStatus:
        """Open until it is closed."""
        return "open" if self.closed_at is None else "closed"


def summary_id(capsule_id: str) -> str:
    """Return the id of the one summary of a capsule or session."""
    return f"m:{capsule_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallParams:
    """What is asked for, cleaned (`voice.core.recall.params`)."""

    query: str = field(repr=False)
    scope: Scope
    now: datetime
    """The instant pins expire against and recency is measured from; the same `now` gives the same bytes."""
    token_budget: int | None = None
    max_candidates: int = DEFAULT_MAX_CANDIDATES
    include_redacted: bool = False
    include_private: bool = False
    provider: str = "local-hybrid"
    when: str | None = None
    """The time that is meant, in words: `when`, or what the query names."""
    when_unparsed: str | None = None
    """What in the query sounds like a time and was not understood as one."""
    window: Window = Window()
    limit: int | None = None
    """Candidates returned at most; None returns all that fit (ruling A15: not how many are scored)."""
    order: Order | None = None
    """Orders what is shown, not what is chosen (ruling E)."""
    rerank: bool = False
    """Let a re-ranker read the best candidates together with the query."""
    quarantine: bool = True
    """Whether candidates that read like instructions to a model are kept out (ruling D22)."""
    current: CurrentOf = "anybody"
    conversation: str | None = None
    """The session that the caller is in."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledEntity:
    """A thing that is returned: a row or a summary, as it may be shown."""

    id: str
    entity_kind: EntityKind
    kind: str
    """The thought's kind (`note`, `tool_call`, `file_diff`, …), the KG table's, or `summary`."""
    content: str
    """`[redacted]` for a redacted row."""
    created_at: datetime
    scope: Scope
    trust: TrustTier
    is_private: bool = False
    redacted: bool = False
    origin: Origin | None = None
    """Who made a row; a summary has none."""
    thread: str | None = None
    source_ref: str | None = None
    provenance: tuple[Provenance, ...] = ()
    """What of which thoughts a row of the graph rests on."""
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
    """A found thing with its score in [0, 1] and the window around its match (spec: CandidateResult)."""

    entity: RecalledEntity
    score: float
    found_by: str | None = None
    """The row of the graph that matched better than the thought it rests on, and whose score this is."""
    match_start: int | None = None
    match_end: int | None = None
    """Half-open code-point span of the entity's content; None when no word of the query stands in it."""

    @property
    def match_context(self) -> str | None:
        """The window around the match (ruling G.2)."""
        return None if self.match_start is None else self.entity.content[self.match_start : self.match_end]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallProvenance:
    """How the result was made; every count is a true one (spec: Provenance Structure; ruling G)."""

    query: str = field(repr=False)
    scope: Scope
    provider_used: str
    total_candidates: int = 0
    """What could have been returned, whatever `max_candidates`, `limit` and the budget are: each thing once, however
    many rows say it. Where more matched than was looked at, each thought that matched unseen is one: two that say the
    same are two, and one that only an unseen sentence would bring is none."""
    considered: int = 0
    """The candidates that were weighed: at most `max_candidates`, and as many redacted ones."""
    returned_candidates: int = 0
    dropped_by_budget: int = 0
    """Of those considered, the ones that did not fit when their turn came (ruling D14)."""
    truncated_due_to_token_budget: bool = False
    token_budget: int | None = None
    tokens_used: int = 0
    over_budget_by: int = 0
    """By how much pins and summary alone exceed the budget; then there are no candidates (ruling A17)."""
    now: datetime
    when: str | None = None
    when_unparsed: str | None = None
    window: Window = Window()
    """The time that candidates are of, as it was asked for and as it was understood (ruling E)."""
    is_partial: bool = False
    """Time was up: the candidates are what was ranked so far (ruling E)."""
    reranked: Reranked | None = None
    """What was read together with the query, where that was asked for."""
    quarantined: tuple[str, ...] = ()
    """Candidates that were kept out because they read like instructions to a model."""
    instruction_like: tuple[str, ...] = ()
    """What reads like instructions and is shown all the same: pins and summary, which are never cut."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallResult:
    """The three tiers, in their order, and how they came about."""

    pins: tuple[PinResult, ...]
    current_summary: RecalledEntity | None
    candidates: tuple[CandidateResult, ...]
    provenance: RecallProvenance


MAX_KIND_CHARS = 40
COMMON_KINDS = ("tool_call", "command", "file_diff", "error", "message", "note")
"""What tools and agents log: a call of a tool, a command that was run, a change to a file, a failure, something said,
and anything else."""
_WORD = re.compile(r"[^\W\d_][\w-]*")


def require_kind(text: str) -> str:
    """Return `text` as a kind.

    Raises:
        InvalidParams: it is not one word of letters, digits, `_` and `-` that begins with a letter.
    """
    if len(text) > MAX_KIND_CHARS or not _WORD.fullmatch(text):
        raise InvalidParams(messages.kind_shape(MAX_KIND_CHARS, ", ".join(COMMON_KINDS)))
    return text
