"""A budget that holds for the parts of a prompt holds for the whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.core.tokens import estimate_tokens

_TEXT = (
    st.text(st.characters(), max_size=120)
    | st.text('aZ09 \n\t.!{}"学é😀', max_size=120)
    | st.text("abIxqQ'^_. ", max_size=60)  # letters alone, in twos, in pairs that no word has; unlike signs
)


@pytest.mark.requirement("ruling:D15")
@given(_TEXT, _TEXT)
def test_joining_two_texts_never_costs_more_than_both(left: str, right: str) -> None:
    assert estimate_tokens(left + right) <= estimate_tokens(left) + estimate_tokens(right)


@given(_TEXT, _TEXT)
def test_adding_text_never_lowers_the_estimate(left: str, right: str) -> None:
    assert max(estimate_tokens(left), estimate_tokens(right)) <= estimate_tokens(left + right)


@given(_TEXT)
def test_only_the_empty_text_is_free(text: str) -> None:
    assert (estimate_tokens(text) == 0) is (text == "")
