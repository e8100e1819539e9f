"""Texts that are made to keep a reader busy.

Law: one piece, again and again, and an end that nothing expects: what must match to its end has then tried in vain.
"""

from itertools import count
from typing import Final

from tables import tables

TABLES = tables(__file__)

PIECES: Final = TABLES["pieces"]
NEAR: Final = ("brackets", "short words", "items", "listed names")
"""A few of them, for tests that must be quick."""
_NUMBER = count()


def hostile(piece: str, chars: int) -> str:
    """Return as many characters of a piece again and again, and an end that no other text has: caches do not help."""
    return f"{(piece * (chars // len(piece) + 1))[:chars]}\x01{next(_NUMBER)}"
