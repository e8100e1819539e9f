"""A turn that is cancelled, at every point at which it can be."""

import asyncio
import types
from collections.abc import Awaitable, Callable, Coroutine, Generator, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

import anyio
import pytest
from anyio.lowlevel import checkpoint

from played_turns import GROUNDED, KILN, ON_DISK, PAID, USAGE, WHERE, ask, given, memory, stored
from present import present
from stand_ins import on_a_full_disk, stand_in
from voice.adapters.llm.scripted import ScriptedClient
from voice.core.grounding.values import RefusalReason
from voice.core.session.values import DialogueExchange
from voice.core.settings.values import StoreSettings
from voice.core.usage import Usage
from voice.ports.llm import LlmReply, LlmRequest
from voice.services.turn.ask import AskRequest

Work = Coroutine[object, object, object]
Cancelled = Callable[[Work, int], Awaitable[bool]]


class Slow(ScriptedClient):
    """A model that takes its time, and whose first reply has the wrong shape."""

    def __init__(self) -> None:
        super().__init__(self._line, profile=PAID, usage=USAGE)
        self.begun = 0

    def _line(self, request: LlmRequest) -> str:
        return "{" if self.begun == 1 else str(GROUNDED(request))

    async def complete(self, request: LlmRequest) -> LlmReply:
        self.begun += 1
        await checkpoint()
        reply = await super().complete(request)
        await checkpoint()
        return reply


@types.coroutine
def _driven(work: Work, at: int, cancel: Callable[[], object], reached: list[int]) -> Generator[object, object, object]:
    """Run `work`, and have `cancel` called where it waits for the `at`-th time."""
    value: object = None
    raised: BaseException | None = None
    for place in count(1):
        try:
            waits_for = work.send(value) if raised is None else work.throw(raised)
        except StopIteration as stop:
            return stop.value
        if place == at:
            reached.append(at)
            asyncio.get_running_loop().call_soon(cancel)
        value = raised = None
        try:
            value = yield waits_for
        except BaseException as error:  # noqa: BLE001 - handed on to the work
            raised = error
    return None


async def by_its_task(work: Work, at: int) -> bool:
    """Cancel once, as asyncio does for a timeout and for Ctrl-C; return whether the work came so far."""
    reached: list[int] = []

    async def run() -> None:
        await _driven(work, at, task.cancel, reached)

    task = asyncio.ensure_future(run())
    await asyncio.wait((task,))
    assert task.cancelled() or task.exception() is None
    return bool(reached)


async def by_a_scope(work: Work, at: int) -> bool:
    """Cancel as anyio does: again at every point, until the scope is left."""
    reached: list[int] = []
    with anyio.CancelScope() as scope:
        await _driven(work, at, scope.cancel, reached)
    return bool(reached)


@pytest.mark.requirement("ruling:D25", "ruling:D8", "promise:3", "sessions:cancelled")
@pytest.mark.parametrize(
    ("store", "cancelled"),
    [(StoreSettings(url="mem://"), by_its_task), (ON_DISK, by_a_scope)],
    ids=["in memory", "on disk"],
)
async def test_wherever_a_turn_is_cancelled_its_session_is_whole_and_what_it_spent_is_on_record(
    tmp_path: Path, store: StoreSettings, cancelled: Cancelled
) -> None:
    slow = Slow()
    seen: set[tuple[int, int, str | None]] = set()
    async with memory(tmp_path, slow, settings=given(store=store), told=KILN) as services:
        session = (await ask(services)).session
        for at in count(1):
            before, slow.begun = await stored(services), 0
            was_cancelled = await cancelled(services.ask(AskRequest(question=WHERE)), at)  # pyright: ignore[reportArgumentType]
            new = (await stored(services))[len(before) :]
            seen.add((slow.begun, len(new), new[0].reason if new else None))
            _require_spend_on_record(slow.begun, new)
            assert await services.report.unended() == ()
            loaded = present(await services.sessions.load(session.id, window=1))
            assert loaded.total_exchanges == len(before) + len(new)
            if not was_cancelled:
                break
        assert await services.maintenance.verify() == []
        assert await services.transcripts.faults() == []
    assert {(0, 0, None), (1, 1, "cancelled"), (2, 1, "cancelled"), (2, 1, None)} == seen


def _require_spend_on_record(begun: int, new: Sequence[DialogueExchange]) -> None:
    assert len(new) == (begun > 0)
    for kept in new:
        assert len(kept.attempts) == begun
        assert {attempt.usage for attempt in kept.attempts[:-1]} <= {USAGE}
        if kept.reason is RefusalReason.CANCELLED:
            assert (kept.status, kept.sources, kept.idempotency) == ("error", (), "")
            assert kept.attempts[-1].usage in (Usage(), USAGE)
        else:
            assert (kept.status, kept.cost_estimate is None) == ("answered", False)


@pytest.mark.requirement("ruling:D25")
async def test_a_cancelled_turn_that_cannot_be_kept_is_cancelled_all_the_same(tmp_path: Path) -> None:
    class Leaving(ScriptedClient):
        async def complete(self, request: LlmRequest) -> LlmReply:
            scope.cancel()
            await checkpoint()
            raise AssertionError("it was cancelled")

    async with memory(tmp_path, Leaving([]), told=KILN) as services:
        turns = replace(services.makers.ask(), sessions=stand_in(services.sessions, save=on_a_full_disk))
        with anyio.CancelScope() as scope:
            await turns(AskRequest(question=WHERE, create=True))
        assert scope.cancelled_caught
        assert await stored(services) == []
