"""Reports by the page, retrieval with a time in words, and what the wiring chooses."""

from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from fakes.fake_provider import FakeProvider
from played_turns import (
    FIRED,
    KILN,
    MOVED,
    NOW,
    PAID,
    USAGE,
    WHERE,
    MoodyEmbedder,
    ask,
    given,
    grounded,
    later,
    memory,
    tell,
)
from store_values import Stores
from stores_in_memory import store_in_memory
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.system.clock_and_ids import FixedClock, SystemClock
from voice.bootstrap import Parts, make_llm, open_services
from voice.core.errors import ConfigurationError, EmbedderUnavailable, InvalidParams, ScopeRequired, UnknownId
from voice.core.grounding.values import GroundingPolicy, RefusalReason
from voice.core.records import Scope
from voice.core.retrieval.params import RetrieveDefaults, RetrieveRequest
from voice.core.session.lifecycle import append, new_session
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.core.settings.values import EmbedSettings, LlmSettings, PrivacySettings, Settings
from voice.ports.stores import SessionStore
from voice.services.sessions.lookup import all_exchanges, load_session
from voice.services.sessions.report import Reports
from voice.services.turn.ask import AskRequest
from voice.wiring.asking import ask_settings
from voice.wiring.service_settings import spend_caps


async def many_turns(stores: Stores, count: int, *, apart: timedelta) -> None:
    """Store a session of `count` copies of one turn."""
    session = new_session(session_id="s:1", topic="t", provider="p", model="m", max_prompt_tokens=1, now=NOW)
    for index in range(count):
        made = turn(index, NOW + index * apart)
        grown = replace(append(session, made), context_window=())
        await stores.sessions.save(grown, [made], expected=session.revision)
        session = grown


def turn(index: int, at: datetime) -> DialogueExchange:
    return DialogueExchange(
        id=f"x:{index:05}",
        session_id="s:1",
        index=index,
        timestamp=at,
        my_query="q",
        answer="a",
        sources=(),
        confidence=1.0,
        coverage_ratio=1.0,
        refused=False,
        memories_referenced=(),
        prompt_tokens=USAGE.input_tokens,
        completion_tokens=USAGE.output_tokens,
        latency_ms=1,
        cost_estimate=Decimal("0.001"),
        prompt_hash=None,
        status="answered",
        stance=AskRequest(question="q").stance,
        provider="p",
        model="m",
    )


@pytest.mark.requirement("ruling:D19", "ruling:D18")
@pytest.mark.parametrize("apart", [timedelta(0), timedelta(seconds=1)])
async def test_a_report_counts_every_turn_once_however_many_pages_they_fill(apart: timedelta) -> None:
    stores = await store_in_memory()
    await many_turns(stores, 2100, apart=apart)
    reports = Reports(sessions=stores.sessions, clock=FixedClock(NOW), nlq=ask_settings(Settings()).nlq, timezone="UTC")
    report = await reports(since=None, by="session")
    assert (report.total.turns, report.total.cost.known) == (2100, Decimal("2.100"))
    assert (report.total.prompt_tokens, len(report.rows)) == (2_100_000, 1)
    assert len(await all_exchanges(stores.sessions, "s:1")) == 2100


@pytest.mark.requirement("ruling:D19")
async def test_a_report_begins_where_it_is_told_to(tmp_path: Path) -> None:
    clock = FixedClock(NOW - timedelta(days=40))
    async with memory(tmp_path, grounded(profile=PAID), clock=clock) as services:
        await tell(services, *KILN)
        await ask(services)
        clock.advance(timedelta(days=40))
        await ask(services, new_topic="today")
        totals = [(await services.report(since=since, by="day")).total.turns for since in (None, "today", "last month")]
        with pytest.raises(InvalidParams):
            await services.report(since="the purple moon", by="day")
    assert totals == [2, 1, 2]


@pytest.mark.requirement("s3:api:when", "ruling:E.5", "ruling:A22")
async def test_a_retrieval_is_narrowed_by_its_own_time_and_an_explicit_one_overrides_it(tmp_path: Path) -> None:
    async with memory(tmp_path) as services:
        await tell(services, MOVED, created_at=later(days=-1))
        await tell(services, FIRED, created_at=later(days=-40))

        async def shown(**fields: object) -> set[datetime]:
            request = RetrieveRequest(query="the kiln yesterday", floor=0.0, **fields)  # pyright: ignore[reportArgumentType]
            return {snippet.created_at for snippet in (await services.find(request)).snippets}

        assert await shown() == {later(days=-1)}
        assert await shown(when="since 2020") == {later(days=-1), later(days=-40)}
        assert await shown(when="yesterday") == {later(days=-1)}
        assert await shown(when="yesterday", now=later(days=-39)) == {later(days=-40)}
        for wrong in ("the purple moon", "", "  "):
            with pytest.raises(InvalidParams):
                await shown(when=wrong)


