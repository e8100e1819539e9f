"""Questions that want more than a fact, over notes as people keep them: outlines, daily notes, lists, undated notes."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC
from pathlib import Path

import pytest

from played_turns import ask, memory
from played_turns import given as settings_of
from voice.adapters.llm.extractive import ExtractiveClient
from voice.bootstrap import Services
from voice.core.grounding.values import GroundingPolicy
from voice.core.interchange.arrival import Entrance
from voice.core.session.values import DialogueExchange
from voice.services.importing import ImportRequest
from words_reranker import WordsReranker

pytestmark = pytest.mark.anyio
ONE_SOURCE = settings_of(grounding=GroundingPolicy(single_source="green"))
READING = """---
date: 2025-05-31
---
# Reading

## Books
- The Dispossessed, Ursula Le Guin
- Middlemarch
    - slow start, superb end
- Piranesi
- A Mind for Numbers

## Papers
1. Attention is all you need
2. RAGTruth
"""
KITCHEN = """# Kitchen

The oven is too hot on the left.

Spices to buy:
- cumin
- sumac
- fennel seed

| Jar | Grams |
|---|---|
| Cloves | 40 |
| Mace | 15 |
"""
NOTES = {"Reading.md": READING, "Kitchen.md": KITCHEN}


@asynccontextmanager
async def vault(
    home: Path, notes: Mapping[str, str], *, reranker: WordsReranker | None = None
) -> AsyncGenerator[Services]:
    """Open a memory of a folder of notes, of which one source is enough."""
    folder = home / "vault"
    for name, text in notes.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    read_by = reranker or WordsReranker()
    async with memory(home, ExtractiveClient(), settings=ONE_SOURCE, reranker=read_by) as services:
        await services.transfer.import_memory(ImportRequest(path=str(folder), entrance=Entrance.CLI, zone=UTC))
        yield services


async def asked(home: Path, question: str, notes: Mapping[str, str] = NOTES) -> DialogueExchange:
    async with vault(home, notes) as services:
        return (await ask(services, question)).exchange


def is_green(exchange: DialogueExchange) -> bool:
    """Return whether every sentence is proven, or states nothing."""
    return all(one.rung in ("quoted", "remark") for one in exchange.sentences) and not exchange.cut


@pytest.mark.requirement("answers:list")
async def test_a_list_is_given_whole_and_in_order_and_nothing_beside_it(tmp_path: Path) -> None:
    exchange = await asked(tmp_path, "Which books did I read?")
    assert exchange.answer.splitlines() == [
        "2025-05-31, Reading: Books:",
        "- The Dispossessed, Ursula Le Guin",
        "- Middlemarch",
        "- slow start, superb end",
        "- Piranesi",
        "- A Mind for Numbers",
    ]
    assert is_green(exchange)


@pytest.mark.requirement("answers:list")
async def test_a_list_longer_than_a_row_is_given_whole_each_item_cited(tmp_path: Path) -> None:
    friends = ("Ada", "Ben", "Cem", "Dora", "Emil", "Finn", "Greta", "Hugo", "Ines", "Jon", "Kim", "Lea")
    films = [f"Film number {len(name)}, seen in the old cinema by the river with {name}" for name in friends]
    note = "# Cinema\n\n## Films\n" + "\n".join(f"- {film}" for film in films) + "\n\n## Snacks\n- popcorn\n- nuts\n"
    exchange = await asked(tmp_path, "Which films were seen in the old cinema?", {"Cinema.md": note})
    assert [film for film in films if film not in exchange.answer] == []
    assert "popcorn" not in exchange.answer
    cited = " ".join(source.span for source in exchange.sources)
    assert [film for film in films if film not in cited] == []
    assert len(exchange.memories_referenced) > 1
    assert is_green(exchange)


@pytest.mark.requirement("answers:list")
async def test_what_a_line_leads_in_is_a_list_and_so_are_the_rows_of_a_table(tmp_path: Path) -> None:
    async with vault(tmp_path, NOTES) as services:
        spices = (await ask(services, "List the spices to buy")).exchange
        jars = (await ask(services, "List what is in the kitchen jars")).exchange
    assert spices.answer.splitlines() == ["Kitchen: Spices to buy:", "- cumin", "- sumac", "- fennel seed"]
    assert is_green(spices)
    assert [line for line in ("Cloves", "Mace") if line not in jars.answer] == []


@pytest.mark.requirement("answers:count")
async def test_a_count_says_what_was_counted_and_gives_it(tmp_path: Path) -> None:
    exchange = await asked(tmp_path, "How many books did I read?")
    assert exchange.answer.splitlines() == [
        "4 items under “Books” in “Reading”:",
        "- The Dispossessed, Ursula Le Guin",
        "- Middlemarch",
        "- Piranesi",
        "- A Mind for Numbers",
    ]
    assert is_green(exchange)
    assert exchange.sentences[0].is_proven


@pytest.mark.requirement("answers:count")
async def test_a_count_of_a_month_counts_the_list_of_that_month(tmp_path: Path) -> None:
    async with vault(tmp_path, NOTES) as services:
        then = (await ask(services, "How many books did I read in May 2025?")).exchange
        other = (await ask(services, "How many books did I read in May 2024?")).exchange
    assert then.answer.startswith("4 items under “Books” in “Reading”:")
    assert other.refused


@pytest.mark.requirement("answers:count")
async def test_what_a_note_says_how_many_there_are_of_is_not_counted(tmp_path: Path) -> None:
    notes = {"Shelf.md": "# Books\n\nI own 312 books by now.\n\n- Dune\n- Emma\n"}
    exchange = await asked(tmp_path, "How many books do I own?", notes)
    assert exchange.answer.startswith("Shelf › Books: I own 312 books by now.") or "312 books" in exchange.answer
    assert "items under" not in exchange.answer


@pytest.mark.requirement("answers:count")
async def test_a_count_stands_when_it_is_audited_and_falls_with_an_item(tmp_path: Path) -> None:
    async with vault(tmp_path, NOTES) as services:
        exchange = (await ask(services, "How many books did I read?")).exchange
        sound = await services.audit(exchange.session_id)
    assert sound.is_grounded
    assert len(sound.exchanges[0].sentences) == len(exchange.sentences)
