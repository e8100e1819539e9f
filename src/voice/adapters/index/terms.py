"""Text to terms, for rows and for questions alike.

Law: any string in any script has terms or has none, and never fails; a row and a question that share a word share a
term. A term is 64 bits of a hash, so no word of a memory stands in the vocabulary on disk.

    word                 its stem (by script), and the word itself where that differs
    login.py, auth-bug   their parts, and the whole
    C++, C#              the letter, and the whole
    11th                 the number, and the word itself
    日本語, ไทย            overlapping pairs of characters; each character, for a question of one
    😀                    itself
    - [ ], TODO, - [x]    a box or mark, open or done (☐, ☑): a list of what is to be done may say so in no word
    8 May, May 8th       besides its words the month, and the day of the month (`date_terms`)

A row that ends in a question has `ASKS`, too, which no question asks with: what is said next may be the answer.

Source: DESIGN 5; rulings B16, G ("any string is a valid query").
"""

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import Final, cast

import regex
from blake3 import blake3

from voice.core.nlq.phrase_tables.reading import phrase_table
from voice.core.text.language_data import entries
from voice.core.text.lazy import late_pattern
from voice.core.text.word_lists import STOPWORDS, guess_language
from voice.core.text.words import stem_of


@cache
def _months() -> dict[str, int]:
    tables = map(phrase_table, STOPWORDS)
    return {name: cast("int", number) for table in tables for name, number in table.lexicon["month"].items()}


@cache
def _soft_months() -> frozenset[str]:
    """Months that are other words as well ("may", "march"); they need a day, or a capital and "in" or a year."""
    return frozenset(name for language in STOPWORDS for name in phrase_table(language).soft) | {"mayo", "mai"}


_DAY: Final = r"\d{1,2}(?:st|nd|rd|th)?+"
_MENTION = late_pattern(
    r"\b(?P<month>\L<names>)\b|(?<!\d)\d{4}-(?P<number>\d{2})-(?P<day>\d{2})(?!\d)",
    regex.IGNORECASE,
    names=lambda: list(_months()),
)
# Before a month: "5 ", "5th of ", "5. "; not the end of "10:05 " or "1.5 ".
_BEFORE = late_pattern(rf"(?<![\d.:/-])(?P<first>{_DAY})\.?\s+(?:of\s+|de\s+)?$", regex.IGNORECASE)
# After a month: " 5", ". 5", " the 5th", " 5-8", " 5 to 8"; not the start of " 5:30" or " 5.2".
_AFTER = late_pattern(
    rf"\.?\s+(?:the\s+)?(?P<first>{_DAY})\b(?![:.]\d)"
    rf"(?:\s*(?:-|–|to|through|until|and|bis|und|al|y)\s*(?:the\s+)?(?P<last>{_DAY})\b(?![:.]\d))?",
    regex.IGNORECASE,
)
# "in May", "seit Mai", "late May"
_LEAD = late_pattern(
    r"\b(?:in|of|on|by|since|until|till|before|after|during|last|this|next|early|mid|late|from|to|through|every|each"
    r"|im|seit|bis|ab|ende|anfang|mitte|en|de|desde|hasta|del)[\s-]+$",
    regex.IGNORECASE,
)
_YEAR = late_pattern(r",?\s+(?:of\s+|de\s+)?\d{4}\b")  # "May 2024", "May, 2024", "mayo de 2024"
_LEAD_CHARS: Final = 12  # how far a look back reads, so that long texts take linear time
_MONTH_NUMBERS: Final = range(1, 13)
_DAYS: Final = range(1, 32)


def date_terms(text: str) -> Iterator[str]:
    """Yield a term per month and per day of a month in `text`, with repetitions."""
    for match in _MENTION.finditer(text):
        month = _month(match)
        days = _days(text, match)
        if month not in _MONTH_NUMBERS or not (days or _is_month(text, match)):
            continue
        yield f"=@{month}"
        for day in days:
            yield f"=@{month}-{day}"


def _month(match: "regex.Match[str]") -> int:
    return _number(match["number"]) if match["month"] is None else _months().get(match["month"].casefold(), 0)


