"""Questions that one process is asked at once are answered in the order they came."""

from pathlib import Path

import anyio
import pytest
from anyio.lowlevel import checkpoint

from held_models import HeldModel
from played_turns import KILN, WHERE, ask, memory, stored
from present import present
from voice.bootstrap import Services
from voice.services.turn.ask import Turn


async def _until_asked(slow: HeldModel, times: int) -> None:
    await slow.until_asked(times)
    for _ in range(50):
        await checkpoint()


@pytest.mark.requirement("holder:turns-in-line", "ruling:D21")
@pytest.mark.parametrize("has_session", [False, True])
async def test_three_at_once_are_all_answered_in_one_session_in_order(tmp_path: Path, *, has_session: bool) -> None:
    slow = HeldModel()
    turns: dict[int, Turn] = {}

    async def one(services: Services, number: int) -> None:
        turns[number] = await ask(services, f"Where is the kiln of number {number}?")

    async with memory(tmp_path, slow, told=KILN) as services:
        before = int(has_session)
        if has_session:
            slow.may.set()
            await ask(services)
            slow.may = anyio.Event()
        async with anyio.create_task_group() as tasks:
            for number in range(3):
                tasks.start_soon(one, services, number)
            await _until_asked(slow, before + 1)
            slow.may.set()
        kept = sorted(await stored(services), key=lambda each: each.index)[before:]
    assert slow.most == 1
    assert [each.my_query for each in kept] == [f"Where is the kiln of number {number}?" for number in range(3)]
    assert [turns[number].exchange.id for number in range(3)] == [each.id for each in kept]
    assert ({each.status for each in kept}, {each.conflict for each in kept}) == ({"answered"}, {False})
    assert len({each.session_id for each in kept}) == 1
    assert {kept[0].id, kept[1].id} <= set(present(kept[2].prompt).window_exchange_ids)


@pytest.mark.requirement("holder:turns-in-line")
async def test_other_sessions_are_not_waited_for(tmp_path: Path) -> None:
    slow = HeldModel()
    async with memory(tmp_path, slow, told=KILN) as services, anyio.create_task_group() as tasks:
        for topic in ("the kiln", "the shed", None):
            tasks.start_soon(lambda topic=topic: ask(services, new_topic=topic))
        await _until_asked(slow, 3)
        slow.may.set()
    assert slow.most == 3


@pytest.mark.requirement("holder:turns-in-line", "ruling:D25")
async def test_who_is_withdrawn_while_waiting_has_asked_nobody_and_holds_nobody_up(tmp_path: Path) -> None:
    slow = HeldModel()
    async with memory(tmp_path, slow, told=KILN) as services:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask, services, WHERE)
            await _until_asked(slow, 1)
            with anyio.move_on_after(0.05):
                await ask(services, "Where is the other kiln?")
            tasks.start_soon(ask, services, "Where is the last kiln?")
            slow.may.set()
        kept = await stored(services)
    assert sorted(each.my_query for each in kept) == ["Where is the kiln?", "Where is the last kiln?"]
    assert {each.status for each in kept} == {"answered"}
    assert slow.asked == 2
