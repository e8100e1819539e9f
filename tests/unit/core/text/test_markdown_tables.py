"""Rows of tables as a person reads them; what is stored stays as it was written."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grounding_rows import judge_composed, row
from voice.core.answering.passage_draft import compose_passages
from voice.core.graph.thoughts.distillation import statement_spans
from voice.core.grounding.values import GroundingPolicy
from voice.core.render.answer import quoted
from voice.core.text.dates import stated_dates
from voice.core.text.markdown import cells_of, header_above, is_header, tables_as_text

TABLE = "| item | cost |\n|---|---:|\n| mount | 1200 |\n| lens | 5400 |"


@pytest.mark.requirement("grounding:tables")
def test_a_row_is_its_cells_under_their_header() -> None:
    assert tables_as_text(TABLE) == "item: mount; cost: 1200\nitem: lens; cost: 5400"
    assert tables_as_text("| lens | 5400 |", ("item", "cost")) == "item: lens; cost: 5400"
    assert tables_as_text("| lens | 5400 |") == "lens; 5400"
    assert tables_as_text("| lens | | spare |", ("item", "cost")) == "item: lens; spare"
    assert tables_as_text("| a \\| b | c |") == "a | b; c"


def test_a_header_without_rows_is_a_list_of_its_columns() -> None:
    assert tables_as_text("| item | cost |\n|---|---|") == "item, cost"


@pytest.mark.parametrize("text", ["a | b means or", "no table at all", "| open", "Costs:\n\nnone | yet", ""])
def test_what_is_no_table_stays_as_it_is(text: str) -> None:
    assert tables_as_text(text) == text
    assert cells_of(text) is None


def test_text_around_a_table_stays_and_ends_its_header() -> None:
    text = f"Costs:\n{TABLE}\nThat is all.\n| lens | 5400 |"
    assert tables_as_text(text).split("\n")[-2:] == ["That is all.", "lens; 5400"]
    assert tables_as_text(text).startswith("Costs:\nitem: mount")


def test_the_header_of_a_row_stands_above_it() -> None:
    text = f"Costs:\n\n{TABLE}"
    assert header_above(text, text.index("| lens")) == ("item", "cost")
    assert header_above(text, text.index("| item")) is None
    assert header_above("| lens | 5400 |", 0) is None
    assert header_above("| a | b |\n| c | d |", 10) is None
    assert is_header(text, text.index("|\n|---") + 1)
    assert not is_header(text, len(text))


def test_a_row_of_dashes_is_a_row_and_a_long_rule_begins_another_table() -> None:
    first = "| item | cost |\n|---|---|\n| mount | 1200 |\n| - | - |\n| lens | 5400 |\n"
    text = f"{first}| task | by |\n|---|---|\n| saw | 5 |"

    assert header_above(text, text.index("| lens")) == ("item", "cost")
    assert header_above(text, text.index("| saw")) == ("task", "by")
    assert not is_header(text, text.index("\n| - "))
    assert is_header(text, text.index("\n|---|---|\n| saw"))
    assert tables_as_text(text) == "item: mount; cost: 1200\nitem: lens; cost: 5400\ntask: saw; by: 5"


@given(st.text(alphabet="ab|-: \n\\", max_size=60))
def test_reading_a_table_never_loses_a_letter(text: str) -> None:
    assert [char for char in tables_as_text(text) if char in "ab"] == [char for char in text if char in "ab"]


@pytest.mark.requirement("grounding:tables", "ruling:C13")
def test_an_answer_gives_a_row_in_words_and_cites_it_as_it_was_written() -> None:
    rows = (row("S1", TABLE), row("S2", "The lens was made in Jena."))
    given = [replace(each, passage=number, is_hit=True) for number, each in enumerate(rows)]
    draft = compose_passages("What is the cost of the lens?", given)
    response = judge_composed(draft, rows, GroundingPolicy(min_sources=1), question="What is the cost of the lens?")

    assert "item: lens; cost: 5400." in response.answer
    assert "|" not in response.answer
    spans = [source.span for source in response.sources if source.source_id == "o:s1"]
    assert "| lens | 5400 |" in spans
    assert all(TABLE[one.span_start : one.span_end] == one.span for one in response.sources if one.source_id == "o:s1")
    assert quoted("| lens | 5400 |") == "lens; 5400"


@pytest.mark.requirement("grounding:tables")
def test_the_rows_of_a_table_are_kept_together_with_their_header() -> None:
    text = f"Budget for the prototype.\n\n{TABLE}\n\nThe total is too high for Marta."
    assert any(TABLE in text[start:end] for start, end in statement_spans(text, in_dialogue=False))


@pytest.mark.parametrize(("line", "months"), [("| Tax | 780 | March |", 1), ("| May | 3 |", 1), ("We march on.", 0)])
def test_a_month_alone_in_a_cell_is_a_month(line: str, months: int) -> None:
    assert len(stated_dates(line)) == months
