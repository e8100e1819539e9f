"""Whose husband, whose boss, whose number: what a question ties together is tied by what answers it."""

from dataclasses import replace

import pytest

from grounding_rows import judge_composed, row
from voice.core.grounding.answerability import passages
from voice.core.grounding.answerability.bonds import bonds_of
from voice.core.grounding.answerability.can_be_grounded import can_be_grounded
from voice.core.grounding.answerability.compose import compose
from voice.core.grounding.answerability.passages import all_passages
from voice.core.grounding.answerability.ties import Ties, are_tied, lacking_tie
from voice.core.grounding.values import Evidence, GroundingPolicy, Stance
from voice.core.text.sentences import sentence_spans

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
    response = judge_composed(compose(question, rows, Stance.SYNTHESIZE), rows, ONE_DOES, question=question)
    return None if response.refused else response.answer


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("Who is Marta's husband?", "no note that was found speaks of Marta's husband; what is there is another's"),
        (
            "Who is the husband of Marta?",
            "no note that was found speaks of the husband of Marta; what is there is another's",
        ),
        ("Wer ist Martas Mann?", "no note that was found speaks of Martas Mann; what is there is another's"),
        ("Who is Marta's boss?", "no note that was found speaks of Marta's boss; what is there is another's"),
        (
            "Who is the landlord of Bergen?",
            "no note that was found speaks of the landlord of Bergen; what is there is another's",
        ),
        (
            "What is Marta's phone number?",
            "no note that was found speaks of Marta's phone number; what is there is another's",
        ),
        ("How old is Tom's car?", "no note that was found speaks of Tom's car; what is there is another's"),
        ("What is Jonas' dog called?", "no note that was found speaks of Jonas' dog; what is there is another's"),
        ("Marta's husband", "no note that was found speaks of Marta's husband; what is there is another's"),
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
        ("Who is Marta's doctor?", "Anna called. Her doctor is Ana Reis.", None),
        ("When is Marta's birthday?", "Anna was born on 3 May.", None),
        ("When is my birthday?", "Anna was born on 3 May.", None),
        ("Who is Marta's doctor?", "Jonas saw his doctor.", None),
        ("Who is my dentist?", "Marta saw her dentist.", None),
    ],
)
def test_what_is_certainly_somebody_else_s_is_refused_before_anything_is_paid(
    question: str, text: str, speaker: str | None
) -> None:
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
    assert bonds_of("Who is Marta's husband?") != ()


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize("said", ["Ingrid is my sister.", "My sister is called Ingrid.", "My sister Ingrid called."])
def test_a_name_put_to_a_relation_stands_for_it(said: str) -> None:
    rows = (row("S1", said), row("S2", "Ingrid's husband is Lars."))

    assert lacking_tie("Who is my sister's husband?", rows) is None
    assert lacking_tie("Who is my brother's husband?", rows) is not None


@pytest.mark.requirement("ruling:D5")
def test_a_sentence_that_does_not_speak_of_the_thing_says_nothing_of_whose_it_is() -> None:
    ties = Ties.of("Who is Marta's husband?", [MARTA])

    assert ties.tie_of(ties.bonds[0], all_passages(MARTA)[0]) == "unsaid"


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who is Marta's doctor?", "Marta told Anna about her doctor."),
        ("Who is Marta's doctor?", "Her doctor is Ana Reis."),
        ("Who is Marta's doctor?", "The doctor is called Ana Reis."),
        ("When is Marta's birthday?", "She was born on 3 May."),
        ("Who is my doctor?", "You need a doctor."),
    ],
)
def test_what_may_be_anybody_s_is_not_refused_before_but_ties_no_answer(question: str, text: str) -> None:
    said = row("S1", text, speaker="Tom", names=())
    ties = Ties.of(question, [said])

    assert lacking_tie(question, [said]) is None
    assert not are_tied(ties, all_passages(said))


