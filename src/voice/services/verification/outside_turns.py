"""Ask a verifier outside of a turn: about the packaged claims that test it, and about pairs that may contradict.

Law: what all calls can cost is held against the caps before the first is made, and each is kept, with its figures
alone, whatever becomes of it.

A calibration sends nothing of a memory: the claims are the program's own. A verifier whose calls fail is not judged by
them. A model that is new is tried once, on fewer claims, in a time that is not the turn's; what came of it is kept by
model and prompt. Who was not tried is not believed.

About pairs only a believed verifier is asked, and only where somebody wants that, in both directions: what contradicts
must do so from either side. Private rows leave this machine with consent alone. One that is late or fails has given no
opinion, and how many pairs are left without one is told.

Source: DESIGN 6 "Calibration", "The verifier"; promises 6, 7, 10; rulings D8, D18, D25, H.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from typing import Final

import anyio
from anyio.to_thread import run_sync

from voice.core.errors import BudgetExceeded, ConfigurationError, VerifierFailed, VoiceError
from voice.core.graph.conflicts.pairs import Conflict
from voice.core.grounding.verifier_calibration import (
    CalibrationTally,
    LabelledClaim,
    Trial,
    merge_tallies,
    record_of,
    short_selection,
    tally_trial,
    trials,
)
from voice.core.grounding.verifier_values import (
    CalibrationRecord,
    CitedPassage,
    ClaimToVerify,
    Lapse,
    VerificationReply,
    VerificationRequest,
)
from voice.core.session.exchange import total_cost, total_usage
from voice.core.session.turn_events import Calibrating as CalibrationBegun
from voice.core.session.values import Attempt, Purpose
from voice.core.text.instants import has_date
from voice.core.usage import Usage
from voice.ports.files import CalibrationStore
from voice.ports.llm import ModelProfile
from voice.ports.system import Clock, IdSource
from voice.ports.verifier import NOTHING_TO_PAY, CallForeseen, Verifier
from voice.services.runtime.isolated_calls import IsolatedCalls
from voice.services.runtime.spending import Spending
from voice.services.runtime.turn import Trace, facts_alone, trace_alone
from voice.services.verification.draft_verification import DraftVerification, NoOpinion, ask_verifier

_AT_A_TIME: Final = 4  # calls of a remote verifier; one on this machine gains nothing by it
_AUTOMATIC_S: Final = 180.0  # what a calibration may take that nobody asked for
_WAIT_MS: Final = 600_000.0  # before one that failed is begun again in the same process
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """The result of a calibration, and what it took."""

    record: CalibrationRecord
    by_kind: Mapping[str, CalibrationTally]
    calls: int
    usage: Usage
    cost: Decimal | None
    """In US dollars; None = not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrating:
    """Tests one verifier."""

    verifier: Verifier
    profile: ModelProfile
    kept: CalibrationStore
    claims: Callable[[], tuple[LabelledClaim, ...]]
    spending: Spending
    clock: Clock
    ids: IdSource
    timeout_s: float
    apart: IsolatedCalls = field(repr=False)
    lock: anyio.Lock = field(default_factory=anyio.Lock, repr=False)

    async def record(self) -> CalibrationRecord | None:
        """Return how the verifier did; None: it was not tried."""
        return await run_sync(self.kept.of, self.verifier.info.label)

    async def trials(self, *, few: bool = False) -> tuple[Trial, ...]:
        """Return the calls of a calibration; of one that nobody asked for where `few`."""
        return await run_sync(lambda: trials(short_selection(self.claims()) if few else self.claims()))

    def foresee(self, calls: Sequence[Trial]) -> CallForeseen:
        """Return what those calls would take together."""
        return foreseen_together([self.verifier.foresee(trial.asked) for trial in calls])

    async def __call__(self, calls: Sequence[Trial], progress: Progress = lambda _done, _of: None) -> Calibrated:
        """Test the verifier and keep the result. Raises BudgetExceeded: a spending cap does not allow it; nobody was
        asked, or not all of it; VerifierFailed, ProviderError: it did not answer; StoreError, ConfigurationError: what
        was spent cannot be read, or what came of it cannot be kept."""
        await self.require_paid(self.foresee(calls).worst)  # for all calls, before the first
        found: dict[int, Mapping[str, CalibrationTally]] = {}
        attempts: list[Attempt] = []
        missed: list[NoOpinion] = []
        at_a_time = anyio.CapacityLimiter(_AT_A_TIME if self.verifier.remote else 1)

        async def run(number: int, trial: Trial) -> None:
            async with at_a_time:
                if missed:  # more calls would cost and tell nothing
                    return
                opinion = await self._try(number, trial, attempts)
                if isinstance(opinion, NoOpinion) and opinion.lapse != "malformed":  # a malformed reply is a result
                    missed.append(opinion)
                    return
                found[number] = tally_trial(trial, None if isinstance(opinion, NoOpinion) else opinion)
                progress(len(found), len(calls))

        async with anyio.create_task_group() as group:
            for number, trial in enumerate(calls):
                group.start_soon(run, number, trial)
        if missed:
            name = self.verifier.info.name
            raise missed[0].fault or VerifierFailed(f"the verifier {name} did not answer in time, or failed")
        return await self._kept(merge_tallies(found.values()), attempts, len(calls))

    async def _kept(
        self, by_kind: Mapping[str, CalibrationTally], attempts: Sequence[Attempt], calls: int
    ) -> Calibrated:
        today = self.clock.now().date()
        record = record_of(by_kind, verifier=self.verifier.info.label, checked_on=today)
        await run_sync(self.kept.keep, record)
        return Calibrated(
            record=record,
            by_kind=by_kind,
            calls=calls,
            usage=total_usage(attempts),
            cost=total_cost(attempts, self.profile.price),
        )

    @property
    def _own(self) -> Spending:
        """The caps on a day and a month: a calibration belongs to no turn and no session."""
        return replace(self.spending, caps=replace(self.spending.caps, turn=None, session=None))

    async def require_paid(self, worst: Decimal | None) -> None:
        """Let calls outside a turn be begun as a whole. Raises BudgetExceeded: a cap does not allow it."""
        facts = facts_alone(self.profile, self.clock, self.ids)
        with self._own.purse() as purse:
            await purse.open(facts.session_id, facts.timestamp, facts.price)
            purse.require(worst)

    async def _try(self, number: int, trial: Trial, attempts: list[Attempt]) -> VerificationReply | NoOpinion:
        name = f"{self.verifier.info.name}, calibration {number}"  # a name runs one call at a time
        try:
            return await self.asked_alone(trial.asked, attempts, name=name, purpose="calibrate")
        except VoiceError as fault:
            return NoOpinion("failed", fault)

    async def asked_alone(
        self, asked: VerificationRequest, attempts: list[Attempt], *, name: str, purpose: Purpose
    ) -> VerificationReply | NoOpinion:
        """Ask about some claims outside of any turn, keep what it took, and add that to `attempts`. Raises StoreError:
        what was spent cannot be read, or what it cost cannot be kept."""
        facts = facts_alone(self.profile, self.clock, self.ids)
        async with trace_alone(self._own, facts, self.clock) as trace:
            try:
                timeout_s, apart = self.timeout_s, self.apart
                return await ask_verifier(
                    self.verifier, asked, trace, timeout_s=timeout_s, apart=apart, name=name, purpose=purpose
                )
            finally:
                attempts.extend(trace.spent(since=self.clock.monotonic_ms()).attempts)


