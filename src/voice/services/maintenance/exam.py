"""Make questions of a memory's rows, ask them under the settings in force, and mark the answers.

Law: each question is a whole turn in a session of its own, asked as `ask` asks it, of the rows that `ask` may cite; no
turn is kept, only what it cost. A run in which a call failed says nothing of the settings: it is not kept, nor held
against another. Chance is a seed: the same memory and seed give the same questions.

What turns cost is kept as figures alone: money that is spent counts against the caps, whatever it was spent on.

Source: promises 2, 6, 7; DESIGN 6; docs/budgets.md.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from itertools import islice
from typing import Final, Literal

from anyio.to_thread import run_sync

from voice.core.errors import BudgetExceeded, InvalidParams, ProviderUnavailable
from voice.core.exam.questions import ExamMaker, ExamMemory
from voice.core.exam.results import ExamDiff, ExamQuestion, ExamRun, Mark, compare, mark
from voice.core.grounding.values import RefusalReason
from voice.core.nlq.parse import time_asked
from voice.core.records import Observation, Scope, Table, TrustTier
from voice.core.retrieval.candidates import admits
from voice.core.retrieval.values import RowFilter
from voice.core.session.exchange import total_usage
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.ports.files import ExamStore
from voice.ports.llm import SpendStore
from voice.ports.stores import SessionListItem, check_save
from voice.ports.system import IdSource
from voice.services.retrieval.row_lookups import NO_SCOPE, every_row
from voice.services.runtime.turn import AskRequest
from voice.services.turn.ask import Ask
from voice.services.turn.keep import keep_figures
from voice.services.turn.preview import ForeseenTurn

_TRIED: Final = 5  # questions by which the cost of all is estimated
_TOPIC: Final = "exam"  # the sessions are thrown away
Progress = Callable[[int, int], None]
"""Is told how many questions are asked, and of how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exam:
    """The questions of one run."""

    questions: tuple[ExamQuestion, ...]
    rows: int
    seed: int
    scope: Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """A run, and how its questions differ from the last."""

    exam: Exam
    run: ExamRun
    diff: ExamDiff | None
    """None where there is no run before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamCost:
    """The cost of a run in US dollars; None: unknown."""

    expected: Decimal | None
    worst: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunExam:
    """Examines one memory."""

    ask: Ask
    """Whose turns are not kept."""
    kept: ExamStore
    settings: Mapping[str, str]
    """What is set of that which answers depend on."""
    key: bytes = field(repr=False)

    async def prepare(self, n: int, *, seed: int = 0, scope: Scope = NO_SCOPE, surroundings: Scope = NO_SCOPE) -> Exam:
        """Return the questions of a run; nothing is asked. Raises InvalidParams: nothing to make one of."""
        scope = await self.ask.evidence.retrieve.scoping(scope, surroundings)
        rows = await self._rows(scope)
        names = (await self.ask.evidence.names.known()).nodes
        zone = self.ask.settings.timezone

        def make() -> tuple[ExamQuestion, ...]:  # on a thread: parsing every row takes its time
            maker = ExamMaker(
                memory=ExamMemory.of(rows, names, timezone=zone),
                seed=seed,
                key=self.key,
                language=self.ask.settings.nlq.language,
                asks_for_time=self._asks_for_time,
            )
            return maker.make(n)

        questions = await run_sync(make)
        if not questions:
            raise InvalidParams("your memory holds no statement to make a question of; import notes or chats first")
        return Exam(questions=questions, rows=len(rows), seed=seed, scope=scope)

    @property
    def model(self) -> str:
        """The model that is asked."""
        profile = self.ask.llm.profile
        return f"{profile.provider}/{profile.model}"

    @property
    def may_cost(self) -> bool:
        """Whether a model writes that is not known to be free."""
        price = self.ask.llm.profile.price
        return self.ask.llm.profile.writes and (price is None or not price.is_free)

    async def foresee(self, exam: Exam) -> ExamCost:
        """Return what asking would cost, by a few of the questions; nobody is asked."""
        step = max(1, len(exam.questions) // _TRIED)  # evenly over all of them
        tried = [await self.ask.dry_run(self._request(exam, each)) for each in exam.questions[::step]]
        share = Decimal(len(exam.questions)) / len(tried)  # of all to those tried
        expected = [_with_check(each, each.expected_cost, each.check and each.check.call.expected) for each in tried]
        worst = [_with_check(each, each.worst_cost, each.check and each.check.call.worst) for each in tried]
        known = [cost for cost in worst if cost is not None]
        highest = max(known) if len(known) == len(worst) else None  # one unknown makes the worst unknown
        return ExamCost(expected=_scaled(share, expected), worst=_scaled(Decimal(len(exam.questions)), [highest]))

    async def __call__(self, exam: Exam, progress: Progress = lambda _done, _of: None) -> Examined:
        """Ask and mark the questions, keep the run, and return it with what changed since the last. Raises
        BudgetExceeded, ProviderUnavailable: a cap does not allow a question, or it was not answered; only what was
        spent is kept."""
        marks: list[Mark] = []
        turns: list[DialogueExchange] = []
        for question in exam.questions:
            exchange = (await self.ask(self._request(exam, question))).exchange
            marks.append(mark(question, exchange))
            turns.append(exchange)
            _require_asked(marks, exchange)  # at once: no money for a run that cannot count
            progress(len(marks), len(exam.questions))
        usage = total_usage([attempt for turn in turns for attempt in turn.attempts])
        run = ExamRun(
            at=self.ask.clock.now(),
            seed=exam.seed,
            rows=exam.rows,
            marks=tuple(marks),
            settings=self.settings,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cost=_scaled(Decimal(1), [turn.cost_estimate for turn in turns]),
        )
        before = await run_sync(self.kept.last)  # before the new one is kept
        await run_sync(self.kept.keep, run)
        return Examined(exam=exam, run=run, diff=None if before is None else compare(before, run))

    async def _rows(self, scope: Scope) -> list[Observation]:
        """Return the statements that `ask` may cite, private ones left out."""
        row_filter = RowFilter(tables=frozenset({Table.OBSERVATIONS}), scope=scope)
        found = {
            row.id: row
            async for row in every_row(self.ask.evidence.retrieve.store)
            if isinstance(row, Observation) and row.trust is TrustTier.GREEN and admits(row_filter, row)
        }
        return list(found.values())

    def _request(self, exam: Exam, question: ExamQuestion) -> AskRequest:
        return AskRequest(question=question.text, new_topic=_TOPIC, scope=exam.scope)

    def _asks_for_time(self, text: str) -> bool:
        how = self.ask.settings
        return time_asked(text, now=self.ask.clock.now(), timezone=how.timezone, settings=how.nlq).time is not None


def _require_asked(marks: Sequence[Mark], exchange: DialogueExchange) -> None:
    """Stop the exam where the last question was neither answered nor refused."""
    if marks[-1].outcome != "failed":
        return
    where = f"the exam stopped at question {len(marks)}, and the last run stays"
    if exchange.reason is RefusalReason.BUDGET:
        raise BudgetExceeded(f"{where}: {exchange.notes}; raise the cap, or ask fewer with --n")
    raise ProviderUnavailable(f"{where}: {exchange.notes or 'the provider failed'}; run it again")


def _with_check(foreseen: ForeseenTurn, draft: Decimal | None, check: Decimal | None) -> Decimal | None:
    if foreseen.check is None or not foreseen.check.is_asked:
        return draft  # no verifier will be asked
    return None if draft is None or check is None else draft + check  # unknown, never 0


def _scaled(factor: Decimal, costs: Sequence[Decimal | None]) -> Decimal | None:
    """Return `factor` times the sum; None as soon as one is unknown."""
    known = [cost for cost in costs if cost is not None]
    return factor * sum(known, Decimal(0)) if len(known) == len(costs) else None


class ThrowawaySessions:
    """A `SessionStore` in memory, for one turn after another and no forks; what its turns cost is kept."""

    def __init__(self, spending: SpendStore | None, ids: IdSource) -> None:
        """Hold no session yet; what turns cost is counted in `spending`."""
        self._spending, self._ids = spending, ids
        self._sessions: dict[str, InnerVoiceSession] = {}
        self._exchanges: list[DialogueExchange] = []

    async def save(
        self, session: InnerVoiceSession, exchanges: Sequence[DialogueExchange], *, expected: int
    ) -> InnerVoiceSession:
        """Hold the session and its new exchanges; nobody else saves, so nothing is in conflict."""
        for exchange in exchanges:  # before saving: the money is spent whatever follows
            await keep_figures(exchange, self._spending, self._ids)
        check_save(session, exchanges, expected)
        self._exchanges += exchanges
        self._sessions[session.id] = replace(session, context_window=())  # made of its turns when it is loaded
        return session

    async def load(self, session_id: str, *, window: int) -> InnerVoiceSession | None:
        """Return the session with its window; see `SessionStore.load`."""
        session = self._sessions.get(session_id)
        if session is None:
            return None
        folded = -1 if session.rolling_summary is None else session.rolling_summary.through_index
        newer = await self.exchanges(session_id=session_id, after_index=folded)
        return replace(session, context_window=tuple(newer[-window:]) if window > 0 else ())

    async def sessions(self, *, limit: int, status: Literal["open", "all"] = "all") -> list[SessionListItem]:
        """Return sessions, the most recent first; see `SessionStore.sessions`."""
        by_id = [session for _, session in sorted(self._sessions.items())]
        newest_first = sorted(by_id, key=lambda session: session.last_interaction, reverse=True)
        return [_list_item(each) for each in newest_first if status in ("all", each.status)][:limit]

    async def topics(self) -> Mapping[str, str]:
        """Return the topics of all sessions; see `SessionStore.topics`."""
        return {each.id: each.thread_topic for each in self._sessions.values()}

    async def exchanges(
        self,
        *,
        exchange_id: str | None = None,
        idempotency: str | None = None,
        session_id: str | None = None,
        since: datetime | None = None,
        after_index: int = -1,
        limit: int = 1000,
    ) -> list[DialogueExchange]:
        """Return exchanges in their order; see `SessionStore.exchanges`."""
        found = (
            each
            for each in self._exchanges
            if (exchange_id is None or each.id == exchange_id)
            and (idempotency is None or each.idempotency == (idempotency or None))  # so that "" finds nothing
            and (session_id is None or each.session_id == session_id)
            and (since is None or each.timestamp >= since)
            and each.index > after_index
        )
        return list(islice(found, limit))

    async def first_exchanges(self, session_ids: Collection[str]) -> Mapping[str, DialogueExchange]:
        """Return the first turns of sessions; see `SessionStore.first_exchanges`."""
        return {each.session_id: each for each in self._exchanges if each.index == 0 and each.session_id in session_ids}


def _list_item(session: InnerVoiceSession) -> SessionListItem:
    return SessionListItem(
        id=session.id,
        thread_topic=session.thread_topic,
        status=session.status,
        created_at=session.created_at,
        last_interaction=session.last_interaction,
        total_exchanges=session.total_exchanges,
        topic_status=session.topic_status,
        begun_by=session.begun_by,
    )
