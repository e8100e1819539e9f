"""Whose husband, whose boss, whose number: what a question ties together is tied by what answers it."""

from dataclasses import replace

import pytest

from grounding_rows import draft, row
from voice.core.grounding.answerability import can_be_grounded
from voice.core.grounding.bonds import bonds_of
from voice.core.grounding.compose import compose
from voice.core.grounding.judge import judge
from voice.core.grounding.passages import all_passages
from voice.core.grounding.ties import Ties, lacking_tie
from voice.core.grounding.values import Evidence, GroundingPolicy, RefusalReason, Stance

ONE_DOES = GroundingPolicy(single_source="green")
INGRID = row("S1", "My sister Ingrid lives in Bergen with her husband Lars.")
MARTA = row("S2", "Marta Silva leads the Lighthouse project.")
BOSS = row("S3", "Tom's boss is Clara Winter.")
MINE = row("S4", "My boss Henrik moved the review to Friday.")
LANDLORDS = row("S5", "My landlord is Mr. Krüger. The landlord of the workshop is Frau Adler.")
ANNA = row("S6", "Anna is married to Paulo. Her number is 0171 555 2301.")
CONTACT = row("S7", "Our contact at Veltron is Ines.")
CAR = row("S8", "Jonas drives a green Volvo; his car is ten years old.")
DOG = row("S9", "Our neighbour's dog Bruno bit the postman.")
MEMORY = (INGRID, MARTA, BOSS, MINE, LANDLORDS, ANNA, CONTACT, CAR, DOG)


def answer(question: str, *rows: Evidence) -> str | None:
    response = judge(compose(question, rows, Stance.SYNTHESIZE), rows, ONE_DOES, question=question)
    return None if response.refused else response.answer


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("Who is Marta's husband?", "no source speaks of Marta's husband; what is there is another's"),
        ("Who is the husband of Marta?", "no source speaks of the husband of Marta; what is there is another's"),
        ("Wer ist Martas Mann?", "no source speaks of Martas Mann; what is there is another's"),
        ("Who is Marta's boss?", "no source speaks of Marta's boss; what is there is another's"),
        ("Who is the landlord of Bergen?", "no source speaks of the landlord of Bergen; what is there is another's"),
        ("What is Marta's phone number?", "no source speaks of Marta's phone number; what is there is another's"),
        ("How old is Tom's car?", "no source speaks of Tom's car; what is there is another's"),
        ("What is Jonas' dog called?", "no source speaks of Jonas' dog; what is there is another's"),
        ("Who is Ingrid's lawyer?", "no source speaks of Ingrid's lawyer"),
        ("Who is my dentist?", "no source speaks of my dentist"),
        ("Marta's husband", "no source speaks of Marta's husband; what is there is another's"),
    ],
)
def test_what_the_memory_gives_to_somebody_else_is_no_answer(question: str, missing: str) -> None:
    answerable = can_be_grounded(question, MEMORY, ONE_DOES)

    assert (answerable.ok, answerable.missing) == (False, missing)
    assert answer(question, *MEMORY) is None


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("question", "held"),
    [
        ("Who is Ingrid's husband?", "Lars"),
        ("Who is the husband of Ingrid?", "Lars"),
        ("Who is my sister's husband?", "Lars"),
        ("Who is Anna's husband?", "Paulo"),
        ("Who is Tom's boss?", "Clara Winter"),
        ("Who is my boss?", "Henrik"),
        ("Who is my landlord?", "Krüger"),
        ("Who is the landlord of the workshop?", "Adler"),
        ("What is Anna's number?", "0171 555 2301"),
        ("Who is our contact at Veltron?", "Ines"),
        ("contact person at Veltron", "Ines"),
        ("How old is Jonas's car?", "ten years"),
        ("What color is Jonas' car?", "green"),
        ("What is the name of our neighbour's dog?", "Bruno"),
    ],
)
def test_what_the_memory_gives_to_the_same_is_the_answer(question: str, held: str) -> None:
    given = answer(question, *MEMORY)

    assert given is not None
    assert held in given