@pytest.mark.requirement("ruling:D5")
def test_a_pronoun_of_the_one_a_row_is_about_may_mean_them_beside_another() -> None:
    about_marta = row("S1", "Anna called her doctor.", names=("Marta Silva",))

    assert lacking_tie("Who is Marta's doctor?", [about_marta]) is None


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize("said", ["My sister's doctor is Ana Reis.", "My sister saw her doctor."])
def test_a_relation_that_somebody_is_called_by_may_be_them(said: str) -> None:
    question = "Who is Ingrid's doctor?"
    rows = (row("S1", "Ingrid is my sister."), row("S2", said))

    assert lacking_tie(question, rows) is None
    assert lacking_tie(question, rows[1:]) is not None


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("When is my mum's birthday?", "My mother's birthday is 4 June."),
        ("When is my grandma's birthday?", "Oma was born on 4 June 1931."),
        ("What is my father's car?", "Dad has a new car, a Saab."),
        ("Wann ist Papas Geburtstag?", "Der Geburtstag von meinem Vater ist am 4. Juni."),
        ("What is my wife's number?", "Vera is my wife. Her number is 0171 555 2301."),
        ("Wie heißt Veras Mann?", "Vera hat Nils geheiratet."),
        ("Wann ist der Geburtstag von Frau Adler?", "Frau Adler ist am 4. Juni geboren."),
    ],
)
def test_words_for_one_relation_are_the_same_owner(question: str, text: str) -> None:
    said = row("S1", text)

    assert lacking_tie(question, [said]) is None
    assert are_tied(Ties.of(question, [said]), all_passages(said))


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("When is my mum's birthday?", "My father's birthday is 4 June."),
        ("When is my wife's birthday?", "Frau Adler's birthday is 4 June."),
    ],
)
def test_another_relation_is_another_owner(question: str, text: str) -> None:
    assert lacking_tie(question, [row("S1", text)]) is not None


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who is my boss?", "I report to Nadia."),
        ("Who is my boss?", "Nadia is my team lead."),
        ("What is my salary?", "I earn 3,100 euros a month."),
        ("What is Vera's dog called?", "Vera's poodle is called Max."),
        ("What colour is my car?", "The Saab is green."),
        ("What colour is Vera's car?", "Vera's Saab is green."),
    ],
)
def test_what_says_as_much_as_the_noun_ties_it(question: str, text: str) -> None:
    said = row("S1", text)

    assert lacking_tie(question, [said]) is None
    assert are_tied(Ties.of(question, [said]), all_passages(said))


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who is my boss?", "I finished the report."),
        ("What is my salary?", "Tom earns 3,100 euros a month."),
        ("What is Vera's dog called?", "Our neighbour's poodle is called Max."),
        ("Who is Vera's son?", "Vera is the mother of Nils."),
    ],
)
def test_what_is_told_of_nobody_is_not_refused_before_and_ties_no_answer(question: str, text: str) -> None:
    said = row("S1", text)

    assert lacking_tie(question, [said]) is None
    assert not are_tied(Ties.of(question, [said]), all_passages(said))


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize("question", ["Who is Ingrid's lawyer?", "Who is my dentist?"])
def test_a_relation_that_nothing_tells_of_is_not_answered_by_what_is_told_of_the_same_person(question: str) -> None:
    assert answer(question, *MEMORY) is None
    assert answer("Who is Ingrid's husband?", *MEMORY) is not None


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("When is my mum's birthday?", "your mum's birthday"),
        ("When is my birthday?", "your birthday"),
        ("When is the birthday of my mum?", "the birthday of your mum"),
    ],
)
def test_a_refusal_says_whose_it_is_to_the_person_who_asks(question: str, missing: str) -> None:
    answerable = can_be_grounded(question, [row("S1", "Vera's birthday is 4 June.")], ONE_DOES)

    assert answerable.missing == f"no note that was found speaks of {missing}; what is there is another's"


@pytest.mark.requirement("ruling:D5")
def test_each_sentence_of_a_row_is_found_once_however_long_the_row_is(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def counted(text: str) -> list[tuple[int, int]]:
        asked.append(text)
        return sentence_spans(text)

    monkeypatch.setattr(passages, "sentence_spans", counted)
    long = row("S1", "".join(f"On day {day} she saw her doctor again. " for day in range(40)))

    assert lacking_tie("Who is Vera's doctor?", [long]) is None
    assert len(asked) == 1


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("cited", "is_tied"),
    [
        ("Her number is 0171 555 2301.", True),
        ("Vera's number is 0171 555 2301.", True),
        ("Nils's wife's number is 0171 555 2301.", False),
        ("My ex-wife's number is 0171 555 2301.", False),
        ("Ruth's number is 0171 555 2301.", False),
    ],
)
def test_who_the_owner_is_may_be_told_by_what_is_not_cited(cited: str, *, is_tied: bool) -> None:
    told = row("S1", f"Vera is my wife. {cited}")
    ties = Ties.of("What is my wife's number?", [told])

    assert are_tied(ties, all_passages(told)[1:]) is is_tied


@pytest.mark.requirement("ruling:D5")
def test_a_sentence_without_end_is_not_read_to_its_end() -> None:
    endless = row("S1", "Tom, her doctor and " * 60 + "Vera's doctor")

    assert not are_tied(Ties.of("Who is Vera's doctor?", [endless]), all_passages(endless))
