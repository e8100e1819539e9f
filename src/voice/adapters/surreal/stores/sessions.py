"""Sessions and exchanges in SurrealDB; implements `SessionStore`."""

import secrets
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Literal, cast

from voice.adapters.disk.values_json import Metric
from voice.adapters.surreal.codec import Record, decode_count, encode_instant
from voice.adapters.surreal.connection import (
    BEHIND,
    FOUND,
    META,
    NOT_RESTORING,
    Connection,
    Params,
    ThrownCode,
    block,
    is_key,
    record,
    records,
    run_repeatable,
)
from voice.adapters.surreal.stores.reading import BY_ID, pages_of, record_pages
from voice.adapters.surreal.stores.session_codec import (
    LISTED,
    decode_exchange,
    decode_figures,
    decode_lineage,
    decode_list_item,
    decode_session,
    encode_exchange,
    encode_metric,
    encode_session,
    encode_summary,
    recency_of,
)
from voice.adapters.surreal.stores.spending import CHARGE, SETTLE, charges_of, settled_by
from voice.adapters.surreal.writer import ConnectedStore, Write, Writer, WritingStore
from voice.core.errors import AlreadyAsked, SessionConflict
from voice.core.session.lifecycle import Part, parts
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.core.text.normalise import clean_text
from voice.ports.stores import SessionListItem, check_save

_CHECK = "IF (SELECT VALUE revision FROM $id) != $held { THROW 'session_conflict' };"
_CHECK_KEYS = "IF (SELECT VALUE id FROM exchanges WHERE idempotency IN $keys) != [] { THROW 'already_asked' };"
_SESSION = "UPSERT $id CONTENT $changed RETURN NONE;"
_SUMMARY = "IF (SELECT VALUE body FROM $summary) != [$digest.body] { UPSERT $summary CONTENT $digest RETURN NONE };"
_NO_SUMMARY = "DELETE $summary RETURN NONE;"
_EXCHANGES = "INSERT INTO exchanges $exchanges RETURN NONE;"
_LOAD = "SELECT * FROM $id"
_UNDER_KEY = "SELECT * FROM exchanges WHERE idempotency = $key"
_LOAD_SESSION = "RETURN [(SELECT * FROM $id), (SELECT * FROM $summary)]"
_OF_PART = "SELECT * FROM exchanges WHERE session_id = $owner AND index >= $first ORDER BY index LIMIT $limit"
_OF_PART_UP_TO = (
    "SELECT * FROM exchanges WHERE session_id = $owner AND index >= $first AND index <= $last "
    "ORDER BY index LIMIT $limit"
)
_OF_SESSION = (
    "RETURN [(SELECT ancestors, forked_at FROM $id), (SELECT * FROM exchanges "
    "WHERE session_id = $owner AND index >= $first ORDER BY index LIMIT $limit)]"
)
_OF_ALL = "SELECT * FROM exchanges WHERE index > $after ORDER BY timestamp, id LIMIT $limit"
_HOLDERS = f"SELECT VALUE [record::id(id), ancestors[0]] FROM $ids {FOUND}"  # noqa: S608 - a literal of ours
# One look-up in the index for each: for a longer list after IN the engine scans the table.
_FIRST_OF = (
    "RETURN array::flatten($owners.map(|$owner| (SELECT * FROM exchanges WHERE session_id = $owner AND index = 0)))"
)
# By id, in one walk: in the order of time the engine sorts all that is left anew for each page.
_FIGURES_SINCE = f"SELECT * {BEHIND} WHERE timestamp >= $since ORDER BY id LIMIT $limit"
_THERE = f"SELECT VALUE id FROM $ids {FOUND}"  # noqa: S608 - a literal of ours
_LIST = f"SELECT id, recency, {', '.join(LISTED)} FROM sessions"  # noqa: S608 - LISTED is a constant of ours
_TOPICS = "SELECT VALUE [record::id(id), thread_topic] FROM sessions"
_OPEN = "WHERE status = 'open'"
# With a status this reads an index: a turn without a session's name asks for the newest, of however many.
_LIST_ORDER = "ORDER BY recency, id LIMIT $limit"


