"""The numbers and ids of a text that name something.

What of a question has to be in the passage that answers it.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passage_rows import passage
from retrieval_rows import candidate, entity
from tables import tables, utc
from voice.core.answering.identifying_numbers import IdentifyingNumber, NumberedText, holds_code
from voice.core.answering.memory_owner import MemoryOwner
from voice.core.answering.question_target import Identifiers
from voice.core.records import EntityName
from voice.core.retrieval.passages import Passage

TABLES = tables(__file__)
pytestmark = pytest.mark.requirement("grounding:identity")


@pytest.mark.parametrize(
    ("question", "numbers"), TABLES["a_number_of_a_question_names_what_stands_before_it_unless_it_counts_or_is_a_date"]
)
def test_a_number_of_a_question_names_what_stands_before_it_unless_it_counts_or_is_a_date(
    question: str, numbers: list[tuple[str, str | None]]
) -> None:
    assert list(NumberedText.of(question).numbered) == [IdentifyingNumber(*each) for each in numbers]


@pytest.mark.parametrize(("question", "codes"), TABLES["an_id_is_letters_and_digits_in_one_or_many_digits_with_marks"])
def test_an_id_is_letters_and_digits_in_one_or_many_digits_with_marks(question: str, codes: tuple[str, ...]) -> None:
    assert NumberedText.of(question).codes == codes


@pytest.mark.parametrize(
    ("question", "text", "is_held"), TABLES["a_text_holds_a_number_where_it_is_told_of_what_it_is_asked_of"]
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


ANNA = EntityName(id="e:anna", name="Anna Sauer", entity_type="person", aliases=("Mum",))
ROSE = EntityName(id="e:rose", name="Rose", entity_type="person")


def lacks(question: str, one: Passage, *entities: EntityName, owner: MemoryOwner | None = None) -> bool:
    return Identifiers.of(question, entities, owner).is_missing_from(one)


@pytest.mark.parametrize(("question", "text", "is_lacking"), TABLES["a_name_of_a_question_stands_in_what_answers_it"])
def test_a_name_of_a_question_stands_in_what_answers_it(question: str, text: str, *, is_lacking: bool) -> None:
    assert lacks(question, passage(text)) is is_lacking


def test_a_name_may_stand_in_the_path_or_be_who_speaks() -> None:
    assert not lacks("Where does Anna work?", passage("Works in Porto.", "People", "Anna"))
    assert not lacks("Where does Anna work?", passage("I work in Porto.", speaker="Anna"))
    assert lacks("Where does Anna work?", passage("I work in Porto.", "People", "Tom", speaker="Tom"))


def test_a_name_is_there_under_every_name_that_the_graph_knows() -> None:
    assert not lacks("Where does Mum work?", passage("Anna works in Porto."), ANNA)
    assert not lacks("Where does Mum work?", passage("She works in Porto.", entities=("e:anna",)), ANNA)
    assert lacks("Where does Mum work?", passage("Anna works in Porto."))
    node = Passage(rows=(candidate(entity("anna", "Anna Sauer", "works in Porto")),), found=0)
    assert not lacks("Where does Mum work?", node, ANNA)


def test_the_first_word_of_a_question_is_a_name_where_it_is_one_elsewhere() -> None:
    told = passage("Tom comes for dinner.")
    assert not lacks("Rose dinner with whom?", told)
    assert lacks("Rose dinner with whom?", told, ROSE)
    assert lacks("Inlang dinner with whom?", told)


def test_the_owner_is_named_in_no_note_of_their_own() -> None:
    told = passage("I work in Porto.")
    assert lacks("Where does Irma work?", told)
    assert not lacks("Where does Irma work?", told, owner=MemoryOwner(names=("Irma Sauer",)))


def test_a_number_and_an_id_stand_in_what_answers() -> None:
    assert lacks("Where is boat number 12?", passage("Boat 3 lies at the quay since 12 May 2021."))
    assert not lacks("Where is boat number 12?", passage("It lies at the quay.", "Boats", "Number 12"))
    assert not lacks("Who wrote ISBN 978-3-16-148410-0?", passage("978 3 16 148410 0: Dune, by Frank Herbert"))
    assert lacks("Who closed ABC-123?", passage("Tom closed ABC-124."))
    assert not lacks("Who closed ABC-123?", passage("Tom closed it.", "abc 123"))


@pytest.mark.parametrize(
    ("text", "day", "is_lacking"), TABLES["a_day_of_a_question_is_told_or_is_the_day_it_was_told_on"]
)
def test_a_day_of_a_question_is_told_or_is_the_day_it_was_told_on(
    text: str, day: str | None, *, is_lacking: bool
) -> None:
    told = passage(text, at=utc(day))
    assert lacks("Is the bill of 12 May 2021 paid?", told) is is_lacking
