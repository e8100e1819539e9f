"""What type of answer a question asks for, in three languages, and whether a text holds an amount of it."""

from datetime import UTC, datetime, timedelta

import pytest

from grounding_rows import row
from tables import tables
from voice.core.grounding.extractive.question_fit import (
    Amount,
    AnalysedQuestion,
    EvidenceFit,
    PlacedLine,
    answer_types,
    holds_amount,
    holds_price,
    may_ask_for_money,
    with_words_of_money,
)

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("ruling:D5")


@pytest.mark.parametrize(("question", "types"), TABLES["a_question_asks_for_a_type_by_its_words"])
def test_a_question_asks_for_a_type_by_its_words(question: str, types: tuple[str, ...]) -> None:
    assert answer_types(question) == types


@pytest.mark.parametrize(("kind", "text", "holds"), TABLES["a_text_holds_an_amount_of_a_kind"])
def test_a_text_holds_an_amount_of_a_kind(kind: Amount, text: str, holds: bool) -> None:  # noqa: FBT001
    assert holds_amount(kind, text) is holds


@pytest.mark.parametrize(
    ("topic", "lines", "holds"), TABLES["a_line_that_states_a_price_is_on_its_topic_or_goes_on_from_it"]
)
def test_a_line_that_states_a_price_is_on_its_topic_or_goes_on_from_it(
    topic: tuple[str, ...], lines: tuple[tuple[str, str], ...], *, holds: bool
) -> None:
    assert holds_price(topic, [PlacedLine(*line) for line in lines]) is holds


def test_money_may_be_asked_for_in_two_parts_that_stand_near_or_as_any_amount() -> None:
    near, far = (f"What did {'x ' * times}cost" for times in (197, 198))
    asks = {"How much are the kilns?": True, near: True, far: False, "Cost: how much?": False}
    assert {question: may_ask_for_money(question) for question in asks} == asks
    assert with_words_of_money(frozenset({"pric", "kiln", "big"})) == {"pric", "cost", "expens", "kiln", "big"}


AT = datetime(2026, 3, 5, 10, tzinfo=UTC)
TALK = (
    row("S1", "I drink green tea in the morning.", speaker="Ada", at=AT, thoughts=("t:1",)),
    row("S2", "Do you like coffee?", speaker="Bo", at=AT + timedelta(seconds=130)),
    row("S3", "Ada says coffee is bitter. Bo sells teapots.", speaker="Cleo", at=AT + timedelta(seconds=300)),
    row("S4", "She drinks it cold.", speaker="Ada", at=AT + timedelta(days=1), thoughts=("t:1",)),
    row("S5", "Congrats on the tea! They like coffee; green is fine.", speaker="Bo", at=AT + timedelta(days=9)),
)


@pytest.mark.parametrize(
    ("question", "subject", "telling", "persons", "fits", "lacking"),
    TABLES["what_is_said_of_the_subject_counts_by_how_near_it_stands"],
)
def test_what_is_said_of_the_subject_counts_by_how_near_it_stands(
    question: str, subject: str | None, telling: dict[str, float], persons: object, fits: object, lacking: object
) -> None:
    found = EvidenceFit.of(question, TALK)
    asked = found.question
    assert (asked.subject, asked.telling, tuple(sorted(asked.persons))) == (subject, pytest.approx(telling), persons)
    assert (asked.is_compared, asked.is_of_who_speaks) == (subject is not None, subject is not None or bool(persons))
    assert (tuple((round(each.own, 4), round(each.others, 4)) for each in found.sentences), found.lacking) == (
        fits,
        lacking,
    )


@pytest.mark.parametrize(
    ("question", "subject", "speakers", "day", "fits", "lacking"),
    TABLES["what_is_said_in_one_talk_or_of_one_who_has_two_names_is_told_together"],
)
def test_what_is_said_in_one_talk_or_of_one_who_has_two_names_is_told_together(
    question: str, subject: str | None, speakers: tuple[str, str], day: str, fits: object, lacking: object
) -> None:
    at = datetime.fromisoformat(day).replace(tzinfo=UTC)
    said = zip(("Green here.", "I like tea."), speakers, strict=True)
    found = EvidenceFit.of(question, [row(f"S{text[:1]}", text, speaker=who, at=at) for text, who in said])
    told = tuple((round(each.own, 4), round(each.others, 4)) for each in found.sentences)
    assert (found.question.subject, told, found.lacking) == (subject, fits, lacking)


@pytest.mark.parametrize(
    ("question", "subject", "telling"), TABLES["what_names_the_sort_that_is_asked_for_weighs_less"]
)
def test_what_names_the_sort_that_is_asked_for_weighs_less(
    question: str, subject: str | None, telling: dict[str, float]
) -> None:
    asked = AnalysedQuestion.of(question, (row("S1", "x", speaker="Bo"),))
    assert (asked.subject, asked.telling) == (subject, pytest.approx(telling))
