"""Values of a stored conversation: session, exchange, summary, prompt record.

Law: the session row stays small; each exchange is a row of its own, appended by compare-and-set on `revision`
(ruling D21). Prompts, rendered contexts and rejected drafts are no part of any value here (ruling A7).

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
"""More exchanges than any setting leaves unfolded: a window that is read with it has no hole before it."""
SessionStatus = Literal["open", "closed", "expired"]
"""`expired` is how an open session is shown that has been idle too long; it is reckoned, not stored."""
TopicStatus = Literal["open", "resolved", "abandoned"]
"""What became of what a thread is about; a session can be closed with its topic open, and the other way round."""
ExchangeStatus = Literal["answered", "refused", "error"]
AttemptOutcome = Literal["draft", "malformed", "unfinished", "error", "stopped"]
"""`unfinished`: it ended before a draft was whole, at a limit or by its provider. `stopped`: its sources decided that
it would be refused, and the call was ended before its answer was written."""
Purpose = Literal["draft", "verify", "summarise", "reach", "extract", "calibrate"]
SummaryBy = Literal["extractive", "llm"]
SummaryFallback = Literal["private", "budget", "deadline", "failed", "malformed", "too_long", "too_few_held"]
"""Why a model's summary was not taken: it may not see private rows, the call would cost too much, it was late, failed,
had the wrong shape, would have been asked more than fits, or too little of what it wrote holds."""
Ground = tuple[str, str]
"""A row that something rests on, and the content hash it had then; empty where that was not kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryLine:
    """One sentence of a summary, the rows it rests on, and the turns it was said in."""

    text: str
    grounds: tuple[Ground, ...]
    turns: tuple[int, ...] = ()
    """The indices of the exchanges it stems from; none where nobody kept them."""
    by_model: bool = False
    """Whether a model wrote it, and the judge found it supported; otherwise it is an answer's own sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RollingSummary:
    """Stored digest of folded exchanges: context, never a source (spec: RollingSummary; rulings D16, D17)."""

    text: str
    last_updated: datetime
    exchanges_summarized: int
    token_savings: int
    revision: int = 1
    through_index: int = -1
    """The highest exchange index that has been folded."""
    source_ids: tuple[str, ...] = ()
    """KG rows behind its sentences; a change to one of them invalidates it."""
    is_private: bool = False
    line_grounds: tuple[tuple[Ground, ...], ...] = ()
    """Of each line of `text` the rows it rests on; none in a summary from before they were kept."""
    line_turns: tuple[tuple[int, ...], ...] = ()
    """Of each line the indices of the exchanges it stems from; none in a summary from before they were kept."""
    model_lines: tuple[int, ...] = ()
    """Which lines, counted from 0, a model wrote."""
    fallen: tuple[tuple[int, int], ...] = ()
    """(exchange index, which of its lines) of what it was rebuilt without, back to its oldest line."""
    from_index: int = 0
    """The first exchange that a line of it can stem from: what lies before was not looked at when it was rebuilt."""
    author: str | None = None
    """The model that was asked last, and with which prompt; None: nobody was, or nothing of it was kept."""
    fallback: SummaryFallback | None = None
    """Why what was folded last is the answers' own sentences, though a model was to write; None: it was not to be."""

    @property
    def lines(self) -> tuple[SummaryLine, ...]:
        """Its sentences; where nobody kept what each one rests on, each rests on everything."""
        texts = self.text.split("\n") if self.text else []
        every = tuple((row_id, "") for row_id in self.source_ids)
        grounds = self.line_grounds if len(self.line_grounds) == len(texts) else (every,) * len(texts)
        turns = self.line_turns if len(self.line_turns) == len(texts) else ((),) * len(texts)
        return tuple(
            SummaryLine(text=text, grounds=grounds[at], turns=turns[at], by_model=at in self.model_lines)
            for at, text in enumerate(texts)
        )

    @property
    def is_of_old(self) -> bool:
        """Whether lines of it were stored before their rows and turns were kept with them."""
        return any(not line.turns for line in self.lines)

    def of_lines(self, lines: Sequence[SummaryLine]) -> "RollingSummary":
        """Return the summary with these sentences in place of its own."""
        return replace(
            self,
            text="\n".join(line.text for line in lines),
            line_grounds=tuple(line.grounds for line in lines),
            line_turns=tuple(line.turns for line in lines),
            model_lines=tuple(at for at, line in enumerate(lines) if line.by_model),
        )

    def without_turns(self, indexes: Collection[int]) -> "RollingSummary":
        """Return the summary without what these turns said and no other did, or a model made of any of them.

        A line of which nobody kept the turns may be one of theirs.
        """
        gone = set(indexes)
        if not gone:
            return self

        def stands(line: SummaryLine) -> bool:
            turns = set(line.turns)
            return bool(turns) and (not turns & gone or (not line.by_model and not turns <= gone))

        left = list(filter(stands, self.lines))
        if len(left) == len(self.lines):
            return self
        grounds = (row_id for line in left for row_id, _ in line.grounds)
        return replace(self.of_lines(left), source_ids=tuple(dict.fromkeys(grounds)))


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptView:
    """Whose eyes the rows of a prompt were read with: the names and edges in a row's text depend on it (ruling C19)."""

    include_private: bool = False
    scope: Scope = Scope.ALL
    exclude_tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptRecord:
    """What is kept of a prompt: enough to rebuild and prove it, nothing to read (ruling D20)."""

    prompt_hash: str
    """Keyed BLAKE3 of the rendered prompt that was sent last, hex: of the repair, where `rendering` names one."""
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
    """What else shaped the text: token budget and stance; for a repair its template, that one's hash, and the fault."""
    view: PromptView | None = None
    """None: a turn from before views were kept."""
    summary_through: int | None = None
    """The last exchange folded into the summary that was shown; None where none was, or it was not kept yet."""
    parts: tuple[tuple[str, str], ...] = ()
    """(part, keyed BLAKE3 of its text), in order: they tell what differs where a rebuilt prompt does (ruling D20)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One provider call inside a turn; metered even when it failed or its draft was thrown away (rulings D8, D18)."""

    usage: Usage
    latency_ms: int
    """Until its reply, or until the next try began."""
    outcome: AttemptOutcome
    draft_hash: str | None = None
    """Keyed hash of the draft text (ruling D9)."""
    purpose: Purpose = "draft"
    """What was asked for: an answer, opinions on its sentences, a summary of the turns that leave the window, whether
    the model is there, or what notes name and relate."""
    worst: Decimal | None = None
    """The most it can have cost, kept where nobody reported what it used; None: not known, or not needed."""
    reckoned: Usage | None = None
    """Our own estimate of what it used, kept where it was stopped before anybody reported that; no sum counts it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueExchange:
    """One question with its judged answer (spec: DialogueExchange)."""

    id: str
    session_id: str
    index: int
    """Position in the session, from 0, without holes."""
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
    """None when the turn was refused before a prompt was made."""

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
    """What the cost was reckoned with; None: unknown, or a turn from before rates were kept."""
    provider: str = ""
    model: str = ""
    is_private: bool = False
    """Private taint: it rests on a private row, or was asked of them and ended before a prompt was made (ruling H)."""
    self_reported: tuple[tuple[str, str], ...] = ()
    verification: Verification | None = None
    """Who else was asked about the answer's sentences, by what thresholds, and who lapsed; None: nobody was to be."""
    link: str = ""
    """Its place in the session's hash chain (ruling H); "" for one that was kept before there was a chain."""
    redacted: tuple[tuple[str, str], ...] = ()
    """(field, commitment) of what was taken away: the field is empty and the chain still verifies (ruling H)."""
    imported_from: str | None = None
    """The link it had where it came from; None: it was asked and judged here."""
    cut: tuple[CutSentence, ...] = ()
    """What was left out of the answer because it is not proven (ruling D9a)."""
    premise: tuple[str, ...] = ()
    """What the question takes for granted against the sources of its answer, in words."""
    conflict: bool = False
    """The session changed while it was asked: it was answered on the state before, and kept behind (ruling D21)."""
    idempotency: str = ""
    """Keyed hash of the key under which it answers every further call, too; "" for none."""
    request_hash: str = ""
    """Keyed hash of what was asked under that key."""
    deleted: bool = False
    """Its session was deleted; figures are all that is left of it."""
    seq: int = 0

    @property
    def states_nothing(self) -> bool:
        """Whether it was small talk: an answer of remarks alone, for which the memory was not looked at."""
        remarks = [one.rung == "remark" for one in self.sentences]
        return self.status == "answered" and bool(remarks) and all(remarks)

    @property
    def is_withheld(self) -> bool:
        """Whether it is shown only where private rows are asked for: it rests on one, or they were let in when it was
        asked, so that its question may speak of them (promise 6)."""
        seen = None if self.prompt is None else self.prompt.view
        return self.is_private or (seen is not None and seen.include_private)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkPoint:
    """Up to where a fork's turns are another session's; they are read there and never copied."""

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
    """The newest exchanges that are not folded yet, oldest first."""
    thread_topic: str
    created_at: datetime
    last_interaction: datetime
    total_exchanges: int = 0
    total_tokens: int = 0
    """Known tokens; turns without reported usage are not in it."""
    total_cost: Total = Total()

    status: SessionStatus = "open"
    revision: int = 0
    answered: int = 0
    refused: int = 0
    errors: int = 0
    model_changes: tuple[tuple[int, str], ...] = ()
    """(exchange index, "provider/model") from which another model answered (ruling D21); the newest such changes."""
    last_link: str = ""
    """The newest exchange's link; what is appended next follows it (ruling H)."""
    topic_status: TopicStatus = "open"
    lineage: tuple[ForkPoint, ...] = ()
    """Of a fork: whose turns it begins with, oldest first. Totals of money and tokens, and how its turns ended, are of
    its own turns alone; `total_exchanges` counts those it shares, too, so that indices have no hole."""
    begun_by: str | None = None
    """The program whose conversation it is; None: the person's own (ruling J1)."""
    seq: int = 0

    @property
    def own_from(self) -> int:
        """The index of its first turn that is its own."""
        return self.lineage[-1].through_index + 1 if self.lineage else 0
