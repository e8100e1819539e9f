"""One sentence of a row, found by its words."""

import pytest

from store_values import observation, thought
from tables import tables
from voice.core.graph.thoughts.sentence_edits import sentence_at, sentence_matches, sentences_of

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("ruling:I9:sentence")


@pytest.mark.parametrize(("text", "old", "new", "after"), TABLES["the_words_alone_are_put_otherwise"])
def test_the_words_alone_are_put_otherwise(text: str, old: str, new: str, after: str) -> None:
    (told,) = sentence_matches(thought("1", text), old)
    assert told.put(new) == after


@pytest.mark.parametrize(
    ("text", "words", "rest"), TABLES["a_sentence_is_left_out_with_its_line_where_nothing_else_stands_there"]
)
def test_a_sentence_is_left_out_with_its_line_where_nothing_else_stands_there(text: str, words: str, rest: str) -> None:
    (told,) = sentence_matches(thought("1", text), words)
    assert told.without() == rest


def test_a_sentence_that_a_note_says_twice_is_one_and_goes_at_both_places() -> None:
    (told,) = sentence_matches(thought("1", "Call Beth. The kiln is hot. Call Beth."), "call beth")
    assert (told.put("Call Ana"), told.without()) == ("Call Ana. The kiln is hot. Call Ana.", "The kiln is hot.")
    assert told.changed("Call Ana") == "Call Ana."


def test_part_of_a_word_is_not_the_word_and_nothing_is_found_where_nothing_is_said() -> None:
    row = observation("1", "The kilns are hot.")
    assert (sentence_matches(row, "kiln"), sentence_matches(row, "..."), sentence_at(row, 90, 99)) == ((), (), None)


def test_a_stretch_over_two_sentences_means_both() -> None:
    row = observation("1", "The kiln is hot. Beth has the key. I like tea.")
    told = sentence_at(row, 10, 20)
    assert told is not None
    assert told.sentence == "The kiln is hot. Beth has the key."
    assert len(sentences_of(row.text)) == 3
