"""What a holder grants its guests, what it does not, and what a guest makes of a holder that fails it."""

import asyncio
import socket
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from played_turns import given, memory
from store_values import thought
from voice.adapters.disk.private_files import secure_directory
from voice.adapters.surreal import open_store
from voice.adapters.surreal.compaction import compact_store
from voice.adapters.surreal.dialect import META
from voice.adapters.surreal.holding import hold as hold_module
from voice.adapters.surreal.holding import peer, shared
from voice.adapters.surreal.holding.cards import decode_card, encode_card
from voice.adapters.surreal.holding.frames import (
    HEAD,
    Frame,
    Kind,
    ask_frame,
    encode_frame,
    read_body,
    read_head,
)
from voice.adapters.surreal.holding.guest import Limits
from voice.adapters.surreal.holding.looking import look_at_holder
from voice.adapters.surreal.holding.own_card import own_card
from voice.adapters.surreal.holding.place import Place, listen_at, reach, take
from voice.adapters.surreal.holding.shared import SharedConnection
from voice.adapters.surreal.wire import encode_request
from voice.core.errors import (
    ConfigurationError,
    OutcomeUnknown,
    SchemaDrift,
    StoreError,
    StoreHeld,
    StoreUnavailable,
)
from voice.core.holding import Card
from voice.core.settings.values import StoreSettings
from voice.ports.stores import WriteBatch

pytestmark = pytest.mark.anyio
URL = "surrealkv://memory"
CARD = own_card("voice", "memory")
SMALL = Limits(patience_s=0.2, alive_s=0.05, guests=2, turn_s=0.2, small=10, longest_answer=5_000)
LOOK = "SELECT VALUE seq FROM $meta"
Reply = Callable[[Frame], Awaitable["list[Frame] | None"]]


@asynccontextmanager
async def _entered(
    home: Path, *, wait_s: float = 10.0, limits: Limits = SMALL, card: Card = CARD
) -> AsyncGenerator[SharedConnection]:
    connection = SharedConnection(home / "memory", card, wait_s=wait_s, limits=limits)
    try:
        await connection.enter()
        yield connection
    finally:
        await connection.aclose()


@asynccontextmanager
async def _raw(home: Path) -> AsyncGenerator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """Connect without knowing how to behave."""
    reader, writer = await asyncio.open_unix_connection(sock=reach(Place(home / "memory")))
    yield reader, writer
    writer.close()


async def _introduced(home: Path, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Card:
    writer.write(encode_frame(Frame(Kind.CARD, 0, encode_card(CARD))))
    return decode_card((await _frame(reader)).body)


async def _cut_off(reader: asyncio.StreamReader) -> None:
    """Wait until the holder ends the connection, without another word."""
    with suppress(ConnectionResetError):
        assert await asyncio.wait_for(reader.read(), 10) == b""


async def _frame(reader: asyncio.StreamReader) -> Frame:
    head = await read_head(reader)
    assert head is not None
    return await read_body(reader, head)


@pytest.mark.requirement("holder:bounded")
@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        HEAD.pack(2**32 - 1, Kind.ASK, 1),
        encode_frame(Frame(Kind.CARD, 0, b"no card")),
        encode_frame(Frame(Kind.WHO, 1)),
        HEAD.pack(50, Kind.CARD, 0) + b"half",
        b"",
    ],
    ids=["http", "endless", "no card", "no introduction", "half a frame", "nothing"],
)
async def test_who_does_not_introduce_itself_is_cut_off_and_the_others_go_on(tmp_path: Path, sent: bytes) -> None:
    async with _entered(tmp_path) as holder, _entered(tmp_path) as guest:
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
    async with _entered(tmp_path) as holder, _raw(tmp_path) as (reader, writer):
        assert (await _introduced(tmp_path, reader, writer)).pid == CARD.pid
        writer.write(encode_frame(sent))
        await _cut_off(reader)
        assert holder.holds


@pytest.mark.requirement("holder:bounded")
async def test_a_guest_that_asks_twice_for_its_turn_is_cut_off_and_its_turn_goes_on(tmp_path: Path) -> None:
    async with _entered(tmp_path) as holder, _raw(tmp_path) as (reader, writer):
        await _introduced(tmp_path, reader, writer)
        for _ in range(2):
            writer.write(encode_frame(Frame(Kind.TURN)))
        assert (await _frame(reader)).kind is Kind.GRANTED
        await _cut_off(reader)
        async with holder.turn():
            pass


