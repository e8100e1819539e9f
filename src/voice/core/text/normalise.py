"""The normal form of a text and its hashes, and the form in which disguised instructions are read.

Law: `norm_v1` is idempotent and part of every stored hash: never change it, add a `norm_v2`. Hashes cover the whole
text before any cut (ruling A11). Text that must not be confirmable without the store's key is kept as a keyed hash
only.

For reading, disguises are undone: case, accents, invisible characters, look-alikes, s p a c i n g and digits for
letters hide nothing. Character references, percent-encoding, escapes, base64, hex and rot13 are decoded, nested twice,
within limits; non-text is dropped. Line breaks stay. Linear time.
Source: spec inner_voice.retrieve, Content Normalization; rulings A10, A11, D9, D22, H; DESIGN 6.
"""

import base64
import codecs
import re
import sys
from collections.abc import Iterator, Sequence
from html import unescape
from itertools import chain, islice
from typing import Final, Literal, NamedTuple
from unicodedata import category, normalize
from urllib.parse import unquote

from blake3 import blake3

from voice.core.text.lazy import late_pattern
from voice.core.text.words import fold_key

# Linear: what it takes too much is one character, whose mark stands behind it.
# A run of plain words, each of whose characters stands for itself, or one character with its marks.
_CLUSTER = late_pattern(r"(?P<plain>[!-~]+(?: [!-~]+)*(?![\p{M}\p{Cf}]))|[\s\S][\p{M}\p{Cf}]*")
# What a reader does not see or may leave out: vowel points, the elongation stroke, the dot of a lower-cased İ.
_UNSEEN = late_pattern(
    r"[\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]|(?!\s)\p{Cc}|(?<=i)\u0307"
    r"|[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u0652\u0670]"
)
_RAISED = frozenset("²³¹⁰⁴⁵⁶⁷⁸⁹")  # "10²" becomes "10^2": it is not "102"
_QUOTATION_MARKS = dict.fromkeys("‘’‚‛′‵`´ʼ＇", "'") | dict.fromkeys("“”„‟″«»‹›〝〞「」『』", '"')
_FOLDS = str.maketrans(_QUOTATION_MARKS | dict.fromkeys("‐‑‒–—―−﹘﹣－", "-") | {"…": "..."})

# What cannot be seen and changes how the rest is read; joiners inside emoji and other scripts are spelling.
_TRICKS = late_pattern(
    r"[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff"
    r"\uffa0\ufff9-\ufffb\U000e0000-\U000e007f]|(?<=[A-Za-z0-9])[\u200c\u200d]|[\u200c\u200d](?=[A-Za-z0-9])"
)
WORD_JOINER: Final = "\u2060"  # keeps text of the memory from imitating a frame or an id


