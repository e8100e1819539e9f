"""Every shape of a provider's reply or error has its outcome, its calls and its words, through the real libraries.

Whole turns are asked of a memory over loopback HTTP; the sleep between the calls is the only thing that is not real.
"""

import asyncio
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

import pytest

from fakes.gemini_shapes import GEMINI
from fakes.openai_shapes import OPENAI
from fakes.other_shapes import ANTHROPIC, OLLAMA
from fakes.shaped_provider import Raw, Says, ShapedProvider
from fakes.wire_shapes import PAID, SECRET, Shape
from played_turns import KILN, UNVERIFIED, ask, given, memory, tell
from voice.adapters.llm.factory import make_client, with_learning
from voice.adapters.llm.retry import RetryingClient
from voice.bootstrap import Services
from voice.core.render.answer import render_plain
from voice.core.session.values import DialogueExchange
from voice.core.settings.providers import LlmSettings
from voice.ports.llm import LlmClient, LlmReply, LlmRequest, ModelProfile

SHAPES = [*GEMINI, *OPENAI, *ANTHROPIC, *OLLAMA]
ROWS = [
    pytest.param(row, how == "streamed", id=f"{row.dialect}-{row.name}-{how}")
    for row in SHAPES
    for how in ("whole", "streamed")
    if row.how in ("both", how)
]
MODELS = {"gemini": "gemini-2.5-shaped"}
_OFFLINE = LlmSettings(provider="extractive", model="")
_TODAY = date(2026, 11, 1)
OF_THE_MEMORY = ("note", "memory", "source", "you have told")
"""What a refusal would speak of that says that the memory has a gap."""


@dataclass(slots=True)
class Chosen:
    """A model whose client each test chooses."""

    inner: LlmClient
    waits: list[float] = field(default_factory=list[float])
    made: dict[str, LlmClient] = field(default_factory=dict[str, LlmClient])
    """The bare client of each vendor: making one takes longer than asking it."""

    @property
    def profile(self) -> ModelProfile:
        return self.inner.profile

    async def complete(self, request: LlmRequest) -> LlmReply:
        return await self.inner.complete(request)

    async def aclose(self) -> None:
        for client in self.made.values():
            await client.aclose()

    def asks(self, row: Shape, fake: ShapedProvider) -> None:
        """Ask the provider of a row, through all layers."""
        self.waits = []
        settings = LlmSettings(
            provider=row.dialect,
            model=MODELS.get(row.dialect, "shaped"),
            api_key="canary-key",
            api_base=fake.api_base(row.dialect),
        )
        if row.dialect not in self.made:
            self.made[row.dialect] = make_client(settings, today=_TODAY, unix_time=lambda: 0.0)
        bare = self.made[row.dialect]

        async def sleep(seconds: float) -> None:
            self.waits.append(seconds)

        self.inner = RetryingClient(
            with_learning(bare, settings, today=_TODAY),
            monotonic_ms=lambda: 1000 * time.monotonic(),
            sleep=sleep,
            jitter=lambda: 0.0,
        )


@dataclass(slots=True, kw_only=True)
class Desk:
    """Two memories, one of which streams, with the provider that both ask."""

    runner: asyncio.Runner
    fake: ShapedProvider
    model: Chosen
    services: dict[bool, Services]

    def played(self, row: Shape, *, is_streamed: bool) -> DialogueExchange:
        """Return the turn that a question becomes that gets the answers of a row."""
        self.fake.plays(*row.answers)
        self.model.asks(row, self.fake)

        async def turn() -> DialogueExchange:
            return (await ask(self.services[is_streamed], new_topic=row.name, create=False)).exchange

        return self.runner.run(turn())


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """The memories, each with some notes."""
    with asyncio.Runner() as runner, ShapedProvider() as fake:
        closing = AsyncExitStack()
        model = Chosen(make_client(_OFFLINE, today=_TODAY, unix_time=lambda: 0.0))
        model.asks(SHAPES[0], fake)

        async def opened(home: Path, *, is_streamed: bool) -> Services:
            settings = given(llm=LlmSettings(stream=is_streamed), verifier=UNVERIFIED)
            services = await closing.enter_async_context(memory(home, model, settings=settings))
            await tell(services, *KILN)
            return services

        both = {
            is_streamed: runner.run(opened(tmp_path_factory.mktemp("shaped"), is_streamed=is_streamed))
            for is_streamed in (False, True)
        }
        yield Desk(runner=runner, fake=fake, model=model, services=both)
        runner.run(closing.aclose())


