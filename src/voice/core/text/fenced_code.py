"""Fenced code in Markdown, as CommonMark reads it.

Law: what a renderer would not show as code is none: an opening mark with a backtick behind it opens nothing, and only a
mark of at least its length, alone on its line, closes it. A bullet may stand before the opening mark. Linear time.
Source: CommonMark, fenced code blocks; ruling D22.
"""

import re
from typing import Final

_BULLETS: Final = r"[ \t]*+(?:(?:[-*+•]|\d{1,9}[.)])[ \t]++)*+"  # may stand before a mark that opens code
_OPENS: Final = _BULLETS + r"(?P<fence>(?P<sign>[`~])(?P=sign){2,}+)(?!(?<=`)[^\n]*`)"  # "``` a`b" opens nothing
FENCE: Final = re.compile(_OPENS)
FENCED: Final = rf"^{_OPENS}(?P<info>[^\n]*+)\n.*?(?:^[ \t]*(?P=fence)(?P=sign)*+[ \t]*$|\Z)"
"""A part of a pattern, whose "^" and "$" are a line's and whose "." is any character."""
_FENCED: Final = re.compile(FENCED, re.MULTILINE | re.DOTALL)


def fenced_code(text: str) -> list[tuple[int, int]]:
    """Return the half-open spans of fenced code, from its first to its last mark, or to the end of the text."""
    if "```" not in text and "~~~" not in text:
        return []
    return [(found.start("fence"), found.start() + len(found[0].rstrip())) for found in _FENCED.finditer(text)]


def fence_after(line: str, fence: str | None) -> str | None:
    """Return the mark of the code that is open behind a line, given that before it; None outside of code."""
    if fence is None:
        return (opened := FENCE.match(line)) and opened[1]
    return None if line.strip().startswith(fence) and not line.strip().strip(fence[0]) else fence
