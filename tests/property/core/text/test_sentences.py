"""Laws of sentence spans: ordered, disjoint, trimmed, and no visible character is lost (ruling C13).

The laws of capping, searched by machine.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import tables
from voice.core.text.sentences import best_match_span, cap_span, sentence_spans, sentences

TABLES = tables(__file__)
_PIECES = st.sampled_from(TABLES["pieces"])
_TEXTS = st.one_of(st.text(max_size=200), st.lists(_PIECES, max_size=60).map("".join))


@given(_TEXTS)
def test_spans_are_ordered_disjoint_and_trimmed(text: str) -> None:
    spans = sentence_spans(text)
    previous = 0
    for start, end in spans:
        assert previous <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        previous = end


@given(_TEXTS)
def test_every_visible_character_is_in_a_span(text: str) -> None:
    covered = {index for start, end in sentence_spans(text) for index in range(start, end)}
    assert all(char.isspace() or index in covered for index, char in enumerate(text))


@given(_TEXTS)
def test_a_sentence_on_one_line_cut_again_is_itself(text: str) -> None:
    lines = [found for found in sentences(text) if len(found.splitlines()) == 1]
    assert [sentences(line) for line in lines] == [[line] for line in lines]


_WORDS = st.lists(
    st.sampled_from(
        ["a", "word", "3.14", "Dr.", "end.", "Why?", "。", "港", "👨‍👩‍👧", "e\u0301", "\n", "\u00a0", "x" * 90]
    ),
    max_size=400,
)
_TEXT = st.builds(str.join, st.sampled_from(["", " ", "  "]), _WORDS) | st.text(max_size=60)


@pytest.mark.requirement("ruling:C13", "s0:test:text-cap")
@given(_TEXT, st.integers(1, 60), st.integers(0, 60))
def test_a_cut_begins_at_the_beginning_and_keeps_to_its_limits(text: str, lower: int, room: int) -> None:
    start, end = cap_span(text, lower=lower, upper=lower + room)
    assert start == 0
    assert end == len(text) or 0 < end <= lower + room < len(text)


@pytest.mark.requirement("ruling:C12")
@given(_WORDS)
def test_a_cut_is_not_shorter_than_it_must_be(words: list[str]) -> None:
    text = " ".join(words)
    start, end = cap_span(text)
    assert end == len(text) or end - start >= 600


@given(_TEXT, st.lists(st.sampled_from(["word", "end", "港", "x", "3.14", "."]), max_size=4), st.integers(8, 200))
def test_a_match_window_holds_a_term_and_keeps_to_its_width(text: str, terms: list[str], width: int) -> None:
    span = best_match_span(text, terms, width=width)
    if span is None:
        return
    start, end = span
    assert 0 <= start < end <= len(text)
    assert end - start <= width
    assert any(term.casefold() in text[start:end].casefold() for term in terms)
