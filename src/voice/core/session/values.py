"""Values of a stored conversation: session, exchange, summary, prompt record.

Law: the session row stays small; each exchange is its own row, appended by compare-and-set on `revision` (ruling D21).
Prompts, contexts and rejected drafts are not stored (ruling A7).
Source: spec stateful-design-v2, 5 Session Schema; rulings A7, D6, D16-D21, H.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Literal

from voice.core.grounding.values import (
    CutSentence,
    GroundingPolicy,
    LocatedSpan,
    RefusalReason,
    SentenceVerdict,
    SourceCitation,
    Stance,
)
from voice.core.grounding.verifier_values import Verification
from voice.core.records import Scope
from voice.core.usage import Price, Total, Usage

SESSION_SCHEMA_VERSION = 1
MAX_WINDOW = 2000
"""Above any setting's limit of unfolded exchanges, so that a window read with it has no gap."""
SessionStatus = Literal["open", "closed", "expired"]
"""`expired`: an open session idle too long; computed, not stored."""
TopicStatus = Literal["open", "resolved", "abandoned"]
"""Status of a thread's topic, independent of the session's status."""
ExchangeStatus = Literal["answered", "refused", "error"]
AttemptOutcome = Literal["draft", "malformed", "unfinished", "error", "stopped"]
"""`unfinished`: the reply ended early, at a limit or by its provider.

`stopped`: we ended it, as its citations decided.
"""
Purpose = Literal["draft", "verify", "summarise", "reach", "extract", "calibrate"]
SummaryBy = Literal["extractive", "llm"]
SummaryFallback = Literal["private", "budget", "deadline", "failed", "malformed", "too_long", "too_few_held"]
"""Why a model's summary was not used."""
Ground = tuple[str, str]
"""(row id, content hash) that something rests on; the hash is empty if unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryLine:
    """One sentence of a summary with its rows and turns."""

    text: str
    grounds: tuple[Ground, ...]
    turns: tuple[int, ...] = ()
    """Indexes of its exchanges; empty if unknown."""
    by_model: bool = False
    """Whether a model wrote it and the judge accepted it; otherwise it is an answer's own sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RollingSummary:
    """Stored digest of folded exchanges: context, never a source (spec: RollingSummary; rulings D16, D17)."""

    text: str
    last_updated: datetime
    exchanges_summarized: int
    token_savings: int
    revision: int = 1
    through_index: int = -1
    """Highest folded exchange index."""
    source_ids: tuple[str, ...] = ()
    """Rows behind its sentences; a change to one invalidates it."""
    is_private: bool = False
    line_grounds: tuple[tuple[Ground, ...], ...] = ()
    """Grounds per line of `text`; empty in old summaries."""
    line_turns: tuple[tuple[int, ...], ...] = ()
    """Exchange indexes per line; empty in old summaries."""
    model_lines: tuple[int, ...] = ()
    """Indexes, from 0, of the lines a model wrote."""
    fallen: tuple[tuple[int, int], ...] = ()
    """(exchange index, line) omitted in a rebuild, back to the oldest line."""
    from_index: int = 0
    """First exchange considered by the last rebuild."""
    author: str | None = None
    """The last model asked, with its prompt; None: none, or none of its lines remain."""
    fallback: SummaryFallback | None = None
    """Why the last fold used the answers' own sentences although a model was to write; None: not applicable."""

    @property
    def lines(self) -> tuple[SummaryLine, ...]:
        """Its sentences; without stored grounds each rests on all rows."""
        texts = self.text.split("\n") if self.text else []
        every = tuple((row_id, "") for row_id in self.source_ids)
        grounds = self.line_grounds if len(self.line_grounds) == len(texts) else (every,) * len(texts)
        turns = self.line_turns if len(self.line_turns) == len(texts) else ((),) * len(texts)
        return tuple(
            SummaryLine(text=text, grounds=grounds[at], turns=turns[at], by_model=at in self.model_lines)
            for at, text in enumerate(texts)
        )

    @property
    def has_unknown_turns(self) -> bool:
        """Whether some lines have no stored turns."""
        return any(not line.turns for line in self.lines)

    def with_lines(self, lines: Sequence[SummaryLine]) -> "RollingSummary":
        """Return the summary with these sentences instead."""
        return replace(
            self,
            text="\n".join(line.text for line in lines),
            line_grounds=tuple(line.grounds for line in lines),
            line_turns=tuple(line.turns for line in lines),
            model_lines=tuple(at for at, line in enumerate(lines) if line.by_model),
        )

    def without_turns(self, indexes: Collection[int]) -> "RollingSummary":
        """Return the summary without lines of these turns alone, of no stored turn, or that a model wrote of any."""
        gone = set(indexes)
        if not gone:
            return self

        def stands(line: SummaryLine) -> bool:
            turns = set(line.turns)
            # A model's line may mix what its turns said.
            return bool(turns) and (not turns & gone or (not line.by_model and not turns <= gone))

        left = list(filter(stands, self.lines))
        if len(left) == len(self.lines):
            return self
        grounds = (row_id for line in left for row_id, _ in line.grounds)
        return replace(self.with_lines(left), source_ids=tuple(dict.fromkeys(grounds)))


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptView:
    """The visibility under which a prompt's rows were rendered, names and edges in them too (ruling C19)."""

    include_private: bool = False
    scope: Scope = Scope.ALL
    exclude_tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptRecord:
    """Record of a prompt: enough to rebuild and prove it, without text (ruling D20)."""

    prompt_hash: str
    """Keyed BLAKE3, hex, of the last prompt sent (the repair's, if `rendering` names one)."""
    template: str
    """Name and version, e.g. `answer.v1`."""
    template_hash: str
    evidence: tuple[tuple[str, str], ...] = ()
    """Ordered (row id, content hash)."""
    summary_revision: int | None = None
    window_exchange_ids: tuple[str, ...] = ()
    now: datetime | None = None
    timezone: str = "UTC"
    prompt_tokens_estimated: int = 0
    rendering: tuple[tuple[str, str], ...] = ()
    """Further inputs: token budget, stance; for a repair its template, hash and fault."""
    view: PromptView | None = None
    """None: an old turn without it."""
    summary_through: int | None = None
    """Last exchange folded into the shown summary; None: no summary, or unknown."""
    parts: tuple[tuple[str, str], ...] = ()
    """(part, keyed BLAKE3 of its text), in order: locate the difference of a rebuilt prompt (ruling D20)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One provider call of a turn; counted even if it failed (rulings D8, D18)."""

    usage: Usage
    latency_ms: int
    """Until the reply, or the next attempt."""
    outcome: AttemptOutcome
    draft_hash: str | None = None
    """Keyed hash of the draft text (ruling D9)."""
    purpose: Purpose = "draft"
    worst: Decimal | None = None
    """Its maximum cost, stored if usage was not reported; None: unknown or not needed."""
    reckoned: Usage | None = None
    """Our estimate of a stopped call's usage; excluded from sums."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueExchange:
    """One question with its judged answer (spec: DialogueExchange)."""

    id: str
    session_id: str
    index: int
    """Position in the session, from 0, contiguous."""
    timestamp: datetime
    my_query: str
    answer: str
    sources: tuple[SourceCitation, ...]
    confidence: float
    coverage_ratio: float
    refused: bool
    memories_referenced: tuple[str, ...]
    prompt_tokens: int | None
    completion_tokens: int | None
    latency_ms: int
    cost_estimate: Decimal | None
    prompt_hash: str | None
    """None: refused before a prompt was made."""

    status: ExchangeStatus
    stance: Stance
    reason: RefusalReason | None = None
    notes: str | None = None
    sentences: tuple[SentenceVerdict, ...] = ()
    rejected_citations: tuple[LocatedSpan, ...] = ()
    evidence_found: tuple[SourceCitation, ...] = ()
    prompt: PromptRecord | None = None
    policy: GroundingPolicy = GroundingPolicy()
    attempts: tuple[Attempt, ...] = ()
    cached_tokens: int | None = None
    price_source: str | None = None
    price: Price | None = None
    """Rates of the cost; None: unknown, or an old turn."""
    provider: str = ""
    model: str = ""
    is_private: bool = False
    """Whether it rests on a private row, or could have when it ended without a prompt (ruling H)."""
    self_reported: tuple[tuple[str, str], ...] = ()
    verification: Verification | None = None
    """The verifier's record; None: none was to be asked."""
    link: str = ""
    """Its link in the session's hash chain (ruling H); "" for old turns."""
    redacted: tuple[tuple[str, str], ...] = ()
    """(field, commitment) of removed values; the chain still verifies (ruling H)."""
    imported_from: str | None = None
    """Its link at its origin; None: made here."""
    cut: tuple[CutSentence, ...] = ()
    """Unproven sentences left out of the answer (ruling D9a)."""
    premise: tuple[str, ...] = ()
    """Presuppositions of the question that contradict the sources, in words."""
    conflict: bool = False
    """The session changed meanwhile: answered on the earlier state, appended after (ruling D21)."""
    idempotency: str = ""
    """Keyed hash of the idempotency key; "" for none."""
    request_hash: str = ""
    """Keyed hash of the request under that key."""
    deleted: bool = False
    """Its session was deleted; only figures remain."""
    seq: int = 0

    @property
    def states_nothing(self) -> bool:
        """Whether it was small talk: an answer of remarks alone, made without a search."""
        remarks = [one.rung == "remark" for one in self.sentences]  # `all` of none is true
        return self.status == "answered" and bool(remarks) and all(remarks)

    @property
    def tells_coverage(self) -> bool:
        """Whether its share of proof tells a reader something: it shows an answer, and that makes a claim."""
        return not (self.refused or self.states_nothing) and bool(self.answer)

    @property
    def is_withheld(self) -> bool:
        """Whether it is shown only with private rows: it rests on one, or its question could see them (promise 6)."""
        seen = None if self.prompt is None else self.prompt.view  # an old turn has no view
        return self.is_private or (seen is not None and seen.include_private)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkPoint:
    """The last turn a fork shares with another session, which holds it."""

    session_id: str
    through_index: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InnerVoiceSession:
    """A conversation (spec: InnerVoiceSession). `context_window` is loaded, not stored in the row."""

    id: str
    version: int = SESSION_SCHEMA_VERSION
    provider: str
    model: str
    max_prompt_tokens: int
    rolling_summary: RollingSummary | None = None
    context_window: tuple[DialogueExchange, ...] = ()
    """The newest, unfolded exchanges, oldest first."""
    thread_topic: str
    created_at: datetime
    last_interaction: datetime
    total_exchanges: int = 0
    total_tokens: int = 0
    """Reported tokens only."""
    total_cost: Total = Total()

    status: SessionStatus = "open"
    revision: int = 0
    answered: int = 0
    refused: int = 0
    errors: int = 0
    model_changes: tuple[tuple[int, str], ...] = ()
    """(exchange index, "provider/model") of model changes (ruling D21); only the newest are kept."""
    last_link: str = ""
    """The newest exchange's link (ruling H)."""
    topic_status: TopicStatus = "open"
    lineage: tuple[ForkPoint, ...] = ()
    """Holders of a fork's shared turns, oldest first.

    `total_exchanges` includes shared turns, all other totals do not.
    """
    begun_by: str | None = None
    """The program that owns it; None: the person's own (ruling J1)."""
    seq: int = 0

    @property
    def own_from(self) -> int:
        """Index of its first own turn."""
        return self.lineage[-1].through_index + 1 if self.lineage else 0
