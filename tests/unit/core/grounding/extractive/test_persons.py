"""Of whom a claim speaks, and who says so (DESIGN 6 stage 4)."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from grounding_rows import row
from tables import tables
from voice.core.grounding.extractive.evidence_sentences import (
    MOST_READ,
    EvidenceSentence,
    asked_names,
    is_vocative,
    other_time_spellings,
    people_of,
    persons_spoken_of,
    proper_names,
    same_name,
    sentences_of,
    speaker_of,
)
from voice.core.text.words import words

TABLES = tables(__file__)
ROWS = (row("S1", "x", speaker="Anna"), row("S2", "y", speaker="Clara Berg"), row("S3", "z", names=("Der Hund",)))


@pytest.mark.parametrize(("text", "speaker", "expected"), TABLES["who_speaks_is_the_rows_speaker_or_its_label"])
def test_who_speaks_is_the_rows_speaker_or_its_label(text: str, speaker: str | None, expected: str | None) -> None:
    assert speaker_of(row("S1", text, speaker=speaker)) == expected


def test_names_are_known_in_full_and_in_short() -> None:
    people = people_of([row("S1", "x", speaker="Melanie Berg"), row("S2", "y", speaker="…")])
    assert people.names == frozenset({"melanie"})
    assert people.find("mel") == "melanie"
    assert people.find("jo") is None
    assert [same_name(*each) for each in (("al", "alan"), ("ann", "annabella"), ("ann", "annabellas"))] == [
        False, True, False,
    ]  # fmt: skip


@pytest.mark.parametrize(("text", "names"), TABLES["a_name_has_a_capital_that_its_place_does_not_explain"])
def test_a_name_has_a_capital_that_its_place_does_not_explain(text: str, names: Sequence[str]) -> None:
    assert tuple(word.key for word in proper_names(text, words(text))) == names


@pytest.mark.parametrize(("text", "names"), TABLES["a_question_names_whom_it_writes_with_a_capital"])
def test_a_question_names_whom_it_writes_with_a_capital(text: str, names: Sequence[str]) -> None:
    assert tuple(word.key for word in asked_names(text, words(text), ROWS)) == names


@pytest.mark.parametrize(("text", "spelt"), TABLES["a_time_is_found_in_its_other_spellings"])
def test_a_time_is_found_in_its_other_spellings(text: str, spelt: Sequence[str]) -> None:
    assert other_time_spellings(text) == spelt


@pytest.mark.parametrize(("text", "addressed"), TABLES["who_is_only_addressed_is_set_off"])
def test_who_is_only_addressed_is_set_off(text: str, *, addressed: bool) -> None:
    said = EvidenceSentence(row("S1", text), 0, len(text))
    assert [is_vocative(said, word) for word in said.words if word.text == "Clara"] == [addressed]


@pytest.mark.parametrize(("text", "read"), TABLES["a_row_is_read_sentence_by_sentence"])
def test_a_row_is_read_sentence_by_sentence_but_for_one_without_an_end(text: str, read: Sequence[str]) -> None:
    ends, endless = (f"{'a' * length}. {text}" for length in (MOST_READ - 1, MOST_READ))
    assert tuple(one.text for one in sentences_of(row("S1", ends)))[1:] == read
    assert tuple(one.text for one in sentences_of(row("S1", endless))) == read


@pytest.mark.parametrize(
    ("text", "speaker", "kind", "about"), TABLES["each_word_is_about_the_nearest_person_of_its_clause"]
)
def test_each_word_is_about_the_nearest_person_of_its_clause(
    text: str, speaker: str | None, kind: str, about: Sequence[str | None]
) -> None:
    said = replace(row("S9", text, speaker=speaker), source_type=kind)
    found = persons_spoken_of(EvidenceSentence(said, 0, len(text)), people_of([*ROWS, row("S4", "", speaker="User")]))
    assert tuple(each if each is None else "+".join(sorted(each)) for each in found) == about
