"""What a turn can cost is on record before its provider is asked, and settled whatever becomes of the turn."""

import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from decimal import Decimal
from functools import partial
from pathlib import Path

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest

import killed_while_asking
from cli_runner import run_command
from held_models import trying_again
from killed_while_asking import KILLED
from played_turns import GROUNDED, KILN, ON_DISK, PAID, USAGE, WHERE, ask, given, grounded, memory, scripted, stored
from present import present
from stand_ins import stand_in
from voice.adapters.llm.scripted import ScriptedClient
from voice.adapters.surreal.opening import open_store
from voice.adapters.system.data_directory import STORE_NAME
from voice.bootstrap import Services
from voice.core.errors import ProviderUnavailable, SessionConflict, StoreUnavailable
from voice.core.session.budgets import OpenCall
from voice.ports.llm import LlmReply, LlmRequest, ModelProfile
from voice.services.turn.ask import Ask, AskRequest
from voice.services.turn.keep import TurnUnderway

DAY_CAP = "0.05"
"""Pays for two calls at their worst, of about 0.0212 each, and not for three."""


class Meddling(ScriptedClient):
    """A model that has something done while it is asked, and answers after it."""

    def __init__(self, meddle: Callable[[], Awaitable[object]], profile: ModelProfile = PAID) -> None:
        super().__init__(GROUNDED, usage=USAGE, profile=profile)
        self.meddle = meddle

    async def complete(self, request: LlmRequest) -> LlmReply:
        await self.meddle()
        return await super().complete(request)


async def open_calls(services: Services) -> tuple[OpenCall, ...]:
    return await services.report.unended()


@pytest.mark.requirement("spending:killed", "promise:7")
async def test_a_process_that_is_killed_again_and_again_stops_at_the_cap_and_is_told(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded(profile=PAID), settings=given(store=ON_DISK), told=KILN) as services:
        await ask(services)
    command = [sys.executable, killed_while_asking.__file__, str(tmp_path), DAY_CAP]
    ended = [(await anyio.run_process(command, check=False)).returncode for _ in range(3)]
    assert (ended, (tmp_path / "calls").read_text()) == ([KILLED, KILLED, 0], "xx")
    async with memory(tmp_path, settings=given(store=ON_DISK)) as services:
        report = await services.report()
        worst = sum((call.worst.counted for call in await open_calls(services)), Decimal(0))
        assert (report.unended, report.unended_cost.known, report.total.turns) == (2, worst, 2)
        assert Decimal("0.04") < worst <= Decimal(DAY_CAP)
        assert [*await services.maintenance.verify(), *await services.transcripts.faults()] == []
    report = await anyio.to_thread.run_sync(partial(run_command, "report", home=tmp_path / "home"))
    verified = await anyio.to_thread.run_sync(partial(run_command, "maintain", "verify", home=tmp_path / "home"))
    assert "2 calls with an unknown outcome" in report.out
    assert (verified.code, verified.out) == (0, "Voice read every record; every text, count and chain is right.\n")
    assert "2 calls with an unknown outcome" in verified.err


@pytest.mark.requirement("spending:killed")
async def test_the_worst_of_a_call_is_on_record_while_it_is_made_and_gone_with_the_turn(tmp_path: Path) -> None:
    seen: list[tuple[OpenCall, ...]] = []

    async def look() -> None:
        seen.append(await open_calls(services))

    async with memory(tmp_path, Meddling(look), told=KILN) as services:
        turn = await ask(services)
        ((call,),) = seen
        assert (call.id, call.session_id, call.model) == (turn.exchange.id, turn.session.id, "vendor/paid-1")
        assert Decimal("0.02") < call.worst.counted < Decimal("0.03")
        assert await open_calls(services) == ()


