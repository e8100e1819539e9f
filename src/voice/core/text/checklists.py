"""Items of lists as a person reads them: "- [x] pay the bill" is something done.

Law: an item is its words; the dash, the number and the box before them are no part of what it says, but the box says
whether it is done. What stands above the items of a list, on a line of its own, says what list it is. Offsets are those
of the text as it was written.

Source: rulings C13, D1.
"""

from typing import NamedTuple

from voice.core.text.patterns import late_pattern

_ITEM = late_pattern(
    r"[ \t]*(?:(?:[-*+•‣◦–]|\d{1,3}[.)])[ \t]+"
    r"(?:\[(?P<box>[ xX✓✔])\][ \t]+)?|(?P<sign>[☐☑☒✅])[ \t]*)(?P<said>\S(?:.*\S)?)\s*+"
)


class Item(NamedTuple):
    """One item of a list."""

    start: int
    """Where its words begin, in the line."""
    text: str
    is_done: bool | None
    """What its box says; None where it has none."""


def item_of(line: str) -> Item | None:
    """Return the item that a line is; None for any other text."""
    found = _ITEM.fullmatch(line)
    if found is None:
        return None
    box = found["box"] or found["sign"]
    return Item(found.start("said"), found["said"], None if box is None else box not in (" ", "☐"))


def heading_above(text: str, start: int) -> str:
    """Return the line over the list or table whose item begins at `start` of `text`; empty where there is none."""
    for line in reversed(text[: text.rfind("\n", 0, start) + 1].split("\n")):
        if line.strip() and item_of(line) is None and not line.lstrip().startswith("|"):
            return line.strip(" \t#*_:")
    return ""
