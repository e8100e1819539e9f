"""Questions that want more than a fact, over notes as people keep them: outlines, daily notes, lists, undated notes."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from noted_memory import ONE_SOURCE
from played_turns import ask, given, memory
from synced_folders import request, write
from tables import tables
from voice.bootstrap import Services
from voice.core.session.values import DialogueExchange
from voice.core.settings.values import Settings
from words_reranker import WordsReranker

TABLES = tables(__file__)
FOLDERS, FORMS = TABLES["folders"], TABLES["what_is_asked_is_told_in_its_form"]


@asynccontextmanager
async def vault(home: Path, notes: Mapping[str, str], settings: Settings = ONE_SOURCE) -> AsyncGenerator[Services]:
    """Open a memory of a folder of notes, of which one source is enough."""
    async with memory(home, settings=settings, reranker=WordsReranker()) as services:
        await services.transfer.import_memory(request(write(home / "vault", notes)))
        yield services


async def asked(home: Path, question: str, notes: Mapping[str, str]) -> DialogueExchange:
    async with vault(home, notes) as services:
        return (await ask(services, question)).exchange


def is_green(exchange: DialogueExchange) -> bool:
    return all(one.rung in ("quoted", "remark") for one in exchange.sentences) and not exchange.cut


@pytest.mark.requirement("answers:list", "answers:count", "answers:about", "answers:digest", "answers:comparison")
@pytest.mark.requirement("answers:several")
@pytest.mark.parametrize(("folder", "question", "lines"), FORMS.values(), ids=FORMS)
async def test_what_is_asked_is_told_in_its_form(
    tmp_path: Path, folder: str, question: str, lines: Sequence[str]
) -> None:
    exchange = await asked(tmp_path, question, FOLDERS[folder])
    assert exchange.answer.splitlines() == lines
    assert is_green(exchange)


@pytest.mark.requirement("answers:list")
async def test_a_list_longer_than_a_row_is_given_whole_each_item_cited(tmp_path: Path) -> None:
    friends = ("Ada", "Ben", "Cem", "Dora", "Emil", "Finn", "Greta", "Hugo", "Ines", "Jon", "Kim", "Lea")
    films = [f"Film number {len(name)}, seen in the old cinema by the river with {name}" for name in friends]
    note = "# Cinema\n\n## Films\n" + "\n".join(f"- {film}" for film in films) + "\n\n## Snacks\n- popcorn\n- nuts\n"
    notes = {"Cinema.md": note, "Diary.md": "Jon saw the first films in the old cinema by the river."}
    async with vault(tmp_path, notes, given()) as services:  # two notes are asked for
        exchange = (await ask(services, "Which films were seen in the old cinema?")).exchange
    assert [film for film in films if exchange.answer.count(film) != 1] == []
    assert "Jon saw" in exchange.answer
    assert "popcorn" not in exchange.answer
    cited = " ".join(source.span for source in exchange.sources)
    assert [film for film in films if film not in cited] == []
    assert len(exchange.memories_referenced) > 1
    assert is_green(exchange)


@pytest.mark.requirement("answers:count")
async def test_a_count_is_of_the_time_that_was_asked_for(tmp_path: Path) -> None:
    async with vault(tmp_path, FOLDERS["studies"]) as services:
        then = (await ask(services, "How many books did I read in May 2025?")).exchange
        other = (await ask(services, "How many books did I read in May 2024?")).exchange
    assert then.answer.startswith("4 items under “Books” in “Reading”:")
    assert other.refused


@pytest.mark.requirement("answers:digest")
async def test_of_a_full_month_the_most_telling_is_told_of_many_days_and_how_much_more_there_is(tmp_path: Path) -> None:
    days = {
        f"2025-05-{day:02}.md": f"- paid the {thing}\n- repaired the {thing} of the greenhouse\n- left the {thing}\n"
        for day, thing in enumerate(("roof", "door", "pump", "hinge", "vent", "drain", "bench", "latch"), start=1)
    }
    exchange = await asked(tmp_path, "Summarise May 2025", days)
    lines = exchange.answer.splitlines()
    assert [day for day in range(1, 9) if f"2025-05-{day:02}:" not in exchange.answer] == []
    assert sum("repaired" in line for line in lines) == len(days)
    assert lines[-1] == "8 more sentences from that time are not shown here."
    assert is_green(exchange)


@pytest.mark.requirement("answers:closest")
async def test_where_no_note_is_of_the_time_the_closest_of_other_times_are_shown(tmp_path: Path) -> None:
    async with vault(tmp_path, {"2026-03-17.md": "Bought a small kiln for the shed.\n"}) as services:
        exchange = (await ask(services, "Which kiln did I buy in May 2024?")).exchange
        strict = (await ask(services, "Which kiln did I buy?", when="May 2024")).exchange
        loose = await ask(services, "Which kiln did I buy on Saturday?")
        timed = (await ask(services, "What happened on Saturday?")).exchange
    assert exchange.refused
    assert [each.span for each in exchange.evidence_found] == ["Bought a small kiln for the shed."]
    assert (strict.refused, list(strict.evidence_found)) == (True, [])
    assert (loose.exchange.answer, timed.refused) == ("2026-03-17: Bought a small kiln for the shed.", True)
    assert "no notes from that time; these are from other times" in str(loose)


@pytest.mark.requirement("answers:digest")
async def test_a_time_of_which_nothing_was_told_has_no_digest(tmp_path: Path) -> None:
    exchange = await asked(tmp_path, "What happened in May 2024?", FOLDERS["garden"])
    assert exchange.refused
    assert (exchange.notes or "").startswith("in the time you asked about (in May 2024), I found no notes")
