"""A value of a table is told of the row and the column that hold it."""

import pytest

from grounding_rows import answer_of, row
from voice.core.grounding.answerability.cells import rows_asked_about
from voice.core.grounding.answerability.compose import compose
from voice.core.grounding.answerability.passages import all_passages
from voice.core.grounding.values import Stance
from voice.core.text.words import words

BOARD = "| plant | watered | pruned |\n| --- | --- | --- |\n| fern | 14 | 25 |\n| olive | 31 | 47 |\n|  | 99 | 98 |\n"
TASTES = "| name | dreads | collects |\n| --- | --- | --- |\n| Ilse | moths | stamps |\n| Omar | wasps | coins |\n"


@pytest.mark.requirement("grounding:tables")
@pytest.mark.parametrize(
    ("question", "given"),
    [
        ("How often was the olive watered?", ["olive"]),
        ("How often were the fern and the olive pruned?", ["fern", "olive"]),
        ("What was watered more often than the fern?", ["fern", "olive", "moss rose", "rose"]),
        ("How often was each pruned?", ["fern", "olive", "moss rose", "rose"]),
        ("Which plant was pruned?", ["fern", "olive", "moss rose", "rose"]),
        ("When did the moss get water?", ["moss rose"]),
        ("How often was the moss rose pruned?", ["moss rose", "rose"]),
    ],
)
def test_of_a_table_the_rows_that_a_question_names_are_given(question: str, given: list[str]) -> None:
    names = ["fern", "olive", "moss rose", "rose"]
    table = "| plant | watered | pruned |\n| --- | --- | --- |\n" + "".join(f"| {name} | 4 | 5 |\n" for name in names)
    rows = [
        passage
        for passage in all_passages(row("S1", table + "\nThe shed is dry."))
        if "plant" not in passage.text and "---" not in passage.text
    ]

    kept = [one.text for one, is_asked in zip(rows, rows_asked_about(words(question), rows), strict=True) if is_asked]

    assert kept == [*(f"| {name} | 4 | 5 |" for name in given), "The shed is dry."]


@pytest.mark.requirement("grounding:tables")
def test_an_offline_answer_gives_the_row_of_a_table_that_was_asked_about() -> None:
    table = (
        "| Boat | Price | Sold on |\n|---|---|---|\n| Nele | 700 EUR | 2026-02-01 |\n| Otto | 450 EUR | 2026-03-09 |\n"
    )

    assert answer_of(compose("What is the price of Otto?", (row("S1", table),), Stance.SYNTHESIZE)) == (
        "Boat: Otto; Price: 450 EUR; Sold on: 2026-03-09."
    )
