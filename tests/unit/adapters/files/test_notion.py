"""Databases of Notion: a row is its page, and one without a page comes in as a note at its place."""

from pathlib import Path

import pytest

from interchange_values import broken, contents, records
from read_files import lay_out, read
from voice.adapters.files.detection import detect_format
from voice.core.interchange.foreign.notion import rows_with_pages
from voice.core.interchange.memory_lines import FileLine, Omission, ThoughtLine
from voice.core.text.note_context import context_paths
from voice.ports.files import FileFormat

pytestmark = pytest.mark.requirement("imports:databases")
DB, ONE, TWO = "a" * 32, "b" * 32, "c" * 32
TABLE = """\
\ufeffName,Status,Created,Tags,Note
Buy cobalt,Open,"March 5, 2024 2:02 PM → March 8, 2024","shed, craft","Ask Irma,
she knows."
Fire the kiln,Done,,,
Call Paul,Open,,,
,,,,
"""
PAGE = "# Fire the kiln\n\nStatus: Done by Irma\n\nIt went well."


def export(root: Path, folder: str = f"Tasks {DB}", table: str = f"Tasks {DB}.csv") -> Path:
    """Write a database of four rows, two of which have a page."""
    call = "# Call Paul\n\nAt noon."
    pages = {f"{folder}/Fire the kiln {ONE}.md": PAGE, f"{folder}/Call Paul {TWO}.md": call}
    return lay_out(root / "Export", {table: TABLE, **pages})


def thoughts(lines: list[FileLine]) -> dict[str, ThoughtLine]:
    return {each.source_ref or "": each for each in records(lines)}


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
        "# Buy cobalt\n\nStatus: Open\nCreated: March 5, 2024 2:02 PM → March 8, 2024\nTags: shed, craft\n"
        "Note: Ask Irma,\nshe knows."
    )
    assert (str(row.created_at)[:10], row.tags) == ("2024-03-05", ("shed", "craft"))
    start = row.content.index("Status")
    assert context_paths(row.content, [start], source_ref=row.source_ref) == (("Tasks", "Buy cobalt"),)
    assert [(each.reason, each.count) for each in lines if isinstance(each, Omission)] == [
        ("rows of databases without text", 1)
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


def test_what_a_page_does_not_show_of_its_row_joins_its_properties(tmp_path: Path) -> None:
    path = export(tmp_path)
    (path / f"Tasks {DB}.csv").write_text("Name,Status,Due\nFire the kiln,Done,Q4\n", encoding="utf-8")
    page = thoughts(read(path))[f"Tasks {DB}/Fire the kiln {ONE}.md"]
    assert page.content == "# Fire the kiln\n\nStatus: Done by Irma\nDue: Q4\n\nIt went well."


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
    ("source", "reason"), [(b'Name\n"Kiln', "is not a table"), (b"Name\n\xff\xfe", "is not UTF-8 text")]
)
def test_a_table_that_cannot_be_read_is_named_and_costs_no_page(tmp_path: Path, source: bytes, reason: str) -> None:
    path = export(tmp_path)
    (path / f"Tasks {DB}.csv").write_bytes(source)
    lines = read(path)
    assert len(thoughts(lines)) == 2
    ((where, told),) = broken(lines)
    assert (where, told.partition(" (")[0].partition(";")[0]) == (f"Tasks {DB}.csv", reason)


def test_a_page_is_of_one_row_alone_whichever_column_holds_the_titles() -> None:
    lines = [["a", "Where to: fire?"], ["b", "Short"], ["c", "Shorter"], ["d", ""], ["e", "Short"], ["Short"]]
    found, left = rows_with_pages(
        ["Mark", "What", "Size"], lines, {"1": "Where to fire", "2": "Short", "3": "Untitled"}
    )
    assert found == {
        "1": (("What", "Where to: fire?"), ("Mark", "a")),
        "2": (("What", "Short"), ("Mark", "b")),
        "3": (("What", ""), ("Mark", "d")),
    }
    assert [(row[0][1], row[1:]) for row in left] == [
        ("Shorter", (("Mark", "c"),)),
        ("Short", (("Mark", "e"),)),
        ("", (("Mark", "Short"),)),
    ]
    assert rows_with_pages(["Mark", "Name"], [["a", "b"]], {}) == ({}, [(("Name", "b"), ("Mark", "a"))])
    assert rows_with_pages([], [], {}) == ({}, [])


