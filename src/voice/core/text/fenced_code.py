"""Fenced code in Markdown, as CommonMark reads it.

Law: what a renderer would not show as code is none: an opening mark with a backtick behind it opens nothing, and only a
mark of at least its length closes it. Linear time.
Source: CommonMark, fenced code blocks; ruling D22.
"""

import re
from typing import Final

_FENCED: Final = re.compile(
    r"^(?P<lead>[ \t]*+)(?P<mark>`{3,}+|~{3,}+)(?P<info>[^`\n]*+)\n(?P<code>.*?)(?:^[ \t]*(?P=mark)[`~]*[ \t]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)


def fenced_code(text: str) -> list[tuple[int, int]]:
    """Return the half-open spans of fenced code, from its first to its last mark, or to the end of the text."""
    if "```" not in text and "~~~" not in text:
        return []
    return [(found.start("mark"), found.start() + len(found[0].rstrip())) for found in _FENCED.finditer(text)]
