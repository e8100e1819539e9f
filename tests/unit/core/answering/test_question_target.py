"""Whether what was found is about somebody or something else than a question."""

import pytest

from passage_rows import passage
from retrieval_rows import candidate, entity
from voice.core.answering.memory_owner import MemoryOwner
from voice.core.answering.question_target import QuestionTarget
from voice.core.records import EntityName

pytestmark = pytest.mark.requirement("grounding:identity", "grounding:owner")

IRMA = MemoryOwner(names=("Irma Sauer",))
BERG = EntityName(id="e:berg", name="Jorgensen Berg", entity_type="person")


def test_a_passage_is_about_something_else_where_it_lacks_what_is_named() -> None:
    target = QuestionTarget.of("Where is boat number 12?", (), IRMA)
    assert target.is_missed_by(passage("Boat 3 is red."))
    assert not target.is_missed_by(passage("Boat 12 is red."))


def test_what_most_rows_hold_of_a_name_may_be_missing_once_it_is_counted() -> None:
    target = QuestionTarget.of("What is in the Philadelphia Zoo?", (), IRMA)
    lions = passage("In Philadelphia there are lions.")
    assert target.is_missed_by(lions)
    assert not target.counted({"zoo": 9, "philadelphia": 1}).is_missed_by(lions)


def test_a_passage_is_about_somebody_else_where_the_owner_is_asked_about() -> None:
    target = QuestionTarget.of("How many children do I have?", (BERG,), IRMA)
    assert target.is_missed_by(passage("Jorgensen has three children."))
    assert not target.is_missed_by(passage("I have two children."))
    assert not QuestionTarget.of("Who has children?", (BERG,), IRMA).is_missed_by(
        passage("Jorgensen has three children.")
    )


def test_the_owners_word_is_what_they_say_of_themselves_where_they_are_asked_about() -> None:
    own = passage("I have two children.")
    assert QuestionTarget.of("How many children do I have?", (), IRMA).is_stated_by_owner(own)
    assert not QuestionTarget.of("Who has children?", (), IRMA).is_stated_by_owner(own)


def test_of_sentences_that_stand_alone_no_name_is_asked_but_whose_they_are_and_which_number() -> None:
    theirs, own = passage("Tom has three children.").hit, passage("I have two children.").hit
    assert QuestionTarget.of("How many children do I have?", (), IRMA).matching_rows((theirs, own)) == (own,)
    assert QuestionTarget.of("How many children has Anna?", (), IRMA).matching_rows((theirs, own)) == (theirs, own)
    three, twelve = passage("Boat 3 is red.").hit, passage("Boat 12 is red.").hit
    assert QuestionTarget.of("Where is boat 12?", (), IRMA).matching_rows((three, twelve)) == (twelve,)
    said = passage("The red one.", speaker="Tom").hit
    assert QuestionTarget.of("Where is boat 12?", (), IRMA).matching_rows((said,)) == (said,)
    things = QuestionTarget.of("Did Jorgensen Berg sell the Bechstein?", (BERG,), IRMA).identifiers.of_things
    assert things.is_missing_from(passage("Jorgensen likes it."))
    assert not things.is_missing_from(passage("The Bechstein is sold."))


def test_what_the_owner_says_in_a_conversation_is_not_said_by_somebody_else() -> None:
    target = QuestionTarget.of("Where is my boat?", (), IRMA)
    assert target.is_by_other_speaker(passage("It is here.", speaker="Tom").hit)
    assert not target.is_by_other_speaker(passage("It is here.", speaker="Irma").hit)
    assert not target.is_by_other_speaker(passage("It is here.").hit)
    assert not target.is_by_other_speaker(candidate(entity("tom", "Tom")))
