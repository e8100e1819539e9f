"""Escape text of others for terminals, JSON, XML and HTML.

Law: the text of a memory, of a file name or of an argument is shown as text and never steers what shows it: control
characters, the invisible ones that turn the reading direction, and code points that mean nothing are taken out, or
written as escapes where a program reads the text back; what looks like a mark of ours is shown as another sign. Every
door goes through here. What is stored keeps them. In XML and HTML no character opens a tag, ends an attribute or is one
that XML cannot hold.

Source: DESIGN 8; rulings D22 (what a memory says is data), I7; promise 6; XML 1.0, 2.2 and 2.11.
"""

import re
from collections.abc import Iterable
from typing import Final

_NAME_CHARS = 100
_JOINERS = frozenset("\u200c\u200d")
"""Invisible, and needed: Persian words, Indic letters and families of emoji fall apart without them."""
_LINE_ENDS: Final = frozenset("\n\v\f\r\x1c\x1d\x1e\x1f\x85\u2028\u2029")
CONTROL_CHARS: Final = re.compile(
    "[\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
"""What steers a terminal, a program or a reader's eye, and may still stand in JSON or XML: there it is escaped."""


class _Shown(dict[int, str]):
    """What is shown in place of each character, made as it is met; a table for `str.translate`."""

    def __init__(self, kept: Iterable[str]) -> None:
        super().__init__({ord(char): char for char in kept})

    def __missing__(self, code: int) -> str:
        self[code] = shown = "" if is_control_char(chr(code)) else chr(code)
        return shown


_BLOCK: Final = _Shown("\n\t")
_LINE: Final = _Shown(_LINE_ENDS | {"\t"})
"""Line ends are spaces on one line."""


def is_control_char(char: str) -> bool:
    """Return whether a character steers; line ends and tabs do, spaces of any width and joiners do not."""
    is_space = char.isspace() and char != "\t" and char not in _LINE_ENDS
    return not (char.isprintable() or char in _JOINERS or is_space)


def printable(text: str) -> str:
    """Return `text` on one line without characters that steer a terminal or turn the reading direction."""
    return " ".join(text.translate(_LINE).split())


def printable_block(text: str) -> str:
    """Return `text` as `printable` does, but with its line breaks, tabs and spaces."""
    return text.replace("\r\n", "\n").translate(_BLOCK)


def escape_json(text: str) -> str:
    """Return JSON text with the characters that steer as escapes; a reader of JSON gets back what was put in."""
    return CONTROL_CHARS.sub(_escape, text)


_SIGNS: Final = str.maketrans("✓✔✗✘", "☑☑☒☒")
_BRACKETED: Final = re.compile(r"\[(S\d{1,6}|[a-z]{1,3}[:_][0-9A-Za-z]{4,40})\]")
"""What looks like the label of a source, or like the id of a row."""


def inert_signs(text: str) -> str:
    """Return a memory's text without what looks like a mark or a source label of ours; its length is the same."""
    return _BRACKETED.sub(r"(\1)", text.translate(_SIGNS))


def quoted_name(name: str) -> str | None:
    """Return a name or an id as a message shows it, in quotation marks and cut; None where nobody could read it.

    Args:
        name: what somebody asked for.
    """
    bare = "".join(char for char in name if char not in _JOINERS)
    if not bare.strip() or not bare.isprintable():
        return None
    shown = name if len(name) <= _NAME_CHARS else f"{name[:_NAME_CHARS]}…"
    return f"'{shown}'"


def _escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


_ILLEGAL: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MARKS: Final = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
    "\r": "&#13;",
    "\n": "&#10;",
    "\t": "&#9;",
}
_MARKED: Final = re.compile("[&<>\"'\r\n\t]")


def escape_markup(text: str) -> str:
    """Return `text` for an element or an attribute of XML or HTML; a reader gets back what was put in.

    A character that XML cannot hold (a control character, half of a pair) becomes U+FFFD; one that steers a terminal is
    written as its number.
    """
    marked = _MARKED.sub(lambda found: _MARKS[found[0]], _ILLEGAL.sub("\ufffd", text))
    return CONTROL_CHARS.sub(lambda found: f"&#{ord(found[0])};", marked)
