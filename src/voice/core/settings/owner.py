"""The owner's names, as one line.

Law: a name is what stands between two commas, without blanks around it; each counts once, in the order given.
"""

from collections.abc import Sequence
from typing import Final

MOST_NAMES: Final = 12
MOST_CHARS: Final = 80
"""Characters of a name."""


def names_in(text: str) -> tuple[str, ...]:
    """Return the names in a line."""
    return tuple(dict.fromkeys(filter(None, (" ".join(name.split()) for name in text.split(",")))))


def names_line(names: Sequence[str]) -> str:
    """Return names as the line that `names_in` reads.

    Raises:
        ValueError: one has a comma in it or is too long, none is left, or there are too many.
    """
    told = names_in(",".join(names))
    if not 0 < len(told) <= MOST_NAMES or any(len(name) > MOST_CHARS or not name.isprintable() for name in told):
        raise ValueError
    return ", ".join(told)
