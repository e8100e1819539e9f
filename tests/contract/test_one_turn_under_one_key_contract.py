"""Of the turns of a store one alone bears an idempotency key, held against every store."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from store_values import Stores, exchange, session, talk
from voice.core.errors import AlreadyAsked
from voice.core.session.lifecycle import append
from voice.core.session.values import DialogueExchange

pytestmark = pytest.mark.requirement("sessions:idempotency")


def keyed(session_id: str = "s:1", index: int = 0, *, name: str = "x:keyed") -> DialogueExchange:
    """A turn that was asked under the one key."""
    return exchange(session_id, index, id=name, idempotency="k" * 64, request_hash="r" * 64)


async def test_a_turn_is_found_by_the_key_it_was_asked_under(stores: Stores) -> None:
    await talk(stores.sessions, [exchange(), keyed(index=1), exchange(index=2)])
    (found,) = await stores.sessions.exchanges(idempotency="k" * 64)
    assert (found.index, found.idempotency, found.request_hash) == (1, "k" * 64, "r" * 64)
    assert await stores.sessions.exchanges(idempotency="other") == []
    assert await stores.sessions.exchanges(idempotency="") == []


async def test_a_second_turn_under_a_key_is_not_stored_wherever_it_is_asked(stores: Stores) -> None:
    held = await talk(stores.sessions, [keyed()])
    second, elsewhere = keyed(index=1, name="x:2"), keyed("s:2", name="x:3")
    with pytest.raises(AlreadyAsked):
        await stores.sessions.save(append(held, second), [second], expected=held.revision)
    with pytest.raises(AlreadyAsked):
        await stores.sessions.save(append(session("s:2"), elsewhere), [elsewhere], expected=0)
    # Who is behind with the session and with the key is told of the key: there is an answer.
    with pytest.raises(AlreadyAsked):
        await stores.sessions.save(append(session(), replace(second, index=0)), [replace(second, index=0)], expected=0)
    assert len(await stores.sessions.exchanges()) == 1
    assert await stores.sessions.load("s:2", window=1) is None


async def test_of_many_writers_under_one_key_exactly_one_wins(stores: Stores) -> None:
    turns = [keyed(f"s:{place}", name=f"x:{place}") for place in range(8)]
    outcomes = await asyncio.gather(
        *(stores.sessions.save(append(session(turn.session_id), turn), [turn], expected=0) for turn in turns),
        return_exceptions=True,
    )
    assert sum(isinstance(outcome, AlreadyAsked) for outcome in outcomes) == 7
    assert len(await stores.sessions.exchanges()) == 1


async def test_the_key_is_in_a_backup(stores: Stores, second: Stores, tmp_path: Path) -> None:
    await talk(stores.sessions, [keyed(), exchange(index=1)])
    await stores.maintenance.backup(str(tmp_path / "backup"))
    await second.maintenance.restore(str(tmp_path / "backup"))
    (found,) = await second.sessions.exchanges(idempotency="k" * 64)
    assert found.index == 0
