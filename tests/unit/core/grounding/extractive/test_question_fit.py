"""What type of answer a question asks for, in three languages, and whether a text holds an amount of it."""

import pytest

from tables import tables
from voice.core.grounding.extractive.question_fit import Amount, answer_types, holds_amount

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("ruling:D5")


@pytest.mark.parametrize(("question", "types"), TABLES["a_question_asks_for_a_type_by_its_words"])
def test_a_question_asks_for_a_type_by_its_words(question: str, types: tuple[str, ...]) -> None:
    assert answer_types(question) == types


@pytest.mark.parametrize(("kind", "text", "holds"), TABLES["a_text_holds_an_amount_of_a_kind"])
def test_a_text_holds_an_amount_of_a_kind(kind: Amount, text: str, holds: bool) -> None:  # noqa: FBT001
    assert holds_amount(kind, text) is holds
