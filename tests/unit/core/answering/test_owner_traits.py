"""What a question asks of the owner alone, and the sentences in which they say it."""

import pytest

from passage_rows import passage
from retrieval_rows import candidate, entity, relation
from tables import tables
from voice.core.answering.memory_owner import MemoryOwner
from voice.core.answering.owner_traits import Trait, trait_asked
from voice.core.answering.question_target import QuestionTarget
from voice.core.retrieval.passages import Passage

TABLES = tables(__file__)

IRMA = MemoryOwner(names=("Irma Sauer", "Mimi"))
AGE, BLOOD = "How old am I?", "What is my blood type?"
pytestmark = pytest.mark.requirement("grounding:owner")


@pytest.mark.parametrize(
    ("question", "is_asked"),
    [*TABLES["a_question_asks_for_one_trait_and_for_nothing_else"], ("Where do I live " + "and so on " * 20, False)],
)
def test_a_question_asks_for_one_trait_and_for_nothing_else(question: str, *, is_asked: bool) -> None:
    assert (trait_asked(question, IRMA) is not None) is is_asked


def trait_of(question: str) -> Trait:
    trait = trait_asked(question, IRMA)
    assert trait is not None
    return trait


@pytest.mark.parametrize(("question", "text", "is_told"), TABLES["the_owner_says_it_by_a_phrase_of_their_own"])
def test_the_owner_says_it_by_a_phrase_of_their_own(question: str, text: str, *, is_told: bool) -> None:
    assert trait_of(question).is_told_in(passage(text).hit, IRMA) is is_told


@pytest.mark.parametrize(
    ("path", "is_told"), [(("Joana Prates",), False), (("Irma Sauer",), True), (("Health",), True), ((), True)]
)
def test_tersely_it_is_told_where_nobody_else_is_named_above(path: tuple[str, ...], *, is_told: bool) -> None:
    assert trait_of(BLOOD).is_told_in(passage("Blood type: 0+", *path).hit, IRMA) is is_told


@pytest.mark.parametrize(("speaker", "is_told"), [("Irma", True), ("Hugo", False), (None, True)])
def test_in_a_conversation_the_owner_says_it_and_nobody_else(speaker: str | None, *, is_told: bool) -> None:
    assert trait_of(AGE).is_told_in(passage("I'm 41.", speaker=speaker).hit, IRMA) is is_told


def test_the_graph_tells_who_somebody_is_to_the_owner() -> None:
    who = trait_of("Who is my mother?")
    hers, others = entity("1", "Hanne", "Irma's mother, born in 1955"), entity("2", "Ana", "Tom's mother")
    assert who.is_told_in(candidate(hers), IRMA)
    assert not who.is_told_in(candidate(others), IRMA)
    assert not trait_of(AGE).is_told_in(candidate(hers), IRMA)
    assert not who.is_told_in(candidate(relation("3", "1", "mother_of", "2", "Irma's mother")), IRMA)


def test_what_the_graph_says_of_somebody_else_is_not_said_of_the_owner() -> None:
    asked = QuestionTarget.of("When was I born?", (), IRMA)
    owner, dog = entity("1", "Irma Sauer", "born in 1984"), entity("2", "Fuga", "Irma's dog, born in 2014")

    assert asked.may_be_about_owner(Passage(rows=(candidate(owner),), found=0))
    assert not asked.may_be_about_owner(Passage(rows=(candidate(dog),), found=0))
    assert QuestionTarget.of("What is my dog's name?", (), IRMA).may_be_about_owner(
        Passage(rows=(candidate(dog),), found=0)
    )


def test_what_finds_it_are_the_words_in_which_it_is_told() -> None:
    search = trait_of(BLOOD).search
    assert {"blood", "type"} <= set(search.split())
    assert "#" not in search


@pytest.mark.parametrize(
    ("text", "is_own"), TABLES["where_a_table_tells_how_it_is_said_another_word_of_the_question_does_not"]
)
def test_where_a_table_tells_how_it_is_said_another_word_of_the_question_does_not(text: str, *, is_own: bool) -> None:
    target = QuestionTarget.of(BLOOD, (), IRMA)

    assert target.is_stated_by_owner(passage(text)) is is_own
    assert not QuestionTarget.of("Where is the kiln?", (), IRMA).is_stated_by_owner(passage(text))


def test_who_somebody_is_to_the_owner_may_be_told_in_other_words() -> None:
    asked = QuestionTarget.of("What is my dog's name?", (), IRMA)

    assert asked.is_stated_by_owner(passage("I read aloud to the dog, whose name is Bruno."))


def test_what_speaks_of_nobody_answers_nothing_that_is_asked_of_the_owner_alone() -> None:
    born = QuestionTarget.of("When was I born?", (), MemoryOwner())

    assert born.is_missed_by(passage("The Born rule states a probability."))
    assert not born.is_missed_by(passage("I came into the world in Ghent."))
    assert not born.is_missed_by(passage("Date of birth: 12 March 1984"))
    assert not QuestionTarget.of("When was the kiln born?", (), IRMA).is_missed_by(passage("The kiln was born."))
