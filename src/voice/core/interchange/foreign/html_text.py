"""Convert HTML to its visible text.

Law: total and linear in the text. Blocks are on their own lines, cells are separated (`Kiln | 12`), preformatted text
keeps its layout, scripts and styles are dropped.
"""

import re
from html import unescape
from html.parser import HTMLParser
from typing import Final

from voice.core.text.word_lists import word_set

_BLOCKS: Final = word_set(
    "address article aside br dd div dl dt footer h1 h2 h3 h4 h5 h6 header hr li ol p pre section table tr ul"
)
_CELLS: Final = frozenset({"td", "th"})
_OPENED: Final = {"p": "\n\n", "li": "\n- "}  # what a start writes; `<li>` its bullet
_INDENT: Final = "\x1f"  # stands for a preserved space while others collapse
_SILENT: Final = frozenset({"script", "style", "template", "title"})  # holds no visible text
_TAG: Final = re.compile(r"<[^<>]*>")
# A `<` that opens no tag, as in "2 < 3": the parser would wait for its end.
_UNCLOSED: Final = re.compile(r"<(?=[^<>]*+(?:<|\Z))")


class _Words(HTMLParser):
    """Collects the visible text."""

    def __init__(self, silent: frozenset[str]) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._silent = silent
        self._skipped = ""  # the silent element being skipped
        self._depth = 0  # its open elements of the same name
        self._preformatted = 0  # open `<pre>` elements
        self._is_first = True  # whether the next cell is the first of its row

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - the parser's own
        """Start a line at a block; skip silent elements."""
        if tag in self._silent:
            self._skipped = self._skipped or tag
            self._depth += tag == self._skipped
        elif self._skipped:
            return
        elif tag in _CELLS:
            self.pieces.append("" if self._is_first else " | ")
            self._is_first = False
        elif tag in _BLOCKS:
            self._preformatted += tag == "pre"
            self._is_first = self._is_first or tag == "tr"
            self.pieces.append(_OPENED.get(tag, "\n"))

    def handle_endtag(self, tag: str) -> None:
        """Close an element."""
        if self._skipped:
            self._depth -= tag == self._skipped
            self._skipped = self._skipped if self._depth else ""
        elif tag in _BLOCKS and tag not in {"li", "tr"}:  # their next start begins a line anyway
            self._preformatted = max(0, self._preformatted - (tag == "pre"))  # "</pre>" may come without a start
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        """Append text, with collapsed white space unless preformatted."""
        if self._skipped:
            return
        plain = data.replace(_INDENT, "")
        self.pieces.append(plain.replace(" ", _INDENT) if self._preformatted else re.sub(r"\s+", " ", plain))


def html_words(html: str, *, without_quotations: bool = False) -> str:
    """Return the visible text; `without_quotations` drops `<blockquote>`, in a mail another mail."""
    words = _Words(_SILENT | {"blockquote"} if without_quotations else _SILENT)
    try:
        words.feed(_UNCLOSED.sub("&lt;", _without_comments(html)))
        words.close()
    except AssertionError:  # the standard parser raises it at some malformed declarations
        return _tidy(unescape(_TAG.sub(" ", html)))
    return _tidy("".join(words.pieces))


def _without_comments(html: str) -> str:
    """Remove comments first, because the standard parser is quadratic on unclosed ones."""
    kept: list[str] = []
    done = 0
    while (start := html.find("<!--", done)) >= 0 and (end := html.find("-->", start + 4)) >= 0:
        kept.append(html[done:start])
        done = end + 3
    return "".join((*kept, html[done:]))


def _tidy(text: str) -> str:
    lines = [line.strip(" \t\r\f\v").rstrip(_INDENT) for line in text.split("\n")]  # keeps indents: placeholders yet
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n").replace(_INDENT, " ").rstrip()
