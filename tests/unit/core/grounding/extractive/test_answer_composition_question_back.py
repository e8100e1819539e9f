"""The closing question takes up what the quoted sentences turn on, and brings nothing of its own."""

from dataclasses import replace

import pytest

from grounding_rows import answer_of, judge_composed, row
from voice.core.answering.passage_draft import compose_passages
from voice.core.grounding.extractive.answer_composition import follow_up_question
from voice.core.grounding.values import GroundingPolicy, Stance
from voice.core.text.words import words

QUESTION = "Should I move the piano?"


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("quoted", "opening"),
    [
        (["I left the piano there because of the stairs."], "Is this reason"),
        (["Rosa would rather move the piano."], "How much does this wish"),
        (["I stopped playing the piano."], "Is this still right"),
        (["The piano is too heavy."], "What would make this different, and which step"),
        (["Moving the piano costs 300 euros."], "How much does this weigh in"),
        (["The piano does not fit upstairs."], "What would make this different, and would you"),
        (["The piano stands in the hall."], "What does that mean"),
        (["The piano stands in the hall.", "Rosa would rather move the piano."], "How do these fit"),
        (["I want the piano.", "Rosa would rather sell the piano."], "How much does this wish"),
        (["The piano stands in the hall.", "The piano is black."], "How do these fit"),
    ],
)
def test_it_is_of_the_kind_of_what_is_quoted_and_names_nothing(quoted: list[str], opening: str) -> None:
    back = follow_up_question(QUESTION, quoted)
    assert back.startswith(opening)
    assert back.endswith("?")
    assert not [word for word in words(back) if word.is_number or (word.is_capital and word.start)]


def test_in_another_language_it_asks_the_general_question_in_that_language() -> None:
    assert (
        follow_up_question("Soll ich das Klavier umstellen?", ["Ich möchte es nicht."])
        == "Was bedeutet das für deine Frage?"
    )
    assert follow_up_question("¿Debo mover el piano que tengo?", ["Quiero moverlo.", "Pesa."]).startswith(
        "¿Cómo encaja"
    )


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    "note",
    [
        "I left the piano in the hall because of the stairs.",
        "Rosa would rather move the piano upstairs.",
        "I stopped playing the piano in the hall.",
        "The piano in the hall is too heavy.",
        "Moving the piano costs 300 euros.",
        "The piano does not fit upstairs.",
    ],
)
def test_the_judge_takes_it_for_a_question_of_one_who_asks(note: str) -> None:
    rows = [replace(row("S1", note), passage=0, is_hit=True)]
    draft = compose_passages("What about the piano?", rows, Stance.QUESTION)
    judged = judge_composed(
        draft, rows, GroundingPolicy(min_sources=1, single_source="green"), question="What about the piano?"
    )
    assert not judged.refused
    assert answer_of(draft).endswith("?")
    assert not any(one.flags for one in judged.sentences)
