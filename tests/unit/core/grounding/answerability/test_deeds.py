"""A question about a sale is not answered by notes that never speak of one."""

import pytest

from grounding_rows import judge_composed, row
from voice.core.grounding.answerability.can_be_grounded import can_be_grounded
from voice.core.grounding.answerability.compose import compose
from voice.core.grounding.answerability.deeds import asked_deed, lacking_deed
from voice.core.grounding.values import Evidence, GroundingPolicy, Stance

ONE_DOES = GroundingPolicy(single_source="green")
WORKSHOP = row("S1", "Paula opened a violin workshop in Graça with her brother Nuno.")
BICYCLE = row("S2", "Bought a second-hand bicycle from Tiago for 140 euros; the brakes need work.")
LEFT = row("S3", "New job at Oficina Norte; left Casa Lyra for good.")
GERMAN = row("S4", "Fuga hat gefrühstückt, nur die Uhr war anderer Meinung.")
MEMORY = (WORKSHOP, BICYCLE, LEFT, GERMAN)


def answer(question: str, *rows: Evidence) -> str | None:
    response = judge_composed(compose(question, rows, Stance.SYNTHESIZE), rows, ONE_DOES, question=question)
    return None if response.refused else response.answer


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("question", "deed"),
    [
        ("Why did Paula sell her violin workshop?", "selling"),
        ("Which violin did Paula buy?", "buying"),
        ("Did Paula and Nuno close their workshop?", "closing"),
        ("Who stole the violin from the workshop?", "stealing"),
        ("Did my brother ever marry Paula?", "marrying"),
        ("Why did Fuga die?", "dying"),
        ("Warum hat Paula die Werkstatt verkauft?", "selling"),
    ],
)
def test_a_deed_that_no_note_tells_of_is_named_as_missing(question: str, deed: str) -> None:
    answerable = can_be_grounded(question, MEMORY, ONE_DOES)

    assert asked_deed(question) is not None
    assert lacking_deed(question, MEMORY) == f"no note that was found speaks of {deed}"
    assert not answerable.ok
    assert answer(question, *MEMORY) is None


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("question", "held"),
    [
        ("Why did Paula open a workshop?", WORKSHOP),
        ("Did I buy a bicycle?", BICYCLE),
        ("How much did I pay for the bicycle I bought?", BICYCLE),
        ("Why did I quit Casa Lyra?", LEFT),
    ],
)
def test_a_deed_told_in_other_words_is_told(question: str, held: Evidence) -> None:
    assert lacking_deed(question, MEMORY) is None
    assert answer(question, *MEMORY) == held.text


@pytest.mark.parametrize(
    "question",
    [
        "Where is the bicycle?",
        "Does Paula want to sell the workshop?",
        "What did I say about my bicycle?",
        "Who is close to Paula?",
        "Did I?",
        "What is in the open box?",
    ],
)
def test_a_question_about_no_such_deed_asks_for_none(question: str) -> None:
    assert asked_deed(question) is None
    assert lacking_deed(question, MEMORY) is None
    assert asked_deed("Did Paula sell the workshop?") is not None


def test_in_a_talk_one_may_name_the_deed_and_the_other_the_thing() -> None:
    talk = (row("S1", "What became of the red kayak?", speaker="Ana"), row("S2", "We sold it.", speaker="Ben"))

    assert lacking_deed("When was the red kayak sold?", talk) is None


def test_a_deed_is_told_of_the_thing_in_one_thought() -> None:
    kayak = row("S1", "The red kayak leaks.", thoughts=("t:1",))

    assert lacking_deed("When was the red kayak sold?", (kayak, row("S2", "It was sold.", thoughts=("t:1",)))) is None
    assert (
        lacking_deed("When was the red kayak sold?", (kayak, row("S2", "Sold my desk.", thoughts=("t:2",)))) is not None
    )
    assert lacking_deed("What was sold?", (row("S2", "Sold my desk."),)) is None


def test_only_the_notes_that_tell_of_the_deed_are_quoted() -> None:
    bread = row("S2", "Paula bought a loaf of rye bread.")
    said = answer("Which violin did Paula buy?", WORKSHOP, bread)

    assert said is None or "workshop" not in said


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("Who sold me the loom?", "Bought the loom from Sunniva for 90 euros."),
        ("When is the bathhouse closed?", "The bathhouse is open every day except Tuesday."),
        ("Which day is the archive closed?", "The archive is open all week but not on Friday."),
        ("When does the kiosk close?", "The kiosk is open until ten."),
    ],
)
def test_a_deed_is_told_by_a_phrase_from_its_other_side(question: str, note: str) -> None:
    assert lacking_deed(question, [row("S1", note)]) is None


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("Who sold the loom?", "Bought the loom in May."),
        ("When is the bathhouse closed?", "The bathhouse is open and warm."),
        ("When was the wedding cancelled?", "Bought the cake for the wedding from Sunniva."),
    ],
)
def test_half_of_such_a_phrase_tells_no_deed(question: str, note: str) -> None:
    assert lacking_deed(question, [row("S1", note)]) is not None
