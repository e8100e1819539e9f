"""Sessions that end with the process are kept as a store keeps them, as long as it runs."""

from dataclasses import replace
from datetime import timedelta

import pytest

from store_values import NOON, exchange, session, talk
from voice.adapters.transient_sessions import TransientSessionStore
from voice.core.errors import AlreadyAsked, SessionConflict, StoreError
from voice.core.session.lifecycle import append


async def test_a_session_is_loaded_with_its_newest_turns() -> None:
    store = TransientSessionStore()
    saved = await talk(store, [exchange(index=index) for index in range(3)])
    loaded = await store.load("s:1", window=2)
    assert loaded is not None
    assert [turn.index for turn in loaded.context_window] == [1, 2]
    assert (loaded.seq, loaded.revision) == (saved.seq, saved.revision)
    assert (await store.first_exchanges(["s:1", "s:2"]))["s:1"].index == 0
    assert await store.load("s:2", window=2) is None


async def test_nothing_is_saved_twice_or_over_what_somebody_else_saved() -> None:
    store = TransientSessionStore()
    first = exchange(idempotency="key")
    saved = await talk(store, [first])
    with pytest.raises(SessionConflict):
        await store.save(replace(session(), revision=1), [], expected=0)
    again = replace(first, id="x:again", index=1)
    with pytest.raises(AlreadyAsked):
        await store.save(append(saved, again), [again], expected=saved.revision)
    same_id = replace(first, index=1, idempotency="")
    with pytest.raises(StoreError):
        await store.save(append(saved, same_id), [same_id], expected=saved.revision)
    assert [turn.id for turn in await store.exchanges()] == [first.id]


async def test_turns_and_sessions_are_listed_as_asked() -> None:
    store = TransientSessionStore()
    turns = [exchange(index=index, timestamp=NOON + timedelta(days=index)) for index in range(3)]
    await talk(store, turns)
    await store.save(replace(session("s:0", status="closed"), revision=1), [], expected=0)
    assert [turn.index for turn in await store.exchanges(since=NOON + timedelta(days=1))] == [1, 2]
    assert [turn.index for turn in await store.exchanges(session_id="s:1", after_index=0, limit=1)] == [1]
    assert [turn.index for turn in await store.exchanges(exchange_id=turns[2].id)] == [2]
    assert {item.id for item in await store.sessions(limit=9)} == set(await store.topics()) == {"s:0", "s:1"}
    assert [item.id for item in await store.sessions(limit=9, status="open")] == ["s:1"]
