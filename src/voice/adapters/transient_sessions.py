"""Sessions in memory, which end with the process: what an exam asks its questions in.

Law: `SessionStore`, but that nothing reaches a disk and nothing is forked; a save is checked as a whole before anything
of it is written.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Literal

from voice.core.errors import AlreadyAsked, SessionConflict, StoreError
from voice.core.records import require_utc
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.ports.stores import SessionListItem, check_save


class TransientSessionStore:
    """`SessionStore` in memory."""

    def __init__(self) -> None:
        self._sessions: dict[str, InnerVoiceSession] = {}
        self._exchanges: dict[str, DialogueExchange] = {}
        self._seq = 0

    async def save(
        self, session: InnerVoiceSession, exchanges: Sequence[DialogueExchange], *, expected: int
    ) -> InnerVoiceSession:
        """Write the session and append the exchanges, all or nothing; see `SessionStore.save`."""
        check_save(session, exchanges, expected)
        self._require_unchanged(session, expected)
        self._require_new(exchanges)
        for exchange in exchanges:
            self._seq += 1
            self._exchanges[exchange.id] = replace(exchange, seq=self._seq)
        self._seq += 1
        # The window is made of turns when it is loaded.
        self._sessions[session.id] = replace(session, context_window=(), seq=self._seq)
        return replace(session, seq=self._seq)

    def _require_unchanged(self, session: InnerVoiceSession, expected: int) -> None:
        stored = self._sessions.get(session.id)
        if (stored.revision if stored else 0) != expected:
            raise SessionConflict(f"{session.id} was changed meanwhile; load it again")

    def _require_new(self, exchanges: Sequence[DialogueExchange]) -> None:
        stored = self._exchanges.values()
        if {each.idempotency for each in exchanges} & {each.idempotency for each in stored} - {""}:  # "" is no key
            raise AlreadyAsked("a turn is stored under this idempotency key; ask again to get it")
        places = {(each.session_id, each.index) for each in stored}
        for exchange in exchanges:
            if exchange.id in self._exchanges or (exchange.session_id, exchange.index) in places:
                raise StoreError(f"{exchange.id} is stored already")

    async def load(self, session_id: str, *, window: int) -> InnerVoiceSession | None:
        """Return the session with its window; see `SessionStore.load`."""
        session = self._sessions.get(session_id)
        if session is None:
            return None
        folded = -1 if session.rolling_summary is None else session.rolling_summary.through_index
        newer = [each for each in self._turns_of(session_id) if each.index > folded]
        return replace(session, context_window=tuple(newer[-window:]) if window > 0 else ())

    async def sessions(self, *, limit: int, status: Literal["open", "all"] = "all") -> list[SessionListItem]:
        """Return sessions, the most recent first; see `SessionStore.sessions`."""
        by_id = [session for _, session in sorted(self._sessions.items())]
        newest_first = sorted(by_id, key=lambda session: session.last_interaction, reverse=True)
        return [_list_item(each) for each in newest_first if status in ("all", each.status)][: max(limit, 0)]

    async def topics(self) -> Mapping[str, str]:
        """Return the topics of all sessions; see `SessionStore.topics`."""
        return {each.id: each.thread_topic for each in self._sessions.values()}

    def _turns_of(self, session_id: str) -> list[DialogueExchange]:
        found = [each for each in self._exchanges.values() if each.session_id == session_id]
        return sorted(found, key=lambda exchange: exchange.index)

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
        """Return exchanges in the order of their time or index; see `SessionStore.exchanges`."""
        start = None if since is None else require_utc(since, "since")
        by_time = sorted(self._exchanges.values(), key=lambda exchange: (exchange.timestamp, exchange.id))
        found = [
            each
            for each in (by_time if session_id is None else self._turns_of(session_id))
            if (exchange_id is None or each.id == exchange_id)
            and (idempotency is None or each.idempotency == (idempotency or None))  # so that "" finds nothing
            and (start is None or each.timestamp >= start)
            and each.index > after_index
        ]
        return found[: max(limit, 0)]

    async def first_exchanges(self, session_ids: Collection[str]) -> Mapping[str, DialogueExchange]:
        """Return the first turns of sessions; see `SessionStore.first_exchanges`."""
        turns = {session_id: self._turns_of(session_id)[:1] for session_id in session_ids}
        return {session_id: found[0] for session_id, found in turns.items() if found and found[0].index == 0}


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
