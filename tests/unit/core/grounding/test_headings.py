"""Headings announce and are no claims, unless they state something (ruling D1)."""

import pytest

from grounding_rows import CITED, judged
from voice.core.grounding.headings import headings_of, is_heading

ITEMS = "- You moved to Stockholm in March 2021.\n- The flat costs 1,400 euros a month."


@pytest.mark.parametrize(
    "heading", ["Stockholm:", "**The flat in Stockholm:**", "## Anna and the flat", "| flat | euros |\n|---|---|"]
)
def test_a_heading_of_known_words_is_no_claim(heading: str) -> None:
    response = judged(f"{heading}\n{ITEMS}", *CITED)

    assert response.sentences[0].verdict == "not_a_claim"
    assert response.coverage_ratio == 1.0


@pytest.mark.parametrize(
    "heading", ["Your divorce in Stockholm:", "You left Anna in Stockholm:", "## Stockholm, bankrupt since 1999"]
)
def test_a_heading_that_states_something_is_judged(heading: str) -> None:
    assert judged(f"{heading}\n{ITEMS}", *CITED).sentences[0].verdict != "not_a_claim"


def test_what_stands_under_nothing_is_no_heading() -> None:
    assert not is_heading(["Stockholm:"], 0)
    assert is_heading(["Stockholm:", "- a flat"], 0)
    assert not is_heading(["You moved to Stockholm:", "- a flat"], 0)


def test_items_stand_under_their_heading_until_a_sentence_that_is_none() -> None:
    texts = ["Boats:", "- one", "2. two", "They sank.", "- three"]

    assert headings_of(texts) == [None, 0, 0, None, None]
