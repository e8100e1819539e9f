"""Sessions, their words and what was spent, in memory."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal

from voice.adapters.disk.values_json import Metric, from_json, to_json
from voice.adapters.memory.rows import TransientStore
from voice.core.errors import AlreadyAsked, SessionConflict, StoreError
from voice.core.records import Table, require_utc, table_of
from voice.core.session.budgets import AmountSpent, OpenCall, total_charge
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.core.text.normalise import clean_text
from voice.ports.row_queries import RowWords, SessionFigures, TurnWords
from voice.ports.stores import SessionListItem, check_save


class TransientSessionStore(TransientStore):
    """`SessionStore` in memory."""

    async def save(
        self, session: InnerVoiceSession, exchanges: Sequence[DialogueExchange], *, expected: int
    ) -> InnerVoiceSession:
        """Write the session and append the exchanges, all or nothing; see `SessionStore.save`."""
        check_save(session, exchanges, expected)
        with self._tables.transaction() as draft:
            keys = {each.idempotency for each in draft.exchanges.values()} - {""}
            if keys & {each.idempotency for each in exchanges}:
                raise AlreadyAsked("a turn is stored under this idempotency key; ask again to get it")
            stored = draft.sessions.get(session.id)
            if expected == 0 and any(point.session_id not in draft.sessions for point in session.lineage):
                raise SessionConflict("the session to fork was deleted meanwhile; nothing was forked")
            if (stored.revision if stored else 0) != expected:
                raise SessionConflict(f"{session.id} was changed meanwhile; load it again")
            places = {(each.session_id, each.index) for each in draft.exchanges.values()}
            for exchange in exchanges:
                if exchange.id in draft.exchanges or (exchange.session_id, exchange.index) in places:
                    raise StoreError(f"{exchange.id} is stored already")
                copy = from_json(DialogueExchange, to_json(DialogueExchange, exchange))
                draft.exchanges[exchange.id] = replace(copy, seq=draft.next_seq())
                if exchange.attempts and exchange.imported_from is None:
                    draft.open_calls.pop(exchange.id, None)
            saved = from_json(InnerVoiceSession, to_json(InnerVoiceSession, session))
            seq = draft.next_seq()
            draft.sessions[session.id] = replace(saved, context_window=(), seq=seq)
        return replace(session, seq=seq)

    async def load(self, session_id: str, *, window: int) -> InnerVoiceSession | None:
        """Return the session with its window; see `SessionStore.load`."""
        session = self._tables.now.sessions.get(session_id)
        if session is None:
            return None
        folded = -1 if session.rolling_summary is None else session.rolling_summary.through_index
        newer = [each for each in self._turns_of(session_id) if each.index > folded]
        return replace(session, context_window=tuple(newer[-window:]) if window > 0 else ())

    async def sessions(self, *, limit: int, status: Literal["open", "all"] = "all") -> list[SessionListItem]:
        """Return sessions, the most recent first; see `SessionStore.sessions`."""
        found = [each for each in self._tables.now.sessions.values() if status == "all" or each.status == "open"]
        return [list_item(each) for each in newest_first(found)[: max(limit, 0)]]

    async def topics(self) -> Mapping[str, str]:
        """Return the topics of all sessions; see `SessionStore.topics`."""
        return {each.id: each.thread_topic for each in self._tables.now.sessions.values()}

    def _turns_of(self, session_id: str) -> list[DialogueExchange]:
        """Return the turns of a conversation by index, including those that a fork shares with its ancestors."""
        session = self._tables.now.sessions.get(session_id)
        points = session.lineage if session else ()

        def owner(index: int) -> str:
            return next((point.session_id for point in points if index <= point.through_index), session_id)

        found = [each for each in self._tables.now.exchanges.values() if each.session_id == owner(each.index)]
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
        every = self._tables.now.exchanges.values()
        by_time = sorted(every, key=lambda exchange: (exchange.timestamp, exchange.id))
        found = [
            each
            for each in (by_time if session_id is None else self._turns_of(session_id))
            if (exchange_id is None or each.id == exchange_id)
            and (idempotency is None or each.idempotency == (idempotency or None))
            and (start is None or each.timestamp >= start)
            and each.index > after_index
        ]
        return found[: max(limit, 0)]

    async def first_exchanges(self, session_ids: Collection[str]) -> Mapping[str, DialogueExchange]:
        """Return the first turns of sessions; see `SessionStore.first_exchanges`."""
        turns = {session_id: self._turns_of(session_id)[:1] for session_id in session_ids}
        return {session_id: found[0] for session_id, found in turns.items() if found and found[0].index == 0}


def newest_first(sessions: Sequence[InnerVoiceSession]) -> list[InnerVoiceSession]:
    """Return sessions by their last interaction, the latest first, and equal ones by id."""
    by_id = sorted(sessions, key=lambda session: session.id)
    return sorted(by_id, key=lambda session: session.last_interaction, reverse=True)


def list_item(session: InnerVoiceSession) -> SessionListItem:
    """Return a session's line in a list of sessions."""
    return SessionListItem(
        id=session.id,
        thread_topic=session.thread_topic,
        status=session.status,
        created_at=session.created_at,
        last_interaction=session.last_interaction,
        total_exchanges=session.total_exchanges,
        topic_status=session.topic_status,
        begun_by=session.begun_by,
        is_fork=bool(session.lineage),
    )


