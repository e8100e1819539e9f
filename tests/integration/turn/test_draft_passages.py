"""With a re-ranker, the passages of the notes decide what is answered."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from noted_memory import ONE_SOURCE, note, noted
from played_turns import ask, memory
from tables import tables
from voice.core.errors import ConfigurationError
from voice.core.grounding.values import RefusalReason
from words_reranker import WordsReranker

pytestmark = pytest.mark.requirement("reranker:passages")
GLAZES = """# Glazes
## Blue
- needs two firings
- cobalt, from Porto
## Green
- copper
"""
BEES = "The bees stand behind the shed. Jonas feeds them in October."
BLUE = "What does the blue glaze need?"


async def test_the_answer_is_the_passage_under_its_headings_or_the_closest_shown(tmp_path: Path) -> None:
    reranker = WordsReranker()
    async with noted(tmp_path, {"Glazes.md": GLAZES, "Bees.md": BEES}, reranker) as services:
        turn = await ask(services, BLUE)
        exchange = (await ask(services, "How heavy was Marta's suitcase when the bees left?")).exchange
    assert turn.exchange.answer.startswith("2026-03-20, Glazes: Blue: needs two firings.")
    assert any(text.startswith("Glazes\n## Blue") for text in reranker.read)
    assert (exchange.refused, exchange.reason) == (True, RefusalReason.NO_SOURCES)
    assert "none of the passages I found answers this" in (exchange.notes or "")
    shown = {source.span for source in exchange.evidence_found}
    assert shown >= {"The bees stand behind the shed.", "Jonas feeds them in October."}
    assert not exchange.sources


@pytest.mark.requirement("answers:best-sentence")
async def test_an_answer_starts_from_the_sentence_of_its_passage_that_says_most(tmp_path: Path) -> None:
    works = "Kiln works is a swarm, and Kiln works goes on.\nIt lasts.\n\nI founded it in 2019 with Irma in Porto."
    async with noted(tmp_path, {"Kiln works.md": works}) as services:
        exchange = (await ask(services, "Who did I found Kiln works with?")).exchange
    assert exchange.answer == "2026-03-20, Kiln works: I founded it in 2019 with Irma in Porto."


@pytest.mark.parametrize(("texts", "before", "question", "told"), tables(__file__)["points_back"])
async def test_a_question_that_points_back_is_read_with_the_one_before_it_where_that_answers_better(
    tmp_path: Path, texts: Sequence[str], before: str, question: str, told: tuple[str, str]
) -> None:
    async with noted(tmp_path, {f"{at}.md": text for at, text in enumerate((*texts, BEES, GLAZES))}) as services:
        first = await ask(services, before)
        after = await ask(services, question, session_id=first.session.id)
        alone = await ask(services, question, new_topic="alone")
    assert (after.exchange.answer.removeprefix("2026-03-20, "), alone.exchange.status) == told


@pytest.mark.requirement("answers:follow-up")
async def test_another_question_that_points_back_is_not_answered_with_the_same_sentence_again(tmp_path: Path) -> None:
    questions = ("And where is it?", "And is it in Vestby?", "How much is the berth?")
    async with memory(tmp_path, settings=ONE_SOURCE) as services:
        await note(services, {"Boat.md": "The berth costs 96 euros. She lies in Vestby marina."})
        first = await ask(services, "How much is the berth?")
        after = [(await ask(services, each, session_id=first.session.id)).exchange for each in questions]
    assert "96 euros" in first.exchange.answer
    assert [each.refused for each in after] == [True, False, False]
    assert "the answer I gave you before" in (after[0].notes or "")
    assert any("Vestby marina" in source.span for source in after[0].evidence_found)


async def test_a_remote_re_ranker_reads_no_private_row_without_consent(tmp_path: Path) -> None:
    reranker = WordsReranker(remote=True)
    async with noted(tmp_path, {"Glazes.md": GLAZES}, reranker) as services:
        await note(services, {"Bees.md": BEES}, is_private=True)
        with pytest.raises(ConfigurationError, match="words; that needs its own consent"):
            await ask(services, "Where do the bees stand?", include_private=True)
        assert not (await ask(services, BLUE)).exchange.refused
    assert not [text for text in reranker.read if "bees" in text]
