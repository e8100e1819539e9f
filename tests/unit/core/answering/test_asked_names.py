"""Which words of a name have to be told: all that tell a thing from others of its kind, and of a person any."""

import pytest

from passage_rows import passage
from tables import tables, utc
from voice.core.answering.asked_names import names_of
from voice.core.answering.identifying_numbers import years_of
from voice.core.answering.question_target import Identifiers
from voice.core.records import EntityName
from voice.core.text.instants import UNDATED
from voice.core.text.words import words

TABLES = tables(__file__)
pytestmark = pytest.mark.requirement("grounding:identity")

COUNTS = {"zoo": 9, "philadelphia": 2, "lake": 7, "como": 1, "orta": 1, "old": 8, "mill": 2, "bridge": 2, "quay": 4}
HOME = EntityName(id="e:zoo", name="Basel Zoo", entity_type="place", aliases=("Zolli",))
ANNA = EntityName(id="e:anna", name="Anna Sauer", entity_type="person", aliases=("Mum",))


def tells(question: str, text: str, *entities: EntityName, counts: dict[str, int] | None = None) -> bool:
    (name,) = names_of(question, entities)
    return name.counted(COUNTS if counts is None else counts).is_told_in(words(text))


@pytest.mark.parametrize(
    ("question", "text", "is_told"), TABLES["of_a_thing_every_word_but_the_most_common_one_is_told"]
)
def test_of_a_thing_every_word_but_the_most_common_one_is_told(question: str, text: str, *, is_told: bool) -> None:
    assert tells(question, text) is is_told


def test_where_no_word_is_more_common_than_the_others_all_are_told() -> None:
    assert not tells("What is in the Philadelphia Zoo?", "In Philadelphia there are lions.", counts={})
    assert tells("What is in the Philadelphia Zoo?", "The zoo of Philadelphia has lions.", counts={})


def test_what_the_graph_knows_is_told_by_its_other_names_and_a_persons_by_any_word_of_them() -> None:
    assert tells("What is in the Basel Zoo?", "Zolli has lions.", HOME)
    assert not tells("What is in the Basel Zoo?", "The zoo has lions.", HOME)
    assert tells("Where is Mum?", "Anna is here.", ANNA)
    assert not tells("Where is Mum?", "Tom is here.", ANNA)


def test_alternatives_do_as_well_each_by_its_own_rare_words() -> None:
    asked = "Is the Philadelphia Zoo or the Boston Aquarium nicer?"
    assert tells(asked, "The Boston Aquarium is nice.")
    assert tells(asked, "The Philadelphia Zoo is nice.")
    assert not tells(asked, "The zoo is nice.")


def test_only_words_of_things_with_several_are_counted() -> None:
    def counted(question: str) -> tuple[str, ...]:
        return Identifiers.of(question, (HOME, ANNA)).words_to_count

    assert counted("Did Anna Sauer ever see the shore of Lake Como?") == ("lake", "como")
    assert counted("Did Zolli open?") == ("basel", "zoo")
    assert counted("Did Mum see Porto?") == ()


def test_a_long_question_is_not_told_by_another_thing_of_the_same_kind() -> None:
    asked = Identifiers.of("Which lions slept beside the red fountain of the Philadelphia Zoo?").counted(COUNTS)
    assert asked.is_missing_from(passage("The lions slept beside the red fountain of the Boston Zoo."))
    assert not asked.is_missing_from(passage("The lions slept beside the red fountain in Philadelphia."))
    assert not asked.is_missing_from(passage("The lions slept beside the red fountain."))


@pytest.mark.parametrize(("question", "years"), TABLES["a_year_directly_behind_a_word_belongs_to_it"])
def test_a_year_directly_behind_a_word_belongs_to_it(question: str, years: tuple[tuple[str, int], ...]) -> None:
    assert tuple((each.noun, each.year) for each in years_of(question)) == years


@pytest.mark.parametrize(("text", "day", "is_told"), TABLES["a_passage_is_of_a_year_by_its_words_or_its_date"])
def test_a_passage_is_of_a_year_by_its_words_or_its_date(text: str, day: str | None, *, is_told: bool) -> None:
    assert Identifiers.of("Who spoke at Cybercon 2023?").is_missing_from(passage(text, at=utc(day))) is not is_told


def test_a_year_may_stand_in_the_path() -> None:
    asked = Identifiers.of("Who spoke at Cybercon 2023?")
    assert not asked.is_missing_from(passage("Mira spoke.", "Talks", "Cybercon 2023", at=UNDATED))
    assert not asked.is_missing_from(passage("Mira spoke.", "Cybercon", "2023", at=UNDATED))
    assert asked.is_missing_from(passage("Mira spoke.", "Cybercon", "2024", at=UNDATED))
