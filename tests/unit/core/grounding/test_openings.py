"""What opens an answer before it states: "No, …", "Yes.", "According to your notes, …" (DESIGN 6 stage 4)."""

import pytest

from grounding_rows import judged, row
from voice.core.grounding.openings import bears_yes, no_beside, no_findings
from voice.core.grounding.preambles import opens_with_no, stated
from voice.core.grounding.values import GroundedResponse, GroundingPolicy, RefusalReason
from voice.core.text.words import words

pytestmark = pytest.mark.requirement("ruling:D1")

ONE = GroundingPolicy(min_sources=1)
AFFIRMS = "the answer says no to what the source affirms"
UNFIT = "the answer says no, and no cited sentence says so"
DENYING = [
    ("Did I lend Tom money?", "I never lent Tom money.", "No, you never lent Tom money."),
    ("Do I still have the Volvo?", "I sold the Volvo in June.", "No, you sold the Volvo in June."),
    ("Did I go to Rome?", "I cancelled the trip to Rome.", "No, you cancelled the trip to Rome."),
    ("Do I take ibuprofen?", "I stopped taking ibuprofen in March.", "No, you stopped taking it in March."),
    ("Ήρθε η Μαρία στο πάρτι;", "Η Μαρία δεν ήρθε στο πάρτι.", "Όχι, η Μαρία δεν ήρθε."),
    ("Does Lena still live with us?", "Lena moved out in April.", "No, Lena moved out in April."),
    ("Can Paul eat nuts?", "Paul is allergic to nuts.", "No, Paul is allergic to nuts."),
    ("Is the shop open on Mondays?", "The shop is closed on Mondays.", "No, the shop is closed on Mondays."),
    ("Does Anna like olives?", "Anna hates olives.", "No, Anna hates olives."),
    ("Habe ich die Wohnung noch?", "Ich habe die Wohnung gekündigt.", "Nein, du hast die Wohnung gekündigt."),
    ("Did I call the dentist?", "I forgot to call the dentist.", "Sorry, no - you forgot to call the dentist."),
]
OTHERWISE = [
    ("Kommt Wiebke zum Umzug?", "Wiebke kommt doch nicht zum Umzug, sie hat Dienst.", "Nein, sie hat Dienst."),
    ("Is Bram coming to the concert?", "Bram is not coming to the concert, he has a cold.", "No, he has a cold."),
    ("Did we get the piano?", "Decided against the piano.", "No, you decided against it."),
    ("Is the meeting on Tuesday?", "The meeting is on Wednesday.", "No, the meeting is on Wednesday."),
    ("Did I pay 500 euros for the bike?", "I paid 300 euros for the bike.", "No, you paid 300 euros for the bike."),
    ("Is the ring in the red tin?", "The ring is in the blue tin.", "No, the ring is in the blue tin."),
    ("Did we go to Crete in May?", "We went to Crete in June.", "No, you went to Crete in June."),
    ("Is Anna my boss?", "Kim is my boss.", "No, Kim is your boss."),
    ("Do I live in Turin?", "I live in Bari.", "No, you live in Bari."),
]
FALSE = [
    (
        "Kommt Wiebke zum Umzug?",
        "Wiebke kommt zum Umzug, sie hat keinen Dienst.",
        "Nein, sie kommt zum Umzug.",
        AFFIRMS,
    ),
    ("Isn't Bram at the concert?", "Bram is not at the concert, he has a cold.", "No, he has a cold.", AFFIRMS),
    ("Did we decide against the piano?", "Decided against the piano.", "No, you decided against it.", AFFIRMS),
    ("Did Anna come to the wedding?", "Anna came to the wedding.", "No, Anna came to the wedding.", AFFIRMS),
    ("Do I own a house in Graz?", "I own the house in Graz.", "No, you own the house in Graz.", AFFIRMS),
    ("Has Jonas paid the rent?", "Jonas has paid the rent.", "No, Jonas paid the rent.", AFFIRMS),
    ("Is the meeting on Friday?", "The meeting is on Friday.", "No, the meeting is on Friday.", AFFIRMS),
    ("Did I refuse the offer?", "I refused the offer.", "No, you refused the offer.", AFFIRMS),
    ("Did I sell the Volvo?", "I sold the Volvo in June.", "No, you sold the Volvo in June.", UNFIT),
    ("Did I lend Tom money?", "I lent Tom 300 euros.", "No, you lent Tom 300 euros.", UNFIT),
    ("Does Paul play football?", "Paul plays the cello.", "No, Paul plays the cello.", UNFIT),
    ("Did Ada move the kiln?", "Ada moved the kiln to the shed.", "No, Ada moved the kiln to the shed.", AFFIRMS),
]


def _answered(question: str, source: str, answer: str) -> GroundedResponse:
    return judged(answer, ("S1", source), memory=(row("S1", source),), question=question, policy=ONE)


def _is_accepted(response: GroundedResponse) -> bool:
    return not response.refused and all(one.verdict != "unsupported" for one in response.sentences)


@pytest.mark.parametrize(("question", "source", "answer"), [*DENYING, *OTHERWISE])
def test_a_no_before_what_denies_or_corrects_denies_the_question_and_not_the_source(
    question: str, source: str, answer: str
) -> None:
    assert _is_accepted(_answered(question, source, answer))


