"""A mother-in-law is no mother, a former boss no boss: what makes a relation another one is not left out."""

import pytest

from grounding_rows import row
from voice.core.grounding.passages import all_passages
from voice.core.grounding.relevance import is_relevant
from voice.core.grounding.ties import Ties, are_tied

WHO = "Tell me about Vera."


def fits(question: str, answer: str, text: str) -> bool:
    cited = row("S1", text)
    return is_relevant(question, answer, all_passages(cited), [cited])


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Vera's mother-in-law is Ruth.", "Vera's mother is Ruth."),
        ("Vera's mother in law is Ruth.", "Vera's mother is Ruth."),
        ("Vera's step-father is Nils.", "Vera's father is Nils."),
        ("Vera's stepfather is Nils.", "Vera's dad is Nils."),
        ("Vera's husband-to-be is Nils.", "Vera's husband is Nils."),
        ("Vera's late husband was Nils.", "Vera's husband was Nils."),
        ("Vera's ex-husband is Nils.", "Vera's husband is Nils."),
        ("Vera's half-brother is Nils.", "Vera's brother is Nils."),
        ("Vera's foster mother is Ruth.", "Vera's mother is Ruth."),
        ("Vera's god-mother is Ruth.", "Vera's mother is Ruth."),
        ("Vera's former boss is Ruth.", "Vera's boss is Ruth."),
        ("Vera's next new boss is Ruth.", "Vera's boss is Ruth."),
        ("Veras Schwiegermutter heißt Ruth.", "Veras Mutter heißt Ruth."),
        ("Veras ehemaliger Chef heißt Nils.", "Veras Chef heißt Nils."),
        ("Veras früherer Chef heißt Nils.", "Veras Chef heißt Nils."),
    ],
)
def test_an_answer_that_drops_what_makes_it_another_relation_is_off_the_point(text: str, answer: str) -> None:
    assert not fits(WHO, answer, text)
    assert fits(WHO, text, text)


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Vera's next-door neighbour is Nils.", "Vera's neighbour is Nils."),
        ("Vera's next dentist appointment is on Monday.", "Vera's dentist appointment is on Monday."),
        ("Vera's next doctor's visit is on Monday.", "Vera's doctor's visit is on Monday."),
        ("Vera wants her husband to be happy.", "Vera wants her husband happy."),
        ("Vera is an ex nun, boss of Nils.", "Vera is the boss of Nils."),
        ("Oh god mum called Vera.", "Mum called Vera."),
        ("Vera's mother-in-law is Ruth. Vera's mother is Ines.", "Vera's mother is Ines."),
        ("Vera's flat is new.", "Vera's boss is Ruth."),
    ],
)
def test_what_leaves_the_relation_as_it_is_may_be_left_out(text: str, answer: str) -> None:
    assert fits(WHO, answer, text)


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("question", "text", "is_tied"),
    [
        ("Who is Vera's mother-in-law?", "Vera's mother-in-law is Ruth.", True),
        ("Who is Vera's mother-in-law?", "Vera's mother is Ruth.", False),
        ("Who is Vera's mother?", "Vera's mother-in-law is Ruth.", False),
        ("Who is my former boss?", "My former boss is Ruth.", True),
        ("Who is my former boss?", "Ruth was my boss until May.", True),
        ("Who is my boss?", "My former boss is Ruth.", False),
        ("Who is the former boss of Vera?", "The former boss of Vera is Ruth.", True),
        ("Who was Vera's husband?", "Vera's late husband was Nils.", True),
        ("Who is Vera's husband?", "Vera's friend has a husband called Nils.", False),
        ("Who is Vera's husband?", "Vera's sister is married to Nils.", False),
        ("Who is Vera's husband?", "Vera's choir sang for the husband.", True),
        ("Who is Vera's boss?", "Nils's boss is Ruth.", False),
        ("Who is Vera's boss?", "Vera's boss is Ruth.", True),
        ("Who is the landlord of the workshop?", "Ruth's landlord let the workshop to Nils.", True),
    ],
)
def test_an_answer_must_cite_the_same_relation_of_the_same_person(question: str, text: str, *, is_tied: bool) -> None:
    cited = row("S1", text)

    assert are_tied(Ties.of(question, [cited]), all_passages(cited)) is is_tied
    assert fits(question, text, text) is is_tied