@pytest.mark.requirement("spending:killed", "ruling:D26")
@pytest.mark.parametrize("end", ["cancelled", "lost race", "session gone"])
async def test_a_turn_that_ends_otherwise_is_settled_too(tmp_path: Path, end: str) -> None:
    entered = anyio.Event()

    async def meddle() -> None:
        assert len(await open_calls(services)) == 1
        entered.set()
        match end:
            case "cancelled":
                await anyio.sleep_forever()
            case "lost race":
                client.meddle = anyio.lowlevel.checkpoint
                elsewhere = replace(services.makers.ask(), underway=TurnUnderway())
                await elsewhere(AskRequest(question=WHERE, session_id=held.session.id))
            case _:
                await services.life.delete(held.session.id)

    client = Meddling(anyio.lowlevel.checkpoint)
    async with memory(tmp_path, client, told=KILN) as services:
        held = await ask(services)
        client.meddle = meddle
        async with anyio.create_task_group() as tasks:

            async def second() -> None:
                try:
                    await ask(services, session_id=held.session.id)
                except SessionConflict:
                    assert end in ("lost race", "session gone")

            tasks.start_soon(second)
            await entered.wait()
            if end == "cancelled":
                tasks.cancel_scope.cancel()
        assert await open_calls(services) == ()
        assert [*await services.maintenance.verify(), *await services.maintenance.recount()] == []


def spending_at(services: Services, happens: Callable[[], Awaitable[object]]) -> Ask:
    """Return what asks with something that happens just before each call is put on record."""
    asking = services.makers.ask()
    store = present(asking.spending.store)

    async def begin(call: OpenCall) -> None:
        await happens()
        await store.begin(call)

    return replace(asking, spending=replace(asking.spending, store=stand_in(store, begin=begin)))


def refusing(services: Services, after: int) -> Ask:
    """Return what asks with a store that puts no call on record from the `after`-th on."""
    left = iter(range(after))

    async def refuse() -> None:
        if next(left, None) is None:
            raise StoreUnavailable("the disk is full")

    return spending_at(services, refuse)


@pytest.mark.requirement("spending:killed", "promise:7")
@pytest.mark.parametrize("after", [0, 1])
async def test_a_call_that_cannot_be_put_on_record_is_not_made_and_what_was_paid_is_kept(
    tmp_path: Path, after: int
) -> None:
    client = scripted("not JSON", profile=PAID)
    async with memory(tmp_path, client, told=KILN) as services:
        with pytest.raises(StoreUnavailable):
            await refusing(services, after)(AskRequest(question=WHERE, create=True))
        assert (client.calls, await open_calls(services)) == (after, ())
        kept = [(each.reason, [call.usage for call in each.attempts]) for each in await stored(services)]
        assert kept == [("cancelled", [USAGE])] * after


@pytest.mark.requirement("spending:killed")
async def test_a_try_that_cannot_be_put_on_record_is_not_made_and_the_failure_before_it_stands(tmp_path: Path) -> None:
    client = trying_again(scripted(ProviderUnavailable("the provider is busy"), profile=PAID))
    async with memory(tmp_path, client, told=KILN) as services:
        turn = await refusing(services, 1)(AskRequest(question=WHERE, create=True))
        assert (turn.exchange.status, len(turn.exchange.attempts)) == ("error", 1)
        assert await open_calls(services) == ()


@pytest.mark.requirement("spending:restoring", "holder:restore")
async def test_nobody_is_paid_when_a_restore_begins_while_the_evidence_is_looked_for(tmp_path: Path) -> None:
    client, home = grounded(profile=PAID), tmp_path / "home"
    async with memory(tmp_path, client, settings=given(store=ON_DISK), told=KILN) as services:
        async with await open_store(home / STORE_NAME, home=home) as elsewhere:

            async def restore() -> None:
                await elsewhere.connection.run("begin to restore", "UPDATE meta SET restoring = true RETURN NONE")

            with pytest.raises(StoreUnavailable, match="did not note a call; try again when that is done"):
                await spending_at(services, restore)(AskRequest(question=WHERE, create=True))
            assert (client.calls, await stored(services), await open_calls(services)) == (0, [], ())
            await elsewhere.connection.run("finish to restore", "UPDATE meta SET restoring = NONE RETURN NONE")
        assert (await ask(services)).exchange.status == "answered"
        assert (client.calls, await open_calls(services)) == (1, ())
