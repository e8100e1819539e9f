"""Where a sentence is cut into parts, and that no word is lost (ruling D1)."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.core.grounding.clauses import parts_of, words_of
from voice.core.text.words import Word, words

COMPOUND: list[tuple[str, list[str]]] = [
    ("Ada bought a boat; the police were called.", ["Ada bought a boat;", "the police were called."]),
    ("Ada bought a boat — the mayor wept.", ["Ada bought a boat —", "the mayor wept."]),
    ("Ada bought a boat but sold the car.", ["Ada bought a boat", "but sold the car."]),
    ("Ada bought a boat because Ben insisted.", ["Ada bought a boat", "because Ben insisted."]),
    ("Ada bought a boat, which annoyed Ben.", ["Ada bought a boat", "which annoyed Ben."]),
    ("Ada bought a boat and moved to Bergen.", ["Ada bought a boat", "and moved to Bergen."]),
    ("Ada bought a boat, costing 400 euros.", ["Ada bought a boat,", "costing 400 euros."]),
    ("Ada met Carl, a retired pilot.", ["Ada met Carl,", "a retired pilot."]),
    ("While Ada slept badly, Ben painted the kitchen.", ["While Ada slept badly,", "Ben painted the kitchen."]),
    ("Ada met Ben at 5 p.m. Carl stole the boat.", ["Ada met Ben at 5 p.m.", "Carl stole the boat."]),
    ("Ada kaufte ein Boot, weil Ben drängte heftig.", ["Ada kaufte ein Boot", "weil Ben drängte heftig."]),
]
SIMPLE = [
    "Ada bought apples, pears and plums.",
    "Ada bought 1,400 grams of flour and two dozen eggs.",
    "Ada said “I bought a boat because Ben insisted.”",
    "Ada bought a boat (because Ben insisted).",
    "Ada slept because she could.",
    "",
]


@pytest.mark.parametrize(("sentence", "expected"), COMPOUND)
def test_a_sentence_is_cut_where_a_second_statement_begins(sentence: str, expected: list[str]) -> None:
    assert [sentence[start:end] for start, end in parts_of(sentence, words(sentence))] == expected


@pytest.mark.parametrize("sentence", SIMPLE)
def test_a_list_a_quotation_and_a_tail_of_small_words_are_no_part_of_their_own(sentence: str) -> None:
    assert len(parts_of(sentence, words(sentence))) == 1


_PIECES = st.sampled_from(
    ["Ada ", "boat", " and ", ", ", "; ", " because ", "bought ", "“", "”", "(", ")", " — ", "p.m. "]
)


@given(st.one_of(st.text(max_size=80), st.lists(_PIECES, max_size=30).map("".join)))
def test_parts_are_in_order_apart_and_hold_every_word(sentence: str) -> None:
    found = words(sentence)
    parts = parts_of(sentence, found)

    assert all(0 <= start <= end <= len(sentence) for start, end in parts)
    assert all(first.end <= second.start for first, second in pairwise(parts))
    assert [word for part in parts for word in words_of(part, found)] == found


class _Read(list[Word]):
    """Words that count how often they were gone through."""

    times = 0

    def __iter__(self) -> Iterator[Word]:
        self.times += 1
        return super().__iter__()


def test_the_words_of_a_sentence_are_gone_through_no_oftener_for_more_commas() -> None:
    read: list[int] = []
    for count in (3, 300):
        text = ", ".join(["she bought a kettle and he sold 40 cups"] * count)
        found = _Read(words(text))
        assert len(parts_of(text, found)) > count
        read.append(found.times)

    assert read[0] == read[1]