@dataclass(slots=True, kw_only=True)
class Belief:
    """Whether a verifier is believed; a new one is tested first, once."""

    calibrating: Calibrating
    _missed: Lapse | None = None
    _not_before_ms: float = 0.0

    async def __call__(self, trace: Trace) -> CalibrationRecord | Lapse:
        """Return how the verifier did when tried, or why it could not be; `trace`'s deadline stands still meanwhile."""
        record = await self.calibrating.record()
        if record is not None:
            return record
        with trace.paused_deadline():
            async with self.calibrating.lock:
                return await self.calibrating.record() or await self._tried(trace)  # tried meanwhile by another turn

    async def _tried(self, trace: Trace) -> CalibrationRecord | Lapse:
        if self._missed is not None and self.calibrating.clock.monotonic_ms() < self._not_before_ms:
            return self._missed
        calls, label = await self.calibrating.trials(few=True), self.calibrating.verifier.info.label
        foreseen = self.calibrating.foresee(calls)
        try:
            trace.purse.require(foreseen.worst)  # by this turn's caps, too
            trace.tell(CalibrationBegun(verifier=label, calls=len(calls), expected_cost=foreseen.expected))
            with anyio.fail_after(_AUTOMATIC_S):
                return (await self.calibrating(calls)).record
        except BudgetExceeded:
            return "budget"
        except TimeoutError:
            return self._missing("late")
        except VoiceError:
            return self._missing("failed")

    def _missing(self, lapse: Lapse) -> Lapse:
        self._missed = lapse
        self._not_before_ms = self.calibrating.clock.monotonic_ms() + _WAIT_MS
        return lapse


