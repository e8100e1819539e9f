"""Retrieval with a time in words, what the wiring chooses, and what cannot be asked."""

from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pytest

from fakes.fake_provider import FakeProvider
from played_turns import FIRED, KILN, MOVED, WHERE, ask, given, grounded, later, memory, tell
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.bootstrap import Parts, open_services
from voice.core.errors import ConfigurationError, InvalidParams, ScopeRequired
from voice.core.grounding.values import RefusalReason
from voice.core.records import Scope
from voice.core.retrieval.params import RetrieveRequest
from voice.core.settings.providers import EmbedSettings, LlmSettings
from voice.services.turn.ask import AskRequest


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
