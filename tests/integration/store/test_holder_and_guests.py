"""What a holder grants its guests, and what it does not."""

import asyncio
import socket
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from fake_holder import CARD, SMALL, entered, next_frame
from played_turns import given, memory
from store_values import thought
from voice.adapters.surreal.compaction import compact_store
from voice.adapters.surreal.connection import META
from voice.adapters.surreal.embedded_engine import RequestNotBegun, encode_request
from voice.adapters.surreal.opening import open_store
from voice.adapters.surreal.sharing.holder import find_holder
from voice.adapters.surreal.sharing.lock_file import HoldingPlace, connect_to, take_lock
from voice.adapters.surreal.sharing.protocol import (
    HEAD,
    Frame,
    Kind,
    decode_card,
    encode_card,
    encode_frame,
    request_frame,
)
from voice.adapters.surreal.sharing.server import StoreHolder
from voice.adapters.surreal.sharing.shared_connection import SharedConnection
from voice.core.errors import ConfigurationError, SchemaDrift, StoreError, StoreHeld, StoreUnavailable
from voice.core.settings.values import StoreSettings
from voice.core.store_holder import ProcessCard
from voice.ports.stores import WriteBatch

URL = "surrealkv://memory"
LOOK = "SELECT VALUE seq FROM $meta"


@asynccontextmanager
async def _raw(home: Path) -> AsyncGenerator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """Connect without knowing how to behave."""
    reader, writer = await asyncio.open_unix_connection(sock=connect_to(HoldingPlace(home / "memory")))
    yield reader, writer
    writer.close()


