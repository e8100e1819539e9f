"""With a re-ranker, the passages of the notes decide what is answered."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from noted_memory import ONE_SOURCE, note, noted
from played_turns import WHERE, ask, given, memory, tell
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


async def test_one_note_is_too_few_where_two_are_asked_for(tmp_path: Path) -> None:
    async with noted(tmp_path, {"Glazes.md": GLAZES}, settings=given()) as services:
        exchange = (await ask(services, BLUE)).exchange
        await note(services, {"Irma.md": "Blue glaze: two firings, says Irma."})
        again = (await ask(services, BLUE)).exchange
    assert exchange.reason is RefusalReason.TOO_FEW_SOURCES
    assert exchange.notes == (
        "only one note I found answers this, and your settings require 2; "
        "SURR_INNER_VOICE_SINGLE_SOURCE=green accepts one trusted source that covers everything"
    )
    assert not again.refused
    assert len({source.source_id for source in again.sources}) > 1


@pytest.mark.parametrize(("texts", "before", "question", "told"), tables(__file__)["points_back"])
async def test_a_question_that_points_back_is_read_with_the_one_before_it_where_that_answers_better(
    tmp_path: Path, texts: Sequence[str], before: str, question: str, told: tuple[str, str]
) -> None:
    async with noted(tmp_path, {f"{at}.md": text for at, text in enumerate((*texts, BEES, GLAZES))}) as services:
        first = await ask(services, before)
        after = await ask(services, question, session_id=first.session.id)
        alone = await ask(services, question, new_topic="alone")
    assert (after.exchange.answer.removeprefix("2026-03-20, "), alone.exchange.status) == told


async def test_a_question_that_points_back_twice_is_of_whom_the_first_one_named(tmp_path: Path) -> None:
    joana = "Joana promised her gauge notes. She has a boat. Joana lives in Matosinhos."
    async with noted(tmp_path, {"Joana.md": joana, "Bees.md": BEES}) as services:
        first = await ask(services, "What did Joana promise?")
        await ask(services, "Does she have a boat?", session_id=first.session.id)
        third = await ask(services, "Where does she live?", session_id=first.session.id)
    assert "Joana lives in Matosinhos." in third.exchange.answer


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


@pytest.mark.requirement("answers:follow-up")
async def test_a_follow_up_that_names_its_own_time_leaves_that_of_the_question_before(tmp_path: Path) -> None:
    days = {
        "January 2026.md": "Cleared vines on the island.",
        "February 2026.md": "Planted a fig on the island.",
        "Bills of February 2026.md": "Paid the early January bill.",
    }
    async with noted(tmp_path, days) as services:
        first = await ask(services, "What did I do on the island in January 2026?")
        second = await ask(services, "And in February 2026?", session_id=first.session.id)
    assert "Cleared vines on the island." in first.exchange.answer
    assert "Planted a fig on the island." in second.exchange.answer
    assert "bill" not in second.exchange.answer


@pytest.mark.requirement("ruling:I3")
async def test_a_time_is_found_in_the_titles_of_notes_that_say_no_date(tmp_path: Path) -> None:
    async with noted(tmp_path, {"2018-july.md": "I deleted the ticket by accident."}) as services:
        then = (await ask(services, "What did I delete by accident in July 2018?")).exchange
        other = (await ask(services, "What did I delete by accident in March 2018?")).exchange
    assert "I deleted the ticket by accident." in then.answer or "you deleted the ticket by accident" in then.answer
    assert other.refused


async def test_what_is_said_in_a_conversation_is_left_to_who_said_it(tmp_path: Path) -> None:
    reranker = WordsReranker()
    async with noted(tmp_path, {}, reranker) as services:
        await tell(services, "The kiln is in the shed.", speaker="Marta")
        exchange = (await ask(services, WHERE)).exchange
    assert not exchange.refused
    assert reranker.read == []


async def test_a_remote_re_ranker_reads_no_private_row_without_consent(tmp_path: Path) -> None:
    reranker = WordsReranker(remote=True)
    async with noted(tmp_path, {"Glazes.md": GLAZES}, reranker) as services:
        await note(services, {"Bees.md": BEES}, is_private=True)
        with pytest.raises(ConfigurationError, match="words; that needs its own consent"):
            await ask(services, "Where do the bees stand?", include_private=True)
        assert not (await ask(services, BLUE)).exchange.refused
    assert not [text for text in reranker.read if "bees" in text]
