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


def test_texts_that_differ_in_a_word_differ_in_their_hash() -> None:
    assert content_hash("I met Ada.") != content_hash("I met Eva.")


def test_a_lone_surrogate_can_be_hashed() -> None:
    assert content_hash("broken \ud800 text") != content_hash("broken text")


@pytest.mark.parametrize(("text", "clean"), TABLES["cleaning_drops_only_what_cannot_be_stored"])
def test_cleaning_drops_only_what_cannot_be_stored(text: str, clean: str) -> None:
    assert clean_text(text) == clean


HASHES = TABLES["texts_that_differ_only_in_what_is_not_read_have_one_hash"]


@pytest.mark.requirement("s0:hash:1", "s0:hash:2", "s0:hash:3", "s0:hash:4", "s0:hash:5", "ruling:A10")
@pytest.mark.parametrize(("text", "normal"), [tuple(pair) for pairs in HASHES.values() for pair in pairs])
def test_texts_that_differ_only_in_what_is_not_read_have_one_hash(text: str, normal: str) -> None:
    assert content_hash(text) == blake3(normal.encode()).hexdigest()


def test_a_space_is_not_nothing() -> None:
    assert content_hash("the kiln") != content_hash("thekiln")