async def _introduced(home: Path, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> ProcessCard:
    writer.write(encode_frame(Frame(Kind.CARD, 0, encode_card(CARD))))
    return decode_card((await next_frame(reader)).body)


async def _cut_off(reader: asyncio.StreamReader) -> None:
    """Wait until the holder ends the connection, without another word."""
    with suppress(ConnectionResetError, BrokenPipeError):
        assert await asyncio.wait_for(reader.read(), 10) == b""


@pytest.mark.requirement("holder:bounded")
@pytest.mark.parametrize(
    "sent",
    [
        HEAD.pack(2**32 - 1, Kind.ASK, 1),
        encode_frame(Frame(Kind.CARD, 0, b"no card")),
        encode_frame(Frame(Kind.WHO, 1)),
        HEAD.pack(50, Kind.CARD, 0) + b"half",
    ],
    ids=["endless", "no card", "no introduction", "half a frame"],
)
async def test_who_does_not_introduce_itself_is_cut_off_and_the_others_go_on(tmp_path: Path, sent: bytes) -> None:
    async with entered(tmp_path) as holder, entered(tmp_path) as guest:
        async with _raw(tmp_path) as (reader, writer):
            writer.write(sent)
            await _cut_off(reader)
        await guest.run("define", "DEFINE TABLE things")
        assert await holder.run("look", "SELECT * FROM things") == []


@pytest.mark.requirement("holder:bounded")
@pytest.mark.parametrize(
    "sent",
    [Frame(Kind.CARD, 0, encode_card(CARD)), Frame(Kind.ASK, 1, b"short"), Frame(Kind.BYE), Frame(Kind.STEP_DOWN)],
    ids=lambda frame: frame.kind.name,
)
async def test_a_guest_that_says_what_no_guest_says_is_cut_off(tmp_path: Path, sent: Frame) -> None:
    async with entered(tmp_path) as holder, _raw(tmp_path) as (reader, writer):
        assert (await _introduced(tmp_path, reader, writer)).pid == CARD.pid
        writer.write(encode_frame(sent))
        await _cut_off(reader)
        assert holder.holds


@pytest.mark.requirement("holder:bounded")
async def test_a_guest_that_does_not_take_its_answers_is_cut_off(tmp_path: Path) -> None:
    generous = replace(SMALL, longest_answer=10**6)
    async with entered(tmp_path, limits=generous) as holder, entered(tmp_path) as guest:
        with connect_to(HoldingPlace(tmp_path / "memory")) as greedy:
            request = encode_request("query", ("RETURN array::repeat('x', 9000)", {}))
            greedy.sendall(encode_frame(Frame(Kind.CARD, 0, encode_card(CARD))))
            for number in range(1, 200):
                greedy.sendall(encode_frame(request_frame(number, request, not_after=2**40)))
            async with asyncio.timeout(20):
                # While it is there, nobody else has room to look.
                while (await _looked(tmp_path)).guests != (guest._card,):  # noqa: ASYNC110 - only looking tells
                    await asyncio.sleep(0.02)
        assert holder.holds
        assert await guest.run("look", "RETURN 1") == 1


async def _looked(home: Path):  # noqa: ANN202 - a value of core
    return await find_holder(home / "memory", CARD, wait_s=10)


@pytest.mark.requirement("holder:busy")
@pytest.mark.parametrize("full", ["at_once", "untaken"])
async def test_a_guest_that_waits_for_room_in_the_holder_hears_that_it_is_not_forgotten(
    tmp_path: Path, full: str
) -> None:
    async with entered(tmp_path) as holder, _raw(tmp_path) as (reader, writer):
        await _introduced(tmp_path, reader, writer)
        assert isinstance(holder._way, StoreHolder)
        house, loop = holder._way._listener._host, holder._way._listener._loop
        assert loop is not None
        leave = asyncio.Event()

        async def keep_full() -> None:
            async with AsyncExitStack() as stack:
                for _ in range(2 if full == "at_once" else 1):
                    room = house.at_once if full == "at_once" else house.untaken.taken(2**40)
                    await stack.enter_async_context(room)
                taken.set()
                while not leave.is_set():  # noqa: ASYNC110 - an event of another loop
                    await asyncio.sleep(0.01)

        taken = threading.Event()
        keeping = asyncio.run_coroutine_threadsafe(keep_full(), loop)
        await asyncio.to_thread(taken.wait, 10)
        request = encode_request("query", ("RETURN 1", {}))
        writer.write(encode_frame(request_frame(1, request, not_after=2**40)))
        assert [(await next_frame(reader)).kind for _ in range(3)] == [Kind.ALIVE] * 3
        leave.set()
        await asyncio.wrap_future(keeping)
        async with asyncio.timeout(10):
            while (frame := await next_frame(reader)).kind is Kind.ALIVE:
                pass
        assert frame.kind is Kind.ANSWER


@pytest.mark.requirement("holder:bounded")
async def test_an_answer_that_is_too_long_for_a_guest_is_said_to_be_and_the_next_one_comes(tmp_path: Path) -> None:
    async with entered(tmp_path) as holder, entered(tmp_path) as guest:
        text = "RETURN array::repeat('x', 9000)"
        assert len(await holder.run("look", text)) == 9000  # pyright: ignore[reportArgumentType]
        with pytest.raises(StoreError, match="too long"):
            await guest.run("look", text)
        assert await guest.run("look", "RETURN 1") == 1


@pytest.mark.requirement("holder:bounded")
async def test_one_guest_too_many_is_told_so(tmp_path: Path) -> None:
    async with entered(tmp_path), entered(tmp_path), entered(tmp_path):
        with pytest.raises(StoreUnavailable, match="already has 2 guests; close some"):
            async with entered(tmp_path):
                pass
        assert (await _looked(tmp_path)).state == "alone"


def _nobody_is(_: socket.socket) -> bool:
    return False


@pytest.mark.requirement("holder:private")
async def test_a_process_of_another_user_is_not_let_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with entered(tmp_path) as holder:
        with monkeypatch.context() as patched:
            patched.setattr("voice.adapters.surreal.sharing.listener.is_same_user", _nobody_is)
            async with _raw(tmp_path) as (reader, writer):
                writer.write(encode_frame(Frame(Kind.CARD, 0, encode_card(CARD))))
                await _cut_off(reader)
        with monkeypatch.context() as patched:
            patched.setattr("voice.adapters.surreal.sharing.client.is_same_user", _nobody_is)
            with pytest.raises(StoreUnavailable, match="so voice does not use it; use the memory as"):
                async with entered(tmp_path):
                    pass
        assert await holder.run("look", "RETURN 1") == 1


@pytest.mark.requirement("holder:settings")
async def test_other_names_or_another_key_are_refused(tmp_path: Path) -> None:
    async with memory(tmp_path, settings=given(store=StoreSettings())) as services:
        with pytest.raises(ConfigurationError, match="SURR_DB_NS=voice"):
            await open_store(URL, home=services.home, namespace="other")
        elsewhere = StoreSettings(url=f"surrealkv://{services.home / 'memory'}")
        with pytest.raises(ConfigurationError, match="is not the one that this store"):
            async with memory(tmp_path / "other", settings=given(store=elsewhere)):
                pass


@pytest.mark.requirement("holder:step-down")
async def test_a_newer_program_takes_over_while_the_older_one_works(tmp_path: Path) -> None:
    async with await open_store(URL, home=tmp_path) as older:
        newer_card = replace(CARD, version="9.0.0")
        writing = asyncio.create_task(_write_on(older.memory.write))
        async with entered(tmp_path, card=newer_card) as newer:
            assert newer.holds
            await writing
            assert isinstance(older.connection, SharedConnection)
            assert not older.connection.holds
        assert len(await older.memory.changes(0, 100)) == 20


async def _write_on(write: Callable[[WriteBatch], Awaitable[object]]) -> None:
    for number in range(20):
        await write(WriteBatch(rows=(thought(str(number)),)))


@pytest.mark.requirement("holder:step-down")
async def test_a_program_that_does_not_know_the_stores_form_is_told(tmp_path: Path) -> None:
    async with entered(tmp_path, card=replace(CARD, version="9.0.0", format=900)):
        with pytest.raises(SchemaDrift, match=r"voice 9\.0\.0"):
            await open_store(URL, home=tmp_path)


@pytest.mark.requirement("holder:turns")
async def test_a_holder_that_waits_too_long_for_its_own_turn_does_without_and_turns_go_on(tmp_path: Path) -> None:
    slow = replace(SMALL, turn_s=0.4)
    async with entered(tmp_path, limits=slow, wait_s=0.1) as holder, entered(tmp_path) as guest:
        async with guest.turn(), holder.turn() as is_known:
            assert not is_known
        async with asyncio.timeout(10), guest.turn(), holder.turn():
            pass
        assert await guest.run("look", "RETURN 1") == 1


@pytest.mark.requirement("holder:hands-over")
async def test_a_guest_takes_over_when_the_holder_closes_and_the_closed_one_is_closed(tmp_path: Path) -> None:
    async with entered(tmp_path) as holder, entered(tmp_path) as guest:
        await guest.run("define", "DEFINE TABLE things")
        await holder.aclose()
        assert await guest.run("look", "SELECT * FROM things") == []
        assert guest.holds
        with pytest.raises(StoreUnavailable, match="closed"):
            await holder.run("look", "RETURN 1")


@pytest.mark.requirement("holder:compact")
async def test_a_store_that_is_held_is_not_compacted_and_one_that_is_compacted_is_not_held(tmp_path: Path) -> None:
    async with await open_store(URL, home=tmp_path) as stores:
        with pytest.raises(StoreHeld, match="already has the store"):
            await compact_store(URL, home=tmp_path, namespace="voice", database="memory")
        assert (await stores.memory.status()).last_seq == 0
    lock = take_lock(HoldingPlace(tmp_path / "memory"))
    assert lock is not None
    with pytest.raises(StoreHeld):
        await open_store(URL, home=tmp_path, wait_s=0.1)
    lock.give_back()


@pytest.mark.requirement("holder:doctor", "holder:remote")
async def test_looking_finds_nobody_where_nobody_is_and_makes_nothing(tmp_path: Path) -> None:
    assert (await _looked(tmp_path)).state == "nobody"
    assert list(tmp_path.iterdir()) == []
    async with entered(tmp_path) as holder, entered(tmp_path):
        seen = await _looked(tmp_path)
        assert (seen.state, seen.holder is not None, len(seen.guests)) == ("answers", True, 1)
        assert holder.holds


@pytest.mark.requirement("holder:bounded")
async def test_who_says_nothing_takes_no_guests_place_and_is_soon_sent_away(tmp_path: Path) -> None:
    quick = replace(SMALL, introduction_s=0.3)
    async with entered(tmp_path, limits=quick), AsyncExitStack() as silent:
        mute = [await silent.enter_async_context(_raw(tmp_path)) for _ in range(2 * SMALL.guests)]
        async with entered(tmp_path) as guest:
            assert await guest.run("look", "RETURN 1") == 1
        for reader, _ in mute:
            await _cut_off(reader)


@pytest.mark.requirement("holder:step-down", "holder:turns")
async def test_a_holder_that_closes_while_it_waits_for_its_own_turn_waits_no_longer(tmp_path: Path) -> None:
    patient = replace(SMALL, turn_s=60.0)
    async with entered(tmp_path, limits=patient) as holder, entered(tmp_path) as guest, guest.turn():
        assert isinstance(holder._way, StoreHolder)
        listener = holder._way._listener
        waiting = asyncio.create_task(holder._way.take_turn())
        await asyncio.sleep(0.1)
        async with asyncio.timeout(5):
            await holder.aclose()
            with pytest.raises(RequestNotBegun):
                await waiting
            with pytest.raises(RequestNotBegun):
                await asyncio.wrap_future(listener.take_turn(object()))


@pytest.mark.requirement("holder:turns", "promise:3")
async def test_holder_and_guests_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    async with (
        await open_store(URL, home=tmp_path) as one,
        await open_store(URL, home=tmp_path) as two,
        await open_store(URL, home=tmp_path) as three,
    ):
        async with asyncio.TaskGroup() as group:
            for name, stores in (("a", one), ("b", two), ("c", three)):
                for number in range(15):
                    group.create_task(stores.memory.write(WriteBatch(rows=(thought(f"{name}{number}"),))))
        assert len(await two.memory.changes(0, 100)) == 45
        assert await three.maintenance.verify() == []
        found = await one.connection.run("look", LOOK, {"meta": META})
        assert found == [45]