def _days(text: str, match: "regex.Match[str]") -> list[int]:
    if match["month"] is None:
        return [day for day in (_number(match["day"]),) if day in _DAYS]
    before = _BEFORE.search(text, max(0, match.start() - _LEAD_CHARS), match.start())
    after = _AFTER.match(text, match.end())
    first, last = (_number(after and after[group]) for group in ("first", "last"))
    # "5 to 8 May" is all four days.
    days = range(first, last + 1) if 0 < first < last else (_number(before and before["first"]), first)
    return [day for day in days if day in _DAYS]


def _number(digits: str | None) -> int:
    return int("".join(char for char in digits if char.isdecimal())) if digits else 0


def _is_month(text: str, match: "regex.Match[str]") -> bool:
    """Return whether a name without a day means the month."""
    start, end = match.span()
    if match["month"] is None:
        return False
    if match["month"].casefold() not in _soft_months():
        return True
    if not text[start].isupper():
        return False
    return _LEAD.search(text, max(0, start - _LEAD_CHARS), start) is not None or _YEAR.match(text, end) is not None


EXACT_WEIGHT: Final = 0.25
"""How much a word as it is written, or a compound as a whole, counts beside its stem or its parts, which count 1.0.

It is a term of its own with its own rarity: a rare spelling of a common stem may add more than a quarter of what the
stem adds. At 0 a person's year loses a point of recall@10, at 0.5 dialogue loses one of recall@5.
"""
MAX_QUERY_TERMS: Final = 128
# "?", "？" or "؟" at the end, before any closing quotation marks and brackets.
_ASKING = late_pattern(r"[?\uff1f\u061f][\s\"'\u2019\u201d\u00bb)\]]*$", regex.V1)
_MAX_WORD_CHARS: Final = 64
_CACHED_WORDS: Final = 1 << 16

_APOSTROPHES = str.maketrans("\u2018\u2019\u201b\u02bc\uff07`\u00b4", "'''''''")  # all apostrophes become one
_SPACELESS = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_LETTER = rf"[[\p{{L}}\p{{M}}\p{{N}}_]--[{_SPACELESS}]]"
# 日本語 as one run; "login.py", "auth-bug", "C++", "it's" as one word each; "😀", "€"
_TOKEN = late_pattern(rf"[{_SPACELESS}ー]+|{_LETTER}++(?:[-./@:&']{_LETTER}++)*+[+#]*+|[\p{{So}}\p{{Sc}}]", regex.V1)
_IS_SPACELESS = late_pattern(rf"[{_SPACELESS}ー]", regex.V1)
# A box or mark at a line's start or after a colon: "- [x] pay", "1. [ ] pay", "Garden: TODO"; not "TODOS" or "a[1]".
_TASK = late_pattern(
    r"(?m)(?:^|(?<=: ))[ \t]*+(?:(?:[-*+]|\*{2,9}|\d+[.)])[ \t]+)?+"
    r"(?:\[(?P<box>[ \S])\](?=\s)|(?P<mark>\L<marks>)(?!\w))",
    marks=sorted(mark for mark in entries("tasks", "open_marks") | entries("tasks", "done_marks") if len(mark) > 1),
)
_ORDINAL = late_pattern(r"(\d+)(?:st|nd|rd|th)")
_STEMMED = late_pattern(r"\p{Cyrillic}+|\p{Greek}+|\p{Arabic}+|\p{Devanagari}+")
_PART = late_pattern(r"[\p{L}\p{M}\p{N}]++(?:'[\p{L}\p{M}]++)*+")


Term = int


def row_terms(text: str) -> dict[Term, int]:
    """Return the term counts of a row's indexed text."""
    counts: dict[Term, int] = {}
    for token, times in Counter(_tokens(text)).items():
        # A long one rarely comes again.
        for term in _cached_terms(token) if len(token) <= _MAX_WORD_CHARS else _row_terms_of(token):
            counts[term] = counts.get(term, 0) + times
    for name in date_terms(text):
        term = _hash(name)
        counts[term] = counts.get(term, 0) + 1
    if _ASKING.search(text, max(0, len(text) - _MAX_WORD_CHARS)):  # only the end is read
        counts[ASKS] = 1
    return counts


