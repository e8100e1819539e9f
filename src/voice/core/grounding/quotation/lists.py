"""What stands over the items of lists: the lines that lead them in, and their headings.

Law: each line is looked at once, whatever the list: what leads an item in is found from the line over it that is less
indented, not by going up. Of what leads in, no more tokens are kept than a sentence that is quoted may have.

Source: DESIGN 6 (quoted).
"""

from bisect import bisect_right
from itertools import chain, islice
from typing import NamedTuple

from voice.core.grounding.quotation.tokens import tokens_of
from voice.core.text.lazy import late_pattern

ITEM = late_pattern(r"(?P<indent>[ \t]*+)(?:[-*+•‣◦–]|\(?(?:\d{1,3}|[a-z])[.)])[ \t]++(?=\S)")
MAX_TOKENS = 600
"""What has more is never quoted."""
_LEADS = (":", "：", ":**", ":*", ":_")
_MAX_LEADS = 3
_NO_ITEM = -1

Tokens = tuple[str, ...]


class _Line(NamedTuple):
    """A line that says something, and what stands over it."""

    indent: int
    """Of an item; `_NO_ITEM` of any other line."""
    leads: tuple[Tokens, ...]
    """What leads in the items under it, the nearest first: its own words where it does, then what leads itself in."""
    parent: int | None
    """The line that an item stands under: the nearest one over it that is less indented, or no item."""
    heading: str
    """The nearest line over it that is neither an item nor a row of a table."""


class Lists:
    """The lines of one text, each with what stands over it."""

    def __init__(self, text: str) -> None:
        self._starts: list[int] = []
        self._lines: list[_Line] = []
        self._leads: dict[int, Tokens] = {}
        self._headings: dict[str, Tokens] = {}
        open_lines: list[int] = []
        heading, begins = "", 0
        for line in text.split("\n"):
            if line.strip():
                self._starts.append(begins)
                self._add(line, open_lines, heading)
                is_over_lists = self._lines[-1].indent == _NO_ITEM and not line.lstrip().startswith("|")
                heading = line if is_over_lists else heading
            begins += len(line) + 1

    def is_item(self, start: int) -> bool:
        """Return whether the line at `start` is an item of a list."""
        return self._at(start).indent != _NO_ITEM

    def lead(self, start: int) -> Tokens:
        """Return the tokens of what leads in the item at `start`; empty where nothing does."""
        parent = self._at(start).parent
        if parent is None:
            return ()
        if parent not in self._leads:
            tokens = chain.from_iterable(reversed(self._lines[parent].leads))
            self._leads[parent] = tuple(islice(tokens, MAX_TOKENS))
        return self._leads[parent]

    def heading(self, start: int) -> Tokens:
        """Return the tokens of the line over the list or table at `start`."""
        said = self._at(start).heading
        if said not in self._headings:
            self._headings[said] = tokens_of(said.strip(" \t#*_:"))[:MAX_TOKENS]
        return self._headings[said]

    def _at(self, start: int) -> _Line:
        return self._lines[bisect_right(self._starts, start) - 1]

    def _add(self, text: str, open_lines: list[int], heading: str) -> None:
        """Add a line, and put it in place of those of `open_lines` that no later item stands under."""
        item = ITEM.match(text)
        indent = _NO_ITEM if item is None else len(item["indent"].expandtabs(4))
        while open_lines and self._lines[open_lines[-1]].indent >= indent:
            open_lines.pop()
        parent = open_lines[-1] if open_lines and item else None
        over = () if parent is None else self._lines[parent].leads
        leads_in = text.rstrip().endswith(_LEADS) and not text.lstrip().startswith("|")
        own = (tokens_of(text[item.end() :] if item else text)[:MAX_TOKENS],) if leads_in else ()
        open_lines.append(len(self._lines))
        self._lines.append(_Line(indent, (*own, *over)[:_MAX_LEADS], parent, heading))
