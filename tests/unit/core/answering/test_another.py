"""Whether what was found is about somebody or something else than a question."""

import pytest

from passage_rows import passage
from retrieval_rows import candidate, entity
from voice.core.answering.another import Another
from voice.core.answering.owner import Owner
from voice.core.records import EntityName

pytestmark = pytest.mark.requirement("grounding:identity", "grounding:owner")

IRMA = Owner(names=("Irma Sauer",))
BERG = EntityName(id="e:berg", name="Jorgensen Berg", entity_type="person")


def test_a_passage_is_about_something_else_where_it_lacks_what_is_named() -> None:
    another = Another.of("Where is boat number 12?", (), IRMA)
    assert another.is_told_in(passage("Boat 3 is red."))
    assert not another.is_told_in(passage("Boat 12 is red."))


def test_a_passage_is_about_somebody_else_where_the_owner_is_asked_about() -> None:
    another = Another.of("How many children do I have?", (BERG,), IRMA)
    assert another.is_told_in(passage("Jorgensen has three children."))
    assert not another.is_told_in(passage("I have two children."))
    assert not Another.of("Who has children?", (BERG,), IRMA).is_told_in(passage("Jorgensen has three children."))


def test_the_owners_word_is_what_they_say_of_themselves_where_they_are_asked_about() -> None:
    own = passage("I have two children.")
    assert Another.of("How many children do I have?", (), IRMA).is_the_owners_word(own)
    assert not Another.of("Who has children?", (), IRMA).is_the_owners_word(own)


def test_of_sentences_that_stand_alone_no_name_is_asked_but_whose_they_are_and_which_number() -> None:
    theirs, own = passage("Tom has three children.").hit, passage("I have two children.").hit
    assert Another.of("How many children do I have?", (), IRMA).without((theirs, own)) == (own,)
    assert Another.of("How many children has Anna?", (), IRMA).without((theirs, own)) == (theirs, own)
    three, twelve = passage("Boat 3 is red.").hit, passage("Boat 12 is red.").hit
    assert Another.of("Where is boat 12?", (), IRMA).without((three, twelve)) == (twelve,)
    said = passage("The red one.", speaker="Tom").hit
    assert Another.of("Where is boat 12?", (), IRMA).without((said,)) == (said,)


def test_what_the_owner_says_in_a_conversation_is_not_said_by_somebody_else() -> None:
    another = Another.of("Where is my boat?", (), IRMA)
    assert another.is_said(passage("It is here.", speaker="Tom").hit)
    assert not another.is_said(passage("It is here.", speaker="Irma").hit)
    assert not another.is_said(passage("It is here.").hit)
    assert not another.is_said(candidate(entity("tom", "Tom")))
