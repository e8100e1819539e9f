"""Convert HTML to the words it shows.

Law: total, in time in proportion to the text; tags never show, blocks stand on lines of their own, the cells of a row
stand apart (`Kiln | 12`), what is preformatted keeps its lines and indents, scripts and styles are no words. Whoever
asks may leave out quotations, which in a mail are another mail.
"""

import re
from html import unescape
from html.parser import HTMLParser
from typing import Final

_BLOCKS: Final = frozenset(
    {
        "address",
        "article",
        "aside",
        "br",
        "dd",
        "div",
        "dl",
        "dt",
        "footer",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "li",
        "ol",
        "p",
        "pre",
        "section",
        "table",
        "tr",
        "ul",
    }
)
_CELLS: Final = frozenset({"td", "th"})
_OPENED: Final = {"p": "\n\n", "li": "\n- "}
_INDENT: Final = "\x1f"
"""A space that is kept, until all is put together."""
_SILENT: Final = frozenset({"script", "style", "template", "title"})
_TAG: Final = re.compile(r"<[^<>]*>")
_UNCLOSED: Final = re.compile(r"<(?=[^<>]*+(?:<|\Z))")


class _Words(HTMLParser):
    """Collects what is shown."""

    def __init__(self, silent: frozenset[str]) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._silent = silent
        self._unheard = ""
        self._depth = 0
        self._kept = 0
        """How many `<pre>` are open."""
        self._is_first = True
        """No cell of the row has begun yet."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - the parser's own
        """Begin a line at a block, and silence where nothing is to be heard."""
        if tag in self._silent:
            self._unheard = self._unheard or tag
            self._depth += tag == self._unheard
        elif self._unheard:
            return
        elif tag in _CELLS:
            self.pieces.append("" if self._is_first else " | ")
            self._is_first = False
        elif tag in _BLOCKS:
            self._kept += tag == "pre"
            self._is_first = self._is_first or tag == "tr"
            self.pieces.append(_OPENED.get(tag, "\n"))

    def handle_endtag(self, tag: str) -> None:
        """End what began."""
        if self._unheard:
            self._depth -= tag == self._unheard
            self._unheard = self._unheard if self._depth else ""
        elif tag in _BLOCKS and tag not in {"li", "tr"}:
            self._kept = max(0, self._kept - (tag == "pre"))
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        """Keep words; white space as one space each, but for what is preformatted."""
        if self._unheard:
            return
        plain = data.replace(_INDENT, "")
        self.pieces.append(plain.replace(" ", _INDENT) if self._kept else re.sub(r"\s+", " ", plain))


def html_words(html: str, *, without_quotations: bool = False) -> str:
    """Return the words that HTML shows.

    Args:
        html: the source; anything at all.
        without_quotations: leave out what stands in `<blockquote>`.
    """
    words = _Words(_SILENT | {"blockquote"} if without_quotations else _SILENT)
    try:
        words.feed(_UNCLOSED.sub("&lt;", _without_comments(html)))
        words.close()
    except AssertionError:  # what the parser of the standard library raises at some declarations that are none
        return _tidy(unescape(_TAG.sub(" ", html)))
    return _tidy("".join(words.pieces))


def _without_comments(html: str) -> str:
    """Take comments out beforehand, and below make plain signs of what opens no tag: the parser of the standard library
    takes time with the square of what is not closed."""
    kept: list[str] = []
    done = 0
    while (start := html.find("<!--", done)) >= 0 and (end := html.find("-->", start + 4)) >= 0:
        kept.append(html[done:start])
        done = end + 3
    return "".join((*kept, html[done:]))


def _tidy(text: str) -> str:
    lines = [line.strip(" \t\r\f\v").rstrip(_INDENT) for line in text.split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n").replace(_INDENT, " ").rstrip()