@pytest.mark.parametrize(("question", "source", "answer", "reason"), FALSE)
def test_a_no_before_what_affirms_the_question_is_never_accepted(
    question: str, source: str, answer: str, reason: str
) -> None:
    response = _answered(question, source, answer)

    assert response.refused
    assert reason in (response.notes or "")
    assert (response.reason is RefusalReason.CONTRADICTION) is (reason == AFFIRMS)


@pytest.mark.parametrize(("question", "source", "answer"), DENYING[1:3])
def test_what_a_no_stands_before_is_compared_by_itself(question: str, source: str, answer: str) -> None:
    response = _answered(question, source.replace("I ", "I never "), answer)

    assert response.reason is RefusalReason.CONTRADICTION


def test_two_people_the_other_way_round_are_not_affirmed_by_the_words_alone() -> None:
    said = "Ben called Anna."

    assert [one.text for one in no_findings("Did Anna call Ben?", f"No, {said}", words(said), ())] == [UNFIT]
    assert no_findings("Who called Ben?", f"No, {said}", words(said), ()) == []
    assert no_findings("", f"No, {said}", words(said), ()) == []
    assert no_findings("Did Anna call Ben?", said, words(said), ()) == []


@pytest.mark.parametrize(
    ("question", "said", "is_fine"),
    [
        ("Do I still have the Volvo?", "You sold the Volvo in June.", True),
        ("Do I own a house in Graz?", "You own the house in Graz.", False),
        ("Where do I live?", "You sold the house in Graz.", False),
        ("Where do I live?", "You do not live in Graz.", True),
    ],
)
def test_a_no_of_its_own_stands_beside_what_bears_it_out(question: str, said: str, *, is_fine: bool) -> None:
    assert (not no_beside(question, said, words(said), ())) is is_fine


@pytest.mark.parametrize(
    ("question", "said", "is_fine"),
    [
        ("Did I lend Tom money?", "You lent Tom 300 euros.", True),
        ("Did I lend Tom money?", "You lent Tom the car.", False),
        ("Did I purchase the kiln?", "You bought the kiln.", True),
        ("Does Paul play football?", "Paul plays the cello.", False),
    ],
)
def test_a_yes_stands_beside_all_that_the_question_tells_and_a_sum_is_money(
    question: str, said: str, *, is_fine: bool
) -> None:
    assert bears_yes(question, said, words(said), ()) is is_fine


@pytest.mark.parametrize(
    ("text", "is_no"),
    [
        ("No, you sold it.", True),
        ("Well, no: Ada sold it.", True),
        ("Nein, du hast es verkauft.", True),
        ("No money was lent.", False),
        ("No.", False),
        ("Nobody came.", False),
        ("You said no, and left.", False),
    ],
)
def test_only_a_no_that_stands_apart_opens_an_answer(text: str, *, is_no: bool) -> None:
    assert opens_with_no(text) is is_no


DAD = "Dad was born in 1951 in Gdansk."
BORN = "When and where was dad born?"
TOLD = "your dad was born in 1951 in Gdansk"


@pytest.mark.parametrize(
    "answer",
    [
        f"According to your notes, {TOLD}.",
        f"Based on your memories, {TOLD}.",
        f"Based on the provided information, {TOLD}.",
        f"As far as I can tell from your notes, {TOLD}.",
        f"According to S1, {TOLD}.",
        f"Yes, according to the sources, {TOLD}.",
        "Your dad was born in 1951 in Gdansk, according to your notes.",
        "Your dad was born in 1951 in Gdansk based on the information provided.",
        "Your dad, according to your diary, was born in 1951 in Gdansk.",
        f"From what I can see in your notes, {TOLD}.",
    ],
)
def test_where_a_statement_comes_from_is_no_part_of_it(answer: str) -> None:
    assert _is_accepted(_answered(BORN, DAD, answer))


@pytest.mark.parametrize(
    "answer",
    [
        "According to your notes, your dad was born in 1952 in Gdansk.",
        "According to your notes, your dad was not born in Gdansk.",
        f"According to your notes from Berlin, {TOLD}.",
        f"According to S7, {TOLD}.",
        f"According to your mother, {TOLD}.",
        f"According to the police, {TOLD}.",
        "Based on your notes, your dad was born in 1951 in Krakow.",
    ],
)
def test_what_stands_beside_a_frame_or_is_none_is_compared_as_ever(answer: str) -> None:
    assert not _is_accepted(_answered(BORN, DAD, answer))


def test_the_words_of_a_frame_and_of_a_no_are_left_out_and_no_others() -> None:
    text = "No, according to your notes, the boiler leaks."

    assert [word.text for word in stated(text, words(text), ())] == ["the", "boiler", "leaks"]
    plain = "You wrote your notes based on talks."
    assert stated(plain, words(plain), ()) == list(words(plain))


def test_a_german_month_tells_when() -> None:
    heating = "Die Heizung wurde im Mai repariert."
    told = "Laut deinen Notizen wurde die Heizung im Mai repariert."

    assert _is_accepted(_answered("Wann wurde die Heizung repariert?", heating, told))
