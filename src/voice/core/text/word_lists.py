"""Stop words by language, read from `voice/data/language`.

Law: stop words are per language, because one language's filler is another's topic ("war", "die", "hat"); negations are
stop words. They are left out of queries and measures, never of stored text.
Source: rulings E ("Keywords boost"), B16; DESIGN 5 ("stop words out of the query, any script"); ruling D1.
"""

import unicodedata
from collections.abc import Iterable
from importlib.resources import files
from typing import Literal, get_args

Language = Literal["en", "de", "es"]


def language_file(name: str) -> str:
    """Return the text of a file in `voice/data/language`."""
    return (files("voice") / "data" / "language" / name).read_text(encoding="utf-8")


STOPWORDS: dict[Language, frozenset[str]] = {
    language: frozenset(language_file(f"stopwords.{language}.txt").split()) for language in get_args(Language)
}
_APOSTROPHES = str.maketrans("\u2018\u2019\u201b\u02bc\uff07`\u00b4", "'''''''")  # each may be the "'" of "don't"


def fold_word(word: str) -> str:
    """Fold `word` as in the tables: NFC, casefold, straight apostrophes; keeps `'s`."""
    if word.isascii() and "`" not in word:  # "`" is ASCII and stands for an apostrophe
        return word.casefold()
    return unicodedata.normalize("NFC", word.translate(_APOSTROPHES)).casefold()


def is_stopword(word: str, language: Language = "en") -> bool:
    """Return whether `word` is a stop word, ignoring case and apostrophe form."""
    return fold_word(word) in STOPWORDS[language]


def guess_language(words: Iterable[str], default: Language = "en") -> Language:
    """Return the language with the most stop words; `default` unless another has strictly more."""
    folded = [fold_word(word) for word in words]
    counts: dict[Language, int] = {name: sum(word in table for word in folded) for name, table in STOPWORDS.items()}
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] > counts[default] else default


def word_set(*lines: str) -> frozenset[str]:
    """Split lines into a set of words."""
    return frozenset(word for line in lines for word in line.split())


def numbered_words(text: str, start: int = 1, step: int = 1) -> dict[str, int]:
    """Number the words of a text in order; synonyms stand between bars: `"january|jan february|feb"`."""
    return {word: start + step * place for place, synonyms in enumerate(text.split()) for word in synonyms.split("|")}
