"""With a re-ranker, the passages of the notes decide what is answered."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from played_turns import ask, memory
from played_turns import given as settings_of
from tables import tables
from voice.adapters.llm.scripted import ExtractiveClient
from voice.core.errors import ConfigurationError
from voice.core.grounding.values import GroundingPolicy, RefusalReason
from voice.core.records import Origin
from voice.services.memory.ingest_values import NewThought
from words_reranker import WordsReranker

pytestmark = pytest.mark.requirement("reranker:passages")
ONE_SOURCE = settings_of(grounding=GroundingPolicy(single_source="green"))
GLAZES = """# Glazes
## Blue
- needs two firings
- cobalt, from Porto
## Green
- copper
"""
BEES = "The bees stand behind the shed. Jonas feeds them in October."


@pytest.fixture
def reranker() -> WordsReranker:
    return WordsReranker()


def noted(text: str, place: str, *, is_private: bool = False) -> NewThought:
    return NewThought(content=text, origin=Origin.HUMAN, source_ref=place, is_private=is_private)


async def test_the_answer_is_the_passage_under_its_headings_or_the_closest_shown(
    tmp_path: Path, reranker: WordsReranker
) -> None:
    async with memory(tmp_path, ExtractiveClient(), settings=ONE_SOURCE, reranker=reranker) as services:
        await services.ingest.remember([noted(GLAZES, "Glazes.md"), noted(BEES, "Bees.md")])
        turn = await ask(services, "What does the blue glaze need?")
        exchange = (await ask(services, "How heavy was Marta's suitcase when the bees left?")).exchange
    assert turn.exchange.answer.startswith("2026-03-20, Glazes: Blue: needs two firings.")
    assert any(text.startswith("Glazes\n## Blue") for text in reranker.read)
    assert (exchange.refused, exchange.reason) == (True, RefusalReason.NO_SOURCES)
    assert "none of the passages I found answers this" in (exchange.notes or "")
    shown = {source.span for source in exchange.evidence_found}
    assert shown >= {"The bees stand behind the shed.", "Jonas feeds them in October."}
    assert not exchange.sources


@pytest.mark.requirement("answers:best-sentence")
async def test_an_answer_starts_from_the_sentence_of_its_passage_that_says_most(
    tmp_path: Path, reranker: WordsReranker
) -> None:
    note = "Kiln works is a swarm, and Kiln works goes on.\nIt lasts.\n\nI founded it in 2019 with Irma in Porto."
    async with memory(tmp_path, ExtractiveClient(), settings=ONE_SOURCE, reranker=reranker) as services:
        await services.ingest.remember([noted(note, "Kiln works.md")])
        exchange = (await ask(services, "Who did I found Kiln works with?")).exchange
    assert exchange.answer == "2026-03-20, Kiln works: I founded it in 2019 with Irma in Porto."


async def test_one_note_is_too_few_where_two_are_asked_for(tmp_path: Path, reranker: WordsReranker) -> None:
    async with memory(tmp_path, ExtractiveClient(), reranker=reranker) as services:
        await services.ingest.remember([noted(GLAZES, "Glazes.md")])
        exchange = (await ask(services, "What does the blue glaze need?")).exchange
        await services.ingest.remember([noted("Blue glaze: two firings, says Irma.", "Irma.md")])
        again = (await ask(services, "What does the blue glaze need?")).exchange
    assert exchange.reason is RefusalReason.TOO_FEW_SOURCES
    assert exchange.notes == (
        "only one note I found answers this, and your settings require 2; "
        "SURR_INNER_VOICE_SINGLE_SOURCE=green accepts one trusted source that covers everything"
    )
    assert not again.refused
    assert len({source.source_id for source in again.sources}) > 1


@pytest.mark.parametrize(("texts", "before", "question", "told"), tables(__file__)["points_back"])
async def test_a_question_that_points_back_is_read_with_the_one_before_it_where_that_answers_better(
    tmp_path: Path, reranker: WordsReranker, texts: Sequence[str], before: str, question: str, told: tuple[str, str]
) -> None:
    async with memory(tmp_path, ExtractiveClient(), settings=ONE_SOURCE, reranker=reranker) as services:
        await services.ingest.remember([noted(text, f"{at}.md") for at, text in enumerate((*texts, BEES, GLAZES))])
        first = await ask(services, before)
        after = await ask(services, question, session_id=first.session.id)
        alone = await ask(services, question, new_topic="alone")
    assert (after.exchange.answer.removeprefix("2026-03-20, "), alone.exchange.status) == told


async def test_a_question_that_points_back_twice_is_of_whom_the_first_one_named(
    tmp_path: Path, reranker: WordsReranker
) -> None:
    async with memory(tmp_path, ExtractiveClient(), settings=ONE_SOURCE, reranker=reranker) as services:
        joana = "Joana promised her gauge notes. She has a boat. Joana lives in Matosinhos."
        await services.ingest.remember([noted(joana, "Joana.md"), noted(BEES, "Bees.md")])
        first = await ask(services, "What did Joana promise?")
        await ask(services, "Does she have a boat?", session_id=first.session.id)
        third = await ask(services, "Where does she live?", session_id=first.session.id)
    assert "Joana lives in Matosinhos." in third.exchange.answer


@pytest.mark.requirement("answers:follow-up")
async def test_another_question_that_points_back_is_not_answered_with_the_same_sentence_again(tmp_path: Path) -> None:
    async with memory(tmp_path, ExtractiveClient(), settings=ONE_SOURCE) as services:
        await services.ingest.remember([noted("The berth costs 96 euros. She lies in Vestby marina.", "Boat.md")])
        first = await ask(services, "How much is the berth?")
        after = [
            (await ask(services, question, session_id=first.session.id)).exchange
            for question in ("And where is it?", "And is it in Vestby?", "How much is the berth?")
        ]
    assert "96 euros" in first.exchange.answer
    assert [each.refused for each in after] == [True, False, False]
    assert "the answer I gave you before" in (after[0].notes or "")
    assert any("Vestby marina" in source.span for source in after[0].evidence_found)


@pytest.mark.requirement("ruling:I3")
async def test_a_time_is_found_in_the_titles_of_notes_that_say_no_date(tmp_path: Path, reranker: WordsReranker) -> None:
    async with memory(tmp_path, ExtractiveClient(), settings=ONE_SOURCE, reranker=reranker) as services:
        await services.ingest.remember([noted("I deleted the ticket by accident.", "2018-july.md")])
        then = (await ask(services, "What did I delete by accident in July 2018?")).exchange
        other = (await ask(services, "What did I delete by accident in March 2018?")).exchange
    assert "I deleted the ticket by accident." in then.answer or "you deleted the ticket by accident" in then.answer
    assert other.refused


async def test_what_is_said_in_a_conversation_is_left_to_who_said_it(tmp_path: Path, reranker: WordsReranker) -> None:
    said = NewThought(content="The kiln is in the shed.", origin=Origin.HUMAN, speaker="Marta")
    async with memory(tmp_path, ExtractiveClient(), settings=ONE_SOURCE, reranker=reranker) as services:
        await services.ingest.remember([said])
        exchange = (await ask(services, "Where is the kiln?")).exchange
    assert not exchange.refused
    assert reranker.read == []


async def test_a_remote_re_ranker_reads_no_private_row_without_consent(tmp_path: Path, reranker: WordsReranker) -> None:
    reranker.remote = True
    async with memory(tmp_path, ExtractiveClient(), settings=ONE_SOURCE, reranker=reranker) as services:
        await services.ingest.remember([noted(BEES, "Bees.md", is_private=True), noted(GLAZES, "Glazes.md")])
        with pytest.raises(ConfigurationError, match="words; that needs its own consent"):
            await ask(services, "Where do the bees stand?", include_private=True)
        assert not (await ask(services, "What does the blue glaze need?")).exchange.refused
    assert not [text for text in reranker.read if "bees" in text]
