"""How much room letters take, and where a name breaks.

Law: nobody here has a font, so a text is held to be a little wider than common fonts set it; what is reserved is
enough. A name that does not fit ends with an ellipsis; the whole of it stands in the list below the picture.
"""

import unicodedata
from typing import Final

from voice.core.text.patterns import late_pattern

_GRAPHEME: Final = late_pattern(r"\X")
_NARROW: Final = frozenset("ijltfrI.,:;!'|()[]{}- ")
_BROAD: Final = frozenset("mwMWQO@%&—…")
_ELLIPSIS: Final = "…"


def text_width(text: str, size: float) -> float:
    """Return how wide `text` is at most, set in a common sans-serif of `size`."""
    return size * sum(_width(cluster) for cluster in _GRAPHEME.findall(text))


def _width(cluster: str) -> float:
    head = cluster[0]
    if unicodedata.east_asian_width(head) in {"W", "F"} or ord(head) >= 0x1F000:
        return 1.1
    if head in _NARROW:
        return 0.38
    if head in _BROAD:
        return 0.98
    return 0.72 if head.isupper() else 0.61


def broken(text: str, size: float, room: float, lines: int) -> tuple[str, ...]:
    """Return `text` as at most `lines` lines no wider than `room`, broken between words where that can be."""
    done: list[str] = []
    rest = text
    while rest and len(done) < lines:
        line = _fitting(rest, size, room)
        rest = rest[len(line) :].lstrip()
        done.append(line.rstrip())
    if rest:
        done[-1] = _shortened(done[-1], size, room)
    return tuple(done)


def _fitting(text: str, size: float, room: float) -> str:
    """Return as much of the beginning of `text` as fits; at least one character."""
    if text_width(text, size) <= room:
        return text
    clusters = _GRAPHEME.findall(text)
    taken = 1
    while text_width("".join(clusters[: taken + 1]), size) <= room:
        taken += 1
    whole = "".join(clusters[:taken])
    if text[len(whole)] == " ":
        return whole
    space = whole.rfind(" ")
    return whole[:space] if space > 0 else whole


def _shortened(line: str, size: float, room: float) -> str:
    clusters = _GRAPHEME.findall(line)
    while len(clusters) > 1 and text_width("".join(clusters) + _ELLIPSIS, size) > room:
        clusters.pop()
    return "".join(clusters).rstrip() + _ELLIPSIS
