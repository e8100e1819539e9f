"""HTML → the words it shows.

Law: total; tags never show, blocks stand on lines of their own, scripts and styles are no words. Whoever asks may
leave out quotations, which in a mail are another mail.
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
_SILENT: Final = frozenset({"head", "script", "style", "template", "title"})
_TAG: Final = re.compile(r"<[^<>]*>")


class _Words(HTMLParser):
    """Collects what is shown."""

    def __init__(self, silent: frozenset[str]) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._silent = silent
        self._unheard: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - the parser's own
        """Begin a line at a block, and silence where nothing is to be heard."""
        if tag in self._silent:
            self._unheard.append(tag)
        elif tag in _BLOCKS:
            self.pieces.append("\n\n" if tag == "p" else "\n- " if tag == "li" else "\n")

    def handle_endtag(self, tag: str) -> None:
        """End what began."""
        if tag in self._unheard:
            del self._unheard[self._unheard.index(tag) :]
        elif tag in _BLOCKS and tag != "li":
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        """Keep words, white space as one space each."""
        if not self._unheard:
            self.pieces.append(re.sub(r"\s+", " ", data))


def html_words(html: str, *, without_quotations: bool = False) -> str:
    """Return the words that HTML shows.

    Args:
        html: the source; anything at all.
        without_quotations: leave out what stands in `<blockquote>`.
    """
    words = _Words(_SILENT | {"blockquote"} if without_quotations else _SILENT)
    try:
        words.feed(html)
        words.close()
    except AssertionError:  # what the parser of the standard library raises at some declarations that are none
        return _tidy(unescape(_TAG.sub(" ", html)))
    return _tidy("".join(words.pieces))


def _tidy(text: str) -> str:
    lines = [line.strip() for line in text.split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
