"""Two processes and twenty tasks that ask on one session, over a store behind a server."""

import sys
from pathlib import Path

import anyio
import pytest
from anyio.abc import Process
from anyio.streams.text import TextReceiveStream

from asking_process import APART
from played_turns import KILN, WHERE, ask, given, memory
from present import present
from store_bridge import PASSWORD, USER, bridge
from voice.core.grounding.values import RefusalReason
from voice.core.session.values import DialogueExchange
from voice.core.settings.values import StoreSettings

ASKING = Path(__file__).resolve().parents[2] / "asking_process.py"


async def _both(home: Path, url: str, session_id: str, how: str) -> list[list[str]]:
    """Let two processes ask at the same time, and return what each said."""
    said: list[list[str]] = [[], []]
    here = [anyio.Event(), anyio.Event()]

    async def listen(process: Process, place: int) -> None:
        text = ""
        async for part in TextReceiveStream(present(process.stdout)):
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
            await present(process.stdin).send(b"go\n")
        for process in processes:
            assert await process.wait() == 0
    return said


async def _talked(tmp_path: Path, how: str) -> tuple[list[list[str]], list[DialogueExchange], list[str]]:
    async with bridge() as server:
        store = StoreSettings(url=server.url, user=USER, password=PASSWORD)
        async with memory(tmp_path, settings=given(store=store), told=KILN) as services:
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


@pytest.mark.requirement("sessions:idempotency")
async def test_of_two_processes_that_ask_under_one_key_all_get_one_answer(tmp_path: Path) -> None:
    said, kept, faults = await _talked(tmp_path, "call 1")
    assert faults == []
    assert [len(set(lines)) for lines in said] == [1, 1]
    assert {line for lines in said for line in lines} == {f"answered {kept[1].id}"}
    assert [each.status for each in kept] == ["answered", "answered", "error"]
    assert (kept[2].reason, len(kept[2].attempts)) == (RefusalReason.CANCELLED, 1)
