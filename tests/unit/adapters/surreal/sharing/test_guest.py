"""Turns to write come in order, and room in memory is waited for."""

import asyncio

import pytest

from voice.adapters.surreal.sharing.guest import MemoryBudget, WriteQueue


def _asked(turns: WriteQueue, who: str) -> "asyncio.Future[bool]":
    granted: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
    turns.ask(who, granted.set_result)
    return granted


@pytest.mark.requirement("holder:turns")
async def test_turns_come_in_the_order_they_were_asked_for() -> None:
    turns = WriteQueue(longest_s=60)
    first, second, third = (_asked(turns, who) for who in "abc")
    assert [first.done(), second.done(), third.done()] == [True, False, False]
    turns.give_back("a")
    assert [second.done(), third.done()] == [True, False]
    turns.give_back("b")
    assert third.done()


@pytest.mark.requirement("holder:turns")
async def test_who_had_the_last_turn_is_told_that_nobody_wrote_since() -> None:
    turns = WriteQueue(longest_s=60)
    told: list[bool] = []
    for who in ("a", "a", "b", "a"):
        told.append(await _asked(turns, who))
        turns.give_back(who)
    assert told == [False, True, False, False]


@pytest.mark.requirement("holder:turns")
async def test_a_turn_that_is_not_given_back_ends_by_itself() -> None:
    turns = WriteQueue(longest_s=0.01)
    assert await _asked(turns, "asleep") is False
    assert await asyncio.wait_for(_asked(turns, "next"), 5) is False
    turns.give_back("asleep")
    waiting = _asked(turns, "third")
    turns.give_back("next")
    assert waiting.done()


@pytest.mark.requirement("holder:turns")
async def test_who_leaves_waits_for_no_turn() -> None:
    turns = WriteQueue(longest_s=60)
    _asked(turns, "a")
    left, third = _asked(turns, "left"), _asked(turns, "third")
    turns.give_back("left")
    turns.give_back("a")
    assert (left.done(), third.done()) == (False, True)


@pytest.mark.requirement("holder:bounded")
async def test_who_asks_for_room_waits_until_there_is_some() -> None:
    room, order = MemoryBudget(10), list[str]()

    async def use(name: str, length: int, until: asyncio.Event) -> None:
        async with room.taken(length):
            order.append(name)
            await until.wait()

    first_ends, others_end = asyncio.Event(), asyncio.Event()
    others_end.set()
    async with asyncio.TaskGroup() as group:
        group.create_task(use("first", 8, first_ends))
        await asyncio.sleep(0)
        group.create_task(use("larger than all", 50, others_end))
        await room.some()
        for _ in range(5):
            await asyncio.sleep(0)
        assert order == ["first"]
        first_ends.set()
    assert order == ["first", "larger than all"]
