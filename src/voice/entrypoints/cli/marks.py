"""Signs that every terminal can show.

Law: a sign says nothing that words do not say as well. Where the output's encoding lacks a sign, an ASCII one stands
for it; colours are a help and never the message (`NO_COLOR`, pipes and files have none).
"""

import os
import sys
from dataclasses import dataclass

import click

_ASCII = {
    "✓": "+",
    "✗": "x",
    "·": "-",
    "“": '"',
    "”": '"',
    "—": "-",
    "→": "->",
    "…": "...",
    "─": "-",
}
STYLE_OF_TIER = {"green": "green", "amber": "yellow", "red": "red"}
COLOUR_OF_MARK = {"✓": "green", "~": "yellow", "✗": "red", "?": "cyan", "·": "bright_black"}
_TABLE = str.maketrans(_ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """How signs are written on one output."""

    is_ascii: bool

    def text(self, text: str) -> str:
        """Return `text` with the signs of ours that the output lacks in ASCII."""
        return text.translate(_TABLE) if self.is_ascii else text

    def styled(self, mark: str) -> str:
        """Return one sign in its colour, for `click.echo`, which drops colours where they are not wanted."""
        return self.text(mark) if is_uncoloured() else click.style(self.text(mark), fg=COLOUR_OF_MARK[mark])


def is_uncoloured() -> bool:
    """Return whether the person wants no colours: NO_COLOR is set to anything at all (no-color.org)."""
    return os.environ.get("NO_COLOR", "") != ""


def marks(encoding: str | None = None) -> Marks:
    """Return how signs are written in `encoding`; None is that of standard output."""
    return Marks(is_ascii=not _can_show(encoding or sys.stdout.encoding or "ascii"))


def _can_show(encoding: str) -> bool:
    try:
        "".join(_ASCII).encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
