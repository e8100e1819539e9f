"""Hearing the verifiers about the sentences of a draft.

Law: a verifier that is late, fails, or answers otherwise than its contract says has given no opinion, and that is on
record: never a silent fallback, and never the end of the turn, which may be paid for. Verifiers are asked one after
the other, in the order of the setting, so that the same turn asks the same things; none of them may take so long that
the turn is lost, whether it awaits, computes or hangs (`voice.services.apart`): one that hangs still is late again.
Each reports its calls to a meter of its own: it reaches no attempt but those, and begins none that the cap does not pay
for. What an exception of somebody else's package says is dropped: it may hold the person's text.

Source: GROUNDING step 5; rulings D8, D25, H; promise 6.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal, cast

import anyio

from voice.core.errors import (
    BudgetExceeded,
    ConfigurationError,
    DeadlineExceeded,
    OpinionMalformed,
    VerifierFailed,
    VoiceError,
)
from voice.core.grounding.opinions import Opinion, weigh
from voice.core.grounding.verification import ClaimPair, Ensemble, Lapse, Scores, Verification, VerifierInfo
from voice.core.usage import Usage
from voice.ports.verifier import Verifier, VerifierRequest
from voice.services.apart import Apart, Home, MeterAtHome
from voice.services.turn import Trace

_SHARE_OF_TURN = 0.8
"""Of the time that a turn has left; the rest is for judging and keeping."""
_BROKEN: Lapse = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What the verifiers said."""

    opinions: Mapping[str, Opinion] = field(repr=False)
    """By the text of the sentence."""
    record: Verification | None
    """None: no verifier is set up."""


@dataclass(slots=True, kw_only=True)
class TurnMeter:
    """Keeps one verifier's calls on the record of a turn (ruling D8)."""

    trace: Trace
    _open: int | None = None
    """Where the call that was begun and not ended stands among the turn's attempts."""

    def begin(self, worst: Decimal | None) -> None:
        """Keep a call that is about to be made; see `CallMeter.begin`.

        Raises:
            BudgetExceeded: a spending cap does not allow it; it is not kept and must not be made.
            VerifierFailed: the call before it was not ended.
        """
        self._require_none_open()
        self.trace.begin(worst, purpose="verify")
        self._open = len(self.trace.attempts) - 1

    async def begin_paid(self, worst: Decimal | None) -> None:
        """Keep a call that is about to be made, as `begin` does, and have it in the store before it is.

        Raises:
            BudgetExceeded: a spending cap does not allow it; it is not kept and must not be made.
            StoreError: it cannot be put on record; it must not be made.
            VerifierFailed: the call before it was not ended.
        """
        self._require_none_open()
        await self.trace.begin_paid(worst, purpose="verify")
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Verifying:
    """Asks every verifier that is set up."""

    verifiers: tuple[Verifier, ...] = ()
    ensemble: Ensemble = "all"
    timeout_s: float = 10.0
    apart: Apart = field(default_factory=Apart, repr=False)
    """Where they are awaited; a verifier that does not come back is not asked again before it does."""

    def require_consent(self, *, is_private: bool, allowed: bool) -> None:
        """Let private rows pass only to verifiers that may see them.

        Raises:
            ConfigurationError: they would leave this machine without consent (ruling H).
        """
        away = [verifier.info.name for verifier in self.verifiers if verifier.remote]
        if is_private and away and not allowed:
            raise ConfigurationError(
                f"private rows would be sent to the verifier {away[0]}; that needs its own consent: set "
                "SURR_ALLOW_PRIVATE_REMOTE=1, leave it out of SURR_VERIFIER, or ask without private rows"
            )

    async def __call__(self, pairs: Sequence[ClaimPair], meter: TurnMeter) -> Heard:
        """Return the opinions on `pairs`, and the record of who was asked."""
        if not self.verifiers:
            return Heard(opinions={}, record=None)
        said: dict[str, Sequence[Scores | None]] = {}
        lapses: list[tuple[str, Lapse]] = []
        infos = tuple(verifier.info for verifier in self.verifiers)
        for info, verifier in zip(infos, self.verifiers, strict=True) if pairs else ():
            answer = await self._asked(verifier, tuple(pairs), meter)
            if isinstance(answer, str):
                lapses.append((info.name, answer))
            else:
                said[info.name] = answer
        record = Verification(verifiers=infos, ensemble=self.ensemble, asked=len(pairs), lapses=tuple(lapses))
        opinions = {pair.claim: self._weighed(at, infos, said) for at, pair in enumerate(pairs)}
        return Heard(opinions=opinions, record=record)

    def _weighed(self, at: int, infos: Sequence[VerifierInfo], said: Mapping[str, Sequence[Scores | None]]) -> Opinion:
        votes = {info.name: (said[info.name][at] if info.name in said else None, info.thresholds) for info in infos}
        return weigh(votes, self.ensemble)

    async def _asked(
        self, verifier: Verifier, pairs: tuple[ClaimPair, ...], meter: TurnMeter
    ) -> tuple[Scores | None, ...] | Lapse:
        """Return a verifier's answer, or why there is none."""
        info = verifier.info
        left = anyio.current_effective_deadline() - anyio.current_time()
        timeout = min(self.timeout_s, _SHARE_OF_TURN * left)
        own = TurnMeter(trace=meter.trace)

        async def work(home: Home) -> tuple[Scores | None, ...] | Lapse:
            with anyio.move_on_after(timeout):
                at_home = MeterAtHome(meter=own, home=home, begin_paid=own.begin_paid)
                return await _answer_of(verifier, VerifierRequest(pairs=pairs, timeout_s=timeout, meter=at_home))
            return "late"

        if self.apart.is_busy(info.name):
            return "late"
        with anyio.move_on_after(timeout):
            return await self.apart.run(info.name, work, broken=_BROKEN)
        return "late"


async def _answer_of(verifier: Verifier, request: VerifierRequest) -> tuple[Scores | None, ...] | Lapse:
    try:
        return _as_agreed(await verifier.score(request), len(request.pairs))
    except BudgetExceeded:
        return "budget"
    except DeadlineExceeded:
        return "late"
    except OpinionMalformed:
        return "malformed"
    except VoiceError:
        return "failed"
    except Exception:  # noqa: BLE001 - a package of somebody else's may fail in any way, and may quote the person's text
        return "failed"


def _as_agreed(answer: object, wanted: int) -> tuple[Scores | None, ...]:
    """Return an answer that holds one entry per pair, each `None` or two probabilities.

    Raises:
        OpinionMalformed: it is anything else, whatever the annotations of its package say.
    """
    entries = tuple(cast("Sequence[object]", answer)) if isinstance(answer, Sequence) else ()
    scores = tuple(entry for entry in entries if entry is None or (isinstance(entry, Scores) and _is_in_range(entry)))
    if not isinstance(answer, Sequence) or not len(entries) == len(scores) == wanted:
        raise OpinionMalformed("a verifier's answer is not one entry per pair, each None or two probabilities")
    return scores


def _is_in_range(scores: Scores) -> bool:
    return all(0.0 <= number <= 1.0 for number in (scores.entailed, scores.contradicted))
