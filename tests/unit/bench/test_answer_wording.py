"""Wording ranks beside verdicts: what keeps to a source is not strange, what keeps to nothing is, a claim less so."""

import pytest
from bench.grounding import Item, Read, answer_score, read_answer, whole_source

SOURCE = "Ines moved to Bremen in the spring of 2021, and she keeps two goats."


def _read(answer: str) -> Read:
    return read_answer(Item(set_name="x", evidence=(whole_source("s1", SOURCE),), answer=answer, is_unsupported=False))


def test_what_is_word_for_word_in_a_source_is_not_strange() -> None:
    assert _read("Ines moved to Bremen in the spring of 2021.").strangeness == 0.0
    assert _read("Zoltan cooked goulash in Budapest.").strangeness > 0.0
    assert _read("").strangeness == 0.0


@pytest.mark.parametrize(("answer", "share"), [("How was your day?", 1.0), ("Zebras sing.", 0.1)])
def test_a_question_in_other_words_is_strange_and_a_claim_a_tenth_of_it(answer: str, share: float) -> None:
    assert _read(answer).strangeness == share


def test_words_out_of_their_order_are_strange() -> None:
    turned = _read("In the spring of 2021 Ines moved to Bremen.")

    assert 0 < turned.strangeness < 0.1


def test_of_two_answers_that_are_no_claims_the_stranger_is_less_supported() -> None:
    assert answer_score(_read("How was your day?")) > answer_score(_read("Did Ines move to Bremen in the spring?"))
