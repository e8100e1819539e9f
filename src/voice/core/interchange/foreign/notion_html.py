"""A page of Notion exported as HTML → the page as it would stand in Markdown.

Law: the title, the properties one a line, the words. Icons are no words; what is ticked says so. A row of a database
that is shown in the page and comes in by itself is left out here.

Source: docs/import.md.
"""

import re
from collections.abc import Callable
from html import unescape
from typing import Final
from urllib.parse import unquote

from voice.core.interchange.foreign.hypertext import html_words

_TITLE: Final = re.compile(r'<h1\s+class="page-title"[^>]*>(.*?)</h1>', re.DOTALL)
_PROPERTIES: Final = re.compile(r'<table class="properties">(.*?)</table>', re.DOTALL)
_PROPERTY: Final = re.compile(r"<th[^>]*>(.*?)</th>\s*<td[^>]*>(.*?)</td>", re.DOTALL)
_ICON: Final = re.compile(r'<span class="icon[^"]*">(?:[^<]|<(?!/span>)){0,20000}</span>')
_BOX: Final = re.compile(r'<div class="checkbox checkbox-(on|off)"></div>')
_COLLECTION: Final = re.compile(r'<table\s+class="collection-content".*?</table>', re.DOTALL)
_ROW: Final = re.compile(r"<tr\s+id=.*?</tr>", re.DOTALL)
_TITLE_CELL: Final = re.compile(r'<td\s+class="cell-title"\s*>\s*<a\s+href="([^"]{1,2000})"')


def title_in(source: str) -> str:
    """Return the title of a page; empty where it shows none."""
    found = _TITLE.search(source)
    return "" if found is None else html_words(_ICON.sub("", found[1])).strip()


def page_of_html(source: str, is_told: Callable[[str], bool]) -> str:
    """Return a page as it would stand in Markdown.

    Args:
        source: the file's text.
        is_told: whether a row of a database comes in by itself, by the link to its page; empty where it has none.
    """
    plain = _ICON.sub("", source)
    found = _PROPERTIES.search(plain)
    before, after = (plain[: found.start()], plain[found.end() :]) if found else (plain, "")
    parts = (_words(before, is_told), _properties(found[1]) if found else "", _words(after, is_told))
    return "\n\n".join(part for part in parts if part)


def _properties(table: str) -> str:
    ticked = _BOX.sub(lambda box: "Yes" if box[1] == "on" else "No", table)
    told = [
        (_one_paragraph(name), _one_paragraph(value).removeprefix("@")) for name, value in _PROPERTY.findall(ticked)
    ]
    return "\n".join(f"{name}: {value}" for name, value in told if value)


def _one_paragraph(source: str) -> str:
    """Return the words of a cell, without blank lines and wide gaps."""
    return "\n".join(" ".join(line.split()) for line in html_words(source).split("\n") if line.strip())


def _words(source: str, is_told: Callable[[str], bool]) -> str:
    def shown(row: re.Match[str]) -> str:
        link = _TITLE_CELL.search(row[0])
        return "" if is_told("" if link is None else unquote(unescape(link[1]))) else row[0]

    def left(table: re.Match[str]) -> str:
        rows = _ROW.sub(shown, table[0])
        return rows if "<td" in rows else ""

    return html_words(_BOX.sub(lambda box: "[x]" if box[1] == "on" else "[ ]", _COLLECTION.sub(left, source)))
