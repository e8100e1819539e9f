"""A value of a table is told of the row and the column that hold it."""

import pytest

from grounding_rows import grounds, row
from voice.core.grounding.claims import judge_sentence

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
