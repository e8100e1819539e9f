"""The stems of a text are those of its words, however they are come by."""

from hypothesis import given
from hypothesis import strategies as st

from voice.core.text.words import stems_in, words

TEXTS = st.one_of(st.text(max_size=60), st.text(alphabet="aeInst'’.,:-0129$% \n", max_size=60))


@given(TEXTS)
def test_the_stems_in_a_text_are_those_of_its_words(text: str) -> None:
    assert stems_in(text) == frozenset(word.stem for word in words(text))


def test_numbers_times_and_endings_are_read_as_in_words() -> None:
    assert {"1,200", "3rd", "13:30", "run"} <= stems_in("The 3rd of 1,200 shoes; he ran at 13:30")
