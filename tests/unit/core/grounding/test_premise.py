"""What a question takes for granted against its sources is said with the answer; a right premise is left alone."""

import pytest

from grounding_rows import draft, row
from voice.core.grounding.compose import compose
from voice.core.grounding.judge import judge
from voice.core.grounding.passages import all_passages
from voice.core.grounding.premise import premise_notes
from voice.core.grounding.values import Evidence, GroundedResponse, GroundingPolicy, Stance

ONE_DOES = GroundingPolicy(single_source="green")
PLANKS = "Bought 12 oak planks for the bookshelf at 18 euros each."
CAR = "I sold the red car to Anna on 3 February."
TRIP = "Jonas did not cancel the trip to Arco."
LEAD = "Marta Silva leads the Lighthouse project; the budget is 42,000 euros."
SISTER = "My sister Ingrid lives in Bergen with her husband Lars."
DENTIST = "The dentist appointment is on 4 March at 10:30."
DENIED = "your question takes for granted what the source denies"


def said(ours: str, theirs: str) -> tuple[str, ...]:
    return (f"your question says {ours}; the source says {theirs}",)


def notes(question: str, *texts: str) -> tuple[str, ...]:
    rows = [row(f"S{number}", text) for number, text in enumerate(texts, start=1)]
    return premise_notes(question, all_passages(rows[0]), rows)


def answered(question: str, *rows: Evidence, stance: Stance = Stance.SYNTHESIZE) -> GroundedResponse:
    return judge(compose(question, rows, stance), rows, ONE_DOES, question=question, stance=stance)


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("question", "text", "found"),
    [
        ("Did I buy 20 oak planks?", PLANKS, said("20", "12")),
        ("Where did I buy the 20 planks?", PLANKS, said("20", "12")),
        ("Is the budget 50,000 euros?", LEAD, said("50,000 euros", "42,000 euros")),
        ("Is the dentist appointment at 11:30?", DENTIST, said("11:30", "10:30")),
        ("Is the dentist appointment on 5 March?", DENTIST, said("5 March", "4 March")),
        ("When did I sell the blue car?", CAR, said("blue", "red")),
        ("Did I sell the red car to Tom?", CAR, said("Tom", "Anna")),
        ("Does Ingrid live in Porto?", SISTER, said("Porto", "Bergen")),
        ("Is Ingrid's husband Paulo?", SISTER, said("Paulo", "Lars")),
        ("Does Jonas lead the Lighthouse project?", LEAD, said("Jonas", "Marta Silva")),
        ("Does my brother Ingrid live in Bergen?", SISTER, said("brother", "sister")),
        ("Why did Jonas cancel the trip?", TRIP, (DENIED,)),
        ("When did we sign the contract?", "We did not sign the contract with Veltron.", (DENIED,)),
        ("Why did she buy a boat?", "She refused to buy a boat.", (DENIED,)),
        ("Hat Jonas 20 Bretter gekauft?", "Jonas hat 12 Bretter gekauft.", said("20", "12")),
    ],
)
def test_a_wrong_premise_is_named_with_what_the_source_says(question: str, text: str, found: tuple[str, ...]) -> None:
    assert notes(question, text) == found


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("Did I buy 12 oak planks?", (PLANKS,)),
        ("Did I buy a dozen planks?", (PLANKS,)),
        ("How many planks did I buy?", (PLANKS,)),
        ("Did I buy about 20 planks?", (PLANKS,)),
        ("Did I buy 20 nails?", (PLANKS,)),
        ("Did I buy 20 planks?", (PLANKS, "Bought 20 planks for the shed.")),
        ("Did I buy 20 planks?", ("I bought 12 planks and 8 planks.",)),
        ("Did I sell 20 planks?", (PLANKS,)),
        ("When did I sell the red car?", (CAR,)),
        ("When did I sell the blue car?", (CAR, "I sold the blue car in May.")),
        ("Did I sell the car to Anna?", (CAR,)),
        ("Did I sell the blue scarf?", (CAR,)),
        ("Did Jonas cancel the trip?", (TRIP,)),
        ("Why did Jonas not cancel the trip?", (TRIP,)),
        ("Why did Jonas cancel the trip?", (TRIP, "Jonas had to cancel the trip after all.")),
        ("Would Ingrid live in Porto?", (SISTER,)),
        ("Does Ingrid live in Porto or in Bergen?", (SISTER,)),
        ("Does Ingrid live in Bergen?", (SISTER,)),
        ("Was the dentist appointment on 4 March?", (DENTIST,)),
        ("Is my sister well?", (SISTER,)),
        ("planks", (PLANKS,)),
        ("Did I?", (PLANKS,)),
        ("Was it 20?", (PLANKS,)),
    ],
)
def test_a_right_an_open_or_an_uncertain_premise_is_left_alone(question: str, texts: tuple[str, ...]) -> None:
    assert notes(question, *texts) == ()


@pytest.mark.requirement("ruling:D5")
def test_the_answer_of_the_offline_provider_carries_the_note_and_stays_supported() -> None:
    response = answered("Did I buy 20 oak planks?", row("S1", PLANKS))

    assert response.premise == said("20", "12")
    assert [sentence.verdict for sentence in response.sentences] == ["supported"]


@pytest.mark.requirement("ruling:D5")
def test_what_a_question_leans_on_is_no_premise() -> None:
    assert notes("How many planks did I buy?\n20 boards", PLANKS) == ()


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize("answer", ["Yes, you bought 12 oak planks.", "Yes. You bought 12 oak planks."])
def test_a_yes_to_a_wrong_premise_is_not_supported(answer: str) -> None:
    rows = (row("S1", PLANKS),)

    response = judge(draft(answer, ("S1", PLANKS)), rows, ONE_DOES, question="Did I buy 20 oak planks?")

    assert response.refused or response.sentences[0].verdict == "unsupported"


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize("answer", ["Yes, you bought 20 oak planks.", "Yes."])
def test_a_plain_yes_is_refused(answer: str) -> None:
    rows = (row("S1", PLANKS),)

    assert judge(draft(answer, ("S1", PLANKS)), rows, ONE_DOES, question="Did I buy 20 oak planks?").refused


@pytest.mark.requirement("ruling:D5")
def test_a_model_that_corrects_the_premise_is_supported_and_carries_the_note_too() -> None:
    rows = (row("S1", PLANKS),)

    response = judge(
        draft("No, you bought 12 oak planks.", ("S1", PLANKS)), rows, ONE_DOES, question="Did I buy 20 oak planks?"
    )

    assert (response.refused, response.premise) == (False, said("20", "12"))


@pytest.mark.requirement("ruling:D5")
def test_a_yes_to_a_right_premise_stays_supported() -> None:
    rows = (row("S1", PLANKS),)

    response = judge(
        draft("Yes, you bought 12 oak planks.", ("S1", PLANKS)), rows, ONE_DOES, question="Did I buy 12 oak planks?"
    )

    assert [sentence.verdict for sentence in response.sentences] == ["supported"]
    assert response.premise == ()


@pytest.mark.requirement("ruling:D5")
def test_a_claim_that_is_to_be_challenged_has_no_premise() -> None:
    rows = (row("S1", "I sold the red car."), row("S2", "I did not sell the blue car."))
    challenged = judge(
        draft("I did not sell the blue car.", ("S2", rows[1].text)),
        rows,
        ONE_DOES,
        question="Did I sell the blue car?",
        stance=Stance.CHALLENGE,
    )

    assert challenged.premise == ()
