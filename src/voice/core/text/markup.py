"""Text inside XML and HTML.

Law: a text is shown and never obeyed: no character of it opens a tag, ends an attribute or turns the reading direction
of what stands around it, and none is one that XML cannot hold.

Source: promise 6; XML 1.0, 2.2 and 2.11.
"""

import re
from typing import Final

from voice.core.text.inert import STEERING

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


def markup_safe(text: str) -> str:
    """Return `text` for an element or an attribute of XML or HTML; a reader gets back what was put in.

    A character that XML cannot hold (a control character, half of a pair) becomes U+FFFD; one that steers a terminal is
    written as its number.
    """
    marked = _MARKED.sub(lambda found: _MARKS[found[0]], _ILLEGAL.sub("\ufffd", text))
    return STEERING.sub(lambda found: f"&#{ord(found[0])};", marked)
