"""The lines of a note and what they stand under."""

import pytest

from tables import tables
from voice.core.text.markdown import code_apart, outline_of, with_code_whole
from voice.core.text.markup import readable, without_markup

TABLES = tables(__file__)

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
    assert [line.said for line in outline_of("- a\n\t- ```c\n\t  # b\n\t  ```c\n\t  ````\n\t- d").lines] == ["a", "d"]


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


def test_a_text_owns_the_bullets_that_are_indented_right_below_it() -> None:
    outline = outline_of("# Shops\n[[ACE]]\n\t- paint\n\t- glue\nText\n- nails\n")
    assert [line.parent for line in outline.lines] == [-1, 0, 1, 1, 0, 0]


@pytest.mark.requirement("grounding:markup")
@pytest.mark.parametrize(("text", "shown"), TABLES["links_and_emphasis_are_read_by_their_words"])
def test_links_and_emphasis_are_read_by_their_words_and_code_as_it_stands(text: str, shown: str) -> None:
    assert without_markup(text) == shown


@pytest.mark.requirement("grounding:markup")
def test_a_stretch_is_found_again_without_the_marks_before_it() -> None:
    text, spans = readable("**The kiln is hot.** It [glows](http://u).", [(0, 20), (21, 42)])
    assert [text[start:end] for start, end in spans] == ["The kiln is hot.", "It glows."]


@pytest.mark.parametrize(("text", "prose", "code"), TABLES["a_block_of_code_is_one_sentence_with_what_leads_it_in"])
def test_a_block_of_code_is_one_sentence_with_what_leads_it_in(text: str, prose: str, code: str) -> None:
    start, end = with_code_whole(text)[0]
    assert code_apart(text, (start, end)) == (prose, code)
    assert (end == len(text)) is (text == prose or bool(code))


def test_code_inside_fences_is_found_once_and_keeps_its_marks() -> None:
    text = "Look:\n\n    $ a\n\n```\nRun:\n\n    $ b\n```\nDone **well**."
    spans = with_code_whole(text)
    assert [text[start:end] for start, end in spans] == [
        "Look:\n\n    $ a",
        "```\nRun:\n\n    $ b\n```",
        "Done **well**.",
    ]
    assert without_markup("```\n**a** [b](c)\n```\n**d**") == "```\n**a** [b](c)\n```\nd"
