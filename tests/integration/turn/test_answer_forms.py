"""Questions that want more than a fact, over notes as people keep them: outlines, daily notes, lists, undated notes."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, timedelta
from pathlib import Path

import pytest

from played_turns import NOW, ask, memory, tell
from played_turns import given as settings_of
from voice.adapters.llm.scripted import ExtractiveClient
from voice.bootstrap import Services
from voice.core.grounding.values import GroundingPolicy
from voice.core.interchange.origin import Entrance
from voice.core.session.values import DialogueExchange
from voice.core.settings.values import Settings
from voice.services.imports.request import ImportRequest
from words_reranker import WordsReranker

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
    home: Path, notes: Mapping[str, str], *, reranker: WordsReranker | None = None, settings: Settings = ONE_SOURCE
) -> AsyncGenerator[Services]:
    """Open a memory of a folder of notes, of which one source is enough."""
    folder = home / "vault"
    for name, text in notes.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    read_by = reranker or WordsReranker()
    async with memory(home, ExtractiveClient(), settings=settings, reranker=read_by) as services:
        await services.transfer.import_memory(ImportRequest(path=str(folder), entrance=Entrance.CLI, zone=UTC))
        yield services


async def asked(home: Path, question: str, notes: Mapping[str, str] = NOTES) -> DialogueExchange:
    async with vault(home, notes) as services:
        return (await ask(services, question)).exchange


def is_green(exchange: DialogueExchange) -> bool:
    return all(one.rung in ("quoted", "remark") for one in exchange.sentences) and not exchange.cut


@pytest.mark.requirement("answers:list")
async def test_a_list_is_given_whole_and_in_order_and_nothing_beside_it(tmp_path: Path) -> None:
    exchange = await asked(tmp_path, "Which books did I read?")
    assert exchange.answer.splitlines() == [
        "4 items under “Books” in “Reading”:",
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
    notes = {"Cinema.md": note, "Diary.md": "Jon saw the first films in the old cinema by the river."}
    async with vault(tmp_path, notes, settings=settings_of()) as services:  # two notes are asked for
        exchange = (await ask(services, "Which films were seen in the old cinema?")).exchange
    assert [film for film in films if exchange.answer.count(film) != 1] == []
    assert "Jon saw" in exchange.answer
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
    assert spices.answer.splitlines() == [
        "3 items in “Kitchen”:",
        "Spices to buy:",
        "- cumin",
        "- sumac",
        "- fennel seed",
    ]
    assert is_green(spices)
    assert [line for line in ("Cloves", "Mace") if line not in jars.answer] == []


@pytest.mark.requirement("answers:count")
async def test_a_count_says_what_was_counted_and_gives_it_and_stands_when_it_is_audited(tmp_path: Path) -> None:
    async with vault(tmp_path, NOTES) as services:
        exchange = (await ask(services, "How many books did I read?")).exchange
        sound = await services.audit(exchange.session_id)
        then = (await ask(services, "How many books did I read in May 2025?")).exchange
        other = (await ask(services, "How many books did I read in May 2024?")).exchange
    assert exchange.answer.splitlines() == [
        "4 items under “Books” in “Reading”:",
        "- The Dispossessed, Ursula Le Guin",
        "- Middlemarch",
        "- Piranesi",
        "- A Mind for Numbers",
    ]
    assert is_green(exchange)
    assert sound.is_grounded
    assert len(sound.exchanges[0].sentences) == len(exchange.sentences) - 1
    assert then.answer.startswith("4 items under “Books” in “Reading”:")
    assert other.refused


@pytest.mark.requirement("answers:count")
async def test_what_a_note_says_how_many_there_are_of_is_not_counted(tmp_path: Path) -> None:
    notes = {"Shelf.md": "# Books\n\nI own 312 books by now.\n\n- Dune\n- Emma\n"}
    exchange = await asked(tmp_path, "How many books do I own?", notes)
    assert exchange.answer.startswith("Shelf › Books: I own 312 books by now.") or "312 books" in exchange.answer
    assert "items under" not in exchange.answer


GARDEN = {
    "2026-03-16.md": "- pruned the old apple tree with Marta\n- [[Kiln]]\n    - fired the blue bowls at cone 6\n",
    "2026-03-17.md": "- rain all day\n- the kiln cooled slowly, no cracks\n- called Jonas about the trailer\n",
    "2026-03-18.md": "- climbed at the quarry with Jonas\n- lentils for dinner\n",
    "Kiln.md": "# Kiln\n\nBought from Irma in Porto. It needs 32 amperes.\n\n## Shelves\n- cordierite\n- clay\n",
    "Trailer.md": "The trailer rusts at the hitch.\n",
}


@pytest.mark.requirement("answers:about")
async def test_all_about_something_is_dated_points_of_several_notes_the_undated_last(tmp_path: Path) -> None:
    exchange = await asked(tmp_path, "What do I know about the kiln?", GARDEN)
    assert exchange.answer.splitlines() == [
        "2026-03-16: Kiln.",
        "fired the blue bowls at cone 6.",
        "2026-03-17: the kiln cooled slowly, no cracks.",
        "Kiln: Bought from Irma in Porto.",
        "It needs 32 amperes.",
        "Shelves: cordierite.",
        "Shelves: clay.",
    ]
    assert is_green(exchange)


@pytest.mark.requirement("answers:digest")
@pytest.mark.parametrize("question", ["Summarise my week", "What happened this week?", "What did I do lately?"])
async def test_a_week_is_told_by_day(tmp_path: Path, question: str) -> None:
    exchange = await asked(tmp_path, question, GARDEN)
    assert exchange.answer.splitlines() == [
        "2026-03-16: pruned the old apple tree with Marta.",
        "Kiln.",
        "fired the blue bowls at cone 6.",
        "2026-03-17: rain all day.",
        "the kiln cooled slowly, no cracks.",
        "called Jonas about the trailer.",
        "2026-03-18: climbed at the quarry with Jonas.",
        "lentils for dinner.",
    ]
    assert is_green(exchange)


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


@pytest.mark.requirement("answers:digest")
@pytest.mark.parametrize("question", ["Summarise March", "Summarise my March"])
async def test_a_month_by_its_name_alone_is_summarised(tmp_path: Path, question: str) -> None:
    exchange = await asked(tmp_path, question, GARDEN)
    assert "2026-03-16: pruned the old apple tree with Marta." in exchange.answer.splitlines()
    assert "lentils for dinner." in exchange.answer.splitlines()


@pytest.mark.requirement("answers:digest")
async def test_of_what_speaks_of_a_time_ahead_the_sentences_are_told_that_do(tmp_path: Path) -> None:
    notes = {"2026-03-17.md": "- rain all day\n- the parents' evening is moved to 14 April\n- called Jonas\n"}
    exchange = await asked(tmp_path, "What happens in April?", notes)
    assert exchange.answer.splitlines() == ["2026-03-17: the parents' evening is moved to 14 April."]


@pytest.mark.requirement("answers:digest")
async def test_of_an_undated_note_the_days_of_the_time_are_told_and_that_it_is_undated(tmp_path: Path) -> None:
    notes = {"Log.md": "# Log\n\n## 2026-02-27\nRepaired the sink.\n\n## 2026-03-14\nPainted the hall.\n"}
    exchange = await asked(tmp_path, "What did I do last month?", notes)
    assert exchange.answer.splitlines() == ["Notes without a date that name this time:", "Log: Repaired the sink."]


@pytest.mark.requirement("answers:closest")
async def test_where_no_note_is_of_the_time_the_closest_of_other_times_are_shown(tmp_path: Path) -> None:
    async with vault(tmp_path, {"2026-03-17.md": "Bought a small kiln for the shed.\n"}) as services:
        exchange = (await ask(services, "Which kiln did I buy in May 2024?")).exchange
        strict = (await ask(services, "Which kiln did I buy?", when="May 2024")).exchange
    assert exchange.refused
    assert [each.span for each in exchange.evidence_found] == ["Bought a small kiln for the shed."]
    assert (strict.refused, list(strict.evidence_found)) == (True, [])


@pytest.mark.requirement("answers:digest")
async def test_a_time_of_which_nothing_was_told_has_no_digest(tmp_path: Path) -> None:
    exchange = await asked(tmp_path, "What happened in May 2024?", GARDEN)
    assert exchange.refused
    assert (exchange.notes or "").startswith("in the time you asked about (in May 2024), I found no notes")


@pytest.mark.requirement("answers:digest")
async def test_a_digest_needs_no_re_ranker(tmp_path: Path) -> None:
    async with memory(tmp_path, ExtractiveClient(), settings=ONE_SOURCE) as services:
        await tell(
            services, "Pruned the apple tree.", "Called Jonas about the trailer.", created_at=NOW - timedelta(days=1)
        )
        exchange = (await ask(services, "Summarise my week")).exchange
    assert "Pruned the apple tree." in exchange.answer
    assert "Called Jonas about the trailer." in exchange.answer


EDITORS = {
    "Editors.md": "# Editors\n\n## Vim\nVim starts at once.\n\n## Emacs\nEmacs reads my mail, and is slow to start.\n",
    "Shoes.md": "The red boots are dry.\n",
    "Tools.md": "## Editors\n- Vim\n- Nano\n\n## Shells\n- fish\n- bash\n",
}


@pytest.mark.requirement("answers:comparison")
async def test_two_things_stand_side_by_side_each_with_its_own_passages(tmp_path: Path) -> None:
    exchange = await asked(tmp_path, "What is the difference between Vim and Emacs?", EDITORS)
    assert exchange.answer.splitlines() == [
        "Vim:",
        "Editors: Vim starts at once.",
        "Tools: Editors: Vim.",
        "Emacs:",
        "Editors › Emacs: Emacs reads my mail, and is slow to start.",
    ]
    assert is_green(exchange)


@pytest.mark.requirement("answers:comparison")
async def test_what_is_told_of_one_side_alone_is_not_compared(tmp_path: Path) -> None:
    exchange = await asked(tmp_path, "Compare Vim with Zed", EDITORS)
    assert exchange.refused
    assert (exchange.notes or "").startswith("no note I searched mentions “Zed”;")
    assert "Vim starts at once." in "".join(source.span for source in exchange.evidence_found)


@pytest.mark.requirement("answers:comparison")
async def test_one_passage_that_tells_of_both_sides_decides(tmp_path: Path) -> None:
    notes = {"Editors.md": "I prefer Vim to Emacs, because it starts at once.\n", **NOTES}
    exchange = await asked(tmp_path, "Do I prefer Vim or Emacs?", notes)
    assert exchange.answer == "Editors: I prefer Vim to Emacs, because it starts at once."


@pytest.mark.requirement("answers:comparison")
async def test_of_two_things_to_choose_from_each_is_told_or_the_one_that_answers(tmp_path: Path) -> None:
    notes = {"Oven.md": "The oven bakes bread.\n", "Pan.md": "The pan bakes flat bread.\n"}
    both = await asked(tmp_path / "both", "Does the oven or the pan bake bread?", notes)
    assert both.answer.splitlines() == [
        "oven:",
        "Oven: The oven bakes bread.",
        "pan:",
        "Pan: The pan bakes flat bread.",
    ]
    told = {"Bread.md": "I bake rye bread on Sundays in the oven.\n", **notes}
    one = await asked(tmp_path / "one", "Do I bake rye bread on Sundays in the oven or the grill?", told)
    assert "I bake rye bread on Sundays in the oven." in one.answer


@pytest.mark.requirement("answers:about")
async def test_what_is_named_nowhere_and_what_is_said_in_a_conversation_is_left_to_the_passages(tmp_path: Path) -> None:
    assert (await asked(tmp_path / "notes", "What do I know about zeppelins?", GARDEN)).refused
    async with memory(tmp_path, ExtractiveClient(), settings=ONE_SOURCE) as services:
        await tell(services, "The kiln is in the shed.", speaker="Marta")
        exchange = (await ask(services, "What do I know about the kiln?")).exchange
    assert "The kiln is in the shed." in exchange.answer


@pytest.mark.requirement("answers:count")
async def test_how_often_is_answered_by_the_days_that_mention_it(tmp_path: Path) -> None:
    notes = {
        "2025-05-01.md": "- climbing with Jonas\n",
        "2025-05-04.md": "- rain\n- climbing with Jonas\n",
        "2025-05-09.md": "- climbing with Jonas\n",
        "2025-05-10.md": "- lentils\n",
    }
    exchange = await asked(tmp_path, "How many times did I go climbing?", notes)
    assert exchange.answer.splitlines() == [
        "3 days that mention “climbing”:",
        "2025-05-01: climbing with Jonas.",
        "2025-05-04: climbing with Jonas.",
        "2025-05-09: climbing with Jonas.",
    ]
    assert is_green(exchange)
    assert exchange.sentences[0].rung == "remark"


@pytest.mark.requirement("answers:count")
async def test_what_a_note_says_how_often_it_was_is_not_counted(tmp_path: Path) -> None:
    notes = {"Log.md": "I went climbing 14 times in May.\n", "2025-05-04.md": "- climbing with Jonas\n"}
    exchange = await asked(tmp_path, "How often did I go climbing?", notes)
    assert "14 times" in exchange.answer
    assert "that mention" not in exchange.answer


@pytest.mark.requirement("answers:list")
async def test_an_item_of_several_sentences_is_one_item(tmp_path: Path) -> None:
    note = "# Skin\n\n## Morning\nMy steps. Then:\n\n1. Cleanse the face. Rinse it with water.\n2. Put cream on.\n"
    exchange = await asked(tmp_path, "What are the steps of my skin in the morning?", {"Skin.md": note})
    assert exchange.answer.splitlines() == [
        "2 items in “Skin”:",
        "Then:",
        "- Cleanse the face. Rinse it with water.",
        "- Put cream on.",
    ]
    assert is_green(exchange)
