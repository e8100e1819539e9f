"""Which of the judged passages an answer is made of."""

import math
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from passage_rows import passage
from retrieval_rows import AT
from voice.core.answering.passage_choice import (
    BESIDE_THRESHOLD,
    THRESHOLD,
    JudgedPassage,
    chosen_passages,
    with_later_note,
    without_ended,
)
from voice.core.answering.question_form import term_weights
from voice.core.records import Observation
from voice.core.retrieval.passages import Passage
from voice.core.text.instants import UNDATED

LATER, NOW = datetime(2026, 9, 28, tzinfo=UTC), datetime(2026, 11, 28, tzinfo=UTC)
BERTH = passage("The berth costs 96 euros a month.")
BOILER = passage("The boiler is a Vaillant.", thought="t:2")
PAID = passage("I paid the berth for the month.", thought="t:3")
ASKED = term_weights("How much is the berth a month?")


def judged(*passages: Passage, score: float = THRESHOLD + 1) -> list[JudgedPassage]:
    return [JudgedPassage(passage=each, score=score) for each in passages]


def ended(found: Passage) -> Passage:
    """Return a passage of one row, which no longer holds."""
    assert isinstance(found.hit.row, Observation)
    return replace(found, rows=(replace(found.hit, row=replace(found.hit.row, valid_until=LATER)),))


@pytest.mark.requirement("answers:to-the-point")
def test_a_further_passage_is_shown_only_if_it_holds_as_much_of_the_question() -> None:
    found = judged(BERTH, BOILER, PAID)
    assert chosen_passages(found, sources=1, telling=ASKED) == (BERTH, PAID)
    assert chosen_passages(found, sources=1) == (BERTH, BOILER, PAID)
    assert chosen_passages(found[:2], sources=2, telling=ASKED) == (BERTH, BOILER)
    below = [found[0], *judged(PAID, score=BESIDE_THRESHOLD - 1)]
    assert chosen_passages(below, sources=1, telling=ASKED) == (BERTH,)


@pytest.mark.requirement("answers:to-the-point")
def test_of_a_conversation_its_own_rule_decides() -> None:
    said = [passage(text, thought=f"t:{text}", speaker="Ada") for text in ("The berth is 96 euros.", "It is dear.")]
    assert chosen_passages(judged(*said), sources=1, telling=ASKED) == tuple(said)


@pytest.mark.requirement("answers:latest-word")
def test_the_latest_note_that_holds_the_telling_words_is_shown_beside_an_earlier_one() -> None:
    telling = term_weights("Who is my manager?")
    then = passage("My manager is Ingrid.")
    since = passage("Henrike becomes my manager.", thought="t:2", at=LATER)
    other = passage("Bought shoes.", thought="t:3", at=NOW)
    before = passage("My manager was Ole.", thought="t:4", at=datetime(2025, 1, 1, tzinfo=UTC))
    every = [*judged(then), *judged(other, before, since, score=BESIDE_THRESHOLD - 1)]
    assert with_later_note((then,), every, telling) == (then, since)
    assert with_later_note((then, since), every, telling) == (then, since)
    assert with_later_note((since,), every, telling) == (since,)
    missed = [*judged(then), *judged(since, score=-math.inf)]
    assert with_later_note((then,), missed, telling) == (then,)
    undated = passage("My manager is Ingrid.", at=UNDATED)
    assert with_later_note((undated,), every, telling) == (undated,)
    assert with_later_note((), every, telling) == ()
    assert with_later_note((then,), every, {}) == (then,)


@pytest.mark.requirement("answers:current")
def test_what_has_ended_answers_only_where_nothing_current_does() -> None:
    over = ended(BERTH)
    both = judged(over, PAID)
    assert [one.passage for one in without_ended(both, NOW)] == [PAID]
    assert without_ended(both, AT) == tuple(both)
    weak = [*judged(over), *judged(PAID, score=THRESHOLD - 1)]
    assert without_ended(weak, NOW) == tuple(weak)


@pytest.mark.requirement("answers:to-the-point")
def test_under_the_headings_of_the_best_passage_another_is_shown_only_if_it_says_words_of_the_question_itself() -> None:
    asked = term_weights("How did I get to Belfast?")
    best = passage("We hitched to Belfast over two days.", "Week 48", "I hitched to Belfast")
    other, further = (
        passage(text, "Week 48", "I hitched to Belfast") for text in ("I made a font.", "Belfast was cold.")
    )
    elsewhere = passage("I made a font.", "Week 48", "I hitched to Belfast", thought="t:2")
    found = judged(best, other, further)
    assert chosen_passages(found, sources=1, telling=asked) == (best, further)
    assert chosen_passages(judged(best, elsewhere), sources=1, telling=asked) == (best, elsewhere)
