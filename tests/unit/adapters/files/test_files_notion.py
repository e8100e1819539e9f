"""Databases of Notion: a row is its page, and one without a page comes in as a note at its place."""

from pathlib import Path

import pytest

from voice.adapters.files.opening import open_reading
from voice.adapters.files.sniff import detect_format
from voice.core.interchange.foreign.notion import with_pages
from voice.core.interchange.lines import BadLine, FileLine, LeftOut, ParsedLine, ThoughtLine
from voice.core.text.context_path import context_paths
from voice.ports.files import FileFormat, ReadRequest

pytestmark = pytest.mark.requirement("imports:databases")
DB, ONE, TWO = "a" * 32, "b" * 32, "c" * 32
TABLE = """\
\ufeffName,Status,Created,Tags,Note
Buy cobalt,Open,"March 5, 2024 2:02 PM","shed, craft","Ask Irma,
she knows."
Fire the kiln,Done,,,
Call Paul,Open,,,
,,,,
"""
PAGE = "# Fire the kiln\n\nStatus: Done by Irma\n\nIt went well."


def export(root: Path, folder: str = f"Tasks {DB}", table: str = f"Tasks {DB}.csv") -> Path:
    """Write a database of four rows, two of which have a page."""
    (root / "Export" / folder).mkdir(parents=True)
    (root / "Export" / table).write_text(TABLE, encoding="utf-8")
    (root / "Export" / folder / f"Fire the kiln {ONE}.md").write_text(PAGE, encoding="utf-8")
    (root / "Export" / folder / f"Call Paul {TWO}.md").write_text("# Call Paul\n\nAt noon.", encoding="utf-8")
    return root / "Export"


def read(path: Path) -> list[FileLine]:
    reading = open_reading(ReadRequest(path=str(path)))
    lines = list(reading.lines)
    reading.close()
    return lines


def thoughts(lines: list[FileLine]) -> dict[str, ThoughtLine]:
    records = [line.record for line in lines if isinstance(line, ParsedLine)]
    return {each.source_ref or "": each for each in records if isinstance(each, ThoughtLine)}


@pytest.mark.parametrize("folder", [f"Tasks {DB}", "Tasks", "."], ids=["by id", "by title", "beside it"])
@pytest.mark.parametrize("table", [f"Tasks {DB}.csv", f"Tasks {DB}_all.csv"], ids=["view", "whole"])
def test_a_row_is_its_page_and_one_without_a_page_is_a_note(tmp_path: Path, folder: str, table: str) -> None:
    path = export(tmp_path, folder, table)
    assert detect_format(path) is FileFormat.NOTION
    lines = read(path)
    found = thoughts(lines)
    where = "" if folder == "." else f"{folder}/"
    assert found.keys() == {
        f"{where}Fire the kiln {ONE}.md",
        f"{where}Call Paul {TWO}.md",
        f"Tasks {DB}.csv#Buy cobalt",
    }
    assert found[f"{where}Fire the kiln {ONE}.md"].content == PAGE
    assert found[f"{where}Call Paul {TWO}.md"].content == "# Call Paul\n\nStatus: Open\n\nAt noon."
    row = found[f"Tasks {DB}.csv#Buy cobalt"]
    assert row.content == (
        "# Buy cobalt\n\nStatus: Open\nCreated: March 5, 2024 2:02 PM\nTags: shed, craft\nNote: Ask Irma,\nshe knows."
    )
    assert (str(row.created_at)[:10], row.tags) == ("2024-03-05", ("shed", "craft"))
    start = row.content.index("Status")
    assert context_paths(row.content, [start], source_ref=row.source_ref) == (("Tasks", "Buy cobalt"),)
    assert [(each.reason, each.count) for each in lines if isinstance(each, LeftOut)] == [
        ("rows of databases without words", 1)
    ]


def test_the_whole_database_counts_and_not_its_view_beside_it(tmp_path: Path) -> None:
    path = export(tmp_path)
    (path / f"Tasks {DB}_all.csv").write_text("Name,Status\nBuy cobalt,Open\nSell the van,Open\n", encoding="utf-8")
    found = thoughts(read(path))
    assert [name for name in found if "#" in name] == [f"Tasks {DB}.csv#Buy cobalt", f"Tasks {DB}.csv#Sell the van"]


def test_rows_of_one_title_are_told_apart_and_a_title_alone_is_a_note(tmp_path: Path) -> None:
    table = tmp_path / f"Books {DB}.csv"
    table.write_text("Name,Author\nDune,\nEmma,Austen\nEmma,Someone\n,Nobody\n", encoding="utf-8")
    found = {name.partition("#")[2]: each.content for name, each in thoughts(read(table)).items()}
    assert found == {
        "Dune": "# Dune\n\nName: Dune",
        "Emma": "# Emma\n\nAuthor: Austen",
        "Emma (2)": "# Emma\n\nAuthor: Someone",
        "": "Author: Nobody",
    }


def test_a_page_without_words_is_what_its_row_says(tmp_path: Path) -> None:
    path = export(tmp_path)
    (path / f"Tasks {DB}" / f"Call Paul {TWO}.md").write_text("\n", encoding="utf-8")
    assert thoughts(read(path))[f"Tasks {DB}/Call Paul {TWO}.md"].content == "# Call Paul\n\nStatus: Open"


def test_a_page_in_html_shows_its_properties_as_in_markdown(tmp_path: Path) -> None:
    (tmp_path / f"Kiln {ONE}.html").write_text(
        '<html><body><article id="x" class="page"><header><h1 class="page-title">Kiln</h1>'
        '<table class="properties"><tbody><tr class="property-row"><th><span class="icon"><img src="x"/></span>Created'
        "</th><td><time>@March 5, 2024 2:02 PM</time></td></tr><tr><th>Tags</th><td><span>shed</span></td></tr></tbody>"
        '</table></header><div class="page-body"><p>It is hot.</p></div></article></body></html>',
        encoding="utf-8",
    )
    (page,) = thoughts(read(tmp_path)).values()
    assert page.content == "Kiln\n\nCreated: March 5, 2024 2:02 PM\nTags: shed\n\nIt is hot."
    assert (str(page.created_at)[:10], page.tags) == ("2024-03-05", ("shed",))


@pytest.mark.parametrize(
    ("source", "reason"),
    [(b'Name\n"Kiln', "is no table"), (b"Name\n\xff\xfe", "is not UTF-8 text")],
)
def test_a_table_that_cannot_be_read_is_named_and_costs_no_page(tmp_path: Path, source: bytes, reason: str) -> None:
    path = export(tmp_path)
    (path / f"Tasks {DB}.csv").write_bytes(source)
    lines = read(path)
    assert len(thoughts(lines)) == 2
    (bad,) = [line for line in lines if isinstance(line, BadLine)]
    assert (bad.where, bad.reason.partition(" (")[0].partition(";")[0]) == (f"Tasks {DB}.csv", reason)


def test_a_page_whose_name_was_cut_or_lacks_signs_is_its_rows_and_of_one_row_alone() -> None:
    title = "What is the best way to fire: a kiln / of bricks?"
    cut = f"What is the best way to fire a kiln {ONE}"
    rows = [(("Name", title),), (("Name", "Short"),), (("Name", "Shorter"),), (("Name", ""),), (("Name", "Short"),)]
    found, left = with_pages(rows, [cut, f"Short {TWO}", f"Untitled {DB}"])
    assert found == {cut: rows[0], f"Short {TWO}": rows[1], f"Untitled {DB}": rows[3]}
    assert left == [rows[2], rows[4]]
