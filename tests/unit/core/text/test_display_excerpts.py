"""What is shown of a text where it does not fit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import tables
from voice.core.text.display import excerpt_around, trim_context, truncate

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("cli:excerpts")
TEXT = "Moved the kiln to the shed. Beth has the key."


@pytest.mark.parametrize(("text", "most", "shown"), TABLES["a_long_text_is_cut_at_a_word_and_says_so"])
def test_a_long_text_is_cut_at_a_word_and_says_so(text: str, most: int, shown: str) -> None:
    assert truncate(text, most) == shown


@given(st.text(), st.integers(min_value=1, max_value=80))
def test_what_is_shown_has_room_and_is_the_beginning(text: str, most: int) -> None:
    shown = truncate(text, most)
    assert len(shown) <= most
    assert shown == text or text.startswith(shown.removesuffix("…"))


@pytest.mark.parametrize(("before", "behind", "shown"), TABLES["what_stands_around_words_is_cut_at_words_and_says_so"])
def test_what_stands_around_words_is_cut_at_words_and_says_so(before: str, behind: str, shown: tuple[str, str]) -> None:
    assert trim_context(before, behind, is_more_before=True, is_more_behind=True) == shown
    assert trim_context(before, behind, is_more_before=False, is_more_behind=False) == (before, behind)


@pytest.mark.parametrize(
    ("span", "most", "shown"),
    [
        ((0, 5), 100, TEXT),
        ((0, 5), 20, "Moved the kiln to …"),
        ((10, 14), 14, "… the kiln to …"),
        ((37, 40), 20, "… Beth has the key."),
    ],
)
def test_a_long_text_is_shown_around_a_span(span: tuple[int, int], most: int, shown: str) -> None:
    assert excerpt_around(TEXT, span, most) == shown
