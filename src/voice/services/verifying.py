"""Hearing the verifiers about the sentences of a draft.

Law: a verifier that is late, fails, or answers otherwise than its contract says has given no opinion, and that is on
record: never a silent fallback. Verifiers are asked one after the other, in the order of the setting, so that the same
turn asks the same things; none of them may take so long that the turn is lost. What an exception of somebody else's
package says is dropped: it may hold the person's text.

Source: GROUNDING step 5; rulings D8, D25, H; promise 6.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Literal

import anyio

from voice.core.errors import BudgetExceeded, ConfigurationError, DeadlineExceeded, OpinionMalformed, VoiceError
from voice.core.grounding.opinions import Opinion, weigh
from voice.core.grounding.verification import ClaimPair, Ensemble, Lapse, Scores, Verification
from voice.core.session.exchange import left_to_spend
from voice.core.usage import Price, Usage
from voice.ports.verifier import Verifier, VerifierRequest
from voice.services.turn import Trace

_SHARE_OF_TURN = 0.8
"""Of the time that a turn has left; the rest is for judging and keeping."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What the verifiers said."""

    opinions: Mapping[str, Opinion] = field(repr=False)
    """By the text of the sentence."""
    record: Verification | None
    """None: no verifier is set up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnMeter:
    """Keeps a verifier's calls on the record of a turn (ruling D8)."""

    trace: Trace
    price: Price | None
    cap: Decimal | None

    def begin(self, worst: Decimal | None) -> None:
        """Keep a call that is about to be made; see `CallMeter.begin`."""
        self.trace.begin(worst, purpose="verify")

    def again(self) -> None:
        """Keep that a call is repeated; see `CallMeter.again`."""
        self.trace.again()

    def end(self, usage: Usage | None, outcome: Literal["draft", "malformed", "error"]) -> None:
        """Keep what became of a call; see `CallMeter.end`."""
        self.trace.end()
        attempts = self.trace.attempts
        attempts[-1] = replace(attempts[-1], usage=usage or Usage(), outcome=outcome)

    def undo(self) -> None:
        """Forget a call that was not made; see `CallMeter.undo`."""
        self.trace.undo()

    @property
    def left(self) -> Decimal | None:
        """What is left to spend; see `CallMeter.left`."""
        return left_to_spend(self.cap, self.trace.attempts, self.price, worst=self.trace.worst)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verifying:
    """Asks every verifier that is set up."""

    verifiers: tuple[Verifier, ...] = ()
    ensemble: Ensemble = "all"
    timeout_s: float = 10.0

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
        for verifier in self.verifiers if pairs else ():
            name = verifier.info.name
            answer = await self._asked(verifier, tuple(pairs), meter)
            if isinstance(answer, str):
                lapses.append((name, answer))
            else:
                said[name] = answer
        record = Verification(
            verifiers=tuple(verifier.info for verifier in self.verifiers),
            ensemble=self.ensemble,
            asked=len(pairs),
            lapses=tuple(lapses),
        )
        opinions = {pair.claim: self._weighed(at, said) for at, pair in enumerate(pairs)}
        return Heard(opinions=opinions, record=record)

    def _weighed(self, at: int, said: Mapping[str, Sequence[Scores | None]]) -> Opinion:
        infos = [verifier.info for verifier in self.verifiers]
        votes = {info.name: (said[info.name][at] if info.name in said else None, info.thresholds) for info in infos}
        return weigh(votes, self.ensemble)

    async def _asked(
        self, verifier: Verifier, pairs: tuple[ClaimPair, ...], meter: TurnMeter
    ) -> Sequence[Scores | None] | Lapse:
        """Return a verifier's answer, or why there is none."""
        left = anyio.current_effective_deadline() - anyio.current_time()
        timeout = min(self.timeout_s, _SHARE_OF_TURN * left)
        request = VerifierRequest(pairs=pairs, timeout_s=timeout, meter=meter)
        answer: Sequence[Scores | None] | Lapse = "late"
        with anyio.move_on_after(timeout):
            answer = await _answer_of(verifier, request)
        if isinstance(answer, str):
            return answer
        return answer if _keeps_contract(answer, len(pairs)) else "malformed"


async def _answer_of(verifier: Verifier, request: VerifierRequest) -> Sequence[Scores | None] | Lapse:
    try:
        return await verifier.score(request)
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


def _keeps_contract(answer: Sequence[Scores | None], wanted: int) -> bool:
    """Return whether there is one entry per pair and every number is a probability."""
    numbers = [number for scores in answer if scores is not None for number in (scores.entailed, scores.contradicted)]
    return len(answer) == wanted and all(0.0 <= number <= 1.0 for number in numbers)