class SurrealSessionStore(WritingStore):
    """`SessionStore` over a connection; writes go through the store's one writer."""

    def __init__(self, connection: Connection, writer: Writer) -> None:
        super().__init__(connection, writer)
        # The recency of a session that was saved here. Only a bound for the search: a session's old entries stay in
        # the engine's index for a while, one per turn, and all sort after its new one.
        self._newest: int | None = None

    async def save(
        self, session: InnerVoiceSession, exchanges: Sequence[DialogueExchange], *, expected: int
    ) -> InnerVoiceSession:
        """Write the session and append the exchanges in one transaction; see `SessionStore.save`."""
        check_save(session, exchanges, expected)
        charges, settled = charges_of(exchanges), settled_by(exchanges)

        async def decide(last_seq: int) -> Write:
            if not expected:  # a new one, which may be a fork
                await self._require_ancestors(session)
            numbered = [encode_exchange(each, last_seq + place) for place, each in enumerate(exchanges, start=1)]
            digest = encode_summary(session)
            keys = [each.idempotency for each in exchanges if each.idempotency]
            params: dict[str, object] = {
                "id": record("sessions", session.id),
                "held": [expected] if expected else [],  # as SELECT VALUE gives it; nothing for a new one
                "changed": encode_session(session, last_seq + len(exchanges) + 1),
                "summary": record("summaries", session.id),
                **({"digest": digest} if digest else {}),
                **({"keys": keys} if keys else {}),
                "exchanges": numbered,
                "charges": charges,
                "settled": settled,
            }
            summed = (*((SETTLE,) if settled else ()), *((CHARGE,) if charges else ()))
            # The key first: a repeated call learns that it was answered, not that its session has changed.
            checks = (_CHECK_KEYS, _CHECK) if keys else (_CHECK,)
            steps = (*checks, _SESSION, _SUMMARY if digest else _NO_SUMMARY, _EXCHANGES, *summed)
            return Write(steps=steps, params=params, numbers=len(exchanges) + 1)

        try:
            saved = replace(session, seq=await self._writer.commit("save a session", decide))
        except ThrownCode as error:
            if error.thrown == "already_asked":
                raise AlreadyAsked("a turn is stored under this idempotency key; ask again to get it") from None
            if error.thrown != "session_conflict":
                raise
            raise SessionConflict(f"{session.id} was changed meanwhile; load it again") from None
        self._newest = recency_of(session.last_interaction)
        return saved

    async def load(self, session_id: str, *, window: int) -> InnerVoiceSession | None:
        """Return the session with its window; see `SessionStore.load`."""
        if not is_key(session_id):
            return None
        ids = {"id": record("sessions", session_id), "summary": record("summaries", session_id)}
        found = await self._connection.run("load a session", _LOAD_SESSION, ids)
        rows, summaries = cast("list[list[Record]]", found)
        if not rows:
            return None
        session = decode_session(rows[0], summaries[0] if summaries else None)
        folded = -1 if session.rolling_summary is None else session.rolling_summary.through_index
        first = max(folded + 1, session.total_exchanges - max(window, 0))
        newest = await self._exchanges_of_parts(parts(session_id, session.lineage, first=first), max(window, 0))
        return replace(session, context_window=tuple(newest))

    async def sessions(self, *, limit: int, status: Literal["open", "all"] = "all") -> list[SessionListItem]:
        """Return sessions, the most recent first; see `SessionStore.sessions`."""
        limit = max(limit, 0)
        if status == "all":
            return await self._listed("", {"limit": limit})
        found: list[SessionListItem] = []
        if self._newest is not None:
            found = await self._listed(f"{_OPEN} AND recency <= $newest", {"limit": limit, "newest": self._newest})
        return found if found and len(found) == limit else await self._listed(_OPEN, {"limit": limit})

    async def topics(self) -> Mapping[str, str]:
        """Return the topics of all sessions; see `SessionStore.topics`."""
        found = await self._connection.run("list topics", _TOPICS, {})
        return dict(cast("list[tuple[str, str]]", found))

    async def _listed(self, where: str, params: Mapping[str, object]) -> list[SessionListItem]:
        found = await self._connection.run("list sessions", f"{_LIST} {where} {_LIST_ORDER}", params)
        return [decode_list_item(each) for each in cast("list[Record]", found)]

    async def exchanges(
        self,
        *,
        exchange_id: str | None = None,
        idempotency: str | None = None,
        session_id: str | None = None,
        after_index: int = -1,
        limit: int = 1000,
    ) -> list[DialogueExchange]:
        """Return exchanges in the order of their time or index; see `SessionStore.exchanges`."""
        if exchange_id is not None:
            if not is_key(exchange_id):
                return []
            return await self._listed_exchanges(_LOAD, {"id": record("exchanges", exchange_id)})
        if idempotency is not None:  # no call has the empty key
            return await self._listed_exchanges(_UNDER_KEY, {"key": idempotency}) if idempotency else []
        if session_id is not None:
            return await self._of_session(session_id, max(after_index + 1, 0), max(limit, 0))
        return await self._listed_exchanges(_OF_ALL, {"limit": max(limit, 0), "after": after_index})

    async def _of_session(self, session_id: str, first: int, limit: int) -> list[DialogueExchange]:
        """Return a session's exchanges by index, including those it shares; nearly always it has only its own."""
        if not is_key(session_id):
            return []
        place = {"id": record("sessions", session_id), "owner": session_id, "first": first, "limit": limit}
        found = await self._connection.run("list exchanges", _OF_SESSION, place)
        rows, exchanges = cast("list[list[Record]]", found)
        lineage = decode_lineage(rows[0]) if rows else ()
        if lineage:
            return await self._exchanges_of_parts(parts(session_id, lineage, first=first), limit)
        return [decode_exchange(each) for each in exchanges]

    async def _exchanges_of_parts(self, held: Iterable[Part], limit: int) -> list[DialogueExchange]:
        """Return the first exchanges of some parts of a conversation, by index."""
        # The order is ascending, since the engine takes twenty times as long to read an index backwards over what it
        # has not flushed; and there is a limit, since it otherwise reads on behind the last turn of a part.
        found: list[DialogueExchange] = []
        for part in held:
            bounds: dict[str, object] = {} if part.last is None else {"last": part.last}
            left = limit - len(found)
            most = left if part.last is None else min(left, part.last - part.first + 1)
            place = {"owner": part.session_id, "first": part.first, "limit": most}
            found += await self._listed_exchanges(_OF_PART_UP_TO if bounds else _OF_PART, {**place, **bounds})
            if len(found) >= limit:
                break
        return found

    async def figures(self, since: datetime | None = None) -> AsyncIterator[Sequence[DialogueExchange]]:
        """Yield what reports count of all turns; see `SessionStore.figures`."""
        bound = {} if since is None else {"since": encode_instant(since)}
        async for page in record_pages(self._connection, "exchanges", _FIGURES_SINCE if bound else BY_ID, bound):
            yield list(map(decode_figures, page))

    async def first_exchanges(self, session_ids: Collection[str]) -> Mapping[str, DialogueExchange]:
        """Return the first turns of sessions; see `SessionStore.first_exchanges`."""
        found: dict[str, DialogueExchange] = {}
        for page in pages_of(filter(is_key, session_ids)):
            ids = {"ids": records("sessions", page)}
            rows = await self._connection.run("find who holds first turns", _HOLDERS, ids)
            ancestors = dict(cast("list[tuple[str, str | None]]", rows))
            # A fork's first turn is the root's.
            holders = {session_id: ancestors.get(session_id) or session_id for session_id in page}
            owners = sorted(set(holders.values()))
            first = {each.session_id: each for each in await self._listed_exchanges(_FIRST_OF, {"owners": owners})}
            found |= {each: first[holder] for each, holder in holders.items() if holder in first}
        return found

    async def _listed_exchanges(self, text: str, params: Params) -> list[DialogueExchange]:
        found = await self._connection.run("list exchanges", text, params)
        return [decode_exchange(each) for each in cast("list[Record]", found)]

    async def _require_ancestors(self, session: InnerVoiceSession) -> None:
        """Refuse a fork of a deleted session; must be read under the number that the fork is written with."""
        wanted = records("sessions", (point.session_id for point in session.lineage))
        if not wanted:
            return
        found = await self._connection.run("look up what is forked", _THERE, {"ids": wanted})
        if len(cast("list[object]", found)) != len(wanted):
            raise SessionConflict("the session to fork was deleted meanwhile; nothing was forked")


_RECORD = block(NOT_RESTORING, "UPSERT $id CONTENT $metric RETURN NONE;")
_COUNT = "SELECT count() FROM metrics WHERE name = $name GROUP ALL"


class SurrealMetricsStore(ConnectedStore):
    """`MetricsStore` over a connection. Metrics take no `seq`: nothing is derived from them."""

    async def record(self, name: str, at: datetime, values: Mapping[str, float | int | str | bool]) -> None:
        """Store a metrics row; see `MetricsStore.record`."""
        metric = encode_metric(Metric(name=name, at=at, values=values))
        params = {"meta": META, "id": record("metrics", secrets.token_hex(10)), "metric": metric}
        await run_repeatable(self._connection, "record a metric", _RECORD, params)

    async def count(self, name: str) -> int:
        """Return the number of stored rows of that name; see `MetricsStore.count`."""
        return decode_count(await self._connection.run("count metrics", _COUNT, {"name": clean_text(name)}))