class ComparableText(NamedTuple):
    """A text in comparable form; `starts[i]` and `ends[i]` are the original offsets of its i-th character."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]


def strip_invisible(text: str, by: Literal["", "\u2060"] = "") -> str:
    """Return `text` without characters that cannot be seen and that only hide, split or reverse what is there."""
    return text if text.isascii() else _TRICKS.sub(by, text)


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
    folded = normalize("NFKC", normalize("NFKC", _UNSEEN.sub("", cluster).translate(_FOLDS)).casefold())
    return "".join(" " if char.isspace() else char for char in _UNSEEN.sub("", folded))


_INVISIBLE = frozenset({"Cc", "Cf"})
_ASCII_CONTROLS = dict.fromkeys(code for code in chain(range(32), (127,)) if not chr(code).isspace())
_SURROGATE = re.compile("[\ud800-\udfff]")


def norm_v1(text: str) -> str:
    """Normalise: NFKC, casefold, NFKC, no invisible characters, single spaces, trimmed, till it is stable."""
    if text.isascii():
        return " ".join(text.translate(_ASCII_CONTROLS).lower().split())
    while (normal := _pass(text)) != text:  # an invisible character that goes may let its neighbours compose
        text = normal
    return text


def _pass(text: str) -> str:
    folded = normalize("NFKC", normalize("NFKC", text).casefold())  # `casefold` may undo the normal form
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
    # In UTF-16 the pairs join; what is alone is ignored.
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")


def keyed_hash(key: bytes, text: str) -> str:
    """Return the keyed BLAKE3 of a text, hex (rulings D9, H)."""
    return blake3(text.encode("utf-8", "surrogatepass"), key=key).hexdigest()


_IGNORED_MARKS = late_pattern(
    r"[\u0300-\u036f\p{Default_Ignorable_Code_Point}\p{Cf}\u2800\u0640\u064b-\u0652\u0670]|(?![\s])\p{Cc}"
    r"|[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]"
)
_SIGNS = str.maketrans(
    _QUOTATION_MARKS
    | dict.fromkeys("。।۔؟！？；؛…\r\u2028\u2029\x85", ".")
    | dict.fromkeys("：﹕︓", ":")
    | dict.fromkeys("，、،", ",")
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")  # tab and line feed stay
_NOT = re.compile(r"n't\b|n't(?=[a-z])")
_FOREIGN = late_pattern(r"[\p{Cyrillic}\p{Greek}]")
_WORD = re.compile(r"\w+")
_LATIN = re.compile("[a-z]")
_SPACED = re.compile(r"\b\w(?P<gap>[ .*-])(?:\w(?P=gap)){2,}\w\b")  # "d r o p", "d.r.o.p": four letters or more
_LEET = str.maketrans("013457@$\n", "oieastas ")  # "\n": an order may be broken into lines
_POSING = re.compile(r"\n|[a-z][013457@$]|[013457@$][a-z]")  # possible leetspeak, or a sentence across lines
_SIGNED = re.compile(r"(?<!\S)(?=\S*[a-z]{2})\S+")  # a token with two letters in a row: "1gn0re", not "5b"


def fold_text(text: str) -> str:
    """Return `text` without differences that a reader ignores."""
    if text.isascii():
        folded = _CONTROLS.sub("", text.replace("\r", "\n")).lower()
    else:
        wide = normalize("NFKD", normalize("NFKC", text.translate(_SIGNS)).casefold())
        folded = normalize("NFC", _IGNORED_MARKS.sub("", wide)).translate(_SIGNS)
        if _LATIN.search(folded) and _FOREIGN.search(folded):
            folded = _WORD.sub(_fold_mixed_script, folded)  # "ignоre" with a Cyrillic о
        folded = folded.replace("ı", "i")  # no normal form makes "i" of it
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


_MOST = 4_000  # characters decoded per run; even, as hex digits go in pairs
_RUNS, _LEAST = 8, 16  # runs decoded, and letters of a word that may be one
_LOST, _SHOWN_SHARE = "\ufffd", 0.95  # with a smaller share of readable signs, bytes are not text
_REFERENCE = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,8});?", re.IGNORECASE)
_PERCENT = re.compile(r"%[0-9a-f]{2}", re.IGNORECASE)
_ESCAPE = re.compile(r"\\(?:u\{?([0-9a-f]{4,6})\}?|x([0-9a-f]{2}))", re.IGNORECASE)
# One word, or lines of 60 letters and more; a shorter last line counts if it is padded.
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
    if len(max(text.split(), key=len, default="")) >= _LEAST:  # else no run is long enough
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
    kept = kept[: len(kept) - 1] if len(kept) % 4 == 1 else kept  # no bytes end so: one letter too many
    return base64.b64decode(kept + "=" * (-len(kept) % 4))


def _as_text(found: bytes) -> str:
    """Return the bytes as text; "" if they are not text."""
    text = found.decode("utf-8", "replace")
    shown = sum(char != _LOST and (char.isprintable() or char.isspace()) for char in text)
    return text if shown >= _SHOWN_SHARE * len(text) else ""


def _decode_escape(escape: "re.Match[str]") -> str:
    code = int(escape[1] or escape[2], 16)
    return chr(code) if code <= sys.maxunicode else " "