@pytest.mark.requirement("ruling:J3", "ruling:J4", "ruling:D8", "ruling:D25", "promise:6")
@pytest.mark.parametrize(("row", "is_streamed"), ROWS)
def test_every_shape_has_its_outcome_its_calls_and_its_words(
    row: Shape, desk: Desk, capfd: pytest.CaptureFixture[str], *, is_streamed: bool
) -> None:
    exchange = desk.played(row, is_streamed=is_streamed)
    paid = row.paid if row.paid is not None else int(row.outcome in PAID)
    outcome = exchange.reason.value if exchange.reason else exchange.status
    assert (outcome, len(desk.fake.asked), desk.fake.paid) == (row.outcome, row.calls, paid)
    assert len([one for one in exchange.attempts if one.purpose == "draft"]) == row.calls
    assert tuple(wait for wait in desk.model.waits if wait in row.waits) == row.waits
    notes = exchange.notes or ""
    assert [word for word in row.words if word not in notes] == []
    shown = render_plain(exchange, str)
    if row.outcome in ("cut", "declined", "model_refused"):
        assert [word for word in OF_THE_MEMORY if word in f"{exchange.answer} {notes}"] == []
    assert SECRET not in shown
    assert "canary" not in shown
    told = [line for line in "".join(capfd.readouterr()).splitlines() if '"event": "turn"' not in line]
    assert told == []


_OF_LIBRARIES = {
    "GOOGLE_API_KEY": "canary-environment", "GEMINI_API_KEY": "canary-environment", "GOOGLE_GENAI_API_VERSION": "v9",
    "GOOGLE_GENAI_USE_VERTEXAI": "true", "GOOGLE_GEMINI_BASE_URL": "http://192.0.2.1",
    "OPENAI_ORG_ID": "canary-environment", "OPENAI_PROJECT_ID": "canary-environment",
    "OPENAI_BASE_URL": "http://192.0.2.1", "ANTHROPIC_API_BASE": "http://192.0.2.1",
    "OLLAMA_API_BASE": "http://192.0.2.1", "LITELLM_LOG": "DEBUG", "SSL_VERIFY": "False",
}  # fmt: skip


@pytest.mark.requirement("ruling:J4", "ruling:D24")
@pytest.mark.parametrize("rows", [GEMINI, OPENAI, ANTHROPIC, OLLAMA], ids=lambda rows: rows[0].dialect)
def test_no_variable_of_a_library_changes_where_or_how_a_provider_is_asked(
    rows: list[Shape], desk: Desk, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    desk.played(rows[0], is_streamed=False)
    (usual,) = desk.fake.asked
    desk.runner.run(desk.model.aclose())
    for name, value in _OF_LIBRARIES.items():
        monkeypatch.setenv(name, value)
    exchange = desk.played(rows[0], is_streamed=False)
    (asked,) = desk.fake.asked
    desk.runner.run(desk.model.aclose())
    assert exchange.status == "answered"
    assert (asked.path, set(asked.headers)) == (usual.path, set(usual.headers))
    assert "canary-environment" not in str(dict(asked.headers))
    assert "".join(capfd.readouterr()) == ""


@pytest.mark.requirement("ruling:J4", "ruling:D24")
@pytest.mark.parametrize("rows", [GEMINI, OPENAI, ANTHROPIC, OLLAMA], ids=lambda rows: rows[0].dialect)
@pytest.mark.parametrize("is_streamed", [False, True], ids=["whole", "streamed"])
def test_a_question_is_not_sent_on_to_where_a_redirect_leads(
    rows: list[Shape], desk: Desk, *, is_streamed: bool
) -> None:
    there = {"location": f"{desk.fake.api_base(rows[0].dialect)}/elsewhere"}
    away = replace(rows[0], answers=(Raw(status=307, headers=there), Says()))
    exchange = desk.played(away, is_streamed=is_streamed)
    assert (exchange.status, len(desk.fake.asked)) == ("error", 1)
    assert "another address (status 307)" in (exchange.notes or "")


def test_the_table_has_its_rows() -> None:
    assert len(ROWS) >= 160
    assert len({row.id for row in ROWS}) == len(ROWS)
    assert {row.outcome for row in SHAPES} == {
        "answered",
        "cut",
        "declined",
        "model_refused",
        "malformed",
        "provider_error",
    }
