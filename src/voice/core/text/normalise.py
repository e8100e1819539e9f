"""The normal form of a text, its content hash, its keyed hash.

Law: `norm_v1` is idempotent and part of every stored hash: never change it, add a `norm_v2`. Hashes cover the whole
text
before any cut (ruling A11). Text that must not be confirmable without the store's key is kept as a keyed hash only.
Source: spec inner_voice.retrieve, Content Normalization; rulings A10, A11, D9, H.
"""

import re
import unicodedata
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple
from unicodedata import category, normalize

from blake3 import blake3

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


_INVISIBLE = frozenset({"Cc", "Cf"})
_ASCII_CONTROLS = dict.fromkeys(code for code in chain(range(32), (127,)) if not chr(code).isspace())
_SURROGATE = re.compile("[\ud800-\udfff]")


def norm_v1(text: str) -> str:
    """Normalise `text`: NFKC, casefold, NFKC, no invisible characters, single spaces, trimmed.

    Repeated until stable, because dropping an invisible character can let two others compose.
    """
    if text.isascii():
        return " ".join(text.translate(_ASCII_CONTROLS).lower().split())
    while (normal := _pass(text)) != text:
        text = normal
    return text


def _pass(text: str) -> str:
    folded = normalize("NFKC", normalize("NFKC", text).casefold())
    unseen = [char for char in set(folded) if category(char) in _INVISIBLE and not char.isspace()]
    visible = folded.translate(dict.fromkeys(map(ord, unseen))) if unseen else folded
    return " ".join(visible.split())


def content_hash(text: str) -> str:
    """Return the hex BLAKE3 of `norm_v1(text)` in UTF-8; lone surrogates are allowed."""
    return hash_of_normal(norm_v1(text))


def hash_of_normal(normal: str) -> str:
    """Return the content hash of a text already in normal form."""
    return blake3(normal.encode("utf-8", "surrogatepass")).hexdigest()


def clean_text(text: str) -> str:
    """Remove NUL and lone surrogates, and join surrogate pairs; nothing else changes."""
    text = text.replace("\x00", "")
    if text.isascii() or _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")


def keyed_hash(key: bytes, text: str) -> str:
    """Return the keyed BLAKE3 of a text, hex (rulings D9, H)."""
    return blake3(text.encode("utf-8", "surrogatepass"), key=key).hexdigest()
