"""What somebody has, does or plans is answered by what ended it, said of the same one."""

from datetime import UTC, datetime

import pytest

from grounding_rows import row
from voice.core.grounding.compose import compose
from voice.core.grounding.passages import all_passages
from voice.core.grounding.turned import is_turned
from voice.core.grounding.values import Stance

MARCH = datetime(2024, 3, 3, tzinfo=UTC)
MAY = datetime(2024, 5, 9, tzinfo=UTC)


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("claim", "note", "expected"),
    [
        ("Karl has the piano", "Karl sold the piano to a school.", True),
        ("Karl has the piano", "Anna sold the piano to a school.", False),
        ("Karl has the piano", "Karl sold the cello.", False),
        ("Karl has the piano", "Karl bought the piano.", False),
        ("Karl has the piano", "Karl has not sold the piano.", False),
        ("Karl has the piano", "Karl almost sold the piano.", False),
        ("I have a Volvo", "Sold the Volvo in June.", True),
        ("I own the garden", "We gave away the garden.", True),
        ("I own the garden", "Rosa gave away the garden.", False),
        ("I work at Helvar Dental", "Quit Helvar Dental.", True),
        ("I work at Helvar Dental", "I left Helvar Dental in May.", True),
        ("I work at Helvar Dental", "I left Helvar Dental early.", False),
        ("I work at Helvar Dental", "Sold Helvar Dental a chair.", False),
        ("Ines works at Helvar Dental", "Ines resigned from Helvar Dental.", True),
        ("Ines works at Helvar Dental", "I resigned from Helvar Dental.", False),
        ("I should move to the country", "I would rather stay in Leipzig because of my parents.", True),
        ("I should stay in Leipzig", "I want to move to the coast.", True),
        ("I should move to the country", "I want to move to the coast.", False),
        ("I should move the sofa", "I would rather stay in Leipzig.", False),
        ("I should move to the country", "Katrin wants to stay in Leipzig.", False),
        ("My knee is fine", "My left knee hurts after running.", True),
        ("My back hurts", "My back is completely fine again.", True),
        ("My knee is fine", "My shoulder hurts after running.", False),
        ("My knee is fine", "Dr. Lindner looked at the knee: the meniscus is fine.", False),
        ("My knee is fine", "Mum's knee hurts.", False),
    ],
)
def test_what_ended_or_hurts_speaks_against_what_is_said_of_the_same(claim: str, note: str, *, expected: bool) -> None:
    assert is_turned(claim, all_passages(row("S1", note))[0]) is expected


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("claim", "note"),
    [
        ("I work at Helvar Dental", "Quit Helvar Dental in May."),
        ("Karl has the piano", "Karl sold the piano to a school."),
        ("I should move to the country", "I would rather stay in Leipzig because of the work."),
        ("My knee is fine", "My left knee hurts after running."),
    ],
)
def test_a_challenge_gives_what_ended_it(claim: str, note: str) -> None:
    assert compose(claim, [row("S1", note)], Stance.CHALLENGE).answer.endswith(note)


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("claim", "later", "is_refused"),
    [
        ("The ferry leaves on 16 July", "The ferry was moved to 16 July.", True),
        ("The ferry leaves on 16 July", "The ferry was not moved to 16 July.", False),
        ("The ferry leaves on 16 July", "Was the ferry moved to 16 July?", False),
        ("The ferry leaves on 16 July", "The dentist was moved to 16 July.", False),
        ("The ferry leaves on 16 July", "The ferry was moved to 18 July.", False),
        ("The ferry leaves on 16 July", "It rained all day.", False),
    ],
)
def test_what_a_change_to_the_claim_has_overtaken_speaks_against_nothing(
    claim: str, later: str, *, is_refused: bool
) -> None:
    rows = [row("S1", "Booked the ferry for 14 July.", at=MARCH), row("S2", later, at=MAY)]
    assert compose(claim, rows, Stance.CHALLENGE).refused is is_refused
