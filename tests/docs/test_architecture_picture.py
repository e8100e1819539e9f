"""docs/architecture.svg shows the imports as they are."""

from pathlib import Path

import pytest
from architecture_svg import architecture_svg, by_level, drawing, levels, reduced

ROOT = Path(__file__).resolve().parents[2]
DIAMOND = {"top": frozenset({"left", "right", "ground"}), "left": frozenset({"ground"}), "right": frozenset({"ground"})}
EDGES = {**DIAMOND, "ground": frozenset[str]()}


@pytest.mark.requirement("docs:architecture")
def test_the_picture_on_the_page_is_that_of_the_imports() -> None:
    """`make docs` draws it again."""
    assert (ROOT / "docs" / "architecture.svg").read_text(encoding="utf-8") == architecture_svg()


@pytest.mark.requirement("docs:architecture")
def test_each_stands_above_what_it_imports_and_no_arrow_says_what_others_say() -> None:
    assert by_level(EDGES) == [["top"], ["left", "right"], ["ground"]]
    assert reduced(EDGES) == [("left", "ground"), ("right", "ground"), ("top", "left"), ("top", "right")]


def test_a_circle_has_no_picture() -> None:
    with pytest.raises(ValueError, match=r"a circle among \['a', 'b'\]"):
        levels({"a": frozenset({"b"}), "b": frozenset({"a"})})


def test_a_name_is_drawn_as_text_whatever_is_in_it() -> None:
    drawn = drawing({"a<b": frozenset()}, {"a<b": {}})
    assert "a&lt;b" in drawn
    assert drawn == drawing({"a<b": frozenset()}, {"a<b": {}})
