"""Turns that meet, and the numbers that are left of a turn."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import anyio
import pytest
from anyio.lowlevel import checkpoint

from played_turns import (
    FIRED,
    KILN,
    MOVED,
    NOW,
    PAID,
    USAGE,
    WHERE,
    ask,
    given,
    grounded,
    memory,
    quoting,
    scripted,
    stored,
    tell,
    wire,
)
from voice.adapters.llm.scripted import ScriptedClient
from voice.bootstrap import Services
from voice.core.errors import SessionConflict, StoreUnavailable
from voice.core.grounding.values import RefusalReason
from voice.core.session.budgets import charge_of
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.core.settings.values import LlmSettings, PrivacySettings
from voice.ports.llm import LlmReply, LlmRequest
from voice.ports.stores import SessionStore
from voice.services.turn.ask import AskRequest, Turn
from voice.services.turn.evidence import WaitingNotes
from voice.services.turn.keep import TurnUnderway


class Meeting(ScriptedClient):
    """A model that answers nobody before as many have asked as are expected."""

    def __init__(self) -> None:
        super().__init__(quoting(MOVED, FIRED))
        self.here = 0
        self.expect(1)

    def expect(self, parties: int) -> None:
        """Answer nobody before so many more have asked."""
        self._missing = parties
        self.all_here = anyio.Event()

    async def complete(self, request: LlmRequest) -> LlmReply:
        self.here += 1
        self._missing -= 1
        if self._missing <= 0:
            self.all_here.set()
        await self.all_here.wait()
        return await super().complete(request)


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

    meeting = Meeting()
    async with memory(tmp_path, meeting) as services:
        await tell(services, *KILN)
        first = await ask(services)
        meeting.expect(20)
        async with anyio.create_task_group() as group:
            for number in range(20):
                group.start_soon(try_to_ask, services, number)
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
    meeting = Meeting()
    async with memory(tmp_path, meeting) as services:
        await tell(services, *KILN)
        session = (await ask(services)).session
        meeting.expect(99)
        asking = asyncio.ensure_future(services.ask(AskRequest(question=WHERE)))
        while meeting.here == 1:
            await checkpoint()
        renamed = replace(session, thread_topic="the shed", revision=session.revision + 1)
        await services.sessions.save(renamed, [], expected=session.revision)
        meeting.all_here.set()
        with pytest.raises(SessionConflict) as told:
            await asking
        (_, kept) = await stored(services)
        loaded = await services.sessions.load(session.id, window=0)
    assert loaded is not None
    assert (loaded.thread_topic, loaded.total_exchanges) == ("the shed", 2)
    assert (kept.conflict, kept.id) == (True, told.value.exchange_id)


class AlwaysLate:
    """A session store that somebody else is always faster with."""

    def __init__(self, inner: SessionStore, *, gone: bool) -> None:
        self._inner = inner
        self._gone = gone
        self.saves = 0
        self.sessions = inner.sessions
        self.topics = inner.topics
        self.exchanges = inner.exchanges

    async def load(self, session_id: str, *, window: int) -> InnerVoiceSession | None:
        return None if self._gone and self.saves else await self._inner.load(session_id, window=window)

    async def save(
        self, session: InnerVoiceSession, exchanges: Sequence[DialogueExchange], *, expected: int
    ) -> InnerVoiceSession:
        self.saves += 1
        raise SessionConflict("another writer was faster")


@pytest.mark.requirement("ruling:D21")
@pytest.mark.parametrize(("gone", "new", "saves"), [(False, None, 32), (True, None, 1), (False, "a new thread", 1)])
async def test_who_loses_time_and_again_or_has_no_session_left_is_told(
    tmp_path: Path, *, gone: bool, new: str | None, saves: int
) -> None:
    async with memory(tmp_path, grounded()) as services:
        await tell(services, *KILN)
        await ask(services)
        late = AlwaysLate(services.sessions, gone=gone)
        with pytest.raises(SessionConflict) as told:
            await replace(services.makers.ask(), sessions=late)(AskRequest(question=WHERE, new_topic=new))
        assert len(await stored(services)) == 1
    assert told.value.retryable
    assert told.value.exchange_id is None
    assert late.saves == saves


@pytest.mark.requirement("promise:7", "ruling:D18", "spending:caps")
@pytest.mark.parametrize(("gone", "new"), [(False, None), (True, None), (False, "a new thread")])
async def test_what_a_turn_took_that_has_nowhere_to_go_stays_spent_as_figures(
    tmp_path: Path, *, gone: bool, new: str | None
) -> None:
    async with memory(tmp_path, grounded(profile=PAID)) as services:
        await tell(services, *KILN)
        await ask(services)
        late = AlwaysLate(services.sessions, gone=gone)
        with pytest.raises(SessionConflict):
            await replace(services.makers.ask(), sessions=late)(AskRequest(question=WHERE, new_topic=new))
        first, lost = await stored(services)
        report = await services.report(by="model")
        assert await services.maintenance.verify() == []
    assert (lost.deleted, lost.my_query, lost.answer, lost.sources) == (True, "", "", ())
    assert lost.session_id != first.session_id
    assert report.total.cost.known == 2 * Decimal("0.002")


class Deleting(ScriptedClient):
    """A model during whose second call somebody deletes the session."""

    services: Services

    async def complete(self, request: LlmRequest) -> LlmReply:
        if self.calls == 1:
            (session,) = await self.services.sessions.sessions(limit=9)
            await self.services.life.delete(session.id)
        return await super().complete(request)


@pytest.mark.requirement("promise:7", "ruling:D18", "spending:caps")
async def test_of_a_session_that_is_deleted_while_it_is_asked_the_spending_stays(tmp_path: Path) -> None:
    client = Deleting(quoting(MOVED, FIRED), usage=USAGE, profile=PAID)
    capped = given(llm=LlmSettings(max_day_cost=Decimal("0.0242")))
    async with memory(tmp_path, client, settings=capped) as services:
        client.services = services
        await tell(services, *KILN)
        await ask(services)
        with pytest.raises(SessionConflict):
            await ask(services)
        refused = await ask(services)
        assert sum(charge_of(each).known for each in await stored(services)) == Decimal("0.004")
    assert (client.calls, refused.exchange.reason) == (2, RefusalReason.BUDGET)


@pytest.mark.requirement("ruling:D19", "s2:privacy:store-metrics", "s2:privacy:aggregates-only", "s2:guarantee:7")
async def test_the_numbers_of_a_turn_are_recorded_and_none_of_its_words(tmp_path: Path) -> None:
    recorder = Recorder()
    async with memory(tmp_path, scripted(quoting(MOVED, FIRED), profile=PAID)) as services:
        await tell(services, *KILN)
        await ask(services)
        assert await services.metrics.count("turn") == 1
        await replace(services.makers.ask(), metrics=recorder)(AskRequest(question=WHERE))
        fails = replace(services.makers.ask(), llm=scripted(StoreUnavailable("x")))
        with pytest.raises(StoreUnavailable):
            await fails(AskRequest(question=WHERE))
        assert await services.metrics.count("turn") == 1
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


@pytest.mark.requirement("ruling:D18", "ruling:D19")
async def test_what_is_not_known_is_no_zero_in_the_metrics(tmp_path: Path) -> None:
    recorder = Recorder()
    silent = ScriptedClient(quoting(MOVED, FIRED))
    async with memory(tmp_path, silent) as services:
        await tell(services, *KILN)
        await replace(services.makers.ask(), metrics=recorder)(AskRequest(question=WHERE, create=True))
    assert recorder.rows[0][2].keys() == {"latency_ms", "coverage_ratio", "refused", "status"}


@pytest.mark.requirement("ruling:D26")
async def test_a_turn_is_kept_when_its_metrics_cannot_be_and_what_waits_cannot_be_looked_up(tmp_path: Path) -> None:
    async with memory(tmp_path, scripted(wire("", refused=True))) as services:
        await tell(services, *KILN)
        broken, asking = Recorder(StoreUnavailable("the disk is full")), services.makers.ask()
        waiting = WaitingNotes(noted=broken, store=asking.evidence.retrieve.store)
        turn = await replace(asking, metrics=broken, waiting=waiting)(AskRequest(question=WHERE, create=True))
        assert [each.id for each in await stored(services)] == [turn.exchange.id]


@pytest.mark.requirement("ruling:D19", "s2:privacy:no-log", "s0:logging:no-log", "s0:constraint:logging")
@pytest.mark.parametrize("privacy", [PrivacySettings(no_log=True), PrivacySettings(metrics=False)])
async def test_without_metrics_nothing_is_recorded_and_the_report_is_as_full(
    tmp_path: Path, privacy: PrivacySettings
) -> None:
    async with memory(tmp_path, grounded(), settings=given(privacy=privacy)) as services:
        await tell(services, *KILN)
        await ask(services)
        assert await services.metrics.count("turn") == 0
        report = await services.report(since=None, by="session")
    assert (report.total.turns, report.total.prompt_tokens) == (1, 1000)


@pytest.mark.requirement("ruling:D25")
async def test_one_deadline_spans_the_whole_turn_and_is_told_to_the_client(tmp_path: Path) -> None:
    seen: list[LlmRequest] = []
    client = scripted("{", quoting(MOVED, FIRED), seen=seen)
    async with memory(tmp_path, client, settings=given(llm=LlmSettings(deadline_s=9.0))) as services:
        await tell(services, *KILN)
        await ask(services)
    assert [request.timeout_s <= 9.0 for request in seen] == [True, True]
