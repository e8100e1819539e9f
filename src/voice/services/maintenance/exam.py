"""Make questions of a memory's rows, ask them under the settings in force, and mark the answers.

Law: each question is a whole turn in a session of its own, asked as `ask` asks it, of the rows that `ask` may cite; no
turn is kept, only what it cost. A run in which a call failed says nothing of the settings: it is not kept, nor held
against another. Chance is a seed: the same memory and seed give the same questions.

What turns cost is kept as figures alone: money that is spent counts against the caps, whatever it was spent on.

Source: promises 2, 6, 7; DESIGN 6; docs/budgets.md.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

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


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamCost:
    """The cost of a run in US dollars; None: unknown."""

    expected: Decimal | None
    worst: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunExam:
    """Examines one memory."""

    ask: Ask
    kept: ExamStore
    settings: Mapping[str, str]
    """What is set of that which answers depend on."""
    key: bytes = field(repr=False)

    async def prepare(self, n: int, *, seed: int = 0, scope: Scope = NO_SCOPE, surroundings: Scope = NO_SCOPE) -> Exam:
        """Return the questions of a run; nothing is asked. Raises InvalidParams: nothing to make one of."""
        scope = await self.ask.evidence.retrieve.scoping(scope, surroundings)
        rows = await self._rows(scope)
        names = (await self.ask.evidence.names.known()).nodes
        zone = self.ask.settings.time.timezone

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
        zone, nlq = self.ask.settings.time.timezone, self.ask.evidence.nlq
        return time_asked(text, now=self.ask.clock.now(), timezone=zone, settings=nlq).time is not None


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
    """A `SessionStore` that keeps what turns cost and forgets the turns: each is in a session of its own."""

    def __init__(self, spending: SpendStore | None, ids: IdSource) -> None:
        """Count what turns cost in `spending`."""
        self._spending, self._ids = spending, ids

    async def save(
        self, session: InnerVoiceSession, exchanges: Sequence[DialogueExchange], *, expected: int
    ) -> InnerVoiceSession:
        """Keep the figures of the exchanges, for the money is spent whatever follows."""
        for exchange in exchanges:
            await keep_figures(exchange, self._spending, self._ids)
        check_save(session, exchanges, expected)
        return session

    async def load(self, session_id: str, **_: object) -> None:
        """Find nothing, here and below."""

    async def sessions(self, **_: object) -> list[SessionListItem]:
        """See `SessionStore.sessions`."""
        return []

    async def topics(self) -> Mapping[str, str]:
        """See `SessionStore.topics`."""
        return {}

    async def exchanges(self, **_: object) -> list[DialogueExchange]:
        """See `SessionStore.exchanges`."""
        return []

    async def first_exchanges(self, session_ids: Collection[str]) -> Mapping[str, DialogueExchange]:  # noqa: ARG002
        """See `SessionStore.first_exchanges`."""
        return {}  # none is kept, whosever it is asked for
