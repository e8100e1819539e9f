"""Ctrl-C withdraws what is under way, and nothing around it."""

import signal

import anyio
import anyio.lowlevel
import pytest

from voice.entrypoints.cli.stopping import withdrawn_by_ctrl_c

pytestmark = pytest.mark.requirement("ruling:D25")


@pytest.fixture(autouse=True)
def _heard() -> object:
    """What runs in the background of a shell hands on a deaf ear."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_the_block_ends_and_the_program_goes_on_to_the_next() -> None:
    done: list[str] = []

    async def work() -> None:
        before = signal.getsignal(signal.SIGINT)
        for name in ("first", "second"):
            with withdrawn_by_ctrl_c():
                signal.raise_signal(signal.SIGINT)
                await anyio.sleep_forever()
            done.append(name)
            assert signal.getsignal(signal.SIGINT) is before

    anyio.run(work)
    assert done == ["first", "second"]


def test_pressed_once_more_it_ends_everything_though_the_first_was_not_done() -> None:
    reached: list[str] = []

    async def work() -> None:
        with withdrawn_by_ctrl_c():
            signal.raise_signal(signal.SIGINT)
            try:
                await anyio.sleep_forever()
            finally:
                signal.raise_signal(signal.SIGINT)
                with anyio.CancelScope(shield=True):
                    await anyio.sleep_forever()
        reached.append("the next prompt")

    with pytest.raises(KeyboardInterrupt):
        anyio.run(work)
    assert reached == []


def test_behind_the_block_ctrl_c_ends_the_program_as_before() -> None:
    async def work() -> None:
        with withdrawn_by_ctrl_c():
            await anyio.lowlevel.checkpoint()
        signal.raise_signal(signal.SIGINT)
        await anyio.sleep_forever()

    with pytest.raises(KeyboardInterrupt):
        anyio.run(work)


def test_where_ctrl_c_is_switched_off_it_stays_so() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    done: list[str] = []

    async def work() -> None:
        with withdrawn_by_ctrl_c():
            signal.raise_signal(signal.SIGINT)
            await anyio.lowlevel.checkpoint()
            done.append("all")

    anyio.run(work)
    assert done == ["all"]
