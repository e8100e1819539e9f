"""When a follow-up would get the answer again that another question got."""

import pytest

from tables import tables
from voice.core.context.question import repeats_answer

TABLES = tables(__file__)
PRICE, PLACE = "boat: The berth costs 96 euros a month.", "She lies in Vestby marina."
GIFT = "Tomas turns 40 in May: get him the scale. He gave her a lamp."


@pytest.mark.requirement("answers:follow-up")
@pytest.mark.parametrize(
    ("question", "answer", "is_again"),
    TABLES["the_sentence_that_answered_before_answers_no_other_question_that_points_back"],
)
def test_the_sentence_that_answered_before_answers_no_other_question_that_points_back(
    question: str, answer: tuple[str, ...], *, is_again: bool
) -> None:
    before = (PRICE, PLACE) if GIFT not in answer else (GIFT,)
    assert repeats_answer(question, answer, previous="How much is the berth a month?", before=before) is is_again
