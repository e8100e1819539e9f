"""The normal form of a text, its content hash and its keyed hash.

Law: two texts that a reader would call the same have the same `norm_v1`, and what is in normal form already stays as
it is. The hash is taken of the whole text, before anything is cut (ruling A11). What `norm_v1` does is part of every
stored hash: it is never changed, only followed by a `norm_v2`.

The keyed hash of a text. What must not be confirmable without the store's key is kept as this hash of it and in no
other form.

Source: spec inner_voice.retrieve, Content Normalization; rulings A10, A11; rulings D9, H.
"""

import re
from itertools import chain
from unicodedata import category, normalize

from blake3 import blake3

_INVISIBLE = frozenset({"Cc", "Cf"})
_ASCII_CONTROLS = dict.fromkeys(code for code in chain(range(32), (127,)) if not chr(code).isspace())
_SURROGATE = re.compile("[\ud800-\udfff]")


def norm_v1(text: str) -> str:
    """Return the normal form of `text`: NFKC, casefold, NFKC, no invisible characters, single spaces, trimmed.

    The steps are repeated until they change nothing, because dropping an invisible character can bring two characters
    together that compose; nearly always the first pass is the last that changes anything.
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
    """Return the hex BLAKE3 of `norm_v1(text)` in UTF-8; any string has one, lone surrogates included."""
    return hash_of_normal(norm_v1(text))


def hash_of_normal(normal: str) -> str:
    """Return the content hash of a text that is in normal form already."""
    return blake3(normal.encode("utf-8", "surrogatepass")).hexdigest()


def clean_text(text: str) -> str:
    """Return `text` as it may be stored: without NUL and lone surrogates; surrogate pairs become their character.

    Everything else stays, so that spans and exports hold what the person wrote.
    """
    text = text.replace("\x00", "")
    if text.isascii() or _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")


def keyed_hash(key: bytes, text: str) -> str:
    """Return the keyed BLAKE3 of any text that must not be confirmable without the store's key (rulings D9, H)."""
    return blake3(text.encode("utf-8", "surrogatepass"), key=key).hexdigest()
