"""What the marks of a note say: what is struck out, commented, a link, a box, a row of a table.

Law: what is taken back (`~~x~~`) or hidden (`<!-- x -->`, `%% x %%`) is no part of what a note says; a box says whether
its item is open or done. The resolved text has the length of the original, so that offsets hold (ruling C13). Linear in
the length of the text.

Source: DESIGN 6 (quoted); CommonMark, GFM task lists and strikethrough; Obsidian comments and links.
"""

from collections.abc import Mapping
from functools import cache
from typing import Final

import regex

from voice.core.text.language_data import entries
from voice.core.text.lazy import late_pattern

OPEN: Final = "☐"
DONE: Final = "☑"
_LONGEST = 40
_STRUCK = late_pattern(r"~~(?=\S)[^~]{1,4000}~~|<(?P<tag>del|s)>[^<]{0,4000}</(?P=tag)>")
_COMMENTS: Final = (("<!--", "-->"), ("%%", "%%"))
_ALIASED = late_pattern(r"\[\[[^\[\]|\n]{1,200}\|(?=[^\[\]\n]{1,200}\]\])")
_IMAGE = late_pattern(r"!\[[^\]\n]{0,400}\]\((?:[^()\s]|\([^()\s]{0,200}+\)){0,600}+\)")
_LINK = late_pattern(r"\]\((?:[^()\s]|\([^()\s]{0,200}+\)){1,600}+\)")
_FOOTNOTE = late_pattern(r"\[\^[^\]\s]{1,20}\]")
_BOX = late_pattern(r"(?<![\w\])!])\[([ xX✓✔])\](?=[ \t])")


def resolved(text: str) -> str:
    """Return `text` as it reads once its marks are obeyed; every kept character keeps its offset.

    What is struck out or hidden becomes spaces; of `[[page|name]]` and `[name](address)` the name remains, of an image
    nothing; the box of an item becomes one of two signs.
    """
    for opens, closes in _COMMENTS:
        text = _without_comments(text, opens, closes)
    if "~~" in text or "<" in text:
        text = _STRUCK.sub(_blank, text)
    if "[" in text:
        text = _BOX.sub(lambda box: f" {OPEN if box[1] == ' ' else DONE} ", text)
        for pattern in (_IMAGE, _ALIASED, _LINK, _FOOTNOTE):
            text = pattern.sub(_blank, text)
    return text


def link_end(text: str, end: int) -> int:
    """Return where the link ends whose words end at `end`; `end` where none does."""
    found = _LINK.match(text, end)
    return found.end() if found else end


def with_boxes(text: str) -> str:
    """Return `text` with the words for an open or a done item before its colon as the sign of its box.

    The words are data, one list a language (`data/language/boxes.toml`).
    """
    head, colon, rest = text.partition(":")
    said = " ".join(head.split()).casefold()
    if colon and len(said) <= _LONGEST and (sign := _signs().get(said)):
        return f"{sign} {rest}"
    return text


@cache
def _signs() -> Mapping[str, str]:
    return {word: sign for key, sign in (("open", OPEN), ("done", DONE)) for word in entries("boxes", key)}


def _without_comments(text: str, opens: str, closes: str) -> str:
    """Return `text` with each comment as spaces; one that is never closed is a text."""
    at = text.find(opens)
    if at < 0:
        return text
    parts: list[str] = []
    done = 0
    while at >= 0 and (end := text.find(closes, at + len(opens))) >= 0:
        end += len(closes)
        parts += (text[done:at], _spaces(text[at:end]))
        done, at = end, text.find(opens, end)
    return "".join([*parts, text[done:]])


def _blank(found: "regex.Match[str]") -> str:
    return _spaces(found.group())


def _spaces(text: str) -> str:
    return "".join("\n" if char == "\n" else " " for char in text)
