"""The numbers and ids of a text that name something."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.core.answering.identifying_numbers import IdentifyingNumber, NumberedText, holds_code

pytestmark = pytest.mark.requirement("grounding:identity")


@pytest.mark.parametrize(
    ("question", "numbers"),
    [
        ("Where is boat number 12?", [("12", "boat")]),
        ("Who sleeps in room no. 4?", [("4", "room")]),
        ("What did chapter 3 say of Anna?", [("3", "chapt")]),
        ("What did rooms 3 and 4 cost?", [("3", "room"), ("4", "room")]),
        ("Why did I move to Python 3.12?", [("3.12", "python")]),
        ("Is v2.1.0 out?", [("2.1.0", None)]),
        ("Who lives in number 12?", [("12", None)]),
        ("How many of the 3 boats are left?", [("3", None)]),
        ("Did I run 10 km?", [("10", None)]),
        ("4711", [("4711", None)]),
        ("Who owes me 1,200 euros?", [("1200", None)]),
        ("Was it the 12th?", [("12", None)]),
        ("What is in #2024?", [("2024", None)]),
        ("What did I do on 21 May 2021?", []),
        ("What did I do at 7:40?", []),
        ("What happened in 1999?", []),
        ("Who has room number 2024?", [("2024", "room")]),
        ("Who are the three sisters?", []),
    ],
)
def test_a_number_of_a_question_names_what_stands_before_it_unless_it_counts_or_is_a_date(
    question: str, numbers: list[tuple[str, str | None]]
) -> None:
    assert list(NumberedText.of(question).numbered) == [IdentifyingNumber(*each) for each in numbers]


@pytest.mark.parametrize(
    ("question", "codes"),
    [
        ("What is in ticket ABC-123?", ("ABC-123",)),
        ("Who wrote ISBN 978-3-16-148410-0?", ("978-3-16-148410-0",)),
        ("Where is flat 12b?", ("12b",)),
        ("Was the trip in mid-2019 or 2019-20?", ()),
        ("Do I take 150mg?", ()),
        ("Was it a 3-bedroom flat?", ()),
    ],
)
def test_an_id_is_letters_and_digits_in_one_or_many_digits_with_marks(question: str, codes: tuple[str, ...]) -> None:
    assert NumberedText.of(question).codes == codes


@pytest.mark.parametrize(
    ("question", "text", "is_held"),
    [
        ("boat number 12", "Boat number 12 is red.", True),
        ("boat number 12", "Boat no. 12 is red.", True),
        ("boat number 12", "Boat #12 is red.", True),
        ("boat number 12", "Boats 3, 7 and 12 are red.", True),
        ("boat number 12", "The twelfth is out, boat twelve is in.", True),
        ("boat number 12", "12 is my boat.", True),
        ("boat number 12", "Boats › Number 12\nIt is red.", True),
        ("boat number 12", "Boats\n12: red", True),
        ("boat number 12", "Boats 257 and 161 lie at the quay.", False),
        ("boat number 12", "Boat 161, seen on 2020-05-12.", False),
        ("boat number 12", "The boat is in hall 12.", False),
        ("boat number 12", "From the boat we saw 12 seals.", False),
        ("boat number 12", "Boats\n12 seals", False),
        ("room 4", "Room 3 has 4 beds.", False),
        ("room 4", "Rooms\n3 of 4", False),
        ("room 4", "The 4th room is blue.", True),
        ("room 4", "Room: 4. It is blue.", True),
        ("room 4", "Blue! 4. Room", True),
        ("room 4", "a a a a a a a a a a a a a a a a 4 room", True),
        ("room 4", "a a a a a a a a a a a a a a a a 4\nroom", False),
        ("Python 3.12", "Python 3.12.1 it is.", True),
        ("Python 3", "We use Python 3.12.", True),
        ("Python 3.12", "Python 3.1 it is, after 3.12 km.", False),
        ("Did I run 10 km?", "Ran 10 km.", True),
        ("Did I run 10 km?", "Ran 12 km.", False),
    ],
)
def test_a_text_holds_a_number_where_it_is_told_of_what_it_is_asked_of(
    question: str, text: str, *, is_held: bool
) -> None:
    (asked,) = NumberedText.of(question).numbered
    assert NumberedText.of(text).holds(asked) is is_held


def test_an_id_is_the_same_with_other_marks_between_its_parts_and_no_part_of_another() -> None:
    assert all(holds_code(text, "ABC-123") for text in ("see abc 123.", "ABC123", "(abc_123)", "ABC-1234, ABC-123"))
    assert not any(holds_code(text, "ABC-123") for text in ("ABC-1234", "XABC-123", "9ABC-123", "ABC-123b", "ABC, 123"))
    assert not holds_code("", "ABC-123")
    assert not holds_code("anything", "--")


@given(st.text(max_size=60))
def test_any_text_can_be_read(text: str) -> None:
    reading = NumberedText.of(text)
    assert all(isinstance(reading.holds(each), bool) for each in reading.numbered)
