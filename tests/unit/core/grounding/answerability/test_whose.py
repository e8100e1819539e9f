"""What a question gives to a named one is not answered by what is another's."""

import pytest

from grounding_rows import answer_of, draft, judge_composed, row
from voice.core.grounding.answerability.can_be_grounded import can_be_grounded
from voice.core.grounding.answerability.compose import compose
from voice.core.grounding.answerability.whose import lacking_owner, possession_in
from voice.core.grounding.values import Evidence, GroundingPolicy, Stance

ONE_DOES = GroundingPolicy(single_source="green")
PLANTS = row("S1", "Paula waters my plants while I am in Bergen.")
STUDIO = row("S2", "I rented a studio in Marvila with Anna's help.")
HERS = row("S3", "Anna Berger has a studio in the Alfama.")
GARDEN = row("S4", "My neighbour's garden is full of roses, says Tom to me.")
MEMORY = (PLANTS, STUDIO, GARDEN)


def answer(question: str, *rows: Evidence) -> str | None:
    response = judge_composed(compose(question, rows, Stance.SYNTHESIZE), rows, ONE_DOES, question=question)
    return None if response.refused else response.answer


@pytest.mark.requirement("ruling:D5")
def test_what_the_writer_calls_theirs_is_not_somebody_elses() -> None:
    question = "Who waters Paula's plants?"
    answerable = can_be_grounded(question, MEMORY, ONE_DOES)

    assert not answerable.ok
    assert answerable.missing == "no note that was found speaks of Paula's plants; what is there is another's"
    assert answer(question, *MEMORY) is None
    assert answer("Who waters my plants?", *MEMORY) == PLANTS.text


@pytest.mark.requirement("ruling:D5")
def test_what_a_note_tells_without_naming_the_owner_is_not_theirs() -> None:
    alone = row("S1", "I rented a studio in Marvila.")
    other = row("S2", "Tom and I met Anna.")
    assert lacking_owner("Where is Anna Berger's studio?", (alone, other)) is not None
    assert answer("Where is Anna Berger's studio?", alone, other, HERS) == HERS.text


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Who waters Paula's plants?", (row("S1", "Rui waters my plants."),)),
        ("Who waters Paula's plants?", (row("S1", "Rui waters my plants.", speaker="Paula"),)),
        ("Who waters Paula's plants?", (row("S1", "Rui waters the plants.", speaker="Tom"), PLANTS)),
        ("Who waters Paula's plants?", (row("S1", "Rui waters Paula's plants."), PLANTS)),
        ("Who waters Paula's plants?", (row("S1", "Rui waters my sister's plants."), PLANTS)),
        ("Who waters Paula's plants?", (row("S1", "Rui waters her plants."), PLANTS)),
        ("Who waters Paula's plants?", (row("S1", "Paula is off to Bergen. Rui waters the plants."), PLANTS)),
        (
            "Who waters Paula's plants?",
            (
                row("S1", "Paula is off.", thoughts=("t:1",)),
                row("S2", "The plants are mine to water.", thoughts=("t:1",)),
            ),
        ),
        ("How old is the workshop's roof?", (PLANTS, row("S2", "The roof leaks."))),
    ],
)
def test_what_may_be_the_named_ones_is_theirs(question: str, rows: tuple[Evidence, ...]) -> None:
    assert lacking_owner(question, rows) is None


@pytest.mark.parametrize(
    ("rows", "is_lacking"),
    [
        ((row("S1", "Rui waters my plants.", speaker="Tom"),), True),
        ((row("S1", "Rui waters Eva's plants."),), True),
        ((row("S1", "Rui likes tea."),), False),
        ((), False),
    ],
)
def test_what_is_certainly_anothers_is_not_theirs(rows: tuple[Evidence, ...], *, is_lacking: bool) -> None:
    assert (lacking_owner("Who waters Paula's plants?", rows) is not None) is is_lacking


@pytest.mark.parametrize(
    ("question", "thing"),
    [
        ("Who waters Paula's plants?", "Paula's plants"),
        ("Is Anna Berger's studio in Graça?", "Anna Berger's studio"),
        ("Did Anna's tired plants die?", None),
        ("Who is Marta's husband?", None),
        ("Where is my sister's studio?", None),
        ("Plants?", None),
        ("What is Anna's?", None),
    ],
)
def test_only_a_plain_phrase_of_a_name_and_a_thing_is_taken(question: str, thing: str | None) -> None:
    asked = possession_in(question)
    assert (asked.written if asked else None) == thing


def test_a_model_that_cites_what_is_anothers_does_not_answer() -> None:
    rows = (PLANTS, row("S2", "Paula's plants are cacti."))
    said = draft("Paula waters the plants.", ("S1", PLANTS.text))

    assert judge_composed(said, rows, ONE_DOES, question="Who waters Paula's plants?").refused


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("question", "of_another", "own"),
    [
        ("Where does Ines work?", "Piet works at Brandt in Leipzig.", "Ines works at Nordlicht."),
        ("When did Ines move to Bonn?", "Piet moved to Bonn in March.", "Ines moved to Bonn in May."),
        ("Where did Ines buy the lamp?", "Piet bought the lamp in Leipzig.", "Ines bought the lamp in Bonn."),
    ],
)
def test_what_another_did_is_left_out_where_the_named_one_did_it_too(question: str, of_another: str, own: str) -> None:
    answer = answer_of(compose(question, [row("S1", of_another), row("S2", own)], Stance.SYNTHESIZE))

    assert own in answer
    assert of_another not in answer


@pytest.mark.requirement("ruling:D5")
def test_a_sentence_about_one_who_was_not_asked_about_stands_where_it_names_them() -> None:
    rows = [row("S1", "Piet married Ines."), row("S2", "Tom married Ruth.")]
    answer = answer_of(compose("Who did Ines marry?", rows, Stance.SYNTHESIZE))

    assert "Piet married Ines." in answer
    assert "Tom married Ruth." not in answer
