"""Turns that meet, and the numbers that are left of a turn."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import anyio
import pytest

from held_models import HeldModel
from played_turns import GROUNDED, KILN, NOW, PAID, WHERE, ask, given, grounded, memory, scripted, stored, wire
from present import present
from stand_ins import stand_in
from voice.adapters.llm.scripted import SCRIPTED_PROFILE
from voice.bootstrap import Services
from voice.core.errors import SessionConflict, StoreUnavailable
from voice.core.session.values import InnerVoiceSession
from voice.core.settings.providers import LlmSettings
from voice.core.settings.values import PrivacySettings
from voice.ports.llm import LlmRequest, ModelProfile
from voice.services.turn.ask import AskRequest, Turn
from voice.services.turn.evidence import WaitingNotes
from voice.services.turn.keep import TurnUnderway


@pytest.mark.requirement("ruling:D21", "promise:3")
async def test_of_turns_that_meet_one_wins_and_the_others_are_told_where_theirs_are_kept(tmp_path: Path) -> None:
    """Whoever loses the race has paid, too: nothing is lost, nothing doubled, and what was judged stays as it was.

    Each asks as another process would: nobody stands in line with the others.
    """
    won: list[Turn] = []
    lost: list[SessionConflict] = []

    async def try_to_ask(services: Services, number: int) -> None:
        alone = replace(services.makers.ask(), underway=TurnUnderway(saving=services.makers.ask().underway.saving))
        try:
            won.append(await alone(AskRequest(question=f"Where is the kiln of number {number}?")))
        except SessionConflict as told:
            lost.append(told)

    model = HeldModel()
    async with memory(tmp_path, model, told=KILN) as services:
        model.may.set()
        first = await ask(services)
        model.may = anyio.Event()
        async with anyio.create_task_group() as group:
            for number in range(20):
                group.start_soon(try_to_ask, services, number)
            await model.until_asked(21)
            model.may.set()
        kept = sorted(await stored(services), key=lambda each: each.index)
        again = await services.ask(AskRequest(question=WHERE, session_id=first.session.id))
        assert await services.maintenance.verify() == []
        assert await services.transcripts.faults() == []
    (winner,) = won
    assert [each.index for each in kept] == list(range(21))
    assert len({each.my_query for each in kept}) == 21
    assert {each.id for each in kept if each.conflict} == {told.exchange_id for told in lost}
    assert [each.id for each in kept[:2]] == [first.exchange.id, winner.exchange.id]
    places = {each.id: f"turn {each.index + 1} of {each.session_id}" for each in kept}
    assert all(places[told.exchange_id] in told.message for told in lost if told.exchange_id)
    assert {each.prompt.window_exchange_ids for each in kept[1:] if each.prompt} == {(first.exchange.id,)}
    assert {each.status for each in kept} == {"answered"}
    assert (again.exchange.index, again.session.revision, again.exchange.conflict) == (21, 22, False)


@pytest.mark.requirement("ruling:D21")
async def test_a_session_that_was_changed_otherwise_is_a_conflict_too(tmp_path: Path) -> None:
    model = HeldModel()
    async with memory(tmp_path, model, told=KILN) as services:
        model.may.set()
        session = (await ask(services)).session
        model.may = anyio.Event()
        asking = asyncio.ensure_future(services.ask(AskRequest(question=WHERE)))
        await model.until_asked(2)
        renamed = replace(session, thread_topic="the shed", revision=session.revision + 1)
        await services.sessions.save(renamed, [], expected=session.revision)
        model.may.set()
        with pytest.raises(SessionConflict) as told:
            await asking
        (_, kept) = await stored(services)
        loaded = present(await services.sessions.load(session.id, window=0))
    assert (loaded.thread_topic, loaded.total_exchanges) == ("the shed", 2)
    assert (kept.conflict, kept.id) == (True, told.value.exchange_id)


@pytest.mark.requirement("ruling:D21", "promise:7", "ruling:D18", "spending:caps")
@pytest.mark.parametrize(
    ("profile", "left", "gone", "new", "saves"),
    [
        (SCRIPTED_PROFILE, 0, False, None, 32),
        (PAID, 1, True, None, 1),
        (PAID, 1, False, "a new thread", 1),
    ],
    ids=["overtaken", "deleted", "new"],
)
async def test_who_loses_time_and_again_or_has_no_session_left_is_told_and_what_it_took_stays_as_figures(
    tmp_path: Path, profile: ModelProfile, left: int, *, gone: bool, new: str | None, saves: int
) -> None:
    saved: list[InnerVoiceSession] = []

    async def save(session: InnerVoiceSession, *_: object, **__: object) -> None:
        saved.append(session)
        raise SessionConflict("another writer was faster")

    async def load(session_id: str, *, window: int) -> InnerVoiceSession | None:
        return None if gone and saved else await services.sessions.load(session_id, window=window)

    async with memory(tmp_path, grounded(profile=profile), told=KILN) as services:
        await ask(services)
        late = stand_in(services.sessions, save=save, load=load)
        with pytest.raises(SessionConflict) as told:
            await replace(services.makers.ask(), sessions=late)(AskRequest(question=WHERE, new_topic=new))
        first, *lost = await stored(services)
        report = await services.report(by="model")
        assert await services.maintenance.verify() == []
    assert (told.value.retryable, told.value.exchange_id, len(saved)) == (True, None, saves)
    assert [(each.deleted, each.my_query, each.answer, each.sources) for each in lost] == [(True, "", "", ())] * left
    assert first.session_id not in {each.session_id for each in lost}
    assert report.total.cost.known == 2 * left * Decimal("0.002")


@pytest.mark.requirement("ruling:D19", "s2:privacy:store-metrics", "s2:privacy:aggregates-only", "s2:guarantee:7")
async def test_the_numbers_of_a_turn_are_recorded_and_none_of_its_words(tmp_path: Path) -> None:
    recorder = Recorder()
    async with memory(tmp_path, grounded(profile=PAID), told=KILN) as services:
        await ask(services)
        assert await services.stores.metrics.count("turn") == 1
        await replace(services.makers.ask(), metrics=recorder)(AskRequest(question=WHERE))
        fails = replace(services.makers.ask(), llm=scripted(StoreUnavailable("x")))
        with pytest.raises(StoreUnavailable):
            await fails(AskRequest(question=WHERE))
        assert await services.stores.metrics.count("turn") == 2
    ((name, at, values),) = recorder.rows
    assert (name, at) == ("turn", NOW)
    assert values == {
        "latency_ms": 0,
        "coverage_ratio": 1.0,
        "refused": False,
        "status": "answered",
        "prompt_tokens": 1000,
        "completion_tokens": 100,
        "cost_estimate": "0.002",
    }


class Recorder:
    """A metrics store that shows what it was given."""

    def __init__(self, fault: Exception | None = None) -> None:
        self.rows: list[tuple[str, datetime, Mapping[str, float | int | str | bool]]] = []
        self._fault = fault

    async def record(self, name: str, at: datetime, values: Mapping[str, float | int | str | bool]) -> None:
        if self._fault:
            raise self._fault
        self.rows.append((name, at, values))

    async def count(self, name: str) -> int:
        return len(self.rows)

    async def noted(self, states: object) -> list[str]:
        raise self._fault or AssertionError(states)


@pytest.mark.requirement("ruling:D26")
async def test_a_turn_is_kept_when_its_metrics_cannot_be_and_what_waits_cannot_be_looked_up(tmp_path: Path) -> None:
    async with memory(tmp_path, scripted(wire("", refused=True)), told=KILN) as services:
        broken, asking = Recorder(StoreUnavailable("the disk is full")), services.makers.ask()
        waiting = WaitingNotes(noted=broken, store=asking.evidence.retrieve.store)
        turn = await replace(asking, metrics=broken, waiting=waiting)(AskRequest(question=WHERE, create=True))
        assert [each.id for each in await stored(services)] == [turn.exchange.id]


@pytest.mark.requirement("ruling:D19", "s2:privacy:no-log", "s0:logging:no-log", "s0:constraint:logging")
@pytest.mark.parametrize("privacy", [PrivacySettings(no_log=True), PrivacySettings(metrics=False)])
async def test_without_metrics_nothing_is_recorded_and_the_report_is_as_full(
    tmp_path: Path, privacy: PrivacySettings
) -> None:
    async with memory(tmp_path, grounded(), settings=given(privacy=privacy), told=KILN) as services:
        await ask(services)
        assert await services.stores.metrics.count("turn") == 0
        report = await services.report(since=None, by="session")
    assert (report.total.turns, report.total.prompt_tokens) == (1, 1000)


@pytest.mark.requirement("ruling:D25")
async def test_one_deadline_spans_the_whole_turn_and_is_told_to_the_client(tmp_path: Path) -> None:
    seen: list[LlmRequest] = []
    client = scripted("{", GROUNDED, seen=seen)
    async with memory(tmp_path, client, settings=given(llm=LlmSettings(deadline_s=9.0)), told=KILN) as services:
        await ask(services)
    assert [request.timeout_s <= 9.0 for request in seen] == [True, True]
