"""What a text says in code.

Law: an order that a model could decode is an order. Character references, percent-encoding, escapes, base64,
hexadecimal and rot13 are undone, twice over at most, so many runs of so many characters; what does not come out as text
is left.

Source: ruling D22.
"""

import base64
import codecs
import re
import sys
from collections.abc import Iterator
from html import unescape
from itertools import islice
from urllib.parse import unquote

_MOST = 4_000
"""Characters of one run that are decoded: an order is short."""
_RUNS, _LEAST = 8, 16
"""How many runs are decoded, and how long one word of it is at least."""
_LOST, _SHOWN_SHARE = "\ufffd", 0.95
_REFERENCE = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,8});?", re.IGNORECASE)
_PERCENT = re.compile(r"%[0-9a-f]{2}", re.IGNORECASE)
_ESCAPE = re.compile(r"\\(?:u\{?([0-9a-f]{4,6})\}?|x([0-9a-f]{2}))", re.IGNORECASE)
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}+(?:\s[A-Za-z0-9+/_-]{60,}+)*+(?:\s[A-Za-z0-9+/_-]+(?==))?={0,2}")
_HEX = re.compile(r"(?:[0-9a-f]{2}){12,2000}", re.IGNORECASE)


def decoded(text: str) -> Iterator[str]:
    """Yield what stands in code in `text`, once for each code that it uses."""
    if "&" in text and _REFERENCE.search(text):
        yield unescape(text)
    if "%" in text and _PERCENT.search(text):
        yield unquote(text, errors="ignore")
    if "\\" in text and _ESCAPE.search(text):
        yield _ESCAPE.sub(_character, text)
    if len(max(text.split(), key=len, default="")) >= _LEAST:
        yield from _runs(text)


def rot13(text: str) -> str:
    """Return `text` with each letter of the alphabet moved by half of it."""
    return codecs.encode(text, "rot13")


def _runs(text: str) -> Iterator[str]:
    for pattern, read in ((_BASE64, _from_base64), (_HEX, _from_hex)):
        for match in islice(pattern.finditer(text), _RUNS):
            if plain := _as_text(read(match.group()[:_MOST])):
                yield plain


def _from_base64(run: str) -> bytes:
    kept = "".join(run.split()).rstrip("=").replace("-", "+").replace("_", "/")
    kept = kept[: len(kept) - 1] if len(kept) % 4 == 1 else kept
    return base64.b64decode(kept + "=" * (-len(kept) % 4))


def _from_hex(run: str) -> bytes:
    return bytes.fromhex(run)


def _as_text(found: bytes) -> str:
    """Return what the bytes say, empty when that is no text."""
    text = found.decode("utf-8", "replace")
    shown = sum(char != _LOST and (char.isprintable() or char.isspace()) for char in text)
    return text if shown >= _SHOWN_SHARE * len(text) else ""


def _character(escape: "re.Match[str]") -> str:
    code = int(escape[1] or escape[2], 16)
    return chr(code) if code <= sys.maxunicode else " "