def query_terms(text: str) -> list[tuple[Term, float]]:
    """Return the distinct terms of a question with weights, without stop words, in order, dates last. Stop words are
    those of the question's language; a question of stop words only keeps them."""
    words = list(dict.fromkeys(word for token in _tokens(text) for word in _asked_words_of(token)))
    filler = _filler(words)
    telling = [word for word in words if word not in filler] or words
    weights: dict[Term, float] = {}
    for word in telling:
        for term, weight in _terms_of(word):
            weights.setdefault(term, weight)  # the first mention's weight
    for name in date_terms(text):
        weights.setdefault(_hash(name), 1.0)
    return list(weights.items())[:MAX_QUERY_TERMS]


def _filler(words: Sequence[str]) -> frozenset[str]:
    """Return the stop words of the words' language; a single "die" does not make it German."""
    other = STOPWORDS[guess_language(words)]
    return other if sum(word in other for word in words) > 1 else STOPWORDS["en"]


def _tokens(text: str) -> list[str]:
    """Split into unspaced runs, words with their connectors, and symbols, including list boxes."""
    signed = _TASK.sub(_with_sign, text)
    return _TOKEN.findall(unicodedata.normalize("NFKC", signed.translate(_APOSTROPHES)).casefold())


def _with_sign(task: "regex.Match[str]") -> str:
    mark = task["box"] or task["mark"]
    sign = "☐" if mark in entries("tasks", "open_marks") else "☑" if mark in entries("tasks", "done_marks") else ""
    return f"{task['mark'] or ''} {sign} "


def _row_terms_of(token: str) -> tuple[Term, ...]:
    return tuple(term for word in _words_of(token) for term, _ in _terms_of(word))


_cached_terms = lru_cache(_CACHED_WORDS)(_row_terms_of)


def _words_of(token: str) -> Iterator[str]:
    """Yield characters and pairs, or words and whole compounds, the latter with a leading `=`."""
    if _IS_SPACELESS.match(token):
        return chain(token, _pairs(token))
    return _words(token)


def _asked_words_of(token: str) -> Iterator[str]:
    """Like `_words_of`, without single characters of pairs, which match too much."""
    if _IS_SPACELESS.match(token) and len(token) > 1:
        return _pairs(token)
    return _words_of(token)


def _pairs(run: str) -> Iterator[str]:
    return (run[start : start + 2] for start in range(len(run) - 1))


def _words(token: str) -> Iterator[str]:
    parts = [part.removesuffix("'s")[:_MAX_WORD_CHARS] for part in _PART.findall(token)]  # "Anna's" is "Anna"
    yield from parts or (token[:_MAX_WORD_CHARS],)
    # "login.py" or "C++", not "word".
    if len(token) <= _MAX_WORD_CHARS and (len(parts) > 1 or (parts and token[-1] in "+#")):
        yield f"={token}"


@lru_cache(_CACHED_WORDS)
def _terms_of(token: str) -> tuple[tuple[Term, float], ...]:
    if token[0] == "=":
        return ((_hash(token), EXACT_WEIGHT),)
    plain = _without_accents(token)
    stem = _stem(plain)
    if stem == token:
        return ((_hash(stem), 1.0),)
    return (_hash(stem), 1.0), (_hash(f"={token}"), EXACT_WEIGHT)


def _without_accents(word: str) -> str:
    if word.isascii():
        return word
    bare = "".join(char for char in unicodedata.normalize("NFD", word) if not unicodedata.combining(char))
    return unicodedata.normalize("NFC", bare) or word  # not "" for combining marks alone


def _stem(word: str) -> str:
    if word.isascii():
        ordinal = _ORDINAL.fullmatch(word)
        return ordinal[1] if ordinal else stem_of(word)
    if _STEMMED.fullmatch(word) is None:
        return word
    from voice.adapters.index.stemming import stem_in_its_script  # noqa: PLC0415 - brings 35 languages with it

    return stem_in_its_script(word)


def _hash(term: str) -> Term:
    return int.from_bytes(blake3(term.encode("utf-8", "surrogatepass")).digest(length=8), "little")


ASKS: Final[Term] = _hash("=?")
"""The term of a row that ends in a question."""