@pytest.mark.requirement("holder:bounded")
async def test_a_guest_that_does_not_take_its_answers_is_cut_off(tmp_path: Path) -> None:
    generous = replace(SMALL, longest_answer=10**6)
    async with _entered(tmp_path, limits=generous) as holder, _entered(tmp_path) as guest:
        with reach(Place(tmp_path / "memory")) as greedy:
            request = encode_request("query", ("RETURN array::repeat('x', 9000)", {}))
            greedy.sendall(encode_frame(Frame(Kind.CARD, 0, encode_card(CARD))))
            for number in range(1, 200):
                greedy.sendall(encode_frame(ask_frame(number, request, not_after=2**40)))
            async with asyncio.timeout(20):
                # While it is there, nobody else has room to look.
                while (await _looked(tmp_path)).guests != (guest._card,):  # noqa: ASYNC110 - only looking tells
                    await asyncio.sleep(0.02)
        assert holder.holds
        assert await guest.run("look", "RETURN 1") == 1


async def _looked(home: Path):  # noqa: ANN202 - a value of core
    return await look_at_holder(home / "memory", CARD, wait_s=10)


@pytest.mark.requirement("holder:bounded")
async def test_an_answer_that_is_too_long_for_a_guest_is_said_to_be_and_the_next_one_comes(tmp_path: Path) -> None:
    async with _entered(tmp_path) as holder, _entered(tmp_path) as guest:
        text = "RETURN array::repeat('x', 9000)"
        assert len(await holder.run("look", text)) == 9000  # pyright: ignore[reportArgumentType]
        with pytest.raises(StoreError, match="too long"):
            await guest.run("look", text)
        assert await guest.run("look", "RETURN 1") == 1


@pytest.mark.requirement("holder:bounded")
async def test_one_guest_too_many_is_told_so(tmp_path: Path) -> None:
    async with _entered(tmp_path), _entered(tmp_path), _entered(tmp_path):
        with pytest.raises(StoreUnavailable, match="has 2 guests already; close some"):
            async with _entered(tmp_path):
                pass
        assert (await _looked(tmp_path)).state == "alone"


@pytest.mark.requirement("holder:private")
async def test_a_process_of_another_user_is_not_let_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with _entered(tmp_path) as holder:
        with monkeypatch.context() as patched:
            patched.setattr("voice.adapters.surreal.holding.listener.is_ours", lambda _: False)
            async with _raw(tmp_path) as (reader, writer):
                writer.write(encode_frame(Frame(Kind.CARD, 0, encode_card(CARD))))
                await _cut_off(reader)
        with monkeypatch.context() as patched:
            patched.setattr(peer.os, "geteuid", lambda: 123_456)
            with pytest.raises(StoreUnavailable, match="runs as another user"):
                async with _entered(tmp_path):
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
        async with _entered(tmp_path, card=newer_card) as newer:
            assert newer.holds
            await writing
            assert not older.connection.holds  # pyright: ignore[reportAttributeAccessIssue]
        assert len(await older.memory.changes(0, 100)) == 20


async def _write_on(write: Callable[[WriteBatch], Awaitable[object]]) -> None:
    for number in range(20):
        await write(WriteBatch(rows=(thought(str(number)),)))


@pytest.mark.requirement("holder:step-down")
async def test_a_program_that_does_not_know_the_stores_form_is_told(tmp_path: Path) -> None:
    async with _entered(tmp_path, card=replace(CARD, version="9.0.0", format=900)):
        with pytest.raises(SchemaDrift, match=r"voice 9\.0\.0"):
            await open_store(URL, home=tmp_path)


@pytest.mark.requirement("holder:turns")
async def test_a_guest_that_sleeps_over_its_turn_holds_nobody_up(tmp_path: Path) -> None:
    async with (
        _entered(tmp_path),
        _entered(tmp_path) as sleeper,
        _entered(tmp_path) as awake,
        sleeper.turn(),
        asyncio.timeout(10),
        awake.turn() as is_known,
    ):
        assert not is_known


@pytest.mark.requirement("holder:turns")
async def test_a_holder_that_waits_too_long_for_its_own_turn_does_without_and_turns_go_on(tmp_path: Path) -> None:
    slow = replace(SMALL, turn_s=0.4)
    async with _entered(tmp_path, limits=slow, wait_s=0.1) as holder, _entered(tmp_path) as guest:
        async with guest.turn(), holder.turn() as is_known:
            assert not is_known
        async with asyncio.timeout(10), guest.turn(), holder.turn():
            pass
        assert await guest.run("look", "RETURN 1") == 1


