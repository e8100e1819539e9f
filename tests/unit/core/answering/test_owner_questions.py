"""What is asked of the one whose memory it is."""

import pytest

from passage_rows import passage
from retrieval_rows import candidate, entity
from tables import tables
from voice.core.answering.memory_owner import MemoryOwner
from voice.core.answering.owner_questions import (
    asks_about_owner,
    asks_owner_name,
    is_about_others,
    is_stated_by_owner,
    states_owner_name,
)
from voice.core.retrieval.passages import Passage

TABLES = tables(__file__)
IRMA = MemoryOwner(names=("Irma Sauer", "Mimi"))
CHILDREN = "How many children do I have?"
pytestmark = pytest.mark.requirement("grounding:owner")


@pytest.mark.parametrize(("question", "is_of"), TABLES["a_question_with_i_my_or_the_owners_name_asks_of_the_owner"])
def test_a_question_with_i_my_or_the_owners_name_asks_of_the_owner(question: str, *, is_of: bool) -> None:
    assert asks_about_owner(question, IRMA) is is_of
    assert not asks_about_owner("How old is Irma?", MemoryOwner())


@pytest.mark.parametrize(
    ("question", "text", "is_of"), TABLES["what_is_said_of_somebody_else_does_not_say_it_of_the_owner"]
)
def test_what_is_said_of_somebody_else_does_not_say_it_of_the_owner(question: str, text: str, *, is_of: bool) -> None:
    assert is_about_others(question, passage(text), IRMA, people=("Jorgensen Berg",)) is is_of


def test_under_the_name_of_a_person_stands_what_is_theirs() -> None:
    assert is_about_others(CHILDREN, passage("Three children.", "People", "Tom"), IRMA)
    assert not is_about_others(CHILDREN, passage("Three children.", "People", "Irma"), IRMA, people=("Irma Sauer",))
    assert not is_about_others(CHILDREN, passage("Three children.", "People", "Family"), IRMA)


@pytest.mark.parametrize(("text", "speaker", "is_of"), TABLES["the_i_of_another_speaker_is_not_the_owners"])
def test_the_i_of_another_speaker_is_not_the_owners(text: str, speaker: str, *, is_of: bool) -> None:
    assert is_about_others(CHILDREN, passage(text, speaker=speaker), IRMA) is is_of


def test_of_a_passage_the_sentences_count_that_tell_of_what_is_asked() -> None:
    told = "Met my friend. Tom has three children. I like him."
    assert is_about_others(CHILDREN, passage(told), IRMA)
    assert not is_about_others(CHILDREN, passage(f"{told} I have two children."), IRMA)


def test_a_row_of_the_graph_is_read_like_a_sentence() -> None:
    node = Passage(rows=(candidate(entity("tom", "Tom", "has three children")),), found=0)
    assert is_about_others(CHILDREN, node, IRMA)


@pytest.mark.parametrize(("question", "asks"), TABLES["a_question_asks_for_the_owners_name_and_for_nothing_else"])
@pytest.mark.requirement("grounding:owner:who")
def test_a_question_asks_for_the_owners_name_and_for_nothing_else(question: str, *, asks: bool) -> None:
    assert asks_owner_name(question) is asks


@pytest.mark.requirement("grounding:owner:who")
def test_a_sentence_says_who_the_owner_is_with_i_and_a_name_of_theirs() -> None:
    def says(text: str, speaker: str | None = None) -> bool:
        return states_owner_name(passage(text, speaker=speaker).hit, IRMA)

    assert says("I am Irma, a potter.")
    assert says("My name is Irma Sauer.", speaker="Mimi")
    assert not says("I told Irma of it.", speaker="Tom")
    assert not says("Irma fires the kiln.")
    assert not says("I fire the kiln.")
    assert not states_owner_name(candidate(entity("irma", "Irma", "my own entry")), IRMA)


@pytest.mark.requirement("grounding:owner:who")
@pytest.mark.parametrize(("names", "said"), TABLES["the_settings_tell_all_names_of_the_owner"])
def test_the_settings_tell_all_names_of_the_owner(names: tuple[str, ...], said: str) -> None:
    assert MemoryOwner(names=names).introduction() == f"Your settings say that {said}"


def test_a_name_is_the_owners_where_it_is_one_of_theirs_or_a_part_of_one() -> None:
    assert [IRMA.is_called(name) for name in ("Irma", "SAUER", "Irma Sauer", "Irma Berg", "")] == [
        True,
        True,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(("question", "text", "speaker", "is_said"), TABLES["the_owner_says_what_they_are_or_have"])
def test_the_owner_says_what_they_are_or_have(question: str, text: str, speaker: str | None, *, is_said: bool) -> None:
    assert is_stated_by_owner(question, passage(text, speaker=speaker), IRMA) is is_said
