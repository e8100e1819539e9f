"""What of a question has to be in the passage that answers it."""

from datetime import UTC, datetime

import pytest

from passage_rows import passage
from retrieval_rows import candidate, entity
from voice.core.answering.memory_owner import MemoryOwner
from voice.core.answering.question_target import Identifiers
from voice.core.records import EntityName
from voice.core.retrieval.passages import Passage
from voice.core.text.instants import UNDATED

pytestmark = pytest.mark.requirement("grounding:identity")

ANNA = EntityName(id="e:anna", name="Anna Sauer", entity_type="person", aliases=("Mum",))
ROSE = EntityName(id="e:rose", name="Rose", entity_type="person")


def lacks(question: str, one: Passage, *entities: EntityName, owner: MemoryOwner | None = None) -> bool:
    return Identifiers.of(question, entities, owner).is_missing_from(one)


@pytest.mark.parametrize(
    ("question", "text", "is_lacking"),
    [
        ("Where does Anna work?", "Anna's firm is in Porto.", False),
        ("Where does Anna work?", "anna works in Porto.", False),
        ("Where does Anna's sister work?", "The sister of Anna works in Porto.", False),
        ("Where does Melanie work?", "Mel works in Porto.", False),
        ("Where does Ana work?", "An analysis of work in Porto.", True),
        ("Where does Anna work?", "Tom works in Porto.", True),
        ("Where does Anna Berg work?", "Anna works in Porto.", False),
        ("Where does Anna Berg work?", "Mrs Berg works in Porto.", False),
        ("Where does Anna Berg work?", "Anna Maier works in Porto.", True),
        ("Where does Anna Berg work?", "Anna Today works in Porto.", False),
        ("Where does Anna Berg work?", "Asked Anna", False),
        ("where does anna work?", "Tom works in Porto.", False),
        ("WHERE DOES ANNA WORK", "Tom works in Porto.", False),
        ("Is it nicer in London or in the Netherlands?", "The Netherlands are flat.", False),
        ("Is it nicer in London or in the Netherlands?", "Porto is hilly.", True),
        ("What did Tom and Ana say of Berlin?", "Ana likes Berlin.", False),
        ("What did Tom and Ana say of Berlin?", "Ana likes Porto.", True),
        ("Who knows Inlang?", "Inlang was founded there.", False),
        ("Why do I want a tool for PDFs?", "I want a tool for pdf files.", False),
        ("Is it nicer to read PDFs or Docs?", "A pdf is nicer to read.", False),
        ("Is it nicer to read Docs or PDFs?", "A pdf is nicer to read.", False),
        ("Why is the asleep awake version of Schrödinger's cat better?", "The asleep/awake version: a good cat", False),
        ("Why did Tom call the blue glaze of the kiln old?", "Old: the blue glaze of the kiln.", True),
        ("Why is the asleep version of Schrödinger's cat better?", "The awake version: a good cat", True),
    ],
)
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
    ("text", "at", "is_lacking"),
    [
        ("The bill of 12 May is paid.", UNDATED, False),
        ("The bill of 12 May 2021 is paid.", UNDATED, False),
        ("The bill of 12 May 2019 is paid.", UNDATED, True),
        ("The bill of 13 May is paid.", UNDATED, True),
        ("The bill is paid.", datetime(2021, 5, 12, tzinfo=UTC), False),
        ("The bill is paid.", datetime(2021, 5, 11, 22, tzinfo=UTC), False),
        ("The bill is paid.", datetime(2019, 5, 12, tzinfo=UTC), True),
        ("The bill is paid.", UNDATED, True),
    ],
)
def test_a_day_of_a_question_is_told_or_is_the_day_it_was_told_on(text: str, at: datetime, *, is_lacking: bool) -> None:
    assert lacks("Is the bill of 12 May 2021 paid?", passage(text, at=at)) is is_lacking
