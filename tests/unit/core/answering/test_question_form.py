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


def kind(question: str, *, is_timed: bool = False) -> str:
    return form_of(question, is_timed=is_timed).kind


@pytest.mark.parametrize(("question", "expected"), TABLES["the_words_at_their_place_tell_the_form"])
def test_the_words_at_their_place_tell_the_form(question: str, expected: str) -> None:
    assert kind(question) == expected


def test_what_is_counted_is_the_noun_behind_the_words_that_count() -> None:
    assert form_of("How many of the blue bowls did I sell?", is_timed=False).subjects == ("blue bowls",)
    assert form_of("How often did I run the macro?", is_timed=False).subjects == ("run", "macro")


@pytest.mark.parametrize(("question", "sides"), TABLES["a_comparison_names_its_two_sides"])
def test_a_comparison_names_its_two_sides(question: str, sides: tuple[str, str]) -> None:
    form = form_of(question, is_timed=False)
    assert (form.kind, form.subjects, form.questions) == ("comparison", sides, sides)


@pytest.mark.parametrize("question", ["Compare and", "What is the difference between them?", "compare Vim with"])
def test_a_comparison_without_two_sides_is_none(question: str) -> None:
    assert kind(question) == "fact"
    assert kind("compare Vim with Emacs") == "comparison"


@pytest.mark.parametrize(("question", "sides", "asked"), TABLES["two_things_to_choose_from_are_each_asked_about"])
def test_two_things_to_choose_from_are_each_asked_about(question: str, sides: tuple[str, str], asked: str) -> None:
    form = form_of(question, is_timed=False)
    assert (form.kind, form.subjects, form.questions[0]) == ("choice", sides, asked)


@pytest.mark.parametrize("question", ["Was it me or not?", "Did I go, or stay?", "Is it 12 or 13?", "Either or"])
def test_what_is_no_choice_of_two_things_is_none(question: str) -> None:
    assert kind(question) != "choice"
    assert kind("Is it tea or coffee?") == "choice"


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("What do I know about the kiln?", "the kiln"),
        ("Please tell me about Jonas Weber.", "Jonas Weber"),
        *((f"{opening}verything about glazes", "glazes") for opening in ("E", "List e", "Summarise e")),
        ("Liste alles über Töpfe auf", "Töpfe auf"),
        ("Was weiß ich über den Ofen?", "den Ofen"),
        ("¿Qué sé sobre el horno?", "el horno"),
    ],
)
def test_all_about_something_is_asked_by_closed_words(question: str, subject: str) -> None:
    assert form_of(question, is_timed=False) == AnswerForm(kind="about", subjects=(subject,))


@pytest.mark.parametrize("question", ["Tell me about it", "Jonas, tell me about the kiln"])
def test_all_about_nothing_is_no_such_question(question: str) -> None:
    assert kind(question) != "about"
    assert kind("Tell me about Jonas") == "about"


@pytest.mark.parametrize(
    "question", ["What happened?", "What did I do?", "How was?", "Was war los?", "¿Qué hice?", "Summary of notes"]
)
def test_what_asks_for_nothing_but_a_time_wants_a_digest_of_it(question: str) -> None:
    assert kind(question, is_timed=True) == "digest"
    assert kind(question) != "digest"


@pytest.mark.parametrize("question", ["Where was I?", "Who did I meet?", "What happened to Anna?", "Did I do it?"])
def test_what_asks_for_one_thing_of_a_time_wants_no_digest(question: str) -> None:
    assert kind(question, is_timed=True) != "digest"
    assert kind("What happened?", is_timed=True) == "digest"


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
