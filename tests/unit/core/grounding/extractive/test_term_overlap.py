"""How much of a match one word is of another."""

import pytest

from tables import tables
from voice.core.grounding.extractive.evidence_sentences import match_credit, overlap_share
from voice.core.text.words import words

TABLES = tables(__file__)


@pytest.mark.parametrize(
    ("word", "held", "credit"), TABLES["a_longer_form_a_near_spelling_or_a_synonym_is_most_of_a_match"]
)
def test_a_longer_form_a_near_spelling_or_a_synonym_is_most_of_a_match(word: str, held: str, credit: float) -> None:
    assert match_credit(word, frozenset({held, "other"})) == credit


def test_the_words_of_a_claim_weigh_by_what_they_tell_and_once() -> None:
    shares = (overlap_share(words(text), frozenset({"tea"})) for text in ("tea kiln 12 car", "tea tea kiln", "12", ""))
    assert [round(share, 4) for share in shares] == [0.2119, 0.3968, 0.0, 0.0]
