"""A mother-in-law is no mother, a former boss no boss: what makes a relation another one is not left out."""

import pytest

from grounding_rows import row
from voice.core.grounding.answerability.passages import all_passages
from voice.core.grounding.answerability.ties import Ties, are_tied


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