class TransientMetricsStore(TransientStore):
    """`MetricsStore` in memory."""

    async def record(self, name: str, at: datetime, values: Mapping[str, float | int | str | bool]) -> None:
        """Store a metrics row; see `MetricsStore.record`."""
        metric = Metric(name=name, at=require_utc(at, "a metric's time"), values=dict(values))
        with self._tables.transaction() as draft:
            draft.metrics.append(from_json(Metric, to_json(Metric, metric)))

    async def count(self, name: str) -> int:
        """Return the number of stored rows of that name; see `MetricsStore.count`."""
        return sum(1 for metric in self._tables.now.metrics if metric.name == clean_text(name))


_QUARTER = 15


class TransientSpendStore(TransientStore):
    """`SpendStore` in memory."""

    async def spent_between(self, since: datetime, until: datetime) -> AmountSpent:
        """Return what was spent in a period; see `SpendStore.spent_between`."""
        first, end = _quarter_of(since), _quarter_of(until) + timedelta(minutes=_QUARTER)
        turns = self._tables.now.exchanges.values()
        return total_charge(turn for turn in turns if first <= turn.timestamp < end)

    async def spent_in(self, session_id: str) -> AmountSpent:
        """Return what was spent in a session; see `SpendStore.spent_in`."""
        turns = self._tables.now.exchanges.values()
        return total_charge(turn for turn in turns if turn.session_id == session_id)

    async def keep(self, call: DialogueExchange) -> None:
        """Keep a call that belongs to no turn; see `SpendStore.keep`."""
        with self._tables.transaction() as draft:
            copy = from_json(DialogueExchange, to_json(DialogueExchange, call))
            draft.exchanges[call.id] = replace(copy, seq=draft.next_seq())
            draft.open_calls.pop(call.id, None)

    async def begin(self, call: OpenCall) -> None:
        """Record what a call can cost; see `SpendStore.begin`."""
        with self._tables.transaction() as draft:
            worst = AmountSpent(at_worst=call.worst.counted, unknown=call.worst.unknown)
            before = draft.open_calls.get(call.id)
            draft.open_calls[call.id] = replace(call, worst=before.worst + worst if before else worst)

    async def settle(self, call_id: str) -> None:
        """Delete the record of a call; see `SpendStore.settle`."""
        with self._tables.transaction() as draft:
            draft.open_calls.pop(call_id, None)

    async def open_calls(self) -> list[OpenCall]:
        """Return the calls that are not settled; see `SpendStore.open_calls`."""
        return sorted(self._tables.now.open_calls.values(), key=lambda call: (call.began_at, call.id))


def _quarter_of(moment: datetime) -> datetime:
    at = require_utc(moment, "a moment")
    return at.replace(minute=at.minute - at.minute % _QUARTER, second=0, microsecond=0)


class TransientSkimming(TransientStore):
    """`Skimming` in memory."""

    async def rows(self, table: Table) -> AsyncIterator[Sequence[RowWords]]:
        """Yield the rows of a table; see `Skimming.rows`."""
        rows = self._tables.now.rows
        yield [RowWords.of(rows[row_id]) for row_id in sorted(rows) if table_of(row_id) is table]

    async def turns(self) -> AsyncIterator[Sequence[TurnWords]]:
        """Yield the turns of all sessions; see `Skimming.turns`."""
        yield [
            TurnWords(id=each.id, at=each.timestamp, question=each.my_query, answer=each.answer)
            for _, each in sorted(self._tables.now.exchanges.items())
        ]

    async def sessions(self) -> AsyncIterator[Sequence[SessionFigures]]:
        """Yield the figures of each session; see `Skimming.sessions`."""
        yield [
            SessionFigures(
                id=each.id,
                turns=each.answered + each.refused + each.errors,
                refused=each.refused,
                tokens=each.total_tokens,
                cost=each.total_cost,
            )
            for _, each in sorted(self._tables.now.sessions.items())
        ]
