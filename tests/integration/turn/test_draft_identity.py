"""What a question names is what answers it: other zoos, other years, other boats answer nothing."""

from collections.abc import AsyncGenerator

import pytest

from noted_memory import noted
from played_turns import ask
from tables import tables
from voice.bootstrap import Services

TABLES = tables(__file__)
pytestmark = [pytest.mark.xdist_group("identity"), pytest.mark.requirement("grounding:identity")]


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def told(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Services]:
    async with noted(tmp_path_factory.mktemp("identity"), TABLES["notes"]) as services:
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
