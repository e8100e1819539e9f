"""When a follow-up would get the answer again that another question got."""

import pytest

from voice.core.context.question import repeats_answer

PRICE, PLACE = "boat: The berth costs 96 euros a month.", "She lies in Vestby marina."
GIFT = "Tomas turns 40 in May: get him the scale. He gave her a lamp."


@pytest.mark.requirement("answers:follow-up")
@pytest.mark.parametrize(
    ("question", "answer", "is_again"),
    [
        ("And where is it?", (PRICE, PLACE), True),
        ("And where is it?", (PRICE, PLACE, "The harbour master is Nils."), True),
        ("And where is it?", (PLACE,), False),
        ("And where is it?", (), False),
        ("And who pays for it?", (PRICE, PLACE), True),
        ("And is it in Vestby?", (PRICE, PLACE), False),
        ("How much is the berth a month?", (PRICE, PLACE), False),
        ("Where is the boat?", (PRICE, PLACE), False),
        ("And what do I get him?", (GIFT,), False),
        ("And what did he give her?", (GIFT,), False),
        ("And where is he?", (GIFT,), True),
        ("Why?", (PRICE, PLACE, "- The sails are new."), True),
        ("Warum?", (PRICE, PLACE, "It has power."), False),
    ],
)
def test_the_sentence_that_answered_before_answers_no_other_question_that_points_back(
    question: str, answer: tuple[str, ...], *, is_again: bool
) -> None:
    before = (PRICE, PLACE) if GIFT not in answer else (GIFT,)
    assert repeats_answer(question, answer, previous="How much is the berth a month?", before=before) is is_again
