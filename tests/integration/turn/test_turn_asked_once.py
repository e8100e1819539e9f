"""A call that is repeated under its idempotency key."""

import asyncio
from dataclasses import replace
from itertools import count
from pathlib import Path

import anyio
import pytest

from held_models import HeldModel
from played_turns import (
    GROUNDED,
    KILN,
    ON_DISK,
    PAID,
    USAGE,
    WHERE,
    ask,
    given,
    grounded,
    memory,
    reply,
    scripted,
    stored,
)
from stand_ins import stand_in
from voice.adapters.llm.scripted import Line
from voice.core.errors import AlreadyAsked, InvalidParams, ProviderRejected, StoreDamaged, UnknownId
from voice.core.grounding.values import RefusalReason, Stance
from voice.core.render.turn_json import nlq_json
from voice.core.session.values import DialogueExchange
from voice.ports.stores import SessionStore
from voice.services.turn.ask import AskRequest, Turn
from voice.services.turn.keep import TurnUnderway

pytestmark = pytest.mark.requirement("sessions:idempotency")
KEY = "call 1"


async def test_the_same_call_again_gets_the_first_answer_and_asks_nobody(tmp_path: Path) -> None:
    model = grounded()
    async with memory(tmp_path, model, settings=given(store=ON_DISK), told=KILN) as services:
        first = await ask(services, idempotency_key=KEY)
        again = await ask(services, idempotency_key=KEY)
        named = await ask(services, idempotency_key=KEY, session_id=first.session.id, order="created_at_asc")
        other = await ask(services, idempotency_key="call 2")
        assert len(await stored(services)) == 2
        assert await services.stores.metrics.count("turn") == 2
        assert await services.maintenance.verify() == []
    assert model.calls == 2
    assert replace(again.exchange, seq=0) == replace(first.exchange, seq=0)
    assert (named.exchange, named.order) == (again.exchange, "created_at_asc")
    assert other.exchange.id != first.exchange.id
    assert [each.replayed for each in (first, again, named, other)] == [False, True, True, False]
    assert nlq_json(again.exchange, again.order) == nlq_json(first.exchange, first.order)
    assert KEY not in repr(first.exchange)


async def test_the_first_answer_survives_the_process_and_a_backup(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded(), settings=given(store=ON_DISK), told=KILN) as services:
        first = await ask(services, idempotency_key=KEY)
        await services.maintenance.backup(str(tmp_path / "backup"))
    nobody = scripted(ProviderRejected("nobody is to be asked"))
    async with memory(tmp_path, nobody, settings=given(store=ON_DISK)) as services:
        again = await ask(services, idempotency_key=KEY)
    async with memory(tmp_path, nobody) as services:
        await services.maintenance.restore(str(tmp_path / "backup"))
        restored = await ask(services, idempotency_key=KEY)
    assert {turn.exchange.id for turn in (again, restored)} == {first.exchange.id}
    assert (again.replayed, restored.replayed, nobody.calls) == (True, True, 0)


OTHERS: tuple[dict[str, object], ...] = (
    {"question": "Who fired the bowls?"},
    {"stance": Stance.CHALLENGE},
    {"when": "in March"},
    {"limit": 3},
    {"include_private": True},
    {"new_topic": "the shed"},
    {"include_tags": ("pottery",)},
)


async def test_another_question_under_a_key_is_an_error_that_says_so(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded(), told=KILN) as services:
        first = await ask(services, idempotency_key=KEY)
        for other in OTHERS:
            with pytest.raises(InvalidParams, match="another question") as told_of:
                await ask(services, **{"question": WHERE, "idempotency_key": KEY, **other})  # pyright: ignore[reportArgumentType]
            assert first.exchange.id in told_of.value.message
            assert WHERE not in told_of.value.message
        assert len(await stored(services)) == 1


async def test_another_session_under_a_key_is_an_error_that_says_so(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded(), told=KILN) as services:
        first = await ask(services, idempotency_key=KEY)
        other = await ask(services, new_topic="the shed")
        with pytest.raises(InvalidParams, match=f"another session .{first.session.id}"):
            await ask(services, idempotency_key=KEY, session_id=other.session.id)
        with pytest.raises(UnknownId):
            await ask(services, idempotency_key=KEY, session_id="s:nowhere")
        assert len(await stored(services)) == 2


async def test_a_key_that_is_none_is_refused(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded()) as services:
        for key in ("", "  ", "k" * 201):
            with pytest.raises(InvalidParams, match="idempotency key"):
                await ask(services, idempotency_key=key)


