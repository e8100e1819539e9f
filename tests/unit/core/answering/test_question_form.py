"""In which form a question wants its answer."""

import pytest

from tables import tables
from voice.core.answering.question_form import (
    AnswerForm,
    asks_for_many,
    form_of,
    is_answered_shortly,
    says_how_often,
    times_meant,
)

TABLES = tables(__file__)
pytestmark = pytest.mark.requirement("answers:forms")


@pytest.mark.parametrize(("question", "expected"), TABLES["the_words_at_their_place_tell_the_form"])
def test_the_words_at_their_place_tell_the_form(question: str, expected: str) -> None:
    assert form_of(question, is_timed=False).kind == expected


def test_what_is_counted_is_the_noun_behind_the_words_that_count() -> None:
    assert form_of("How many of the blue bowls did I sell?", is_timed=False).subjects == ("blue bowls",)
    assert form_of("How often did I run the macro?", is_timed=False).subjects == ("run", "macro")


@pytest.mark.parametrize(("question", "sides"), TABLES["a_comparison_names_its_two_sides"])
def test_a_comparison_names_its_two_sides(question: str, sides: tuple[str, str]) -> None:
    form = form_of(question, is_timed=False)
    assert (form.kind, form.subjects, form.questions) == ("comparison", sides, sides)


@pytest.mark.parametrize(("question", "sides", "asked"), TABLES["two_things_to_choose_from_are_each_asked_about"])
def test_two_things_to_choose_from_are_each_asked_about(question: str, sides: tuple[str, str], asked: str) -> None:
    form = form_of(question, is_timed=False)
    assert (form.kind, form.subjects, form.questions[0]) == ("choice", sides, asked)


@pytest.mark.parametrize(("question", "asked"), TABLES["two_questions_at_once_are_two"])
def test_two_questions_at_once_are_two(question: str, asked: tuple[str, ...]) -> None:
    form = form_of(question, is_timed=False)
    assert (form.questions if form.kind == "several" else ()) == tuple(asked)


@pytest.mark.parametrize(("question", "subject"), TABLES["all_about_something_is_asked_by_closed_words"])
def test_all_about_something_is_asked_by_closed_words(question: str, subject: str) -> None:
    assert form_of(question, is_timed=False) == AnswerForm(kind="about", subjects=(subject,))


@pytest.mark.parametrize(
    ("question", "of_a_time", "of_any"), TABLES["what_asks_for_nothing_but_a_time_wants_a_digest_of_it"]
)
def test_what_asks_for_nothing_but_a_time_wants_a_digest_of_it(question: str, of_a_time: str, of_any: str) -> None:
    assert form_of(question, is_timed=True).kind == of_a_time
    assert form_of(question, is_timed=False).kind == of_any


@pytest.mark.parametrize(("question", "times"), TABLES["a_digest_may_name_its_time_as_nothing_else_does"])
def test_a_digest_may_name_its_time_as_nothing_else_does(question: str, times: tuple[str, ...]) -> None:
    assert times_meant(question) == times


def test_words_for_many_are_told_in_every_language() -> None:
    assert all(map(asks_for_many, ("all of them", "alle", "todas")))
    assert not asks_for_many("Where?")


@pytest.mark.requirement("answers:count")
def test_a_text_may_say_how_often_something_was() -> None:
    assert says_how_often("I went climbing 14 times in May.")
    assert says_how_often("Ich war zwölf Mal dort.")
    assert not says_how_often("I went climbing on 14 May at 12:30.")


@pytest.mark.parametrize(("question", "is_short"), TABLES["who_where_and_how_many_are_answered_by_one_sentence"])
def test_who_where_and_how_many_are_answered_by_one_sentence(question: str, *, is_short: bool) -> None:
    assert is_answered_shortly(question) is is_short
