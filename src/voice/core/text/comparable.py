"""A text in the form in which quotations are compared, and the way back.

Law: case, Unicode form, quotation marks, dashes, spaces, the vowel points of Arabic and Hebrew and what cannot be seen
make no difference; a raised digit does ("10⁶" is not 106, "5 m²" is 5 m2). Every character of the form knows the
half-open stretch of the text it stands for (ruling C13).

Source: DESIGN 6 stage 2; rulings A10, C13.
"""

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from voice.core.text.lazy import late_pattern

# Linear: what it takes too much is one character, whose mark stands behind it.
_CLUSTER = late_pattern(r"(?P<plain>[!-~]+(?: [!-~]+)*(?![\p{M}\p{Cf}]))|[\s\S][\p{M}\p{Cf}]*")
"""A run of plain words, each of whose characters stands for itself, or one character with its marks."""
_UNSEEN = late_pattern(
    r"[\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]|(?!\s)\p{Cc}|(?<=i)\u0307"
    r"|[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u0652\u0670]"
)
"""What a reader does not see or may leave out: vowel points, the elongation stroke, the dot of a lower-cased İ."""
_RAISED = frozenset("²³¹⁰⁴⁵⁶⁷⁸⁹")
_FOLDS = str.maketrans(
    dict.fromkeys("‘’‚‛′‵`´ʼ＇", "'")
    | dict.fromkeys("“”„‟″«»‹›〝〞「」『』", '"')
    | dict.fromkeys("‐‑‒–—―−﹘﹣－", "-")
    | {"…": "..."}
)


_TRICKS = late_pattern(
    r"[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff"
    r"\uffa0\ufff9-\ufffb\U000e0000-\U000e007f]|(?<=[A-Za-z0-9])[\u200c\u200d]|[\u200c\u200d](?=[A-Za-z0-9])"
)
"""What cannot be seen and changes how the rest is read; joiners inside emoji and other scripts are spelling."""


class ComparableText(NamedTuple):
    """A text in comparable form; `starts[i]` and `ends[i]` are the original offsets of its i-th character."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]


def strip_invisible(text: str) -> str:
    """Return `text` without characters that cannot be seen and that only hide, split or reverse what is there."""
    return text if text.isascii() else _TRICKS.sub("", text)


def comparable_text(text: str) -> ComparableText:
    """Return `text` in `norm_v1`'s form with quotation marks and dashes folded, and the way back to its offsets."""
    chars: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in _CLUSTER.finditer(text):
        if match["plain"]:
            chars += match.group().lower()
            starts += range(*match.span())
            ends += range(match.start() + 1, match.end() + 1)
            continue
        raised = match.group()[0] in _RAISED and chars and (chars[-1].isdigit() or chars[-1] == "^")
        for char in ("^" if raised else "") + _fold(match.group()):
            if char == " " and (not chars or chars[-1] == " "):
                continue
            chars.append(char)
            starts.append(match.start())
            ends.append(match.end())
    while chars and chars[-1] == " ":
        del chars[-1], starts[-1], ends[-1]
    return ComparableText("".join(chars), starts, ends)


def _fold(cluster: str) -> str:
    """Return one base character with its marks in comparable form; whitespace is one space."""
    if cluster.isascii():
        return " " if cluster.isspace() else cluster.lower() if cluster.isprintable() else ""
    folded = unicodedata.normalize(
        "NFKC", unicodedata.normalize("NFKC", _UNSEEN.sub("", cluster).translate(_FOLDS)).casefold()
    )
    return "".join(" " if char.isspace() else char for char in _UNSEEN.sub("", folded))
