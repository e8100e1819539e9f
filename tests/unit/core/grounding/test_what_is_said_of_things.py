"""Thirty pairs of notes that cannot both hold, and thirty that can: a person would say so of each."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from grounding_rows import draft, row
from voice.core.grounding.compose import compose
from voice.core.grounding.disagreement import Disagreement, disagreements
from voice.core.grounding.judge import judge
from voice.core.grounding.things import things_told
from voice.core.grounding.values import Evidence, GroundingPolicy, Stance

MARCH = datetime(2024, 3, 3, tzinfo=UTC)
MAY = datetime(2024, 5, 9, tzinfo=UTC)

DISAGREE = [
    ("The bike costs 300 euros.", "The bike costs 350 euros."),
    ("The bike costs €300.", "The bike is 350 euros."),
    ("cottage rent is 900", "cottage rent is 950"),
    ("The cottage rent is 900.", "Cottage rent is now 950."),
    ("The rent of the cottage is 900 euros.", "The rent of the cottage is 950 euros."),
    ("My rent is 900 euros a month.", "My rent is 950 euros since May."),
    ("Ada's bike costs 300 euros.", "Ada's bike costs 350 euros and she loves it."),
    ("My dad's boat costs 9,000 euros.", "My dad's boat costs 7,500 euros."),
    ("The parcel weighs 5 kg.", "The parcel weighs 7 kg."),
    ("Our dog weighs twenty kilos.", "Our dog weighs 24 kilos."),
    ("The course lasts six weeks.", "The course lasts eight weeks."),
    ("The course starts at 9:00.", "The course starts at 9:30."),
    ("The library opens at 8 am.", "The library opens at 10 am."),
    ("The library closes at 18:00.", "Careful: the library closes at 17:00."),
    ("The shop in Porto opens at 9:00.", "The shop in Porto opens at 10:00."),
    ("The library opens at 9:00 on Sundays.", "The library opens at 10:00 on Sundays."),
    ("The course starts on 3 May.", "The course starts on 10 May."),
    ("The deadline is 3 May.", "The deadline is May 10th."),
    ("The deadline is on 3 May 2024.", "The deadline is 4 May."),
    ("My birthday is 3 May.", "My birthday is on 4 May."),
    ("The wedding is on 14 June.", "The wedding is on 21 June."),
    ("The door code is 4411.", "The door code is 4412."),
    ("The tent capacity is 4 people.", "The tent capacity is 6 people."),
    ("The room costs 50 euros a night.", "The room costs 65 euros per night."),
    ("I live in Oslo.", "I moved to Bergen."),
    ("I live in Oslo.", "I've just moved to Bergen and like it."),
    ("Ada lives in Oslo.", "Ada has moved to Bergen."),
    ("My sister lives in Oslo.", "My sister lives in Bergen."),
    ("My brother works at Acme.", "My brother now works at Globex."),
    ("My brother lives in Oslo.", "My brother moved to Bergen."),
]

AGREE = [
    ("The bike costs 300 euros.", "The car costs 350 euros."),
    ("The bike costs 300 euros.", "The bike costs three hundred euros."),
    ("The bike costs 300 euros.", "The bike cost 350 euros."),
    ("The bike costs 300 euros.", "The bike costs about 350 euros."),
    ("The bike costs 300 euros.", "The bike costs 300 or 350 euros."),
    ("The bike costs 300 euros.", "The bike costs 350 euros with the lock."),
    ("The bike costs 300 euros.", "The bike costs 350 dollars."),
    ("The bike costs 300 euros.", "Does the bike cost 350 euros?"),
    ("The bike costs 300 euros.", "If the bike costs 350 euros, I take the bus."),
    ("The bike costs 300 euros.", "The bike is 3 years old."),
    ("The bike costs 300 euros.", "Ada's bike costs 350 euros."),
    ("My bike costs 300 euros.", "Ada's bike costs 350 euros."),
    ("The ticket costs 20 euros.", "The ticket costs 30 euros."),
    ("The total is 20 euros.", "The total is 30 euros."),
    ("The room costs 50 euros a night.", "The room costs 900 euros a month."),
    ("In Porto, the room costs 50 euros.", "In Oslo, the room costs 90 euros."),
    ("The shop opens at 9:00.", "The shop closes at 18:00."),
    ("The shop opens at 9:00.", "The shop opens at 11:00 on Sundays."),
    ("On Mondays, the shop opens at 9:00.", "On Sundays, the shop opens at 11:00."),
    ("The shop opens at 9 am.", "The shop opens at 9:00."),
    ("The course lasts six weeks.", "The course lasts 42 days."),
    ("The course starts on 3 May.", "The course starts at 9:00."),
    ("The course starts on 3 May.", "The course starts on 3 May 2024."),
    ("The festival starts on 3 May 2024.", "The festival starts on 2 May 2025."),
    ("The rent is 900 euros for the cottage.", "The rent is 700 euros for the flat."),
    ("The rent of the cottage is 900 euros.", "The rent of the flat is 700 euros."),
    ("I moved to Oslo.", "I moved to Bergen."),
    ("I live in Oslo.", "I moved to Bergen in 2010."),
    ("I live in Oslo.", "I moved to a bigger flat."),
    ("My sister lives in Oslo.", "My brother lives in Bergen."),
]


def _rows(one: str, other: str, *names: str) -> list[Evidence]:
    texts = ((one, MARCH), (other, MAY))
    return [row(f"S{place}", text, at=day, names=names) for place, (text, day) in enumerate(texts, 1)]


def _found(one: str, other: str, *names: str) -> tuple[Disagreement, ...]:
    return disagreements(_rows(one, other, *names))


@pytest.mark.requirement("grounding:disagreement")
@pytest.mark.parametrize(("one", "other"), DISAGREE)
def test_two_figures_days_or_places_of_one_thing_disagree(one: str, other: str) -> None:
    (found,) = _found(one, other)

    assert [side.passage.said_on for side in found.sides()] == [MARCH.date(), MAY.date()]


@pytest.mark.requirement("grounding:disagreement")
@pytest.mark.parametrize(("one", "other"), AGREE)
def test_what_may_both_hold_of_things_does_not_disagree(one: str, other: str) -> None:
    assert _found(one, other) == ()


def test_the_tables_hold_thirty_pairs_each() -> None:
    assert (len(set(DISAGREE)), len(set(AGREE))) == (30, 30)


def test_a_word_that_names_no_one_thing_is_told_apart_by_the_entity_of_its_row_alone() -> None:
    assert _found("The total is 20 euros.", "The total is 30 euros.") == ()
    assert len(_found("The total is 20 euros.", "The total is 30 euros.", "Invoice 7")) == 1


def test_a_birthday_is_the_same_in_each_year() -> None:
    rows = _rows("My birthday is 3 May.", "My birthday is 4 May.")
    later = replace(rows[1], created_at=datetime(2026, 1, 1, tzinfo=UTC))

    assert len(disagreements([rows[0], later])) == 1


def test_a_text_without_such_a_form_tells_nothing_of_things() -> None:
    assert [*things_told("Rain again!")] == []
    assert [*things_told("The bike is red.")] == []


@pytest.mark.requirement("grounding:disagreement")
def test_the_answer_gives_both_prices_with_their_days_the_later_first() -> None:
    rows = _rows("The bike costs 300 euros.", "The bike costs 350 euros.")
    answer = compose("How much does the bike cost?", rows[::-1], Stance.SYNTHESIZE)

    assert answer.answer == "2024-05-09: The bike costs 350 euros.\n2024-03-03: The bike costs 300 euros."


@pytest.mark.requirement("grounding:disagreement")
def test_one_price_alone_is_marked_with_the_other_and_both_days() -> None:
    rows = _rows("The bike costs 300 euros.", "The bike costs 350 euros.")
    answer = draft("The bike costs 300 euros.", ("S1", rows[0].text))
    response = judge(answer, rows, GroundingPolicy(min_sources=1), question="How much does the bike cost?")

    assert response.sentences[0].flags == ("disputed",)
    assert "(3 March 2024); “The bike costs 350 euros.” (9 May 2024)" in response.sentences[0].reasons[0]
