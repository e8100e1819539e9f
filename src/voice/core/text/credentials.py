"""Whether a text holds what looks like a credential.

Law: the answer errs towards yes. A credential is known by how its issuer begins it, by the armour of a private key, by
the place it stands in (a web address, a header, a variable that is called after a secret), or by looking drawn by lot:
long, of capitals, small letters and figures that change all the time. A commit's name and a checksum in hexadecimal
digits are none by themselves.

Source: docs/capture.md.
"""

import math
import re
from collections import Counter
from itertools import pairwise
from typing import Final

from voice.core.text.shape_data import shape_numbers, shape_words

_ARMOUR: Final = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY")
_IN_ADDRESS: Final = re.compile(r"://[^\s/:@]{0,200}+:[^\s/@]{3,200}+@")
_IN_HEADER: Final = re.compile(r"\b(?:bearer|basic)\s{1,3}[\w.~+/=-]{16,}+", re.IGNORECASE)
_RUN: Final = re.compile(r"[\w.~+-]{12,}+")
_SIGNED: Final = re.compile(r"eyJ[\w-]{8,}+\.[\w-]{8,}+\.[\w-]{8,}+")
_ASSIGNED: Final = re.compile(
    r"(?<![\w-])([\w-]{3,80}+)[\"'`]?[ \t]{0,4}(?::=|=>|[:=])[ \t]{0,4}[\"'`]?([^\s\"'`,;()<>{}\[\]$]{8,200}+)"
)
_LEAST_DRAWN: Final = 24
_LEAST_BITS: Final = 3.9
_LEAST_CHANGES: Final = 0.35
"""Of neighbouring characters, the share that are of different kinds: one in five in names, two in three in random."""
_LEAST_VALUE_BITS: Final = 2.5


def looks_like_secret(text: str) -> bool:
    """Return whether a text holds what looks like a credential."""
    if any(pattern.search(text) for pattern in (_ARMOUR, _IN_ADDRESS, _IN_HEADER)):
        return True
    return any(_is_token(found[0]) for found in _RUN.finditer(text)) or any(
        _is_named(found[1]) and _is_value(found[2]) for found in _ASSIGNED.finditer(text)
    )


def _is_token(run: str) -> bool:
    begins = shape_numbers("credentials", "prefixes")
    if any(run.startswith(prefix) and len(run) >= len(prefix) + least for prefix, least in begins.items()):
        return True
    return bool(_SIGNED.match(run)) or _is_drawn(run)


def _is_drawn(run: str) -> bool:
    """Return whether a run of characters looks drawn by lot."""
    kinds = [_kind(each) for each in run]
    if len(run) < _LEAST_DRAWN or not {"A", "a", "0"} <= set(kinds):
        return False
    changes = sum(one != other for one, other in pairwise(kinds)) / (len(run) - 1)
    return changes >= _LEAST_CHANGES and _bits(run) >= _LEAST_BITS


def _kind(char: str) -> str:
    return "0" if char.isdigit() else "A" if char.isupper() else "a" if char.isalpha() else ""


def _is_named(name: str) -> bool:
    bare = name.casefold().replace("_", "").replace("-", "")
    return any(each in bare for each in shape_words("credentials", "names"))


def _is_value(value: str) -> bool:
    is_mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return is_mixed and "://" not in value and _bits(value) >= _LEAST_VALUE_BITS


def _bits(text: str) -> float:
    """Return the entropy of a character, by how often each stands in the text."""
    shares = (count / len(text) for count in Counter(text).values())
    return -sum(share * math.log2(share) for share in shares)
