"""Two processes and twenty tasks that ask on one session, over a store behind a server.

Questions that one process is asked at once are answered in the order they came.
"""

import sys
from pathlib import Path

import anyio
import pytest
from anyio.abc import Process
from anyio.lowlevel import checkpoint
from anyio.streams.text import TextReceiveStream

from asking_process import APART, IN_LINE
from played_turns import FIRED, KILN, MOVED, WHERE, ask, given, memory, quoting, stored, tell
from store_bridge import PASSWORD, USER, bridge
from voice.adapters.llm.scripted import ScriptedClient
from voice.bootstrap import Services
from voice.core.grounding.values import RefusalReason
from voice.core.session.values import DialogueExchange
from voice.core.settings.values import StoreSettings
from voice.ports.llm import LlmReply, LlmRequest
from voice.services.turn.ask import Turn

ASKING = Path(__file__).resolve().parents[2] / "asking_process.py"


async def _both(home: Path, url: str, session_id: str, how: str) -> list[list[str]]:
    """Let two processes ask at the same time, and return what each said."""
    said: list[list[str]] = [[], []]
    here = [anyio.Event(), anyio.Event()]

    async def listen(process: Process, place: int) -> None:
        assert process.stdout is not None
        text = ""
        async for part in TextReceiveStream(process.stdout):
            text += part
            if "here\n" in text:
                here[place].set()
        said[place] = [line for line in text.splitlines() if line != "here"]
        here[place].set()

    async with anyio.create_task_group() as group:
        processes: list[Process] = []
        for place, name in enumerate(("0", "10")):
            command = [sys.executable, str(ASKING), str(home), url, session_id, name, how]
            processes.append(await anyio.open_process(command, stderr=None))
            group.start_soon(listen, processes[-1], place)
        for event in here:
            await event.wait()
        for process in processes:
            assert process.stdin is not None
            await process.stdin.send(b"go\n")
        for process in processes:
            assert await process.wait() == 0
    return said


async def _talked(tmp_path: Path, how: str) -> tuple[list[list[str]], list[DialogueExchange], list[str]]:
    async with bridge() as server:
        store = StoreSettings(url=server.url, user=USER, password=PASSWORD)
        async with memory(tmp_path, settings=given(store=store)) as services:
            await tell(services, *KILN)
            first = await ask(services, WHERE)
            said = await _both(tmp_path, server.url, first.session.id, how)
            kept = await services.sessions.exchanges(session_id=first.session.id)
            loaded = await services.sessions.load(first.session.id, window=5)
            faults = [*await services.maintenance.verify(), *await services.transcripts.faults()]
    assert loaded is not None
    assert (loaded.total_exchanges, loaded.context_window[-1]) == (len(kept), kept[-1])
    return said, kept, faults


@pytest.mark.requirement("ruling:D21", "promise:3", "sessions:conflict")
async def test_of_two_processes_and_twenty_tasks_one_wins_and_no_exchange_is_lost_or_doubled(tmp_path: Path) -> None:
    said, kept, faults = await _talked(tmp_path, APART)
    told = [line.split() for lines in said for line in lines]
    assert faults == []
    assert [each.index for each in kept] == list(range(21))
    assert len({each.my_query for each in kept}) == 21
    assert {(each.status, each.provider) for each in kept[1:]} == {("answered", "scripted")}
    assert sorted(word for word, _ in told) == ["kept"] + ["lost"] * 19
    assert {name for _, name in told} == {each.id for each in kept[1:]}
    assert {name for word, name in told if word == "lost"} == {each.id for each in kept if each.conflict}


@pytest.mark.requirement("holder:turns-in-line", "ruling:D21", "sessions:conflict")
async def test_the_tasks_of_one_process_lose_to_the_other_process_alone_and_keep_their_order(tmp_path: Path) -> None:
    said, kept, faults = await _talked(tmp_path, IN_LINE)
    told = [[line.split() for line in lines] for lines in said]
    index_of = {each.id: each.index for each in kept}
    assert faults == []
    assert sorted(index_of.values()) == list(range(21))
    assert {(each.status, each.provider) for each in kept[1:]} == {("answered", "scripted")}
    for lines in told:
        places = [index_of[name] for _, name in lines]
        assert places == sorted(places)
    lost = {name for lines in told for word, name in lines if word == "lost"}
    assert lost == {each.id for each in kept if each.conflict}
    assert len({told[0][0][1], told[1][0][1]} & lost) == 1  # the two that met; who comes later may win


@pytest.mark.requirement("sessions:idempotency")
async def test_of_two_processes_that_ask_under_one_key_all_get_one_answer(tmp_path: Path) -> None:
    said, kept, faults = await _talked(tmp_path, "call 1")
    assert faults == []
    assert [len(set(lines)) for lines in said] == [1, 1]
    assert {line for lines in said for line in lines} == {f"answered {kept[1].id}"}
    assert [each.status for each in kept] == ["answered", "answered", "error"]
    assert (kept[2].reason, len(kept[2].attempts)) == (RefusalReason.CANCELLED, 1)


class Slow(ScriptedClient):
    """A model that answers when it may, and notes how many it was asked by at once."""

    def __init__(self) -> None:
        super().__init__(quoting(MOVED, FIRED))
        self.may = anyio.Event()
        self.inside = self.most = self.asked = 0

    async def complete(self, request: LlmRequest) -> LlmReply:
        self.asked += 1
        self.inside += 1
        self.most = max(self.most, self.inside)
        try:
            await self.may.wait()
            return await super().complete(request)
        finally:
            self.inside -= 1


async def _until_asked(slow: Slow, times: int) -> None:
    while slow.asked < times:
        await checkpoint()
    for _ in range(50):
        await checkpoint()


@pytest.mark.requirement("holder:turns-in-line", "ruling:D21")
@pytest.mark.parametrize("has_session", [False, True])
async def test_three_at_once_are_all_answered_in_one_session_in_order(tmp_path: Path, *, has_session: bool) -> None:
    slow = Slow()
    turns: dict[int, Turn] = {}

    async def one(services: Services, number: int) -> None:
        turns[number] = await ask(services, f"Where is the kiln of number {number}?")

    async with memory(tmp_path, slow) as services:
        await tell(services, *KILN)
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
    assert kept[2].prompt is not None
    assert {kept[0].id, kept[1].id} <= set(kept[2].prompt.window_exchange_ids)


@pytest.mark.requirement("holder:turns-in-line")
async def test_other_sessions_are_not_waited_for(tmp_path: Path) -> None:
    slow = Slow()
    async with memory(tmp_path, slow) as services:
        await tell(services, *KILN)
        async with anyio.create_task_group() as tasks:
            for topic in ("the kiln", "the shed", None):
                tasks.start_soon(lambda topic=topic: ask(services, new_topic=topic))
            await _until_asked(slow, 3)
            slow.may.set()
    assert slow.most == 3


@pytest.mark.requirement("holder:turns-in-line", "ruling:D25")
async def test_who_is_withdrawn_while_waiting_has_asked_nobody_and_holds_nobody_up(tmp_path: Path) -> None:
    slow = Slow()
    async with memory(tmp_path, slow) as services:
        await tell(services, *KILN)
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
