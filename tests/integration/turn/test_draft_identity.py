"""What a question names is what answers it: other zoos, other years, other boats answer nothing."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from played_turns import ask, memory
from played_turns import given as settings_of
from voice.adapters.llm.extractive import ExtractiveClient
from voice.bootstrap import Services
from voice.core.grounding.values import GroundingPolicy
from voice.core.records import Origin
from voice.services.memory.ingest_values import NewThought
from words_reranker import WordsReranker

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("identity"), pytest.mark.requirement("grounding:identity")]
NOTES = {
    "Zoos.md": "# Trips\nThe Basel Zoo has a new elephant house. We fed the goats at the Basel Zoo in spring.",
    "Zoo 2.md": "The zoo at home opens at nine. Ida wants to draw the zoo for school.",
    "Philadelphia.md": "In Philadelphia I met Rosa for lunch.",
    "Cybercon.md": "Mira Tan spoke at Cybercon 2024 about passkeys. Cybercon 2024 cost 90 euros.",
    "Marathon.md": "# Lake Marathon 2022\nI finished in four hours and ten minutes.",
    "Tiles.md": "Tile Fair '21: Bruno sold forty tiles.",
    "Taxes.md": "The taxes 2020 cost me 3100 euros.",
    "Boats.md": "Boat 3 needs new ropes. Boat 7 lies in the yard.",
    "Kestrel.md": "Kestrel 2 got its sails from Odder.",
    "Router.md": "Firmware 4.2 of the router loses the guest network.",
    "Sketch.md": "Sketchpad Pro costs 12 euros a month. Sketchpad Lite is free.",
    "Lagoon.md": "The Blue Lagoon was closed when we came.",
    "Bridge.md": "The Old Mill Bridge was painted green by Pauline.",
    "Deno.md": "I use deno deploy for the ticket shop.",
    "Aunt.md": "Clara keeps the recipe for the plum cake.",
    "Ferry.md": "# Lake Orta\nThe ferry leaves from the square. The lake was calm.",
    "Lakes.md": "The lake near the house froze. A lake is best in June.",
    "Edition.md": "The 3rd Harvest Market took place behind the church.",
}


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


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Which new house does the Basel Zoo have?", "elephant house"),
        ("What do I know about the Basel Zoo?", "elephant house"),
        ("What cost Cybercon 2024?", "90 euros"),
        ("Who spoke at Cybercon 2024?", "Mira Tan"),
        ("What do I know about Cybercon 2024?", "Mira Tan"),
        ("In how many hours did I finish the Lake Marathon 2022?", "four hours"),
        ("Who sold tiles at the Tile Fair 2021?", "Bruno"),
        ("How much did the taxes 2020 cost me?", "3100"),
        ("What does boat 3 need?", "ropes"),
        ("Where lies boat number 7?", "yard"),
        ("Where did Kestrel 2 get its sails?", "Odder"),
        ("What does firmware 4.2 of the router lose?", "guest network"),
        ("What costs Sketchpad Pro a month?", "12 euros"),
        ("Was the Blue Lagoon closed when we came?", "closed"),
        ("Who painted the Old Mill Bridge green?", "Pauline"),
        ("What do I use deno deploy for?", "ticket shop"),
        ("What do I use Deno Deploy for?", "ticket shop"),
        ("Which recipe does Clara Voss keep?", "plum cake"),
        ("Where does the ferry of Lake Orta leave from?", "square"),
        ("Where did the 3rd Harvest Market take place?", "church"),
    ],
)
async def test_what_is_named_is_answered(told: Services, question: str, words: str) -> None:
    exchange = (await ask(told, question, new_topic=question)).exchange
    assert words in exchange.answer
    assert not exchange.refused


@pytest.mark.parametrize(
    "question",
    [
        "Which new house does the Philadelphia Zoo have?",
        "What do I know about the Philadelphia Zoo?",
        "Did we feed the goats at the Philadelphia Zoo in spring?",
        "Which new house does the Basel Aquarium have?",
        "Who spoke at Cybercon 2023?",
        "who spoke at cybercon 2023?",
        "What do I know about Cybercon 2023?",
        "In how many hours did I finish the Lake Marathon 2021?",
        "Who sold tiles at the Tile Fair 2019?",
        "How much did the taxes 2021 cost me?",
        "What does boat 4 need?",
        "Where lies boat number 8?",
        "Where did Kestrel 3 get its sails?",
        "What does firmware 4.3 of the router lose?",
        "What costs Sketchpad Max a month?",
        "Was the Green Lagoon closed when we came?",
        "Was the Blue Grotto closed when we came?",
        "Who painted the New Mill Bridge green?",
        "Which recipe does Clara's neighbour Berta Voss keep?",
        "Where does the ferry of Lake Como leave from?",
        "Where did the 4th Harvest Market take place?",
    ],
)
async def test_another_of_its_kind_answers_nothing(told: Services, question: str) -> None:
    exchange = (await ask(told, question, new_topic=question)).exchange
    assert exchange.refused, exchange.answer
