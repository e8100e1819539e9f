"""The parts of a text that quote somebody.

Law: what stands between quotation marks is quoted, and so is a line that begins with `>`; a quotation that is not
closed ends with its line.
"""

from typing import Final

import regex

from voice.core.text.patterns import late_pattern

_QUOTED: Final = late_pattern(r"[“„«][^”“»\n]*+[”“»]?|\"[^\"\n]*+\"?|^[ \t]*+>.*$", regex.MULTILINE)


def quoted_places(text: str) -> frozenset[int]:
    """Return the offsets of what a text quotes."""
    return frozenset(place for match in _QUOTED.finditer(text) for place in range(*match.span()))
