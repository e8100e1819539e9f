"""Rolling summaries that heal, the status of the rows they rest on, and summaries asked of a model.

Law: a summary is made again of the folded exchanges that still stand, as soon as a turn of its session finds that a row
behind it fell, or that it was stored before its grounds were. The turn is kept by then: nothing of it waits for this
(ruling D26). What is read is bounded: pages of exchanges from the newest folded one back, until they fill the summary.
What only one reader may not see stays for the others. The rows behind a conversation are read once for a turn, only
those that its window and summary name, never the history (ruling D16).

A model is asked for a summary by the turn that folds others, after its answer was judged and before it is kept, so that
the call is on that turn's record and under its caps (rulings D8, D18). Those turns are stored already, and the turn is
kept whatever becomes of the call, late, cancelled or failed: their own sentences are the summary then, and it says why
(rulings D17, D26). A model sees what this turn may see; what is private goes to another machine with consent alone.

Source: spec stateful-design-v2, 5 RollingSummary; rulings D8, D16-D18, D22, D25, D26, H; promises 6 and 7.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

import anyio

from voice.core.context.prompt_evidence import neutralise
from voice.core.context.prompt_templates import PromptTemplate, latest_template
from voice.core.errors import BudgetExceeded, DeadlineExceeded, SessionConflict, StoreError
from voice.core.grounding.claim_verification import verification_request
from voice.core.grounding.draft import DRAFT_SCHEMA, parse_draft
from voice.core.grounding.values import Draft
from voice.core.recall.disclosure import row_states
from voice.core.records import Table
from voice.core.retrieval.values import RowFilter
from voice.core.session.history import OF_ONE_READER, SkippedPart, SourceStatus, grounds_of, is_repeatable
from voice.core.session.model_summary import (
    FoldedSentence,
    folded_sentences,
    holds_hidden_content,
    proven_lines,
    summary_proof,
)
from voice.core.session.rolling_summary import FoldedHistory, ModelSummary, foldable, rebuild
from voice.core.session.values import DialogueExchange, InnerVoiceSession, PromptView, SummaryFallback, SummaryLine
from voice.core.text.instants import day_or_undated
from voice.core.text.normalise import keyed_hash
from voice.ports.llm import LlmReply, LlmRequest
from voice.ports.stores import MemoryStore, SessionStore
from voice.ports.system import Clock
from voice.services.retrieval.row_lookups import fetch_with_source_thoughts
from voice.services.runtime.turn import Trace
from voice.services.turn.draft import Drafting
from voice.services.verification.draft_verification import DraftVerification, VerifierOpinions

MOST_TURNS: Final = 400
"""So many folded exchanges are looked at, however little they said."""
_PAGE: Final = 40  # exchanges read at once
_EVERYBODY: Final = PromptView(include_private=True)  # one summary for all; each reader's share is cut later


@dataclass(frozen=True, slots=True, kw_only=True)
class Summaries:
    """Makes summaries again."""

    sessions: SessionStore
    store: MemoryStore
    clock: Clock
    count: Callable[[str], int] = field(repr=False)
    max_tokens: int
    timezone: str
    quarantine: bool

    async def heal(self, session: InnerVoiceSession, skipped: Iterable[SkippedPart]) -> InnerVoiceSession:
        """Return the session, its summary made again where one of its lines fell for everybody, or is of old. Nothing
        is raised: what could not be read or written now is found again at the next turn."""
        fallen = any(each.part == "summary" and each.reason not in OF_ONE_READER for each in skipped)
        summary = session.rolling_summary
        if summary is not None and (fallen or summary.has_unknown_turns):
            with suppress(StoreError, SessionConflict):
                return await self(session)
        return session

    async def __call__(self, session: InnerVoiceSession) -> InnerVoiceSession:
        """Return the session with its summary made again of what stands, stored; itself where that changes nothing.
        Raises SessionConflict: the session has gone on meanwhile."""
        if session.rolling_summary is None:
            return session
        history = await self._history(session.id, session.rolling_summary.through_index)
        rebuilt = rebuild(session, history, now=self.clock.now(), count=self.count, max_tokens=self.max_tokens)
        if rebuilt is session:  # the same object: nothing changed
            return session
        return await self.sessions.save(rebuilt, (), expected=session.revision)

    async def _history(self, session_id: str, through: int) -> FoldedHistory:
        """Return the folded exchanges from the newest back, as many as a summary can hold the lines of."""
        history = FoldedHistory(exchanges=(), standings={}, quarantine=self.quarantine, timezone=self.timezone)
        first = through + 1
        while first > 0 and through - first < MOST_TURNS - 1 and not history.fills(self.max_tokens, self.count):
            start = max(0, first - _PAGE)
            page = await self.sessions.exchanges(session_id=session_id, after_index=start - 1, limit=first - start)
            standings = await standing_today(
                self.store, _rows_repeated(page), _EVERYBODY, superseded=False, quarantine=self.quarantine
            )
            exchanges = (*page, *history.exchanges)
            history = replace(history, exchanges=exchanges, standings={**history.standings, **standings})
            first = start
        return history


def _rows_repeated(exchanges: Iterable[DialogueExchange]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(row_id for each in filter(is_repeatable, exchanges) for row_id, _ in grounds_of(each)))


async def standing_today(
    store: MemoryStore, row_ids: Sequence[str], view: PromptView, *, superseded: bool, quarantine: bool
) -> Mapping[str, SourceStatus]:
    """Return how rows stand, by id; `quarantine`: one that reads like instructions to the model is a fault."""
    reader = RowFilter(
        tables=frozenset(Table),
        scope=view.scope,
        include_private=view.include_private,
        exclude_tags=view.exclude_tags,
        include_superseded=superseded,
    )
    return row_states(row_ids, await fetch_with_source_thoughts(store, row_ids), reader, quarantine=quarantine)


TEMPLATE: Final = "summary"
_TASK: Final = "Sum up what was said."
_MOST_SECONDS: Final = 20.0  # a person waits for the answer, not for the summary
_OUTPUT_TOKENS: Final = 2048  # room for models that think before they speak; twelve sentences need some 400


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fold:
    """What is to be summed up, and for whom."""

    due: tuple[DialogueExchange, ...]
    session_id: str
    view: PromptView
    now: datetime
    since: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Summarising:
    """Has a model sum up what is folded."""

    drafting: Drafting
    store: MemoryStore
    verifying: DraftVerification = DraftVerification()
    """Who is asked about what of a summary is not word for word."""

    async def __call__(
        self, session: InnerVoiceSession, view: PromptView, trace: Trace, *, now: datetime, since: float
    ) -> ModelSummary | None:
        """Return what a model makes of the turns that will be folded, or why their own sentences are to be taken; the
        session is as before the turn is appended, `trace` the turn's own. None where nothing is to be folded, a model
        is not to be asked, or the rows behind cannot be read."""
        settings = self.drafting.settings.session
        due = foldable(session, window_limit=settings.window_limit, window_keep=settings.window_keep, appended=1)
        if settings.summary != "llm" or not due:
            return None
        with suppress(StoreError):  # rows cannot be read: their own sentences, then
            fold = _Fold(due=due, session_id=session.id, view=view, now=now, since=since)
            result = await self._written(fold, trace)
            return ModelSummary(exchange_ids=_ids(due), fallback=result) if isinstance(result, str) else result
        return None

    async def _written(self, fold: _Fold, trace: Trace) -> ModelSummary | SummaryFallback | None:
        settings, due, profile = self.drafting.settings, fold.due, self.drafting.llm.profile
        quarantine = settings.llm.quarantine_instructions
        row_ids = _rows_repeated(due)
        standings = await standing_today(self.store, row_ids, fold.view, superseded=False, quarantine=quarantine)
        statements = folded_sentences(due, standings, quarantine=quarantine, timezone=settings.time.timezone)
        is_away = profile.remote and not settings.privacy.allow_private_remote
        is_private = is_away and any(each.is_private for each in statements)
        if is_private or holds_hidden_content(due, standings, include_private=fold.view.include_private):
            return "private"
        if not statements:
            return None
        if trace.purse.session_id is None:  # no draft was asked for, so it is closed yet
            await trace.purse.open(fold.session_id, fold.now, profile.price)
        left_s = settings.llm.deadline_s - (trace.clock.monotonic_ms() - fold.since) / 1000
        draft = await self._draft(statements, trace, min(left_s, _MOST_SECONDS)) if left_s > 0 else "deadline"
        if not isinstance(draft, Draft):
            return draft
        lines = None if draft.refused else await self._proven(draft, statements, fold, trace)
        author = f"{profile.provider}/{profile.model} {self._template.label}"
        return "too_few_held" if lines is None else ModelSummary(exchange_ids=_ids(due), lines=lines, author=author)

    async def _proven(
        self, draft: Draft, statements: Sequence[FoldedSentence], fold: _Fold, trace: Trace
    ) -> tuple[SummaryLine, ...] | None:
        """Return the sentences that hold: a verifier is asked about those that are not word for word, in one call."""
        settings, proof = self.drafting.settings, summary_proof(draft, statements, now=fold.now)
        is_private = any(each.is_private for each in statements)
        left_s = settings.llm.deadline_s - (trace.clock.monotonic_ms() - fold.since) / 1000
        opinions: VerifierOpinions | None = None
        if self.verifying.may_see(is_private=is_private, allowed=settings.privacy.allow_private_remote):
            wanted = verification_request(proof, question=_TASK, today=proof.context.today)
            with anyio.move_on_after(min(left_s, _MOST_SECONDS)) as trace.deadline:  # a verifier's trial pauses it
                opinions = await self.verifying(wanted, trace)
        return proven_lines(proof, statements, reply=opinions.reply if opinions else None)

    @property
    def _template(self) -> PromptTemplate:
        return latest_template(self.drafting.prompts, TEMPLATE)

    async def _draft(
        self, statements: Sequence[FoldedSentence], trace: Trace, left_s: float
    ) -> Draft | SummaryFallback:
        request, drafting = self._request(statements, trace, left_s), self.drafting
        tokens = drafting.counter.count(request.system) + drafting.counter.count(request.prompt)
        if tokens > drafting.budget:
            return "too_long"
        try:
            await trace.begin_paid(drafting.worst_cost(tokens, output=request.max_output_tokens), purpose="summarise")
        except BudgetExceeded:
            return "budget"
        reply = await self._reply(request, trace)
        if not isinstance(reply, LlmReply):
            return reply
        parsed = parse_draft(reply.text)
        outcome = "draft" if isinstance(parsed, Draft) else "malformed"
        trace.record_reply(reply.usage, outcome, draft_hash=keyed_hash(drafting.key, reply.text))
        return parsed if isinstance(parsed, Draft) else "malformed"

    async def _reply(self, request: LlmRequest, trace: Trace) -> LlmReply | SummaryFallback:
        """Call the model; whatever it fails of, the turn goes on."""
        failed: SummaryFallback = "deadline"  # also where the time is over and nothing is raised
        try:
            with anyio.move_on_after(request.timeout_s):
                return await self.drafting.llm.complete(request)
        except DeadlineExceeded:
            pass
        except Exception:  # noqa: BLE001 - a client may let through what holds the prompt; nothing of it is passed on
            failed = "failed"
        finally:
            trace.end()
        return failed

    def _request(self, statements: Sequence[FoldedSentence], trace: Trace, left_s: float) -> LlmRequest:
        settings, profile, template = self.drafting.settings, self.drafting.llm.profile, self._template
        return LlmRequest(
            system=template.render("system", {}).strip(),
            prompt=template.render("user", {"sources": "".join(map(self._statement, statements))}),
            evidence=tuple(each.row for each in statements),
            schema=DRAFT_SCHEMA,
            max_output_tokens=min(_OUTPUT_TOKENS, settings.llm.max_output_tokens, profile.max_output_tokens),
            timeout_s=left_s,
            on_retry=trace.again_paid,
        )

    def _statement(self, statement: FoldedSentence) -> str:
        row = statement.row
        slots = {"alias": row.alias, "date": day_or_undated(row.created_at), "text": neutralise(row.text)}
        return self._template.render("source", slots)


def _ids(exchanges: Sequence[DialogueExchange]) -> tuple[str, ...]:
    return tuple(each.id for each in exchanges)
