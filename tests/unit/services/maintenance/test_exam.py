"""The sessions of an exam end with the process, and are kept as a store keeps them, as long as it runs."""

from dataclasses import replace
from datetime import timedelta

from store_values import NOON, exchange, session, talk
from voice.adapters.system.clock_and_ids import CountingIds
from voice.services.maintenance.exam import ThrowawaySessions


async def test_a_session_is_loaded_with_its_newest_turns() -> None:
    store = ThrowawaySessions(None, CountingIds())
    saved = await talk(store, [exchange(index=index) for index in range(3)])
    loaded = await store.load("s:1", window=2)
    assert loaded is not None
    assert [turn.index for turn in loaded.context_window] == [1, 2]
    assert (loaded.seq, loaded.revision) == (saved.seq, saved.revision)
    assert (await store.first_exchanges(["s:1", "s:2"]))["s:1"].index == 0
    assert await store.load("s:2", window=2) is None


async def test_turns_and_sessions_are_listed_as_asked() -> None:
    store = ThrowawaySessions(None, CountingIds())
    turns = [exchange(index=index, timestamp=NOON + timedelta(days=index)) for index in range(3)]
    await talk(store, turns)
    await store.save(replace(session("s:0", status="closed"), revision=1), [], expected=0)
    assert [turn.index for turn in await store.exchanges(since=NOON + timedelta(days=1))] == [1, 2]
    assert [turn.index for turn in await store.exchanges(session_id="s:1", after_index=0, limit=1)] == [1]
    assert [turn.index for turn in await store.exchanges(exchange_id=turns[2].id)] == [2]
    assert {item.id for item in await store.sessions(limit=9)} == set(await store.topics()) == {"s:0", "s:1"}
    assert [item.id for item in await store.sessions(limit=9, status="open")] == ["s:1"]
