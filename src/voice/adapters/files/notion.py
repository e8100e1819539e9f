"""Reading a page of a Notion export, as Markdown or HTML.

Law: a page is one thought: its title, its properties as they stand, its text. A link to another page reads as its
words. When it was made is the property that says so.

Source: docs/import.md.
"""

import re
from typing import TYPE_CHECKING, BinaryIO, Final

from voice.adapters.files.markdown import NoteWords, read_note_stream
from voice.core.interchange.foreign.hypertext import html_words
from voice.core.interchange.foreign.told import DateReading
from voice.core.interchange.lines import FileLine, LeftOut

if TYPE_CHECKING:
    from voice.adapters.files.front_matter import FrontMatter

WORDLESS: Final = "pages without words"
_LINK: Final = re.compile(r"!?\[([^\[\]\n]{0,500})\]\([^()\s]{0,1000}%20[0-9a-f]{32}[^()\s]{0,200}\)")
_PROPERTY: Final = re.compile(r"([^:\n]{1,60}): (.{1,1000})")
_MADE: Final = frozenset({"created", "created time", "date", "datum", "erstellt", "erstellt am", "creado", "fecha"})
_TAGS: Final = frozenset({"tags", "labels"})


def read_notion_page(stream: BinaryIO, where: str, dates: DateReading) -> FileLine:
    """Return what a page says.

    Args:
        stream: its bytes.
        where: its path within the export.
        dates: how dates are read.

    Raises:
        OSError: the stream cannot be read.
    """
    is_html = where.lower().endswith((".html", ".htm"))
    return read_note_stream(stream, where, dates, _of_html if is_html else _of_markdown)


def _of_html(stem: str, front: "FrontMatter", body: str) -> NoteWords | LeftOut:
    return _of_markdown(stem, front, html_words(body))


def _of_markdown(stem: str, front: "FrontMatter", body: str) -> NoteWords | LeftOut:
    text = _LINK.sub(r"\1", body).strip("\n").rstrip()
    if not text.strip():
        return LeftOut(where=stem, reason=WORDLESS)
    told = dict(_properties(text))
    made = next((value for key, value in told.items() if key in _MADE), "")
    tags = next((value for key, value in told.items() if key in _TAGS), "")
    return NoteWords(content=text, front=front.with_fields({"created": made, "tags": tags}))


def _properties(text: str) -> list[tuple[str, str]]:
    """Return the properties of a page: the lines between its title and the first blank line after them."""
    _, _, rest = text.partition("\n\n")
    found = [_PROPERTY.fullmatch(line) for line in rest.partition("\n\n")[0].split("\n")[:50]]
    return [(each[1].strip().casefold(), each[2].strip()) for each in found if each]
