"""What a guest makes of a holder that fails it: one that vanishes, closes, sleeps, or does not step down."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from fake_holder import CARD, FakeHolder, entered
from voice.adapters.disk.private_files import secure_directory
from voice.adapters.surreal.sharing import client, holder
from voice.adapters.surreal.sharing.holder import find_holder
from voice.adapters.surreal.sharing.lock_file import HoldingPlace, listen_at, take_lock
from voice.adapters.surreal.sharing.protocol import Frame, Kind
from voice.core.errors import OutcomeUnknown, StoreError, StoreHeld, StoreUnavailable


async def _gone(_: Frame) -> None:
    """End without a word."""


async def _silent(_: Frame) -> list[Frame]:
    return []


@pytest.mark.requirement("holder:unknown")
async def test_a_write_that_was_sent_to_a_holder_that_vanished_is_unknown_and_not_sent_again(tmp_path: Path) -> None:
    async with FakeHolder(tmp_path, _gone).serving() as fake, entered(tmp_path) as guest:
        with pytest.raises(OutcomeUnknown, match=r"\(keep it\).* ended before it answered.*check whether"):
            await guest.run("keep it", "UPDATE things SET a = 1")
        assert [frame.kind for frame in fake.asked] == [Kind.ASK]


@pytest.mark.requirement("holder:killed")
async def test_a_read_that_was_sent_to_a_holder_that_vanished_is_made_again(tmp_path: Path) -> None:
    made: list[FakeHolder] = []

    async def vanish(_: Frame) -> None:
        made[0].give_back()

    async with FakeHolder(tmp_path, vanish).serving() as fake:
        made.append(fake)
        async with entered(tmp_path) as guest:
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
        async with entered(tmp_path) as guest:
            await guest.run("define", "DEFINE TABLE things")
            assert guest.holds


@pytest.fixture
def asleep(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every process count as stopped: the holder of these tests is the tests' own."""
    for module in (client, holder):
        monkeypatch.setattr(module, "is_running", lambda pid: False)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]


@pytest.mark.usefixtures("asleep")
@pytest.mark.requirement("holder:asleep")
async def test_a_silent_holder_is_named_to_readers_and_writers(tmp_path: Path) -> None:
    async with FakeHolder(tmp_path, _silent).serving(), entered(tmp_path, wait_s=0.2) as guest:
        with pytest.raises(StoreUnavailable, match=rf"process {CARD.pid}\) has not answered for 0.2 seconds"):
            await guest.run("look", "RETURN 1")
        with pytest.raises(OutcomeUnknown, match=f"kill -CONT {CARD.pid}"):
            await guest.run("keep it", "UPDATE things SET a = 1")


@pytest.mark.requirement("holder:busy")
async def test_a_silent_holder_that_runs_is_waited_for_longer_and_said_to_run(tmp_path: Path) -> None:
    async with FakeHolder(tmp_path, _silent).serving(), entered(tmp_path, wait_s=0.2) as guest:
        with pytest.raises(StoreUnavailable, match=r"has not answered for 1\.2 seconds, though it runs"):
            await guest.run("look", "RETURN 1")


@pytest.mark.requirement("holder:asleep")
async def test_a_holder_that_is_at_it_is_waited_for(tmp_path: Path) -> None:
    async def at_length(frame: Frame) -> list[Frame]:
        return [Frame(Kind.ALIVE), Frame(Kind.NOT_DONE, frame.number)]

    async def in_the_end(frame: Frame) -> list[Frame]:
        return await at_length(frame) if len(fake.asked) < 3 else [Frame(Kind.MISREAD, frame.number)]

    async with FakeHolder(tmp_path, in_the_end).serving() as fake, entered(tmp_path, wait_s=5) as guest:
        with pytest.raises(StoreError, match="could not read the request"):
            await guest.run("look", "RETURN 1")
        assert len(fake.asked) == 3


@pytest.mark.usefixtures("asleep")
@pytest.mark.requirement("holder:asleep", "holder:doctor")
async def test_who_holds_the_lock_and_answers_nobody_is_named(tmp_path: Path) -> None:
    place = HoldingPlace(secure_directory(tmp_path / "memory"))
    lock = take_lock(place)
    assert lock is not None
    lock.sign(CARD)
    assert (await find_holder(place.directory, CARD, wait_s=0.1)).state == "silent"
    with pytest.raises(StoreHeld, match=f"process {CARD.pid}"):
        async with entered(tmp_path, wait_s=0.1):
            pass
    with listen_at(place):  # it listens, and accepts nobody
        assert (await find_holder(place.directory, CARD, wait_s=0.1)).state == "silent"
        with pytest.raises(StoreHeld, match=r"has not answered for 0\.1 seconds"):
            async with entered(tmp_path, wait_s=0.1):
                pass
    lock.give_back()


@pytest.mark.requirement("holder:step-down", "holder:asleep")
async def test_an_older_holder_that_does_not_step_down_is_named(tmp_path: Path) -> None:
    async with FakeHolder(tmp_path, _silent, replace(CARD, version="0.0.1")).serving():
        with pytest.raises(StoreHeld, match="has not answered"):
            async with entered(tmp_path, wait_s=0.2):
                pass


@pytest.mark.requirement("holder:joining")
async def test_who_stops_joining_leaves_no_connection_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ends: list[object] = []

    async def stopped(*, sock: object) -> None:
        ends.append(sock)
        raise asyncio.CancelledError

    async with entered(tmp_path):
        monkeypatch.setattr(asyncio, "open_unix_connection", stopped)
        with pytest.raises(asyncio.CancelledError):
            async with entered(tmp_path):
                pass
        assert [end.fileno() for end in ends] == [-1]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
