"""Sessions that earlier schemas wrote are read, listed and continued, and the newest is found at once."""

from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest

from served_stores import IN_MEMORY, OVER_WS, open_connection
from store_values import full_exchange, full_session
from voice.adapters.disk.values_json import to_json, to_text
from voice.adapters.surreal.codec import Record, encode_instant
from voice.adapters.surreal.connection import Connection, record
from voice.adapters.surreal.schema import migrate, shipped
from voice.adapters.surreal.stores.sessions import SurrealSessionStore
from voice.adapters.surreal.verification import find_faults
from voice.adapters.surreal.writer import Writer
from voice.core.session.lifecycle import append
from voice.core.session.values import DialogueExchange, InnerVoiceSession

_BEFORE_PACKING = 5
_LATER = ("topic_status", "lineage", "begun_by")
"""What no record of then says."""
_COLUMNS = ("revision", "status", "thread_topic", "created_at", "last_interaction", "total_exchanges")


@pytest.fixture(params=[IN_MEMORY, OVER_WS])  # engine 3.0 plans its walks otherwise and sorts
async def connection(request: pytest.FixtureRequest) -> AsyncGenerator[Connection]:
    opened = await open_connection(str(request.param))
    await migrate(opened, shipped()[:_BEFORE_PACKING])
    yield opened
    await opened.aclose()


def _old_session(value: InnerVoiceSession) -> Record:
    """The record of a session as the first schema had it: a text for its body, with the summary inside."""
    members = to_json(InnerVoiceSession, value)
    instants = {name: encode_instant(getattr(value, name)) for name in ("created_at", "last_interaction")}
    columns = {name: members[name] for name in _COLUMNS} | instants
    rest = {
        name: each for name, each in members.items() if name not in {"id", "seq", "context_window", *_COLUMNS, *_LATER}
    }
    return {"id": record("sessions", value.id), "seq": value.seq, **columns, "body": to_text(rest)}


def _old_exchange(value: DialogueExchange) -> Record:
    members = to_json(DialogueExchange, value)
    columns = ("session_id", "index", "timestamp")
    rest = {name: each for name, each in members.items() if name not in {"id", "seq", *columns}}
    return {
        "id": record("exchanges", value.id),
        "seq": value.seq,
        "session_id": value.session_id,
        "index": value.index,
        "timestamp": encode_instant(value.timestamp),
        "body": to_text(rest),
    }


async def _write_old(
    connection: Connection, sessions: list[InnerVoiceSession], exchanges: list[DialogueExchange]
) -> None:
    records = {"s": [_old_session(each) for each in sessions], "x": [_old_exchange(each) for each in exchanges]}
    await connection.run("write", "INSERT INTO sessions $s RETURN NONE", {"s": records["s"]})
    await connection.run("write", "INSERT INTO exchanges $x RETURN NONE", {"x": records["x"]})
    last = len(sessions) + len(exchanges)
    await connection.run("number", "UPDATE meta:store SET seq = $last RETURN NONE", {"last": last})


def _opened(connection: Connection) -> SurrealSessionStore:
    return SurrealSessionStore(connection, Writer(connection))


@pytest.mark.requirement("s2:session:version", "ruling:B7", "ruling:B8")
async def test_what_the_first_schema_kept_is_read_with_every_field(connection: Connection) -> None:
    turn = replace(full_exchange(), seq=1)
    talked = replace(
        append(replace(full_session(), rolling_summary=None, topic_status="open", begun_by=None, revision=0), turn),
        seq=2,
        context_window=(),
    )
    await _write_old(connection, [talked, replace(full_session("s:2"), seq=3)], [turn])
    await migrate(connection, shipped())
    store = _opened(connection)
    assert await store.load("s:1", window=9) == replace(talked, context_window=(turn,))
    assert await store.load("s:2", window=9) == replace(full_session("s:2"), seq=3, topic_status="open", begun_by=None)
    assert await store.exchanges() == [turn]


async def test_the_newest_session_is_found_by_a_walk_over_an_index(connection: Connection) -> None:
    """No other is read: the plan is an index's walk that ends at the limit, without a sort."""
    await migrate(connection, shipped())
    asked: list[str] = []

    class Watched:
        """The connection, remembering what it was asked."""

        async def run(self, purpose: str, text: str, params: object = None) -> object:
            asked.append(text)
            return await connection.run(purpose, text, params)  # pyright: ignore[reportArgumentType]

        async def aclose(self) -> None: ...

    store = SurrealSessionStore(Watched(), Writer(connection))
    await store.sessions(limit=1, status="open")
    plan = str(await connection.run("explain", f"{asked[-1]} EXPLAIN", {"limit": 1}))
    assert "IndexScan" in plan
    assert "sort" not in plan.lower()
    assert "'limit'" in plan


@pytest.mark.requirement("ruling:H.2a")
async def test_a_summary_without_its_session_is_a_fault(connection: Connection) -> None:
    await migrate(connection, shipped())
    store = _opened(connection)
    saved = await store.save(replace(full_session(), revision=1), [], expected=0)
    await connection.run("lose", "DELETE $id", {"id": record("sessions", saved.id)})
    assert "summaries: 1 are stored of sessions that are not" in await find_faults(connection, saved.seq)
