"""Escape untrusted text for terminals, JSON, XML and HTML.

Law: displayed text never controls the display: control characters, bidirectional overrides and unassigned code points
are removed, or escaped where a program reads the text back; imitations of our marks are replaced. All output passes
here; stored text is unchanged.

Source: DESIGN 8; rulings D22, I7; promise 6; XML 1.0, 2.2 and 2.11.
"""

import re
from collections.abc import Iterable
from typing import Final

_NAME_CHARS = 100
_JOINERS = frozenset("\u200c\u200d")
"""Invisible but needed in Persian, Indic scripts and emoji."""
_LINE_ENDS: Final = frozenset("\n\v\f\r\x1c\x1d\x1e\x1f\x85\u2028\u2029")
CONTROL_CHARS: Final = re.compile(
    "[\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
"""Characters that steer a terminal or a reader but are legal in JSON and XML, where they are escaped."""


class _Shown(dict[int, str]):
    """A lazily filled table for `str.translate`."""

    def __init__(self, kept: Iterable[str]) -> None:
        super().__init__({ord(char): char for char in kept})

    def __missing__(self, code: int) -> str:
        self[code] = shown = "" if is_control_char(chr(code)) else chr(code)
        return shown


_BLOCK: Final = _Shown("\n\t")
_LINE: Final = _Shown(_LINE_ENDS | {"\t"})
"""Line ends become spaces."""


def is_control_char(char: str) -> bool:
    """Return whether a character steers the display; line ends and tabs do, other spaces and joiners do not."""
    is_space = char.isspace() and char != "\t" and char not in _LINE_ENDS
    return not (char.isprintable() or char in _JOINERS or is_space)


def printable(text: str) -> str:
    """Return `text` on one line without control characters and bidirectional overrides."""
    return " ".join(text.translate(_LINE).split())


def printable_block(text: str) -> str:
    """Like `printable`, keeping line breaks, tabs and spaces."""
    return text.replace("\r\n", "\n").translate(_BLOCK)


def escape_json(text: str) -> str:
    """Escape steering characters in JSON text; a parser restores them."""
    return CONTROL_CHARS.sub(_escape, text)


_SIGNS: Final = str.maketrans("✓✔✗✘", "☑☑☒☒")
_BRACKETED: Final = re.compile(r"\[(S\d{1,6}|[a-z]{1,3}[:_][0-9A-Za-z]{4,40})\]")
"""Looks like a source label or a row id."""


def inert_signs(text: str) -> str:
    """Replace imitations of our marks and labels, keeping the length."""
    return _BRACKETED.sub(r"(\1)", text.translate(_SIGNS))


_LIVE: Final = re.compile(r"(?<!\\)(?P<bars>\\*+)(?P<tag><)(?=[A-Za-z/!?])|!(?=\[)|\](?=[(:])")
"""Begins an image, a tag or the target of a link in Markdown."""


def inert_markdown(text: str) -> str:
    """Escape what would be an image, a link or HTML in Markdown; other markup stays."""
    return _LIVE.sub(lambda found: f"{found['bars'] * 2}\\<" if found["tag"] else f"{found[0]}\\", text)


def quoted_name(name: str) -> str | None:
    """Return a name for a message, quoted and truncated; None if unreadable."""
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
    """Escape `text` for an element or attribute of XML or HTML.

    Characters illegal in XML become U+FFFD, steering ones character references.
    """
    marked = _MARKED.sub(lambda found: _MARKS[found[0]], _ILLEGAL.sub("\ufffd", text))
    return CONTROL_CHARS.sub(lambda found: f"&#{ord(found[0])};", marked)
