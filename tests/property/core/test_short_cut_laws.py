"""What is looked at first only to be done sooner never changes what is found."""

import re
from string import ascii_letters, digits

import pytest
import regex
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from voice.core.grounding import opposed
from voice.core.text import instructions
from voice.core.text.comparable import comparable
from voice.core.text.words import forms_in, stems_in, words

_PIECES = st.sampled_from(
    ["7:40am", "150mg", "don't", "dogs'", "3.5", "1,000m", "a.m.", "x", "U.S.", "Zoë", "日本", "12b"]
)
TEXTS = st.lists(st.one_of(_PIECES, st.text(ascii_letters + digits + " .,:;'\"-_|\t\n", max_size=8))).map(" ".join)


@given(TEXTS | st.text())
def test_the_stems_and_the_forms_of_a_text_are_those_of_its_words(text: str) -> None:
    found = words(text)
    assert stems_in(text) == {word.stem for word in found}
    assert forms_in(text) == {form for word in found for form in (word.key, word.stem)}


@given(TEXTS | st.text(), st.sampled_from(["", "\u0301", "\u200b", "²", "\u00ad"]))
def test_a_run_of_plain_words_reads_as_its_characters_do(text: str, mark: str) -> None:
    """Each character of the comparable form is that of the place it stands for, read alone with its marks."""
    found = comparable(text + mark + text)
    assert len(found.text) == len(found.starts) == len(found.ends)
    whole = text + mark + text
    for char, start, end in zip(found.text, found.starts, found.ends, strict=True):
        assert char in comparable(whole[start:end]).text + " ^"


_RARE = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]


def _lines() -> list[tuple[tuple[str, ...], str]]:
    found: list[tuple[tuple[str, ...], str]] = []
    for block in instructions._PATTERNS.strip().replace("\n  +", "").split("\n# "):
        _, telltales, *lines = block.split("\n")
        parted = "\n".join(lines)
        for name, part in instructions._PARTS.items():
            parted = parted.replace(f"{{{name}}}", part)
        found += [(tuple(telltales.removeprefix("? ").split("|")), line) for line in parted.split("\n")]
    return found


@pytest.mark.parametrize(
    ("telltales", "line"), [pytest.param(*one, id=one[1][:40]) for one in _lines() if one[1].isascii()]
)
def test_whatever_a_pattern_of_an_order_matches_holds_a_telltale_of_its_kind(
    telltales: tuple[str, ...], line: str
) -> None:
    """Without one the patterns are not looked at."""
    pattern = regex.compile(line, regex.MULTILINE | regex.DOTALL)

    @settings(max_examples=10, phases=[Phase.generate], suppress_health_check=_RARE, deadline=None)
    @given(st.from_regex(re.compile(line, re.MULTILINE | re.DOTALL | re.ASCII)))
    def every(text: str) -> None:
        assert pattern.search(text) is None or any(one in text for one in telltales)

    every()


_SPOKEN = [
    "I",
    "am",
    "not",
    "well",
    "have",
    "over",
    "the",
    "flu",
    "broke",
    "my",
    "wrist",
    "half-way",
    "in",
    "pain",
    "SINGLE",
    "é",
]


@settings(deadline=None)  # the first text makes the table
@given(st.lists(st.sampled_from(_SPOKEN)))
def test_every_state_of_a_text_begins_with_a_word_that_may_begin_it(said: list[str]) -> None:
    text = " ".join(said)
    assert opposed.states_of(text) == opposed.states_of(text, range(len(opposed._PAIRS)))
