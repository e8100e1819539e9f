"""A value of a table is told of the row and the column that hold it."""

import pytest

from grounding_rows import grounds, row
from voice.core.grounding.cells import rows_asked_about
from voice.core.grounding.claims import judge_sentence
from voice.core.grounding.compose import compose
from voice.core.grounding.passages import all_passages
from voice.core.grounding.values import Stance
from voice.core.text.words import words

BOARD = "| plant | watered | pruned |\n| --- | --- | --- |\n| fern | 14 | 25 |\n| olive | 31 | 47 |\n|  | 99 | 98 |\n"
TASTES = "| name | dreads | collects |\n| --- | --- | --- |\n| Ilse | moths | stamps |\n| Omar | wasps | coins |\n"


def _verdict(claim: str, *texts: str) -> tuple[str, set[str]]:
    judged = judge_sentence(claim, grounds(*(row(f"S{n}", text) for n, text in enumerate(texts, 1))), 1.65)
    return judged.verdict, {finding.text for finding in judged.findings if finding.text.startswith("the table gives")}


@pytest.mark.requirement("grounding:tables")
@pytest.mark.parametrize(
    ("claim", "where"),
    [
        ("For the fern 25 was watered and 14 pruned.", "in another column"),
        ("The fern was watered 31 times.", "of another row"),
        ("The fern was watered 31 and the olive 14 times.", "of another row"),
        ("Ilse dreads stamps.", "in another column"),
        ("Ilse collects moths and dreads stamps.", "in another column"),
        ("Ilse dreads wasps.", "of another row"),
        ("It was pruned 14 times.", "in another column"),
    ],
)
def test_a_value_of_another_cell_is_not_supported(claim: str, where: str) -> None:
    verdict, reasons = _verdict(claim, BOARD + "\n" + TASTES)

    assert verdict != "supported"
    assert reasons == {f"the table gives this {where}"}


@pytest.mark.requirement("grounding:tables")
@pytest.mark.parametrize(
    "claim",
    [
        "The fern was watered 14 times and pruned 25 times.",
        "The fern was watered 14 and the olive 31 times.",
        "The fern and the olive were watered 14 and 31 times.",
        "plant: fern; watered: 14; pruned: 25.",
        "Ilse dreads moths and collects stamps.",
        "Ilse collects stamps.",
        "Ilse was pruned.",
        "The fern was admired 77 times.",
    ],
)
def test_a_value_of_its_own_cell_is_not_called_anothers(claim: str) -> None:
    assert not _verdict(claim, BOARD + "\n" + TASTES)[1]


def test_what_a_sentence_beside_the_table_says_is_not_the_tables() -> None:
    assert not _verdict("The fern was watered 31 times.", BOARD, "The fern was watered 31 times in May.")[1]


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

    assert compose("What is the price of Otto?", (row("S1", table),), Stance.SYNTHESIZE).answer == (
        "Boat: Otto; Price: 450 EUR; Sold on: 2026-03-09."
    )
