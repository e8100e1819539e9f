"""Ctrl-C withdraws what is under way in an open memory, and nothing around it."""

import os
import signal
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import cast

import anyio
import anyio.lowlevel
import click
import pytest

from voice.bootstrap import Services
from voice.entrypoints.cli.terminal.interrupts import HeldMemory, InterruptedTwice, Terminated, hold_open

pytestmark = pytest.mark.requirement("ruling:D25")
CONTEXT = click.Context(click.Command("voice"))
Work = Callable[[Services], Awaitable[str]]


@pytest.fixture(autouse=True)
def _heard() -> Iterator[None]:
    """What runs in the background of a shell hands on a deaf ear."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def memory() -> Iterator[HeldMemory]:
    @asynccontextmanager
    async def opening() -> AsyncGenerator[Services]:
        yield cast("Services", "the services")

    with hold_open(opening()) as held:
        yield held


def pressed(number: int = signal.SIGINT) -> None:
    os.kill(os.getpid(), number)


def sleeping(ended: list[str], number: int = signal.SIGINT) -> Work:
    async def work(services: Services) -> str:
        pressed(number)
        try:
            await anyio.sleep_forever()
        finally:
            ended.append("withdrawn")
        return "never"

    return work


async def answer(services: Services) -> str:
    return f"by {services}, for {click.get_current_context().command.name}"


def test_the_work_is_withdrawn_and_the_next_is_done(memory: HeldMemory) -> None:
    ended: list[str] = []
    with pytest.raises(KeyboardInterrupt) as stopped:
        memory.run(sleeping(ended), CONTEXT)
    assert (type(stopped.value), ended) == (KeyboardInterrupt, ["withdrawn"])
    assert memory.run(answer, CONTEXT) == "by the services, for voice"


def test_pressed_once_more_it_does_not_wait_for_what_is_slow_to_end(memory: HeldMemory) -> None:
    reached: list[str] = []

    async def slow(_: Services) -> str:
        pressed()
        try:
            await anyio.sleep_forever()
        finally:
            pressed()
            with anyio.CancelScope(shield=True):
                await anyio.sleep_forever()
            reached.append("its end")
        return "never"

    with pytest.raises(InterruptedTwice):
        memory.run(slow, CONTEXT)
    assert reached == []
    assert memory.run(answer, CONTEXT).startswith("by the services")


def test_what_was_done_before_it_could_be_withdrawn_is_returned(memory: HeldMemory) -> None:
    async def kept(_: Services) -> str:
        with anyio.CancelScope(shield=True):
            pressed()
            await anyio.sleep(0.05)
        return "kept"

    assert memory.run(kept, CONTEXT) == "kept"


def test_what_goes_wrong_while_it_is_withdrawn_is_raised(memory: HeldMemory) -> None:
    async def failing(_: Services) -> str:
        pressed()
        try:
            await anyio.sleep_forever()
        finally:
            raise ValueError("not withdrawn")

    with pytest.raises(ValueError, match="not withdrawn"):
        memory.run(failing, CONTEXT)


def test_sigterm_withdraws_it_and_ends_everything(memory: HeldMemory) -> None:
    ended: list[str] = []
    with pytest.raises(Terminated):
        memory.run(sleeping(ended, signal.SIGTERM), CONTEXT)
    assert ended == ["withdrawn"]


def test_where_ctrl_c_is_switched_off_it_stays_so(memory: HeldMemory) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    async def work(services: Services) -> str:
        pressed()
        await anyio.lowlevel.checkpoint()
        return "all"

    assert memory.run(work, CONTEXT) == "all"