async def test_while_the_first_still_runs_the_others_wait_for_it(tmp_path: Path) -> None:
    slow, turns = HeldModel(), list[Turn]()

    async def again() -> None:
        turns.append(await ask(services, idempotency_key=KEY))

    async with memory(tmp_path, slow, told=KILN) as services:
        async with anyio.create_task_group() as group:
            for _ in range(5):
                group.start_soon(again)
            await slow.until_asked()
            slow.may.set()
        assert len(await stored(services)) == 1
    assert slow.asked == 1
    assert len({turn.exchange.id for turn in turns}) == 1
    assert sorted(turn.replayed for turn in turns) == [False, True, True, True, True]


async def test_who_waits_asks_itself_when_the_first_is_cancelled(tmp_path: Path) -> None:
    slow = HeldModel()
    async with memory(tmp_path, slow, told=KILN) as services:
        first = asyncio.ensure_future(ask(services, idempotency_key=KEY))
        await slow.until_asked()
        second = asyncio.ensure_future(ask(services, idempotency_key=KEY))
        first.cancel()
        await asyncio.wait((first,))
        slow.may.set()
        turn = await second
        kept = sorted(await stored(services), key=lambda each: each.index)
    assert first.cancelled()
    assert [each.reason for each in kept] == [RefusalReason.CANCELLED, None]
    assert (turn.exchange.id, turn.replayed) == (kept[1].id, False)


@pytest.mark.parametrize(
    ("line", "reason", "is_final"),
    [
        (ProviderRejected("no"), "provider_error", False),
        ("{", "malformed", True),
        (replace(reply("", USAGE), ending="declined"), "declined", False),
    ],
)
async def test_what_ended_for_want_of_a_provider_is_asked_again_and_a_refusal_is_not(
    tmp_path: Path, line: Line, reason: str, *, is_final: bool
) -> None:
    lines = [line] * (2 if line == "{" else 1)
    async with memory(tmp_path, scripted(*lines, GROUNDED), told=KILN) as services:
        first = await ask(services, idempotency_key=KEY)
        second = await ask(services, idempotency_key=KEY)
    assert first.exchange.reason == reason
    assert (second.replayed, second.exchange.reason) == ((True, reason) if is_final else (False, None))


def blind(inner: SessionStore, *, forgets: bool = False) -> SessionStore:
    """Return a store in which another process answers a call while this one asks: the first look finds nothing."""
    looks = count(1)

    async def exchanges(*, idempotency: str | None = None, **wanted: object) -> list[DialogueExchange]:
        if idempotency is not None and (next(looks) == 1 or forgets):
            return []
        return await inner.exchanges(idempotency=idempotency, **wanted)  # pyright: ignore[reportArgumentType]

    return stand_in(inner, exchanges=exchanges)


async def test_who_loses_a_key_to_another_process_gets_its_answer_and_keeps_what_the_own_one_took(
    tmp_path: Path,
) -> None:
    model = grounded()
    async with memory(tmp_path, model, told=KILN) as services:
        first = await ask(services, idempotency_key=KEY)
        elsewhere = await ask(services, new_topic="the shed")
        late = replace(services.makers.ask(), sessions=blind(services.sessions), underway=TurnUnderway())
        turn = await late(AskRequest(question=WHERE, idempotency_key=KEY))
        kept = await services.sessions.exchanges(session_id=first.session.id)
        shed = await services.sessions.exchanges(session_id=elsewhere.session.id)
        assert await services.maintenance.verify() == []
        assert await services.transcripts.faults() == []
    assert (turn.replayed, turn.exchange.id, model.calls) == (True, first.exchange.id, 3)
    assert [(each.status, each.reason) for each in kept] == [("answered", None), ("error", RefusalReason.CANCELLED)]
    assert [attempt.usage for attempt in kept[1].attempts] == [USAGE]
    assert first.exchange.id in (kept[1].notes or "")
    assert len(shed) == 1


async def test_who_loses_a_key_to_a_turn_that_is_gone_by_then_is_told_to_ask_again(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded(profile=PAID), told=KILN) as services:
        await ask(services, idempotency_key=KEY)
        sessions = blind(services.sessions, forgets=True)
        late = replace(services.makers.ask(), sessions=sessions, underway=TurnUnderway())
        with pytest.raises(AlreadyAsked) as told_of:
            await late(AskRequest(question=WHERE, idempotency_key=KEY))
        first, lost = await stored(services)
    assert told_of.value.retryable
    assert (lost.deleted, lost.answer, lost.cost_estimate) == (True, "", first.cost_estimate)


async def nothing(_: str, *, window: int) -> None:
    """Load no session."""


async def test_an_answer_without_its_session_is_damage(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded(), told=KILN) as services:
        await ask(services, idempotency_key=KEY)
        torn = replace(services.makers.ask(), sessions=stand_in(services.sessions, load=nothing))
        with pytest.raises(StoreDamaged):
            await torn(AskRequest(question=WHERE, idempotency_key=KEY))
