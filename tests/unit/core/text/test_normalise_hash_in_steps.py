"""What each step of the normal form does to a hash, one step at a time.

Every text here needs its own step and no other one: without that step its hash would be another.
"""

import pytest
from blake3 import blake3

from voice.core.text.normalise import content_hash


def hash_of(normal: str) -> str:
    return blake3(normal.encode()).hexdigest()


@pytest.mark.requirement("s0:hash:1", "ruling:A10")
@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("ﬁle", "file"),
        ("x²", "x2"),
        ("ｋｉｌｎ", "kiln"),
        ("cafe\u0301", "caf\u00e9"),
        ("\u212b", "\u00e5"),
        ("Ⅳ", "iv"),
    ],
)
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
