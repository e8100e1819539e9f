"""What a model reported of its prompts of late, in whatever session.

Law: what one session learned of a model the next one starts from: the newest turns of the model in the latest sessions
count, those of this process among them as soon as they are kept (ruling D15). It is read once in a process for each
model, from what is kept with the turns anyway, and a handful of sessions at most. A store that cannot be read now is
read again with the next turn.

Source: docs/budgets.md, Trued up.
"""

from dataclasses import dataclass, field
from typing import Final

from voice.core.session.token_calibration import CalibrationKey, TokenCalibration, calibrate_tokens, ratios_of
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.ports.stores import SessionStore

MOST_TURNS: Final = 20
"""How many of the model's newest turns count beside those of the session itself."""
MOST_SESSIONS: Final = 8
"""How many of the latest sessions are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenCalibrations:
    """Holds what was reported of late, by who reported and what had counted."""

    _known: dict[CalibrationKey, dict[str, float]] = field(default_factory=dict[CalibrationKey, dict[str, float]])

    async def read(self, sessions: SessionStore, by: CalibrationKey) -> None:
        """Read what is kept, once.

        Raises:
            StoreError: it cannot be read.
        """
        if by in self._known:
            return
        found: dict[str, float] = {}
        for item in await sessions.sessions(limit=MOST_SESSIONS):
            if len(found) >= MOST_TURNS:
                break
            session = await sessions.load(item.id, window=MOST_TURNS)
            found = ratios_of(session.context_window if session else (), by) | found
        self._known.setdefault(by, found)

    def of(self, session: InnerVoiceSession, by: CalibrationKey) -> TokenCalibration:
        """Return what is known of one model for the next turn of `session`."""
        return calibrate_tokens((self._known.get(by, {}) | ratios_of(session.context_window, by)).values())

    def heard(self, exchange: DialogueExchange, by: CalibrationKey) -> None:
        """Keep in mind what was reported of a turn that is kept now."""
        known = self._known.get(by)
        if known is not None:
            self._known[by] = dict([*known.items(), *ratios_of([exchange], by).items()][-MOST_TURNS:])
