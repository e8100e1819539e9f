"""What the one who asks noted, told back to them as "you": as near a copy as one that says "I" (ruling D1)."""

import pytest

from grounding_rows import row
from voice.core.grounding.addressed import is_told_back
from voice.core.grounding.claims import Grounds, judge_sentence
from voice.core.grounding.passages import all_passages
from voice.core.grounding.who import people_of
from voice.core.text.words import words

NOTED = (
    ("My aunt was born in 1938.", "My uncle was born in 1941."),
    ("My dentist is Dr Falk.", "My lawyer is Dr Sommer."),
    ("I pay 610 euros for the flat.", "I pay 45 euros for the internet."),
    ("I've kept the spare key in the shed.", "I've kept the spare wheel in the cellar."),
    ("Meine Tante wurde 1938 geboren.", "Mein Onkel wurde 1941 geboren."),
    ("Ich wohne seit 2011 in Celle.", "Ich singe seit 2016 in Peine."),
    ("Ich muss am Montag 30 Euro bezahlen.", "Ich muss am Freitag 90 Euro bezahlen."),
)


def _verdict(claim: str, sources: tuple[str, ...]) -> str:
    rows = tuple(row(f"S{n}", text) for n, text in enumerate(sources, 1))
    passages = tuple(passage for one in rows for passage in all_passages(one))
    return judge_sentence(claim, Grounds(rows=rows, passages=passages, people=people_of(rows)), 1.65).verdict


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("which", "claim"),
    [
        (0, "Your aunt was born in 1941."),
        (0, "Your uncle was born in 1938."),
        (1, "Your dentist is Dr Sommer."),
        (2, "You pay 45 euros for the flat."),
        (4, "Deine Tante wurde 1941 geboren."),
        (4, "Ihr Onkel wurde 1938 geboren."),
        (5, "Du wohnst seit 2016 in Celle."),
        (5, "Sie wohnen seit 2016 in Celle."),
    ],
)
def test_what_another_note_says_is_a_contradiction_when_told_back(which: int, claim: str) -> None:
    assert _verdict(claim, NOTED[which]) == "contradicted"


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("which", "claim"),
    [
        (0, "Your aunt was born in 1938."),
        (1, "Your dentist is Dr Falk."),
        (2, "You pay 610 euros for the flat."),
        (3, "You've kept the spare key in the shed."),
        (4, "Deine Tante wurde 1938 geboren."),
        (5, "Du wohnst seit 2011 in Celle."),
        (5, "Sie wohnen seit 2011 in Celle."),
        (6, "Du musst am Montag 30 Euro bezahlen."),
    ],
)
def test_a_note_told_back_unchanged_is_supported(which: int, claim: str) -> None:
    assert _verdict(claim, NOTED[which]) == "supported"


@pytest.mark.requirement("ruling:D1")
def test_what_one_sentence_leaves_open_is_looked_for_in_the_nearest_one() -> None:
    sources = ("I pay 45 euros for electricity.", "I pay 610 euros for the flat.")

    assert _verdict("You pay 45 euros for the flat.", sources) == "contradicted"


@pytest.mark.parametrize(
    ("claim", "source", "is_so"),
    [
        ("Your landlord called.", "My landlord called.", True),
        ("Your landlord called.", "Your landlord called.", False),
        ("Your landlord called.", "Ada's landlord called.", False),
        ("My landlord called.", "My landlord called.", False),
    ],
)
def test_only_what_a_speaker_says_of_themselves_is_told_back_to_them(claim: str, source: str, *, is_so: bool) -> None:
    assert is_told_back(words(claim), words(source)) is is_so
