"""The laws of capping, searched by machine."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.core.text.sentences import best_match_span, cap_span

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
