"""Ask the verifier about what rules cannot prove, of a draft or of anybody's text.

Law: a verifier is asked once a turn, about all that is open, and only where it is believed
(`voice.services.verification.outside_turns`). One that is late, fails, is not believed, or answers otherwise than its
contract says has given no opinion, and why is on record: never a silent fallback, and never the end of the turn, which
may be paid for. It may not take longer than it is given, whether it awaits, computes or hangs
(`voice.services.runtime.isolated_calls`). It reports its calls to a meter of its own, and begins none that the cap does
not pay for. What an exception of somebody else's package says is dropped: it may hold the person's text.

Of anybody's text (an answer and facts in, a report out) nothing is kept, and no memory is needed.

Source: DESIGN 6 "The verifier", "The judge is a product of its own"; rulings D8, D25, H; promise 6.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Literal, NamedTuple, cast

import anyio
from anyio.to_thread import run_sync

from voice.core.errors import (
    BudgetExceeded,
    ConfigurationError,
    DeadlineExceeded,
    OpinionMalformed,
    VerifierFailed,
    VoiceError,
)
from voice.core.grounding.check import CheckReport, Fact, check_report, prove_text
from voice.core.grounding.claim_verification import verification_request
from voice.core.grounding.values import Draft
from voice.core.grounding.verifier_values import (
    CalibrationRecord,
    Lapse,
    Verification,
    VerificationReply,
    VerificationRequest,
)
from voice.core.session.exchange import total_cost
from voice.core.session.values import Purpose
from voice.core.usage import Price, Usage
from voice.ports.system import Clock
from voice.ports.verifier import Verifier, VerifierRequest
from voice.services.runtime.isolated_calls import CallerLoop, CallerLoopMeter, IsolatedCalls
from voice.services.runtime.spending import Spending
from voice.services.runtime.turn import Trace

_SHARE_OF_TURN = 0.8  # of the time that a turn has left; the rest is for judging and keeping


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifierOpinions:
    """The opinions of the verifier."""

    reply: VerificationReply | None = field(repr=False)
    """None: nobody was asked, or gave no opinion."""
    record: Verification | None
    """None: there is no verifier, or nothing was to be asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftVerification:
    """Asks the verifier that is set up."""

    verifier: Verifier | None = None
    belief: Callable[[Trace], Awaitable[CalibrationRecord | Lapse]] | None = None
    """Tells whether it is believed (`voice.services.verification.outside_turns.Belief`); None: it is, untried."""
    timeout_s: float = 30.0
    apart: IsolatedCalls = field(default_factory=IsolatedCalls, repr=False)
    """Where it is awaited; a verifier that does not come back is not asked again before it does."""

    def may_see(self, *, is_private: bool, allowed: bool) -> bool:
        """Return whether rows may reach whoever verifies: private ones leave this machine with consent alone."""
        return not is_private or allowed or self.verifier is None or not self.verifier.remote

    def require_consent(self, *, is_private: bool, allowed: bool) -> None:
        """Let private rows pass if they may. Raises ConfigurationError: they would leave without consent (ruling H)."""
        if self.verifier is not None and not self.may_see(is_private=is_private, allowed=allowed):
            raise ConfigurationError(
                f"private rows would be sent to the verifier {self.verifier.info.name}; that needs its own consent: "
                "set SURR_ALLOW_PRIVATE_REMOTE=1, set SURR_VERIFIER=none, or ask without private rows"
            )

    async def __call__(self, wanted: VerificationRequest | None, trace: Trace) -> VerifierOpinions:
        """Return the verifier's opinion on what is wanted, if anything, and its record; costs are noted in `trace`."""
        if self.verifier is None or wanted is None:
            return VerifierOpinions(reply=None, record=None)
        record = Verification(verifier=self.verifier.info, asked=len(wanted.claims))
        calibration = await self.belief(trace) if self.belief is not None else None
        if isinstance(calibration, str):  # why it cannot be told
            return VerifierOpinions(reply=None, record=replace(record, lapse=calibration))
        if isinstance(calibration, CalibrationRecord):
            record = replace(record, false_support=calibration.false_support)
            if not calibration.is_believed:
                return VerifierOpinions(reply=None, record=replace(record, lapse="not_believed"))
        left_s = anyio.current_effective_deadline() - anyio.current_time()
        timeout_s, name = min(self.timeout_s, _SHARE_OF_TURN * left_s), self.verifier.info.name
        answer = await ask_verifier(self.verifier, wanted, trace, timeout_s=timeout_s, apart=self.apart, name=name)
        if isinstance(answer, NoOpinion):
            return VerifierOpinions(reply=None, record=replace(record, lapse=answer.lapse))
        return VerifierOpinions(reply=answer, record=replace(record, answers_question=answer.answers_question))


class NoOpinion(NamedTuple):
    """The reason why a verifier gave no opinion."""

    lapse: Lapse
    fault: VoiceError | None = None
    """What it raised, where that is an error of ours."""


