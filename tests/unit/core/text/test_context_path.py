"""The context path of a line: what a reader of the note sees above it."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import tables
from voice.core.text.note_context import MAX_STEP_CHARS, MAX_STEPS, context_paths, title_of

TABLES = tables(__file__)

NOTE = """Intro.

# Garden
## Fence [map](http://example.org/map)
- Gate
  - still 20 a month from them
    More of it.
- Other
Plain end.

| item | cost |
| --- | --- |
| mount | 1200 |

```
# no heading
- no bullet
```
After the code.
"""


def path_of(line: str, note: str = NOTE, source_ref: str | None = "Home/Place.md") -> tuple[str, ...]:
    return context_paths(note, [note.index(line)], source_ref=source_ref)[0]


@pytest.mark.requirement("ruling:I1")
@pytest.mark.parametrize(("line", "path"), TABLES["a_line_stands_under_its_title_headings_and_bullets"])
def test_a_line_stands_under_its_title_headings_and_bullets(line: str, path: tuple[str, ...]) -> None:
    assert path_of(line) == path


@pytest.mark.requirement("ruling:I1")
def test_a_heading_closes_those_of_its_depth_and_the_bullets_before_it() -> None:
    assert path_of("after", "# One\n- a\n## Two\n# Three\nafter") == ("Place", "Three")


@pytest.mark.requirement("ruling:I1")
def test_bullets_that_are_indented_below_a_text_stand_under_it() -> None:
    note = "# Shops\n[[ACE]]\n\t- paint\n\t- glue\nText\n- nails\n\t- long"
    paths = {line: path_of(line, note)[2:] for line in ("- paint", "- glue", "- nails", "- long")}
    assert paths == {"- paint": ("[[ACE]]",), "- glue": ("[[ACE]]",), "- nails": (), "- long": ("nails",)}


@pytest.mark.requirement("ruling:I1")
def test_a_step_that_repeats_the_one_over_it_is_left_out() -> None:
    assert path_of("oil", "# Gate\noil", "Garden/gate.md") == ("gate",)


@pytest.mark.requirement("ruling:I1")
def test_a_code_block_holds_no_headings_and_only_its_own_fence_closes_it() -> None:
    assert path_of("end", "# One\n```\n# Two\nend") == ("Place", "One")
    assert path_of("end", "# One\n- ```\n  # Two\n  ````\nend") == ("Place", "One")
    assert path_of("end", "~~~\n```\n# One\n~~~py\n~~~~\nend") == ("Place",)


@pytest.mark.parametrize(("source_ref", "title"), TABLES["the_title_is_the_name_of_a_note"])
def test_the_title_is_the_name_of_a_note(source_ref: str | None, title: str | None) -> None:
    assert title_of(source_ref, datetime(2025, 3, 1, 23, tzinfo=UTC)) == title  # without days that this contradicts


def test_a_long_step_is_cut_and_a_deep_path_keeps_its_ends() -> None:
    note = "".join(f"{'  ' * depth}- step {depth}\n" for depth in range(20))
    deep = path_of("step 19", note)
    assert (len(deep), deep[0], deep[-1]) == (MAX_STEPS, "Place", "step 18")
    assert len(path_of("end", f"# {'long ' * 100}\nend")[-1]) <= MAX_STEP_CHARS


LINES = st.lists(
    st.sampled_from(["# A", "## B", "- c", "  - d", "\t- e", "1. f", "    g", "h", "", "```", "| a | b |", "|---|---|"])
)


@given(lines=LINES, title=st.sampled_from([None, "Note.md"]))
def test_a_path_is_a_function_of_what_stands_above(lines: list[str], title: str | None) -> None:
    note = "\n".join(lines)
    starts = [at for at, char in enumerate(note) if char != "\n"]
    together = context_paths(note, starts, source_ref=title)
    assert together == tuple(context_paths(note, [start], source_ref=title)[0] for start in starts)
