"""Undo obfuscation of words: encodings, look-alike letters, spacing, leetspeak.

Law: case, accents, invisible characters, look-alikes, s p a c i n g and digits for letters hide nothing. Character
references, percent-encoding, escapes, base64, hex and rot13 are decoded, nested twice, within limits; non-text is
dropped.
Line breaks stay. Linear time.
Source: ruling D22.
"""

import base64
import codecs
import re
import sys
import unicodedata
from collections.abc import Iterator
from html import unescape
from itertools import islice
from urllib.parse import unquote

from voice.core.text.lazy import late_pattern
from voice.core.text.words import fold_key

_UNSEEN = late_pattern(
    r"[\u0300-\u036f\p{Default_Ignorable_Code_Point}\p{Cf}\u2800\u0640\u064b-\u0652\u0670]|(?![\s])\p{Cc}"
    r"|[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]"
)
_SIGNS = str.maketrans(
    dict.fromkeys("‘’‚‛′‵`´ʼ＇", "'")
    | dict.fromkeys("“”„‟″«»‹›〝〞「」『』", '"')
    | dict.fromkeys("。।۔؟！？；؛…\r\u2028\u2029\x85", ".")
    | dict.fromkeys("：﹕︓", ":")
    | dict.fromkeys("，、،", ",")
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_NOT = re.compile(r"n't\b|n't(?=[a-z])")
_FOREIGN = late_pattern(r"[\p{Cyrillic}\p{Greek}]")
_WORD = re.compile(r"\w+")
_LATIN = re.compile("[a-z]")
_SPACED = re.compile(r"\b\w(?P<gap>[ .*-])(?:\w(?P=gap)){2,}\w\b")
_LEET = str.maketrans("013457@$\n", "oieastas ")
_POSING = re.compile(r"\n|[a-z][013457@$]|[013457@$][a-z]")
"""Possible leetspeak, or a sentence across lines."""
_SIGNED = re.compile(r"(?<!\S)(?=\S*[a-z]{2})\S+")


def fold_text(text: str) -> str:
    """Return `text` without differences that a reader ignores."""
    if text.isascii():
        folded = _CONTROLS.sub("", text.replace("\r", "\n")).lower()
    else:
        wide = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text.translate(_SIGNS)).casefold())
        folded = unicodedata.normalize("NFC", _UNSEEN.sub("", wide)).translate(_SIGNS)
        if _LATIN.search(folded) and _FOREIGN.search(folded):
            folded = _WORD.sub(_fold_mixed_script, folded)
        folded = folded.replace("ı", "i")
    folded = folded.replace("_", " ")
    return _NOT.sub(" not", folded) if "n't" in folded else folded


def spelling_variants(folded: str) -> Iterator[str]:
    """Yield a folded text without letter spacing, then with signs read as letters and lines joined."""
    plain = _SPACED.sub(lambda run: run.group().replace(run["gap"], ""), folded)
    yield plain
    if _POSING.search(plain):
        yield _SIGNED.sub(lambda token: token.group().translate(_LEET), plain).replace("\n", " ")


def _fold_mixed_script(word: "re.Match[str]") -> str:
    token = word.group()
    return fold_key(token) if _LATIN.search(token) and _FOREIGN.search(token) else token


_MOST = 4_000
"""Characters decoded per run."""
_RUNS, _LEAST = 8, 16
"""How many runs are decoded, and how long one word of it is at least."""
_LOST, _SHOWN_SHARE = "\ufffd", 0.95
_REFERENCE = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,8});?", re.IGNORECASE)
_PERCENT = re.compile(r"%[0-9a-f]{2}", re.IGNORECASE)
_ESCAPE = re.compile(r"\\(?:u\{?([0-9a-f]{4,6})\}?|x([0-9a-f]{2}))", re.IGNORECASE)
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}+(?:\s[A-Za-z0-9+/_-]{60,}+)*+(?:\s[A-Za-z0-9+/_-]+(?==))?={0,2}")
_HEX = re.compile(r"(?:[0-9a-f]{2}){12,2000}", re.IGNORECASE)


def decode_all(text: str) -> Iterator[str]:
    """Yield the decoded forms of `text`, one per encoding found."""
    if "&" in text and _REFERENCE.search(text):
        yield unescape(text)
    if "%" in text and _PERCENT.search(text):
        yield unquote(text, errors="ignore")
    if "\\" in text and _ESCAPE.search(text):
        yield _ESCAPE.sub(_decode_escape, text)
    if len(max(text.split(), key=len, default="")) >= _LEAST:
        yield from _decoded_runs(text)


def rot13(text: str) -> str:
    """Apply rot13 to the ASCII letters of `text`."""
    return codecs.encode(text, "rot13")


def _decoded_runs(text: str) -> Iterator[str]:
    for pattern, read in ((_BASE64, _from_base64), (_HEX, bytes.fromhex)):
        for match in islice(pattern.finditer(text), _RUNS):
            if plain := _as_text(read(match.group()[:_MOST])):
                yield plain


def _from_base64(run: str) -> bytes:
    kept = "".join(run.split()).rstrip("=").replace("-", "+").replace("_", "/")
    kept = kept[: len(kept) - 1] if len(kept) % 4 == 1 else kept
    return base64.b64decode(kept + "=" * (-len(kept) % 4))


def _as_text(found: bytes) -> str:
    """Return the bytes as text; "" if they are not text."""
    text = found.decode("utf-8", "replace")
    shown = sum(char != _LOST and (char.isprintable() or char.isspace()) for char in text)
    return text if shown >= _SHOWN_SHARE * len(text) else ""


def _decode_escape(escape: "re.Match[str]") -> str:
    code = int(escape[1] or escape[2], 16)
    return chr(code) if code <= sys.maxunicode else " "
