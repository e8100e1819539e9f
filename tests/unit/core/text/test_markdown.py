"""The lines of a note and what they stand under."""

import pytest

from voice.core.text.markdown import outline_of

pytestmark = pytest.mark.requirement("answers:list")
NOTE = """---
title: Gate
---
# Garden
The gate is old.

Tools I need. To buy:
- saw
- paint
    - green
    a word on it
- [ ] brush

| Part | Price |
|---|---|
| Hinge | 4 |
| Bolt | 2 |

```
- no item
```
## Beds
1. beans
2) peas
---
"""


def under(head: str) -> list[str]:
    outline = outline_of(NOTE)
    (number,) = [place for place, line in enumerate(outline.lines) if line.said == head]
    return [outline.lines[place].said for place in outline.under(number)]


def test_items_stand_under_their_heading_their_bullet_or_the_line_that_leads_them_in() -> None:
    assert under("Beds") == ["beans", "peas"]
    assert under("To buy") == ["saw", "paint", "brush"]
    assert under("paint") == ["green"]


def test_a_table_behind_a_list_is_none_of_its_items() -> None:
    assert under("Garden") == ["Hinge, 4", "Bolt, 2"]


def test_what_stands_below_a_line_is_given_in_order_with_what_hangs_under_it() -> None:
    outline = outline_of(NOTE)
    lead = next(place for place, line in enumerate(outline.lines) if line.kind == "lead")
    assert [outline.lines[place].said for place in outline.below(lead)] == ["saw", "paint", "green", "brush"]


def test_neither_front_matter_nor_code_nor_rules_are_lines() -> None:
    said = {line.said for line in outline_of(NOTE).lines}
    assert "title: Gate" not in said
    assert "no item" not in said
    assert {"---", "Part, Price"}.isdisjoint(said)
    assert outline_of("---\nno end\n- a").lines[-1].said == "a"


def test_offsets_are_those_of_the_note() -> None:
    lines = outline_of(NOTE).lines
    assert [NOTE[line.start : line.end] for line in lines if line.kind == "row"] == ["| Hinge | 4 |", "| Bolt | 2 |"]
    assert "brush" in [NOTE[line.start : line.end] for line in lines]
    found = outline_of(NOTE)
    assert [found.lines[place].said for place in found.at(NOTE.index("green"), NOTE.index("green") + 1)] == ["green"]


def test_a_list_behind_a_table_is_none_of_its_rows() -> None:
    outline = outline_of("Prices:\n| Part | Price |\n|---|---|\n| Hinge | 4 |\n- a note\n")
    assert [outline.lines[place].said for place in outline.under(0)] == ["Hinge, 4"]
    assert outline.lines[-1].parent == -1


def test_a_line_that_is_indented_stands_under_its_bullet() -> None:
    outline = outline_of("- shed\n    the roof leaks\n    to do:\n        - tar\n")
    assert [line.parent for line in outline.lines] == [-1, 0, 0, 2]