def foreseen_together(calls: Sequence[CallForeseen]) -> CallForeseen:
    """Return what several calls would take together."""
    total = NOTHING_TO_PAY
    for one in calls:
        total = CallForeseen(
            prompt_tokens=total.prompt_tokens + one.prompt_tokens,
            max_output_tokens=total.max_output_tokens + one.max_output_tokens,
            expected=_sum(total.expected, one.expected),
            worst=_sum(total.worst, one.worst),
        )
    return total


def _sum(one: Decimal | None, other: Decimal | None) -> Decimal | None:
    return None if one is None or other is None else one + other


_PAIRS_A_CALL: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictQuestion:
    """The verifier's opinion on some pairs."""

    verified: tuple[Conflict, ...] = ()
    """Those that it calls contradicted in both directions, marked so."""
    unanswered: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictVerification:
    """Asks one verifier about pairs of statements."""

    calibrating: Calibrating
    allow_private_remote: bool = False

    async def require_believed(self, *, include_private: bool) -> None:
        """Check that the verifier may be asked. Raises ConfigurationError: untried, not believed, or no consent."""
        consent = DraftVerification(verifier=self.calibrating.verifier)
        consent.require_consent(is_private=include_private, allowed=self.allow_private_remote)
        record, label = await self.calibrating.record(), self.calibrating.verifier.info.label
        if record is None:
            raise ConfigurationError(
                f"{label} has not been tested yet, so voice does not trust it; run `voice verifier check`"
            )
        if not record.is_believed:
            raise ConfigurationError(
                f"{label} accepts too many false statements; choose another model with SURR_VERIFIER_MODEL"
            )

    def foresee(self, pairs: Sequence[Conflict]) -> CallForeseen:
        """Return what asking about the pairs would take, and ask nobody."""
        return foreseen_together([self.calibrating.verifier.foresee(each) for _, each in self._calls(pairs)])

    async def __call__(self, pairs: Sequence[Conflict]) -> ConflictQuestion:
        """Return which of the pairs contradict each other. Raises BudgetExceeded: nobody was asked."""
        await self.calibrating.require_paid(self.foresee(pairs).worst)
        verified: list[Conflict] = []
        attempts: list[Attempt] = []
        unanswered = 0
        for some, asked in self._calls(pairs):
            name = f"{self.calibrating.verifier.info.name}, conflicts"
            said = await self.calibrating.asked_alone(asked, attempts, name=name, purpose="verify")
            if isinstance(said, NoOpinion):
                unanswered += len(some)
            else:
                verified += contradicted(some, said)
        return ConflictQuestion(verified=tuple(verified), unanswered=unanswered)

    def _calls(self, pairs: Sequence[Conflict]) -> list[tuple[Sequence[Conflict], VerificationRequest]]:
        asked = [each for each in pairs if each.difference != "edge"]  # edges clash by their structure
        calls = [asked[start : start + _PAIRS_A_CALL] for start in range(0, len(asked), _PAIRS_A_CALL)]
        today = self.calibrating.clock.now().date()
        return [(some, request_of(some, today)) for some in calls]


def request_of(pairs: Sequence[Conflict], today: date) -> VerificationRequest:
    """Return what is asked about some pairs: each side is a claim, and the other side what it cites."""
    sides = list(enumerate((side for pair in pairs for side in (pair.one, pair.other)), start=1))
    passages = tuple(
        CitedPassage(alias=f"S{number}", text=side.said, day=side.told_at.date() if has_date(side.told_at) else None)
        for number, side in sides
    )
    claims = tuple(  # S1 and S2 are a pair, S3 and S4, …
        ClaimToVerify(number=number, text=side.said, cited=(f"S{number + 1 if number % 2 else number - 1}",))
        for number, side in sides
    )
    return VerificationRequest(question="", today=today, claims=claims, passages=passages)


def contradicted(pairs: Sequence[Conflict], reply: VerificationReply) -> list[Conflict]:
    """Return the pairs of which a reply calls both sides contradicted, marked so."""
    verdicts = {each.number: each.verdict for each in reply.opinions}
    return [
        replace(pair, is_verified=True)
        for number, pair in enumerate(pairs)
        if {verdicts.get(2 * number + 1), verdicts.get(2 * number + 2)} == {"contradicted"}
    ]
