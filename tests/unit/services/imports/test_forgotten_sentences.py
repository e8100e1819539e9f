"""What a file says without the sentences that were forgotten by themselves."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store_values import NOON, thought
from tables import tables
from voice.core.records import Tombstone
from voice.core.text.normalise import clean_text, content_hash, keyed_hash
from voice.services.memory.forgotten_rows import SENTENCES, ForgottenSentences, guard_id, holds_sentence

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("ruling:I9:forgotten")
KEY = b"k" * 32
PARTS = ("Marta lives in Porto.", "Beth has the key.", "The kiln is hot.", "It was fired twice.")


def sealed(*sentences: str) -> ForgottenSentences:
    hashes = frozenset(keyed_hash(KEY, content_hash(clean_text(each))) for each in sentences)
    return ForgottenSentences(hashes=hashes, key=KEY)


@pytest.mark.parametrize(("said", "left"), TABLES["the_sentence_goes_and_every_other_character_stays"])
def test_the_sentence_goes_and_every_other_character_stays(said: str, left: str) -> None:
    found = sealed("Beth has the key.").out_of([thought("1", said, source_ref="a.md"), thought("2", "Z.")])
    assert [each.content for each in found.thoughts] == [left, "Z."]
    assert found.cut == {"t:1"}
    assert [(each.where, each.reason, each.count) for each in found.left_out] == [("a.md", SENTENCES, 1)]


def test_a_note_that_says_nothing_else_does_not_come_in() -> None:
    found = sealed("Beth has the key.").out_of([thought("1", "- Beth has the key.")])
    assert (found.thoughts, found.left_out[0].where) == ((), "t:1")


def test_sentences_that_were_forgotten_in_one_go_in_one() -> None:
    both = "Beth has the key. The kiln is hot."
    found = sealed(both, "Beth has the key.").out_of([thought("1", f"{PARTS[0]} {both} {PARTS[3]}")])
    assert [each.content for each in found.thoughts] == [f"{PARTS[0]} {PARTS[3]}"]


def test_where_nothing_was_forgotten_nothing_is_looked_for() -> None:
    rows = (thought("1", PARTS[1]),)
    assert sealed().out_of(rows).thoughts == rows


@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=8), st.sets(st.sampled_from(PARTS)))
def test_what_is_left_is_what_was_not_forgotten(said: list[str], gone: set[str]) -> None:
    found = sealed(*gone).out_of([thought("1", " ".join(said))])
    left = " ".join(each for each in said if each not in gone)
    assert [each.content for each in found.thoughts] == ([left] if left else [])


def test_a_sentence_is_held_that_was_forgotten_or_redacted_by_itself_or_with_its_note() -> None:
    by_itself = Tombstone(row_id=guard_id("t:1"), keyed_hash="x", reason="forgotten", at=NOON)
    bare = replace(by_itself, row_id=guard_id("o:1"), reason="redacted")
    others = (replace(by_itself, row_id="o:1"), replace(by_itself, row_id="t:1"), replace(bare, reason="finalised"))
    assert [holds_sentence(each) for each in (by_itself, bare, *others)] == [True] * 2 + [False] * 3
