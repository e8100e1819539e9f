"""What may happen to a quotation on its way without anything being changed in what it says.

Law: each form is the same words to a reader; a faithful locator finds them all, with the source's own offsets. A slip
of the finger is one edit inside one long word that is written in small letters and is neither a name nor a number.
"""

import random
import unicodedata
from collections.abc import Callable, Mapping

from voice.core.text.language_data import is_common_word
from voice.core.text.spans import denies, reverses_meaning
from voice.core.text.typos import is_number_or_date_word
from voice.core.text.words import Word, stem_of, words

Form = Callable[[str], str]

_WIDE = {code: code + 0xFEE0 for code in range(ord("!"), ord("~") + 1)} | {ord(" "): "\u3000"}
FORMS: Mapping[str, Form] = {
    "upper case": str.upper,
    "lower case": str.lower,
    "swapped case": str.swapcase,
    "NFC": lambda text: unicodedata.normalize("NFC", text),
    "NFD": lambda text: unicodedata.normalize("NFD", text),
    "NFKC": lambda text: unicodedata.normalize("NFKC", text),
    "full width": lambda text: text.translate(_WIDE),
    "zero-width spaces": "\u200b".join,
    "soft hyphens": lambda text: text.replace("er", "e\u00adr").replace("ll", "l\u00adl"),
    "bidi marks": lambda text: f"\u202a{text}\u202c",
    "curly quotes": lambda text: text.translate(str.maketrans("'\"", "’”")),
    "other hyphens": lambda text: text.replace("-", "\u2011"),
    "no-break spaces": lambda text: text.replace(" ", "\u00a0"),
    "line breaks": lambda text: text.replace(" ", "\n  ", 3),
    "in quotation marks": lambda text: f"“{text}”",
    "trailing dots": lambda text: text.rstrip(".。") + "…",
    "markdown": lambda text: f"**{text}**",
    "as a list item": lambda text: f"- {text}",
}
Slip = Callable[[str, int], str]
SLIPS: Mapping[str, Slip] = {
    "swapped": lambda word, at: word[:at] + word[at + 1] + word[at] + word[at + 2 :],
    "dropped": lambda word, at: word[:at] + word[at + 1 :],
    "doubled": lambda word, at: word[: at + 1] + word[at:],
    "mistyped": lambda word, at: word[:at] + ("q" if word.isascii() else "ψ") + word[at + 1 :],
}


def long_words(text: str) -> list[Word]:
    """Return the words of `text` in which a slip of the finger would not be mistaken for another word."""
    return [
        word
        for word in words(text)
        if len(word.text) >= 7 and word.text.isalpha() and word.text.islower() and not word.is_stop
        and not is_number_or_date_word(word.key) and not denies(word)
    ]  # fmt: skip


def with_slip(text: str, chance: random.Random, kind: str) -> str | None:
    """Return `text` with one slip in one word; None where no word is long enough or the slip makes another word."""
    candidates = long_words(text)
    if not candidates:
        return None
    word = chance.choice(candidates)
    slipped = SLIPS[kind](word.text, chance.randrange(1, len(word.text) - 3))
    if slipped == word.text or is_common_word(slipped) or stem_of(slipped) == word.stem or reverses_meaning(slipped):
        return None
    return text[: word.start] + slipped + text[word.end :]
