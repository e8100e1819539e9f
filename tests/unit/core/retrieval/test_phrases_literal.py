"""The very words: which texts hold them, where they stand, and what lies under a path."""

import unicodedata

import pytest

from tables import tables
from voice.core.errors import InvalidParams
from voice.core.retrieval.searchable_text import is_under, parse_literal
from voice.core.text.normalise import norm_v1

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("web:sources:literal")


def _holds(words: str, text: str) -> bool:
    return parse_literal(words).holds(norm_v1(text))


@pytest.mark.parametrize(
    ("words", "text"),
    [
        *TABLES["a_text_that_has_the_words_holds_them_and_says_where"],
        ("café", unicodedata.normalize("NFD", "the café")),
    ],
)
def test_a_text_that_has_the_words_holds_them_and_says_where(words: str, text: str) -> None:
    assert _holds(words, text)
    spans = parse_literal(words).spans(text)
    assert spans
    assert all(0 <= start < end <= len(text) for start, end in spans)


@pytest.mark.parametrize(("words", "text"), TABLES["a_text_that_has_other_words_does_not"])
def test_a_text_that_has_other_words_does_not(words: str, text: str) -> None:
    assert _holds(words, words)
    assert not _holds(words, text)


def test_places_are_those_of_the_text_as_it_is_stored() -> None:
    text = unicodedata.normalize("NFD", "Café  noir, café noir; CAFÉ.")
    found = [text[start:end] for start, end in parse_literal('"café noir"').spans(text)]
    assert [unicodedata.normalize("NFC", each) for each in found] == ["Café  noir", "café noir"]
    other = "b  a x a"
    assert [other[start:end] for start, end in parse_literal("a b").spans(other)] == ["b", "a", "a"]


def test_places_that_overlap_are_one() -> None:
    assert parse_literal('"the old" "old kiln"').spans("the old kiln") == ((0, 12),)


@pytest.mark.parametrize("words", ["", "  ", '""', '" . "'])
def test_nothing_to_look_for_is_refused(words: str) -> None:
    with pytest.raises(InvalidParams, match="is empty; type"):
        parse_literal(words)


def test_too_many_words_are_refused_and_as_many_in_a_phrase_are_not() -> None:
    many = " ".join(f"w{number}" for number in range(21))
    with pytest.raises(InvalidParams, match="at most 20 words"):
        parse_literal(many)
    assert _holds(f'"{many}"', many)
    assert _holds(many.removesuffix(" w20"), many)


@pytest.mark.parametrize(("place", "path", "is_there"), TABLES["a_note_lies_under_the_steps_of_its_place"])
def test_a_note_lies_under_the_steps_of_its_place(place: str | None, path: str, is_there: bool) -> None:  # noqa: FBT001
    assert is_under(place, path) is is_there
