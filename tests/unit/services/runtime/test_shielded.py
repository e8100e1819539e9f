"""What is done to its end whatever becomes of who waits for it."""

import asyncio

import anyio
import pytest
from anyio.lowlevel import checkpoint

from voice.services.runtime.isolated_calls import run_to_completion

pytestmark = pytest.mark.requirement("ruling:D25", "ruling:D26")


class Work:
    """Something that takes a while."""

    def __init__(self, fault: Exception | None = None) -> None:
        self.may = asyncio.Event()
        self.begun = False
        self.done = False
        self._fault = fault

    async def __call__(self) -> str:
        self.begun = True
        await self.may.wait()
        self.done = True
        if self._fault is not None:
            raise self._fault
        return "kept"


async def _until_begun(work: Work) -> None:
    while not work.begun:
        await checkpoint()


async def test_who_waits_in_peace_gets_what_came_of_it() -> None:
    fine, broken = Work(), Work(ValueError("no"))
    fine.may.set()
    broken.may.set()
    assert await run_to_completion(fine()) == "kept"
    with pytest.raises(ValueError, match="no"):
        await run_to_completion(broken())


@pytest.mark.parametrize("fault", [None, ValueError("no")])
async def test_a_task_that_is_cancelled_twice_hears_of_it_when_the_work_is_done(fault: Exception | None) -> None:
    work = Work(fault)
    waiting = asyncio.ensure_future(run_to_completion(work()))
    await _until_begun(work)
    for _ in range(2):
        waiting.cancel()
        await checkpoint()
        await checkpoint()
    assert (waiting.done(), work.done) == (False, False)
    work.may.set()
    await asyncio.wait((waiting,))
    assert (waiting.cancelled(), work.done) == (True, True)


async def test_a_scope_that_is_cancelled_takes_effect_behind_the_work() -> None:
    work, scope = Work(), anyio.CancelScope()
    got: list[str] = []

    async def wait() -> None:
        with scope:
            got.append(await run_to_completion(work()))
            await checkpoint()
            got.append("went on")

    async with anyio.create_task_group() as group:
        group.start_soon(wait)
        await _until_begun(work)
        scope.cancel()
        for _ in range(5):
            await checkpoint()
        assert not work.done
        work.may.set()
    assert (got, scope.cancelled_caught) == (["kept"], True)


async def test_work_that_was_cancelled_itself_ends_who_waits() -> None:
    begun = asyncio.Event()

    async def work() -> None:
        begun.set()
        await checkpoint()
        raise asyncio.CancelledError

    waiting = asyncio.ensure_future(run_to_completion(work()))
    await begun.wait()
    waiting.cancel()
    await asyncio.wait((waiting,))
    assert waiting.cancelled()
    with pytest.raises(asyncio.CancelledError):
        await run_to_completion(work())