@pytest.mark.requirement("holder:hands-over")
async def test_a_guest_takes_over_when_the_holder_closes_and_the_closed_one_is_closed(tmp_path: Path) -> None:
    async with _entered(tmp_path) as holder, _entered(tmp_path) as guest:
        await guest.run("define", "DEFINE TABLE things")
        await holder.aclose()
        assert await guest.run("look", "SELECT * FROM things") == []
        assert guest.holds
        with pytest.raises(StoreUnavailable, match="closed"):
            await holder.run("look", "RETURN 1")


@pytest.mark.requirement("holder:one")
async def test_where_the_lock_cannot_be_written_the_store_is_held_and_not_shared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(place: Place) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(shared, "take", refused)
    monkeypatch.setattr(hold_module, "_DYING_S", 0.0)
    async with _entered(tmp_path) as holder:
        assert await holder.run("look", "RETURN 1") == 1
        with pytest.raises(StoreHeld, match="open already"):
            async with _entered(tmp_path):
                pass
        assert (await _looked(tmp_path)).state == "alone"


@pytest.mark.requirement("holder:compact")
async def test_a_store_that_is_held_is_not_compacted_and_one_that_is_compacted_is_not_held(tmp_path: Path) -> None:
    async with await open_store(URL, home=tmp_path) as stores:
        with pytest.raises(StoreHeld, match="open already"):
            await compact_store(URL, home=tmp_path, namespace="voice", database="memory")
        assert (await stores.memory.status()).last_seq == 0
    lock = take(Place(tmp_path / "memory"))
    assert lock is not None
    with pytest.raises(StoreHeld):
        await open_store(URL, home=tmp_path, wait_s=0.1)
    lock.give_back()


class FakeHolder:
    """Something that listens in a store's place, introduces itself, and then does what the test wants."""

    def __init__(self, home: Path, reply: Reply, card: Card = CARD) -> None:
        self._place = Place(secure_directory(home / "memory"))
        self._reply = reply
        self._card = card
        self.asked: list[Frame] = []
        self.lock = take(self._place)
        assert self.lock is not None
        self.lock.sign(card)
        self._end = listen_at(self._place)

    @asynccontextmanager
    async def serving(self) -> AsyncGenerator["FakeHolder"]:
        """Answer until the end of the block."""
        server = await asyncio.start_unix_server(self._serve, sock=self._end)
        try:
            yield self
        finally:
            server.close()
            self.give_back()

    def give_back(self) -> None:
        """Let somebody else hold the store."""
        lock, self.lock = self.lock, None
        if lock is not None:
            lock.give_back()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _frame(reader)
        writer.write(encode_frame(Frame(Kind.CARD, 0, encode_card(self._card))))
        while (head := await read_head(reader)) is not None:
            frame = await read_body(reader, head)
            self.asked.append(frame)
            answers = await self._reply(frame)
            if answers is None:
                break
            for each in answers:
                writer.write(encode_frame(each))
        writer.close()


async def _gone(_: Frame) -> None:
    """End without a word."""


async def _silent(_: Frame) -> list[Frame]:
    return []


@pytest.mark.requirement("holder:unknown")
async def test_a_write_that_was_sent_to_a_holder_that_vanished_is_unknown_and_not_sent_again(tmp_path: Path) -> None:
    async with FakeHolder(tmp_path, _gone).serving() as fake, _entered(tmp_path) as guest:
        with pytest.raises(OutcomeUnknown, match=r"\(keep it\).* went away before it answered.*look whether"):
            await guest.run("keep it", "UPDATE things SET a = 1")
        assert [frame.kind for frame in fake.asked] == [Kind.ASK]


@pytest.mark.requirement("holder:killed")
async def test_a_read_that_was_sent_to_a_holder_that_vanished_is_made_again(tmp_path: Path) -> None:
    made: list[FakeHolder] = []

    async def vanish(_: Frame) -> None:
        made[0].give_back()

    async with FakeHolder(tmp_path, vanish).serving() as fake:
        made.append(fake)
        async with _entered(tmp_path) as guest:
            assert await guest.run("look", "RETURN 1") == 1
            assert guest.holds


