"""A budget that holds for the parts of a prompt holds for the whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.core.token_estimates import _TODAY, estimate_tokens  # pyright: ignore[reportPrivateUsage] - what it is a sum of

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


@given(
    st.lists(
        _TEXT | st.sampled_from(["remembered", "It's", "x" * 40, "many words " * 200, "  \n", "学" * 40]), max_size=6
    ),
    st.sampled_from([" ", "\n", "\n\n ", ""]),
)
def test_a_text_costs_the_same_word_by_word_as_at_one_go(words: list[str], gap: str) -> None:
    """Costs of lines and words are remembered, which is right only while no cost looks across the beginning of one."""
    text = gap.join(words)
    edges, cost = _TODAY.edges, _TODAY.cost(text)
    assert estimate_tokens(text) == (-(-(edges + cost) // 1000) if text else 0)
