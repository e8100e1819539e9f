"""Hearing one verifier about one request.

Law: a verifier that is late, fails, or answers otherwise than its contract says has given no opinion, and why is told:
never a silent fallback. It may not take longer than it is given, whether it awaits, computes or hangs
(`voice.services.apart`): one that hangs still is late again. It reports its calls to a meter of its own: it reaches no
attempt but those, and begins none that the cap does not pay for. What an exception of somebody else's package says is
dropped: it may hold the person's text.

Source: DESIGN 6 "The verifier"; rulings D8, D25; promise 6.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, NamedTuple

import anyio

from voice.core.errors import BudgetExceeded, DeadlineExceeded, OpinionMalformed, VerifierFailed, VoiceError
from voice.core.grounding.verifier_values import Lapse, VerificationReply, VerificationRequest
from voice.core.session.values import Purpose
from voice.core.usage import Usage
from voice.ports.verifier import Verifier, VerifierRequest
from voice.services.apart import Apart, Home, MeterAtHome
from voice.services.turn import Trace


class Missed(NamedTuple):
    """Why a verifier gave no opinion."""

    lapse: Lapse
    fault: VoiceError | None = None
    """What it raised, where that is an error of ours."""


@dataclass(slots=True, kw_only=True)
class TurnMeter:
    """Keeps one verifier's calls on the record of a turn (ruling D8)."""

    trace: Trace
    purpose: Purpose = "verify"
    _open: int | None = None
    """Where the call that was begun and not ended stands among the turn's attempts."""

    def begin(self, worst: Decimal | None) -> None:
        """Keep a call that is about to be made; see `CallMeter.begin`.

        Raises:
            BudgetExceeded: a spending cap does not allow it; it is not kept and must not be made.
            VerifierFailed: the call before it was not ended.
        """
        self._require_none_open()
        self.trace.begin(worst, purpose=self.purpose)
        self._open = len(self.trace.attempts) - 1

    async def begin_paid(self, worst: Decimal | None) -> None:
        """Keep a call that is about to be made, as `begin` does, and have it in the store before it is.

        Raises:
            BudgetExceeded: a spending cap does not allow it; it is not kept and must not be made.
            StoreError: it cannot be put on record; it must not be made.
            VerifierFailed: the call before it was not ended.
        """
        self._require_none_open()
        await self.trace.begin_paid(worst, purpose=self.purpose)
        self._open = len(self.trace.attempts) - 1

    def again(self) -> None:
        """Keep that a call is repeated; see `CallMeter.again`.

        Raises:
            BudgetExceeded: a spending cap does not allow that; the call that failed is to be ended.
            VerifierFailed: there is no call to repeat.
        """
        self._require_open()
        self.trace.again()
        self._open = len(self.trace.attempts) - 1

    def end(self, usage: Usage | None, outcome: Literal["draft", "malformed", "error"]) -> None:
        """Keep what became of a call; see `CallMeter.end`.

        Raises:
            VerifierFailed: there is no call to end.
        """
        self._require_open()
        self.trace.end()
        self.trace.heard(usage or Usage(), outcome)
        self._open = None

    def undo(self) -> None:
        """Forget a call that was not made; see `CallMeter.undo`.

        Raises:
            VerifierFailed: there is no call to forget.
        """
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


async def heard(  # noqa: PLR0913 - who is asked what, and within what, by name
    verifier: Verifier,
    asked: VerificationRequest,
    trace: Trace,
    *,
    timeout_s: float,
    apart: Apart,
    name: str,
    purpose: Purpose = "verify",
) -> VerificationReply | Missed:
    """Return what a verifier says, or why it says nothing.

    Args:
        verifier: who is asked.
        asked: about what.
        trace: where its calls are noted, each held to the caps before it is made.
        timeout_s: after which it is not waited for any longer.
        apart: where it is awaited.
        name: under which; while a call of that name has not come back, the next one is late.
        purpose: what its calls are for.
    """
    own = TurnMeter(trace=trace, purpose=purpose)

    async def work(home: Home) -> VerificationReply | Missed:
        with anyio.move_on_after(timeout_s):
            meter = MeterAtHome(meter=own, home=home, begin_paid=own.begin_paid)
            return await _answer_of(verifier, VerifierRequest(asked=asked, timeout_s=timeout_s, meter=meter))
        return Missed("late")

    if apart.is_busy(name):
        return Missed("late")
    with anyio.move_on_after(timeout_s):
        return await apart.run(name, work, broken=Missed("failed"))
    return Missed("late")


async def _answer_of(verifier: Verifier, request: VerifierRequest) -> VerificationReply | Missed:
    try:
        return _as_agreed(await verifier.verify(request))
    except BudgetExceeded as fault:
        return Missed("budget", fault)
    except DeadlineExceeded as fault:
        return Missed("late", fault)
    except OpinionMalformed as fault:
        return Missed("malformed", fault)
    except VoiceError as fault:
        return Missed("failed", fault)
    except Exception:  # noqa: BLE001 - a package of somebody else's may fail in any way, and may quote the person's text
        return Missed("failed")


def _as_agreed(answer: object) -> VerificationReply:
    """Return an answer that is a reply.

    Raises:
        OpinionMalformed: it is anything else, whatever the annotations of its package say.
    """
    if not isinstance(answer, VerificationReply):
        raise OpinionMalformed("a verifier's answer is not a verification reply")
    return answer
