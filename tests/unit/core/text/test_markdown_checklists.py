"""Items of lists, read as a person reads them."""

import pytest

from tables import tables
from voice.core.text.markdown import heading_above, list_item_of

TABLES = tables(__file__)


@pytest.mark.parametrize(("line", "text", "is_done"), TABLES["an_item_is_its_words_and_whether_it_is_done"])
def test_an_item_is_its_words_and_whether_it_is_done(line: str, text: str, *, is_done: bool | None) -> None:
    item = list_item_of(line)

    assert item is not None
    assert (item.text, item.is_done) == (text, is_done)
    assert line[item.start :].startswith(text)


@pytest.mark.parametrize("line", ["Call the dentist.", "-5 degrees", "[x] marks the spot", "2026 was good", "", "- "])
def test_another_line_is_no_item(line: str) -> None:
    assert list_item_of(line) is None
    assert list_item_of(f"- [ ] {line}x") is not None


def test_what_stands_over_a_list_says_what_list_it_is() -> None:
    text = "## Shopping:\n\n- flour\n- eggs"

    assert heading_above(text, text.index("- eggs")) == "Shopping"
    assert heading_above("- flour\n- eggs", 8) == ""
    assert heading_above("- flour", 0) == ""
    assert heading_above("  Paint\n    - red", 11) == "Paint"


def test_an_item_may_be_wrapped_and_then_its_further_lines_are_no_heading() -> None:
    item = list_item_of("- buy flour\n  for the bread")
    assert item is not None
    assert item.text == "buy flour for the bread"
    assert list_item_of("- flour\n- eggs") is None
    assert list_item_of("- run:\n  ```\n  make\n  ```") is None
    text = "To buy:\n- flour for\n  the bread\n  of Sunday\n- eggs"
    assert heading_above(text, text.index("- eggs")) == "To buy"