CUT = {
    "Exam notes 84b37.csv": "Done?,Name,Due\nYes,Participation Assessment 1,\nNo,Problem Set 1,Q4\n",
    "Exam notes 84b37/Participat 5b838.md": "# Participation Assessment 1\n\nDone?: Yes\n\n"
    "See [Set](Problem%20Se%2007c1c.md).",
    "Plans 1ac03.md": "# Plans\n\n[Set (old)](Exam%20(no)%2084b37/Problem%20Se%2007c1c.md)"
    "![a.png](Plans%201ac03/a.png)",
}


def test_an_export_whose_names_were_cut_is_notions_too(tmp_path: Path) -> None:
    lay_out(tmp_path, CUT)
    assert detect_format(tmp_path) is FileFormat.NOTION
    assert {name: each.content for name, each in thoughts(read(tmp_path)).items()} == {
        "Exam notes 84b37/Participat 5b838.md": "# Participation Assessment 1\n\nDone?: Yes\n\nSee Set.",
        "Exam notes 84b37.csv#Problem Set 1": "# Problem Set 1\n\nDone?: No\nDue: Q4",
        "Plans 1ac03.md": "# Plans\n\nSet (old)",
    }


def test_a_file_in_a_property_is_called_by_its_name(tmp_path: Path) -> None:
    folder = f"Law%20{ONE}"
    (tmp_path / f"Law {DB}.csv").write_text(f'Name,Files\nAir,"{folder}/Air_(1981)%20x.pdf, {folder}/a/b.pdf"\n')
    (row,) = thoughts(read(tmp_path)).values()
    assert row.content == "# Air\n\nFiles: Air_(1981) x.pdf, b.pdf"


def test_notes_that_end_in_figures_are_anybodys(tmp_path: Path) -> None:
    lay_out(tmp_path, dict.fromkeys(("Invoice 20245.md", "Invoice 20246.md", "Bill beef1.md"), "Paid."))
    assert detect_format(tmp_path) is FileFormat.MARKDOWN
    lay_out(tmp_path, {"Kiln.md": "Hot.", "Shed abcde.md": "Shut."})
    assert detect_format(tmp_path) is FileFormat.MARKDOWN


COLLECTION = (
    '<html><body><article id="x" class="page"><header><div class="page-header-icon"><span class="icon">💻</span></div>'
    '<h1 class="page-title">Tests</h1></header><div class="page-body"><table class="collection-content"><thead><tr>'
    '<th><span class="icon property-icon"><svg><path d=""/></svg></span>Done?</th><th>Name</th></tr></thead><tbody>'
    '<tr id="1"><td><div class="checkbox checkbox-on"></div></td><td class="cell-title"><a href="Tests%20{db}/'
    'Exam%201%20{one}.html"><span class="icon">✍</span>Exam 1</a></td></tr><tr id="2"><td><div class="checkbox '
    'checkbox-off"></div></td><td class="cell-title"><a href="https://x.de/">Exam 2</a></td></tr></tbody></table>'
    "</div></article></body></html>"
)


def test_a_row_of_a_page_in_html_that_has_its_own_page_is_that_page(tmp_path: Path) -> None:
    exam = (
        '<article id="x"><h1 class="page-title">Exam 1</h1><table class="properties"><tr><th>Done?</th><td><div '
        'class="checkbox checkbox-on"></div></td></tr><tr><th>Due</th><td></td></tr></table></article>'
    )
    whole = f"Tests {DB}.html"
    lay_out(tmp_path, {whole: COLLECTION.format(db=DB, one=ONE), f"Tests {DB}/Exam 1 {ONE}.html": exam})
    assert set(contents(read(tmp_path))) == {"Tests\n\nDone? | Name\n[ ] | Exam 2", "Exam 1\n\nDone?: Yes"}
    lay_out(tmp_path, {f"Tests {DB}.csv": "Done?,Name\nYes,Exam 1\nNo,Exam 2\n"})
    assert set(contents(read(tmp_path))) == {"Tests", "Exam 1\n\nDone?: Yes", "# Exam 2\n\nDone?: No"}
    assert contents(read(tmp_path / whole)) == ["Tests\n\nDone? | Name\n[x] | Exam 1\n[ ] | Exam 2"]