@pytest.mark.requirement("holder:hands-over")
async def test_a_write_that_a_closing_holder_did_not_carry_out_is_made_again(tmp_path: Path) -> None:
    made: list[FakeHolder] = []

    async def say_goodbye(frame: Frame) -> list[Frame]:
        made[0].give_back()
        return [Frame(Kind.BYE, frame.number - 1)]

    async with FakeHolder(tmp_path, say_goodbye).serving() as fake:
        made.append(fake)
        async with _entered(tmp_path) as guest:
            await guest.run("define", "DEFINE TABLE things")
            assert guest.holds


@pytest.mark.requirement("holder:asleep")
async def test_a_silent_holder_is_named_to_readers_and_writers(tmp_path: Path) -> None:
    async with FakeHolder(tmp_path, _silent).serving(), _entered(tmp_path, wait_s=0.2) as guest:
        with pytest.raises(StoreUnavailable, match=rf"process {CARD.pid}\) has not answered for 0.2 seconds"):
            await guest.run("look", "RETURN 1")
        with pytest.raises(OutcomeUnknown, match=f"kill -CONT {CARD.pid}"):
            await guest.run("keep it", "UPDATE things SET a = 1")


@pytest.mark.requirement("holder:asleep")
async def test_a_holder_that_is_at_it_is_waited_for(tmp_path: Path) -> None:
    async def at_length(frame: Frame) -> list[Frame]:
        return [Frame(Kind.ALIVE), Frame(Kind.NOT_DONE, frame.number)]

    async def in_the_end(frame: Frame) -> list[Frame]:
        return await at_length(frame) if len(fake.asked) < 3 else [Frame(Kind.MISREAD, frame.number)]

    async with FakeHolder(tmp_path, in_the_end).serving() as fake, _entered(tmp_path, wait_s=5) as guest:
        with pytest.raises(StoreError, match="did not understand"):
            await guest.run("look", "RETURN 1")
        assert len(fake.asked) == 3


@pytest.mark.requirement("holder:asleep", "holder:doctor")
async def test_who_holds_the_lock_and_answers_nobody_is_named(tmp_path: Path) -> None:
    place = Place(secure_directory(tmp_path / "memory"))
    lock = take(place)
    assert lock is not None
    lock.sign(CARD)
    assert (await look_at_holder(place.directory, CARD, wait_s=0.1)).state == "silent"
    with pytest.raises(StoreHeld, match=f"process {CARD.pid}"):
        async with _entered(tmp_path, wait_s=0.1):
            pass
    with listen_at(place):  # it listens, and accepts nobody
        assert (await look_at_holder(place.directory, CARD, wait_s=0.1)).state == "silent"
        with pytest.raises(StoreHeld, match=r"has not answered for 0\.1 seconds"):
            async with _entered(tmp_path, wait_s=0.1):
                pass
    lock.give_back()


@pytest.mark.requirement("holder:step-down", "holder:asleep")
async def test_an_older_holder_that_does_not_step_down_is_named(tmp_path: Path) -> None:
    async with FakeHolder(tmp_path, _silent, replace(CARD, version="0.0.1")).serving():
        with pytest.raises(StoreHeld, match="has not answered"):
            async with _entered(tmp_path, wait_s=0.2):
                pass


@pytest.mark.requirement("holder:doctor", "holder:remote")
async def test_looking_finds_nobody_where_nobody_is_and_makes_nothing(tmp_path: Path) -> None:
    assert (await _looked(tmp_path)).state == "nobody"
    assert list(tmp_path.iterdir()) == []
    async with _entered(tmp_path) as holder, _entered(tmp_path):
        seen = await _looked(tmp_path)
        assert (seen.state, seen.holder is not None, len(seen.guests)) == ("answers", True, 1)
        assert holder.holds


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


@pytest.mark.requirement("holder:bounded")
async def test_a_program_that_ends_without_closing_ends(tmp_path: Path) -> None:
    async with _entered(tmp_path):
        serving = [thread for thread in threading.enumerate() if thread.name == "voice-holder"]
        assert serving
        assert all(thread.daemon for thread in serving)


@pytest.mark.requirement("holder:private")
async def test_the_holders_socket_is_a_socket_of_this_machine(tmp_path: Path) -> None:
    async with _entered(tmp_path):
        with reach(Place(tmp_path / "memory")) as end:  # and leaves without a word
            assert end.family == socket.AF_UNIX