@pytest.mark.requirement("ruling:A18", "s0:constraint:privacy")
async def test_everything_is_read_by_asking_for_everything(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded()) as services:
        await tell(services, *KILN, scope=Scope(repo_id="/home"))
        with pytest.raises(ScopeRequired):
            await ask(services)
        assert await services.sessions.sessions(limit=1) == []
        mine = await ask(services, scope=Scope(repo_id="/home"))
        other = await ask(services, scope=Scope(repo_id="/work"))
        everything = await ask(services, scope=Scope.ALL)
    assert [each.exchange.status for each in (mine, everything)] == ["answered"] * 2
    assert other.exchange.reason is RefusalReason.NO_SOURCES


@pytest.mark.requirement("ruling:C17", "promise:3")
async def test_with_a_failing_encoder_nothing_is_asked_and_nothing_kept(tmp_path: Path) -> None:
    client, embedder = grounded(), MoodyEmbedder()
    async with memory(tmp_path, client, embedder=embedder) as services:
        await tell(services, *KILN)
        embedder.down = True
        with pytest.raises(EmbedderUnavailable):
            await ask(services)
        assert (client.calls, await services.sessions.sessions(limit=1)) == (0, [])


@pytest.mark.requirement("ruling:A23", "ruling:D24", "promise:10")
async def test_the_model_is_made_at_the_first_question_and_closed_with_the_memory(tmp_path: Path) -> None:
    settings = given(llm=LlmSettings(provider="gemini"))
    async with open_services(settings, tmp_path / "home", Parts(embedder=HashedEmbedder(64))) as services:
        await tell(services, *KILN)
        with pytest.raises(ConfigurationError, match="GEMINI_API_KEY"):
            await services.ask(AskRequest(question=WHERE, create=True))
    client = grounded()
    async with memory(tmp_path, client) as services:
        assert services.makers.ask() is services.makers.ask()
        assert not client.closed
    assert client.closed


@pytest.mark.requirement(
    "ruling:D24", "promise:7", "s2:provider:name", "s2:provider:max_context_tokens", "s2:provider:gemini"
)
async def test_what_the_settings_name_is_what_is_asked_through_its_layers(tmp_path: Path) -> None:
    with FakeProvider() as fake:
        llm = LlmSettings(provider="gemini", model="fake-success", api_base=fake.url, api_key="k")
        settings = given(llm=llm, embed=EmbedSettings(provider="hash", dim=64))
        async with open_services(settings, tmp_path / "home") as services:
            await tell(services, *KILN)
            answered = await ask(services)
            profile = services.makers.ask().llm.profile
        capped = replace(settings, llm=replace(llm, max_turn_cost=Decimal("0.01")))
        async with open_services(capped, tmp_path / "home2") as services:
            await tell(services, *KILN)
            refused = await ask(services)
    assert (profile.provider, profile.model, profile.remote) == ("gemini", "fake-success", False)
    assert profile.context_tokens > 0
    assert answered.exchange.status == "answered"
    assert answered.exchange.prompt_tokens == 100
    assert len(fake.received) == 1
    assert refused.exchange.reason is RefusalReason.BUDGET


@pytest.mark.requirement("ruling:A23")
def test_the_offline_provider_is_made_without_a_key() -> None:
    assert make_llm(LlmSettings(provider="extractive"), SystemClock()).profile.provider == "extractive"


@pytest.mark.requirement("ruling:A4", "ruling:A5", "ruling:A24")
def test_a_turn_gets_the_settings_it_needs() -> None:
    settings = Settings(
        llm=LlmSettings(cost_tracking=False, max_turn_cost=Decimal(1), deadline_s=7.0, temperature=0.3),
        grounding=GroundingPolicy(min_coverage=0.9),
        retrieve=RetrieveDefaults(floor=0.4, min_floor=0.3),
        privacy=PrivacySettings(allow_private_remote=True),
    )
    made = ask_settings(settings)
    assert (made.policy.min_coverage, made.temperature, made.deadline_s) == (0.9, 0.3, 7.0)
    assert (made.floor, made.min_floor, made.allow_private_remote, made.metrics) == (0.4, 0.3, True, True)
    assert (spend_caps(settings).turn, made.cost_tracking) == (Decimal(1), False)


async def test_a_session_that_vanishes_between_two_looks_is_unknown() -> None:
    stores = await store_in_memory()
    await many_turns(stores, 1, apart=timedelta(0))

    with pytest.raises(UnknownId, match="there is no session 't'"):
        await load_session(Vanishing(stores.sessions), "t", window=1)


class Vanishing:
    """A session store whose sessions are listed and gone when they are loaded."""

    def __init__(self, inner: SessionStore) -> None:
        self.save, self.sessions, self.exchanges = inner.save, inner.sessions, inner.exchanges
        self.topics, self.first_exchanges = inner.topics, inner.first_exchanges

    async def load(self, session_id: str, *, window: int) -> InnerVoiceSession | None:
        return None


async def test_two_memories_can_be_open_at_once(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        one, two = [await stack.enter_async_context(memory(tmp_path / name, grounded())) for name in ("a", "b")]
        await tell(one, *KILN)
        assert (await ask(one)).exchange.status == "answered"
        assert (await ask(two)).exchange.reason is RefusalReason.NO_SOURCES