@dataclass(slots=True, kw_only=True)
class TurnMeter:
    """Keeps one verifier's calls on the record of a turn (ruling D8)."""

    trace: Trace
    purpose: Purpose = "verify"
    _open: int | None = None  # place of the call that is begun and not ended among the turn's attempts

    def begin(self, worst: Decimal | None) -> None:
        """Keep a call that is about to be made; see `CallMeter.begin`."""
        self._require_none_open()
        self.trace.begin(worst, purpose=self.purpose)
        self._open = len(self.trace.attempts) - 1

    async def begin_paid(self, worst: Decimal | None) -> None:
        """Keep a call as `begin` does, and have it in the store. Raises StoreError: not on record, do not make it."""
        self._require_none_open()
        await self.trace.begin_paid(worst, purpose=self.purpose)
        self._open = len(self.trace.attempts) - 1

    def again(self) -> None:
        """Keep that a call is repeated; see `CallMeter.again`."""
        self._require_open()
        self.trace.again()
        self._open = len(self.trace.attempts) - 1

    def end(self, usage: Usage | None, outcome: Literal["draft", "malformed", "error"]) -> None:
        """Keep what became of a call; see `CallMeter.end`."""
        self._require_open()
        self.trace.end()
        self.trace.record_reply(usage or Usage(), outcome)
        self._open = None

    def undo(self) -> None:
        """Forget a call that was not made; see `CallMeter.undo`."""
        self._require_open()
        self.trace.undo()
        self._open = None

    @property
    def left(self) -> Decimal | None:
        """What is left to spend; see `CallMeter.left`."""
        return self.trace.purse.left

    def _require_none_open(self) -> None:
        if self._open is not None:
            raise VerifierFailed("a verifier began a call before it ended the one before")

    def _require_open(self) -> None:
        """Let a call be reported on only by whom it was begun, and only while no other was begun after it."""
        if self._open is None or self._open != len(self.trace.attempts) - 1:
            raise VerifierFailed("a verifier reported on a call that it had not begun")


async def ask_verifier(  # noqa: PLR0913 - who is asked what, and within what, by name
    verifier: Verifier,
    asked: VerificationRequest,
    trace: Trace,
    *,
    timeout_s: float,
    apart: IsolatedCalls,
    name: str,
    purpose: Purpose = "verify",
) -> VerificationReply | NoOpinion:
    """Return what a verifier says, or why it says nothing, within `timeout_s`; its calls go on `trace`, each held to
    the caps before it is made. While a call of that name has not come back, the next one is late."""
    own = TurnMeter(trace=trace, purpose=purpose)

    async def work(home: CallerLoop) -> VerificationReply | NoOpinion:
        with anyio.move_on_after(timeout_s):  # ends what awaits, over there…
            meter = CallerLoopMeter(meter=own, home=home, begin_paid=own.begin_paid)
            return await _answer_of(verifier, VerifierRequest(asked=asked, timeout_s=timeout_s, meter=meter))
        return NoOpinion("late")

    if apart.is_busy(name):  # it has not come back: no second thread
        return NoOpinion("late")
    with anyio.move_on_after(timeout_s):  # …and waits no longer for what hangs
        return await apart.run(name, work, broken=NoOpinion("failed"))
    return NoOpinion("late")


async def _answer_of(verifier: Verifier, request: VerifierRequest) -> VerificationReply | NoOpinion:
    try:
        answer = cast("object", await verifier.verify(request))  # a package may return anything, whatever it declares
    except BudgetExceeded as fault:
        return NoOpinion("budget", fault)
    except DeadlineExceeded as fault:
        return NoOpinion("late", fault)
    except OpinionMalformed as fault:
        return NoOpinion("malformed", fault)
    except VoiceError as fault:
        return NoOpinion("failed", fault)
    except Exception:  # noqa: BLE001 - a package of somebody else's may fail in any way, and may quote the person's text
        return NoOpinion("failed")
    if isinstance(answer, VerificationReply):
        return answer
    return NoOpinion("malformed", OpinionMalformed("a verifier's answer is not a verification reply"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The check of an answer, and what it took."""

    report: CheckReport
    verification: Verification | None = None
    """Who was asked about what rules cannot prove; None: nobody."""
    cost: Decimal | None = Decimal(0)
    """In US dollars; None = not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Checks answers."""

    clock: Clock
    verifying: DraftVerification = DraftVerification()
    price: Price | None = None
    spending: Spending = field(default_factory=Spending)

    @property
    def asks(self) -> bool:
        """Whether there is a verifier to ask."""
        return self.verifying.verifier is not None

    async def __call__(
        self, answer: str | Draft, facts: Sequence[Fact], *, question: str = "", now: datetime | None = None
    ) -> Checked:
        """Check an answer, plain text with markers such as `[1]` or a draft whose sources name facts by id. The words
        of `question` need no proof; "today" is reckoned from `now`. Raises InvalidParams: nothing to check, or too
        much."""
        at = now or self.clock.now()
        proof = await run_sync(partial(prove_text, answer, facts, question=question, now=at), abandon_on_cancel=True)
        with self.spending.purse() as purse:
            await purse.open("", at, self.price)  # of no session
            trace = Trace(clock=self.clock, purse=purse)
            opinions = await self.verifying(verification_request(proof, question=question, today=at.date()), trace)
        label = opinions.record.verifier.label if opinions.record else None
        report = await run_sync(partial(check_report, proof, facts, opinions.reply, label), abandon_on_cancel=True)
        return Checked(report=report, verification=opinions.record, cost=total_cost(trace.attempts, self.price))
