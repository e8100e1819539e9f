"""Asking the verifier about what rules cannot prove of a draft.

Law: a verifier is asked once a turn, about all that is open, and only where it is believed
(`voice.services.calibrating`). One that is late, fails, or is not believed has given no opinion, and that is on record:
never a silent fallback, and never the end of the turn, which may be paid for (`voice.services.hearing`).

Source: DESIGN 6 "The verifier"; rulings D8, D25, H; promise 6.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

import anyio

from voice.core.errors import ConfigurationError
from voice.core.grounding.verifier_values import (
    CalibrationRecord,
    Lapse,
    Verification,
    VerificationReply,
    VerificationRequest,
)
from voice.ports.verifier import Verifier
from voice.services.apart import Apart
from voice.services.hearing import Missed, heard
from voice.services.turn import Trace

_SHARE_OF_TURN = 0.8
"""Of the time that a turn has left; the rest is for judging and keeping."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What the verifier said."""

    reply: VerificationReply | None = field(repr=False)
    """None: nobody was asked, or gave no opinion."""
    record: Verification | None
    """None: there is no verifier, or nothing was to be asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verifying:
    """Asks the verifier that is set up."""

    verifier: Verifier | None = None
    belief: Callable[[Trace], Awaitable[CalibrationRecord | Lapse]] | None = None
    """Tells whether it is believed (`voice.services.calibrating.Belief`); None: it is, untried."""
    timeout_s: float = 30.0
    apart: Apart = field(default_factory=Apart, repr=False)
    """Where it is awaited; a verifier that does not come back is not asked again before it does."""

    def may_see(self, *, is_private: bool, allowed: bool) -> bool:
        """Return whether rows may reach whoever verifies: private ones leave this machine with consent alone."""
        return not is_private or allowed or self.verifier is None or not self.verifier.remote

    def require_consent(self, *, is_private: bool, allowed: bool) -> None:
        """Let private rows pass only to a verifier that may see them.

        Raises:
            ConfigurationError: they would leave this machine without consent (ruling H).
        """
        if self.verifier is not None and not self.may_see(is_private=is_private, allowed=allowed):
            raise ConfigurationError(
                f"private rows would be sent to the verifier {self.verifier.info.name}; that needs its own consent: "
                "set SURR_ALLOW_PRIVATE_REMOTE=1, set SURR_VERIFIER=none, or ask without private rows"
            )

    async def __call__(self, wanted: VerificationRequest | None, trace: Trace) -> Heard:
        """Return the verifier's opinion on what is wanted, and the record of it.

        Args:
            wanted: what is to be asked; None: nothing.
            trace: the turn; what is paid is noted there.
        """
        if self.verifier is None or wanted is None:
            return Heard(reply=None, record=None)
        record = Verification(verifier=self.verifier.info, asked=len(wanted.claims))
        tried = await self.belief(trace) if self.belief is not None else None
        if isinstance(tried, str):
            return Heard(reply=None, record=replace(record, lapse=tried))
        if isinstance(tried, CalibrationRecord):
            record = replace(record, false_support=tried.false_support)
            if not tried.is_believed:
                return Heard(reply=None, record=replace(record, lapse="not_believed"))
        answer = await heard(
            self.verifier,
            wanted,
            trace,
            timeout_s=self._time_left,
            apart=self.apart,
            name=self.verifier.info.name,
        )
        if isinstance(answer, Missed):
            return Heard(reply=None, record=replace(record, lapse=answer.lapse))
        return Heard(reply=answer, record=replace(record, answers_question=answer.answers_question))

    @property
    def _time_left(self) -> float:
        left = anyio.current_effective_deadline() - anyio.current_time()
        return min(self.timeout_s, _SHARE_OF_TURN * left)
