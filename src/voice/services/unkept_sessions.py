"""Turns that are asked and not kept.

Law: no word of them reaches the person's store. What they cost does, as figures alone, like any turn that was paid for
and has no session to go to: money that is spent counts against the caps, whatever it was spent on.

Source: promises 6, 7; docs/budgets.md.
"""

from collections.abc import Sequence

from voice.core.session.alone import turn_alone
from voice.core.session.spend import charge_of
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.ports.spend_store import SpendStore
from voice.ports.stores import SessionStore
from voice.ports.system import IdSource


class UnkeptSessions:
    """A `SessionStore` that is gone when the process ends; what its turns cost is kept."""

    def __init__(self, inner: SessionStore, spending: SpendStore | None, ids: IdSource) -> None:
        """Hold the turns in `inner`, which must be in memory, and count what they cost in `spending`."""
        self._inner, self._spending, self._ids = inner, spending, ids
        self.load = inner.load
        self.sessions = inner.sessions
        self.topics = inner.topics
        self.first_exchanges = inner.first_exchanges
        self.exchanges = inner.exchanges

    async def save(
        self, session: InnerVoiceSession, exchanges: Sequence[DialogueExchange], *, expected: int
    ) -> InnerVoiceSession:
        """See `SessionStore.save`."""
        for exchange in exchanges:
            await self._count(exchange)
        return await self._inner.save(session, exchanges, expected=expected)

    async def _count(self, exchange: DialogueExchange) -> None:
        if self._spending is None or not exchange.attempts:
            return
        if charge_of(exchange).is_nothing:
            await self._spending.settle(exchange.id)
        else:
            await self._spending.keep(turn_alone(exchange, session_id=self._ids.new_id("s")))
