"""The site of docs/ is whole, and asks nothing of any other host."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tables import tables

TABLES = tables(__file__)

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.xdist_group("site")

FETCHING = {
    "src", "srcset", "poster", "data", "action", "formaction", "background", "ping", "manifest",
}  # fmt: skip
"""Attributes whose address a browser fetches or sends to without a click."""
ELSEWHERE = re.compile(r"^\s*(?:[a-z][a-z0-9+.-]*:)?//", flags=re.IGNORECASE)
STYLED = re.compile(r"(?:url\(|@import)\s*[\"']?\s*((?:[a-z]+:)?//[^)\"'\s]+)", flags=re.IGNORECASE)


class Fetched(HTMLParser):
    """Collects what a page makes a browser fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            is_fetched = name in FETCHING or (name == "href" and tag != "a")
            if value and ((is_fetched and ELSEWHERE.match(value)) or (name == "style" and STYLED.search(value))):
                self.addresses.append(f"<{tag} {name}={value!r}>")


def fetched(text: str) -> list[str]:
    parser = Fetched()
    parser.feed(text)
    return parser.addresses


def pages(site: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(site.rglob("*.html")):
        yield path.relative_to(site).as_posix(), path.read_text(encoding="utf-8")


@pytest.mark.requirement("docs:site")
def test_the_site_is_built_and_has_every_section(site: Path) -> None:
    named = {name for name, _ in pages(site)}
    assert {"index.html", "tutorial.html", "concepts.html", "architecture.html", "cli.html", "errors.html"} <= named
    assert {"howto/index.html", "reference/library.html", "reference/schemas/cli/ask.html"} <= named


@pytest.mark.requirement("docs:site")
def test_a_page_stands_in_one_place_of_the_sections() -> None:
    named = re.findall(
        r"^ +- (?:[^\n]*: )?([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    assert len(named) > 50
    assert sorted(named) == sorted(set(named))


@pytest.mark.requirement("docs:site")
def test_the_pages_that_lead_on_name_every_page_of_theirs() -> None:
    decisions = {f"adr/{path.name}" for path in (ROOT / "docs" / "adr").glob("*.md")}
    assert decisions <= linked("docs/architecture.md")
    nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("- How to:")[2].partition("- Reference:")[0]
    tasks = set(re.findall(r": ([\w/-]+\.md)$", nav, flags=re.MULTILINE))
    assert len(tasks) > 20
    assert tasks <= {
        name.removeprefix("../") if "/" in name else f"howto/{name}" for name in linked("docs/howto/index.md")
    }


def linked(page: str) -> set[str]:
    return set(re.findall(r"\]\(([\w./-]+\.md)", (ROOT / page).read_text(encoding="utf-8")))


@pytest.mark.slow
@pytest.mark.requirement("docs:offline")
def test_no_page_and_no_style_fetches_from_another_host(site: Path) -> None:
    found = {name: told for name, text in pages(site) if (told := fetched(text))}
    assert found == {}
    styles = {path.name: STYLED.findall(path.read_text(encoding="utf-8")) for path in site.rglob("*.css")}
    assert len(styles) > 2
    assert {name: told for name, told in styles.items() if told} == {}


@pytest.mark.parametrize("text", TABLES["what_is_looked_for_would_be_found"])
def test_what_is_looked_for_would_be_found(text: str) -> None:
    assert len(fetched(text)) == 1
    assert fetched('<a href="https://example.org">there</a><img src="p.png">') == []


@pytest.mark.requirement("docs:offline")
def test_its_search_works_from_a_disk(site: Path) -> None:
    index = (site / "search" / "search_index.js").read_text(encoding="utf-8")
    assert index.startswith("var __index = ")
    assert "grounding" in index
    assert '<script src="assets/iframe-worker.js"' in (site / "index.html").read_text(encoding="utf-8")


@pytest.mark.requirement("docs:runs")
def test_notes_to_the_tests_are_not_published(site: Path) -> None:
    noted = re.compile("<!-- (?:world|file|schema|exit|input|not run)")
    assert [name for name, text in pages(site) if noted.search(text)] == []
    assert any(noted.search(path.read_text("utf-8")) for path in (ROOT / "docs").rglob("*.md"))
