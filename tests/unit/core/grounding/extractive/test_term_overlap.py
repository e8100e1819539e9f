"""How much of a match one word is of another."""

import pytest

from tables import tables
from voice.core.grounding.extractive.evidence_sentences import match_credit

TABLES = tables(__file__)


@pytest.mark.parametrize(("word", "held", "near"), TABLES["a_longer_form_or_a_near_spelling_is_most_of_a_match"])
def test_a_longer_form_or_a_near_spelling_is_most_of_a_match(word: str, held: str, *, near: bool) -> None:
    assert 0 < match_credit(word, frozenset({held})) < 1 if near else match_credit(word, frozenset({held})) == 0
