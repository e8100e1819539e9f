"""Fenced code in Markdown, as CommonMark reads it.

Law: what a renderer would not show as code is none: an opening mark with a backtick behind it opens nothing, and only a
mark of at least its length closes it. A bullet may stand before the opening mark. Linear time.
Source: CommonMark, fenced code blocks; ruling D22.
"""

import re
from typing import Final

BULLETS: Final = r"[ \t]*+(?:(?:[-*+•]|\d{1,9}[.)])[ \t]++)*+"
"""What may stand before the mark that opens code, as a part of a pattern."""
_FENCED: Final = re.compile(
    rf"^{BULLETS}" r"(?P<mark>`{3,}+|~{3,}+)(?P<info>[^`\n]*+)\n(?P<code>.*?)(?:^[ \t]*(?P=mark)[`~]*[ \t]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)


def fenced_code(text: str) -> list[tuple[int, int]]:
    """Return the half-open spans of fenced code, from its first to its last mark, or to the end of the text."""
    if "```" not in text and "~~~" not in text:
        return []
    return [(found.start("mark"), found.start() + len(found[0].rstrip())) for found in _FENCED.finditer(text)]
