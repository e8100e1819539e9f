"""Of whom a claim speaks, and who says so (DESIGN 6 stage 4)."""

import pytest

from grounding_rows import row
from tables import tables
from voice.core.grounding.extractive.evidence_sentences import (
    Referent,
    people_of,
    proper_names,
    referents_of,
    same_name,
    sentences_of,
    speaker_of,
)
from voice.core.text.words import words

TABLES = tables(__file__)


@pytest.mark.parametrize(("text", "speaker", "expected"), TABLES["who_speaks_is_the_rows_speaker_or_its_label"])
def test_who_speaks_is_the_rows_speaker_or_its_label(text: str, speaker: str | None, expected: str | None) -> None:
    assert speaker_of(row("S1", text, speaker=speaker)) == expected


def test_names_are_known_in_full_and_in_short() -> None:
    people = people_of([row("S1", "x", speaker="Melanie Berg"), row("S2", "y", speaker="…")])
    assert people.names == frozenset({"melanie"})
    assert people.find("mel") == "melanie"
    assert people.find("jo") is None
    assert not same_name("al", "alan")


def test_weekdays_months_and_first_words_are_no_names() -> None:
    text = "Yesterday, on Monday in May, Running was fun for Clara."
    assert [word.key for word in proper_names(text, words(text))] == ["running", "clara"]


def test_a_line_in_title_case_holds_no_names_to_be_sure_of() -> None:
    text = "How Anna Moved Home With Clara"
    assert proper_names(text, words(text)) == []
    plain = "She moved home with Clara."
    assert proper_names(plain, words(plain)) != []


def test_of_two_who_are_named_in_one_clause_neither_owns_its_words() -> None:
    people = people_of([row("S1", "x", speaker="Anna"), row("S2", "y", speaker="Clara")])
    (passage,) = sentences_of(row("S3", "Anna met Clara", speaker="Anna"))
    assert referents_of(passage, people) == [Referent("none")] * 3