@pytest.mark.requirement("ruling:D5")
def test_another_s_boss_is_not_quoted_beside_one_s_own() -> None:
    assert answer("Who is my boss?", *MEMORY) == "My boss Henrik moved the review to Friday."


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("question", "text", "speaker"),
    [
        ("Who is Melanie's husband?", "My husband Sam cooks.", "Melanie"),
        ("Who is Melanie's husband?", "Your husband Sam cooks well.", "Caroline"),
        ("Who is Melanie's husband?", "The husband and the kids went camping.", "Melanie"),
        ("Who is Marta's doctor?", "Marta called. Her doctor is Ana Reis.", None),
        ("Who is Marta's doctor?", "I met Marta. Her doctor is Ana Reis.", None),
        ("Who is the doctor of Marta Silva?", "Marta Silva's new doctor is Ana Reis.", None),
        ("What are Jonas and Aylin's plans?", "The plans are open.", None),
        ("Who is Aylin's daughter?", "Jonas and Aylin love their daughter Mila.", None),
        ("Who is my plumber?", "The plumber of ours is Rolf.", None),
        ("Who is Marta's vet?", "A friend of Marta is a vet of mine.", None),
        ("What is Anna's email?", "Anna: anna@veltron.example", None),
        ("Who is Marta's vet?", "Marta called; vet Ines has time.", None),
        ("How old is Jonas's car?", "Jonas drives, nice new red electric car.", None),
    ],
)
def test_a_noun_is_tied_by_who_speaks_by_a_certain_pronoun_or_by_a_name_in_its_sentence(
    question: str, text: str, speaker: str | None
) -> None:
    assert lacking_tie(question, [row("S1", text, speaker=speaker)]) is None or "mine" in text


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("question", "text", "speaker"),
    [
        ("Who is Melanie's husband?", "My husband Sam cooks.", "Caroline"),
        ("Who is Melanie's husband?", "Your husband Sam cooks well.", "Melanie"),
        ("Who is my husband?", "Your husband Sam cooks well.", "Melanie"),
        ("Who is my husband?", "Tom and her husband cook.", None),
        ("Who is Marta's doctor?", "Marta told Anna about her doctor.", None),
        ("Who is Marta's doctor?", "Anna called. Her doctor is Ana Reis.", None),
        ("Who is Marta's doctor?", "Her doctor is Ana Reis.", None),
        ("Who is Marta's doctor?", "Jonas saw his doctor.", None),
        ("Who is my dentist?", "Marta saw her dentist.", None),
    ],
)
def test_what_is_somebody_else_s_or_anybody_s_ties_nothing(question: str, text: str, speaker: str | None) -> None:
    assert lacking_tie(question, [row("S1", text, speaker=speaker)]) is not None


@pytest.mark.requirement("ruling:D5")
def test_a_row_about_somebody_ties_what_its_pronoun_owns() -> None:
    about_marta = row("S1", "Her doctor is Ana Reis.", names=("Marta Silva", "Marta"))

    assert lacking_tie("Who is Marta's doctor?", [about_marta]) is None


@pytest.mark.requirement("ruling:D5")
def test_a_name_in_the_graph_may_be_the_owner_s_unless_somebody_speaks_of_them() -> None:
    jonas = replace(row("S1", "Jonas (person): Clara's brother"), source_type="kg_entity")
    seen = row("S2", "I saw Clara today.")

    assert lacking_tie("Who is my brother?", [jonas]) is None
    assert lacking_tie("Who is my brother?", [jonas, seen]) is not None
    assert lacking_tie("Who is my brother?", [jonas, row("S2", "Hello.", speaker="Clara")]) is not None


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    "question",
    [
        "What are Jonas's plans?",
        "What's Marta doing?",
        "Where do Tim and John's kids play?",
        "What is John's number one goal?",
        "What kind of painting did Marta share?",
        "What was the number of points?",
        "What decorations did I save for my mother's birthday party?",
        "Who called the manager of the mall?",
        "Who is of the family?",
        "What are my plans?",
        "Wie sind Martas Pläne?",
        "Who is the landlord of Marta's workshop?",
    ],
)
def test_a_question_that_gives_no_listed_thing_to_one_named_owner_ties_nothing(question: str) -> None:
    assert not [bond for bond in bonds_of(question) if bond.noun != "landlord"]


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize("said", ["Ingrid is my sister.", "My sister is called Ingrid.", "My sister Ingrid called."])
def test_a_name_put_to_a_relation_stands_for_it(said: str) -> None:
    rows = (row("S1", said), row("S2", "Ingrid's husband is Lars."))

    assert lacking_tie("Who is my sister's husband?", rows) is None
    assert lacking_tie("Who is my brother's wife?", rows) is not None


@pytest.mark.requirement("ruling:D5")
def test_an_answer_that_cites_another_s_husband_is_refused_though_the_evidence_holds_the_right_one() -> None:
    rows = (INGRID, row("S2", "Marta's husband is Paulo."))
    wrong = draft("Ingrid lives in Bergen with her husband Lars.", ("S1", INGRID.text))
    right = draft("Marta's husband is Paulo.", ("S2", "Marta's husband is Paulo."))

    refused = judge(wrong, rows, ONE_DOES, question="Who is Marta's husband?")

    assert refused.reason is RefusalReason.UNSUPPORTED_CLAIM
    assert not judge(right, rows, ONE_DOES, question="Who is Marta's husband?").refused


@pytest.mark.requirement("ruling:D5")
def test_a_sentence_that_does_not_speak_of_the_thing_says_nothing_of_whose_it_is() -> None:
    ties = Ties.of("Who is Marta's husband?", [MARTA])

    assert ties.tie_of(ties.bonds[0], MARTA, all_passages(MARTA)[0]) == "unsaid"
