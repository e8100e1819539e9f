"""What a question takes for granted against its sources is said with the answer; a right premise is left alone."""

from collections.abc import Sequence

import pytest

from grounding_rows import draft, row
from voice.core.grounding import premise
from voice.core.grounding.claims import Judged
from voice.core.grounding.compose import compose
from voice.core.grounding.judge import judge
from voice.core.grounding.passages import all_passages
from voice.core.grounding.premise import premise_notes, without_yes
from voice.core.grounding.values import Evidence, GroundedResponse, GroundingPolicy, Stance
from voice.core.text.amounts import amounts
from voice.core.text.numbers import Quantity
from voice.core.text.words import Word

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


def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the texts whose numbers are read from here on."""
    read: list[str] = []

    def reading(text: str, found: Sequence[Word]) -> list[Quantity]:
        read.append(text)
        return amounts(text, found)

    monkeypatch.setattr(premise, "amounts", reading)
    return read


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
        ("Is Ingrid's husband Klaus?", SISTER, said("Klaus", "Lars")),
        ("Does Jonas lead the Lighthouse project?", LEAD, said("Jonas", "Marta Silva")),
        ("Does my brother Ingrid live in Bergen?", SISTER, said("brother", "sister")),
        ("Why did Jonas cancel the trip?", TRIP, (DENIED,)),
        ("When did we sign the contract?", "We did not sign the contract with Veltron.", (DENIED,)),
        ("Why did she buy a boat?", "She refused to buy a boat.", (DENIED,)),
        ("Why did Nora buy a boat?", "Nora never bought a boat.", (DENIED,)),
        ("Is the dentist appointment on 5 March 2030?", DENTIST, said("5 March 2030", "4 March")),
        ("Did I buy 20 oak planks?", "I bought 1,200 oak planks.", said("20", "1,200")),
        ("I bought 20 oak planks, right?", PLANKS, said("20", "12")),
        ("I bought 20 oak planks, didn't I?", PLANKS, said("20", "12")),
        ("So I did buy 20 oak planks?", PLANKS, said("20", "12")),
        ("Didn't I buy 20 oak planks?", PLANKS, said("20", "12")),
        ("Wasn't it 20 oak planks that I bought?", PLANKS, said("20", "12")),
        ("Kauft Jonas 20 Bretter?", "Jonas kauft 12 Bretter.", ()),
        ("Kaufe ich 20 Bretter?", "Ich kaufe 12 Bretter.", said("20", "12")),
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
        ("When did Nora sell the boat?", ("Nora didn't sell the boat until June.",)),
        ("When did Nora sell the boat?", ("Not before June did Nora sell the boat.",)),
        ("When did Nora phone?", ("I did not eat until Nora phoned.",)),
        ("When did Nora travel to Porto?", ("Nora did not travel to Porto by car; she took the train.",)),
        ("Why did Nora sell the boat?", ("With no money Nora sold the boat.",)),
        ("Why did Nora sell the boat?", ("Without a licence Nora sold the boat.",)),
        ("Why did Nora sell the boat?", ("Nora should not sell the boat.",)),
        ("Why didn't Nora sell the boat?", ("Nora did not sell the boat.",)),
        ("Why did Nora sell the boat?", ("Nora did not sell the boat.", "Nora sold the boat to pay her rent.")),
        ("Did I paint the gray door?", ("I painted the grey door.",)),
        ("Did I paint the golden door?", ("I painted the yellow door.",)),
        ("Did Nora give the key to Bob?", ("Nora gave the key to Robert.",)),
        ("Did Nora give the key to Kathi?", ("Nora gave the key to Katharina.",)),
        ("Did Nora give the key to Jack?", ("Nora gave the key to Simon.",)),
        ("Did Nora move to Portugal?", ("Nora moved to Porto.",)),
        ("Did Nora move to NYC?", ("Nora moved to New York City.",)),
        ("Did my aunt phone?", ("My mother's sister phoned.",)),
        ("Did my mum phone?", ("My sister phoned.", "My mother phoned, too.")),
        (
            "Did I meet Nora in Porto?",
            ("I met Nora in Faro.", "In Porto I had lunch with Nora. I like Porto and Faro."),
        ),
        ("Did I meet Nora in Porto?", ("I met Nora in Faro.", "Nora wrote. She is in Porto. I like Porto and Faro.")),
        ("Did I pay 1200 euros for the desk?", ("I paid 1.200 euros for the desk.",)),
        ("Is the dentist appointment on 5 March?", (DENTIST, "The dentist moved it to Mar 5.")),
        ("Is the dentist appointment on 5 March?", (DENTIST, "On 5 March the dentist is back.")),
        ("Does Nora repair boats?", ("Boats are what Klaus and many others repair.",)),
        ("Is the dentist appointment on Friday?", ("The dentist appointment is on Monday.", "Dentist: 8 March 2024.")),
        ("Did I buy 20 planks?", (PLANKS, "In the end I had twenty planks.")),
        ("Did I buy 20 planks? " * 20, (PLANKS,)),
        ("Did I buy 20 planks?", (f"I bought 12 planks {'and nails ' * 50}",)),
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


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    "apart",
    ["Porto and Faro are both by the sea.", "The train from Porto to Faro is slow.", "Faro, not Porto, is small."],
)
def test_two_places_are_different_where_the_evidence_tells_them_apart(apart: str) -> None:
    met = "I met Nora in Faro."

    assert notes("Did I meet Nora in Porto?", met, apart) == said("Porto", "Faro")
    assert notes("Did I meet Nora in Porto?", met, "Faro is by the sea.") == ()


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    "yes", ["Absolutely,", "Of course,", "Sure,", "That is right,", "That's correct,", "Oh yes,", "Indeed,", "- Yes,"]
)
def test_every_yes_to_a_wrong_premise_is_refused(yes: str) -> None:
    rows = (row("S1", PLANKS),)
    answer = draft(f"{yes} you bought oak planks.", ("S1", PLANKS))

    assert judge(answer, rows, ONE_DOES, question="Did I buy 20 oak planks?").refused


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize("yes", ["Doch, ", "Jawohl, ", "Genau, ", "Das stimmt, ", "Natürlich: "])
def test_a_yes_of_another_language_is_taken_back_too(yes: str) -> None:
    judged = [Judged(kind="claim", verdict="supported", score=0.1, weight=1.0, content=(), support=None, findings=())]

    assert [one.verdict for one in without_yes([f"{yes}Jonas kauft Bretter."], judged, ["it is wrong"])] == [
        "unsupported"
    ]


@pytest.mark.requirement("ruling:D5")
def test_what_is_read_of_the_other_rows_is_read_once_for_a_premise_not_for_each_cited_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read = counted(monkeypatch)
    rows = [row(f"S{number}", f"I bought {number} oak planks for shed {number}.") for number in range(1, 81)]

    found = premise_notes("Did I buy 7777 oak planks?", [all_passages(one)[0] for one in rows], rows)

    assert found == said("7777", "1")
    assert len(read) <= 4 * len(rows)


@pytest.mark.requirement("ruling:D5")
def test_a_row_that_cannot_hold_a_number_is_not_read_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    read = counted(monkeypatch)
    rows = [row("S1", PLANKS), *(row(f"S{number}", f"I saw {number} planks.") for number in range(100, 160))]

    assert premise_notes("Did I buy 7777 oak planks?", all_passages(rows[0]), rows) == said("7777", "12")
    assert len(read) <= 4
