"""What a question names is what answers it: other zoos, other years, other boats answer nothing."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from played_turns import ask, memory
from played_turns import given as settings_of
from tables import tables
from voice.adapters.llm.scripted import ExtractiveClient
from voice.bootstrap import Services
from voice.core.grounding.values import GroundingPolicy
from voice.core.records import Origin
from voice.services.memory.ingest_values import NewThought
from words_reranker import WordsReranker

TABLES = tables(__file__)

pytestmark = [pytest.mark.xdist_group("identity"), pytest.mark.requirement("grounding:identity")]
NOTES = TABLES["notes"]


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def told(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Services]:
    settings = settings_of(grounding=GroundingPolicy(single_source="green"))
    home: Path = tmp_path_factory.mktemp("identity")
    async with memory(home, ExtractiveClient(), settings=settings, reranker=WordsReranker()) as services:
        await services.ingest.remember(
            [NewThought(content=text, origin=Origin.HUMAN, source_ref=name) for name, text in NOTES.items()]
        )
        yield services


@pytest.mark.parametrize(("question", "words"), TABLES["what_is_named_is_answered"])
async def test_what_is_named_is_answered(told: Services, question: str, words: str) -> None:
    exchange = (await ask(told, question, new_topic=question)).exchange
    assert words in exchange.answer
    assert not exchange.refused


@pytest.mark.parametrize("question", TABLES["another_of_its_kind_answers_nothing"])
async def test_another_of_its_kind_answers_nothing(told: Services, question: str) -> None:
    exchange = (await ask(told, question, new_topic=question)).exchange
    assert exchange.refused, exchange.answer
