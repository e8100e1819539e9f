"""One normal form, one hash (ruling A10).

What each step of the normal form does to a hash, one step at a time.
"""

import pytest
from blake3 import blake3

from tables import tables
from voice.core.text.normalise import clean_text, content_hash, norm_v1

TABLES = tables(__file__)


@pytest.mark.requirement("ruling:A10")
@pytest.mark.parametrize(("text", "normal"), TABLES["the_normal_form_is_the_one_of_the_ruling"])
def test_the_normal_form_is_the_one_of_the_ruling(text: str, normal: str) -> None:
    assert norm_v1(text) == normal


@pytest.mark.requirement("ruling:A10")
def test_a_dropped_character_between_letter_and_accent_does_not_leave_them_apart() -> None:
    assert norm_v1("e\u200d\u0301") == "é"


@pytest.mark.requirement("ruling:A10")
def test_the_hash_is_blake3_of_the_normal_form() -> None:
    assert content_hash("  The SAME\u200b text ") == blake3(b"the same text").hexdigest()


def test_texts_that_differ_in_a_word_differ_in_their_hash() -> None:
    assert content_hash("I met Ada.") != content_hash("I met Eva.")


def test_a_lone_surrogate_can_be_hashed() -> None:
    assert content_hash("broken \ud800 text") != content_hash("broken text")


@pytest.mark.parametrize(("text", "clean"), TABLES["cleaning_drops_only_what_cannot_be_stored"])
def test_cleaning_drops_only_what_cannot_be_stored(text: str, clean: str) -> None:
    assert clean_text(text) == clean


def hash_of(normal: str) -> str:
    return blake3(normal.encode()).hexdigest()


@pytest.mark.requirement("s0:hash:1", "ruling:A10")
@pytest.mark.parametrize(("text", "normal"), TABLES["texts_that_are_compatible_have_one_hash"])
def test_texts_that_are_compatible_have_one_hash(text: str, normal: str) -> None:
    assert content_hash(text) == hash_of(normal)


@pytest.mark.requirement("s0:hash:2", "ruling:A10")
@pytest.mark.parametrize(
    ("text", "normal"),
    [("KILN", "kiln"), ("STRASSE", "strasse"), ("straße", "strasse"), ("ΟΔΟΣ", "οδοσ"), ("οδος", "οδοσ")],
)
def test_case_is_folded_and_not_only_lowered(text: str, normal: str) -> None:
    assert content_hash(text) == hash_of(normal)


@pytest.mark.requirement("s0:hash:3", "ruling:A10")
@pytest.mark.parametrize(
    "gap", ["  ", "\t", "\n", "\r\n", "\u00a0", "\u2003", "\u3000", "\u2028", "\x85", " \t\u2009\n "]
)
def test_every_run_of_white_space_is_one_space(gap: str) -> None:
    assert content_hash(f"the{gap}kiln") == hash_of("the kiln")


def test_a_space_is_not_nothing() -> None:
    assert content_hash("the kiln") != content_hash("thekiln")


@pytest.mark.requirement("s0:hash:4", "ruling:A10")
@pytest.mark.parametrize("text", [" kiln", "kiln ", "\n\tkiln\u3000", "\u00a0kiln\u2003", "\u200b kiln \u200b"])
def test_white_space_at_the_ends_is_trimmed(text: str) -> None:
    assert content_hash(text) == hash_of("kiln")


@pytest.mark.requirement("s0:hash:5", "ruling:A10")
@pytest.mark.parametrize(
    "hidden",
    ["\u200b", "\u200c", "\u200d", "\ufeff", "\u00ad", "\u2060", "\u202e", "\x00", "\x07", "\x1b", "\x7f", "\x9f"],
)
def test_what_cannot_be_seen_is_removed(hidden: str) -> None:
    assert content_hash(f"ki{hidden}ln") == hash_of("kiln")
    assert content_hash(f"{hidden}straße{hidden}") == hash_of("strasse")
