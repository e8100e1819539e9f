"""Lists of the words that orders to a model are made of, one a language.

Law: what the words are stands in `voice/data/instructions/<language>.txt`, one class a line, read when a row first
needs them: a package's words are data of the program, as its modules are. `ignor*` is a beginning, `set aside` words in
a row; where a script has no spaces between words, and behind the clitics of Arabic and Hebrew, a word is found inside
another.

Source: ruling D22; DESIGN 6.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Final, NamedTuple

from voice.core.text.kept import Kept
from voice.core.text.orders.folding import fold
from voice.core.text.patterns import late_pattern

CLASSES: Final = (
    *("drop", "rules", "before", "told", "show", "reply", "expected", "model", "to", "user", "asked", "not", "must"),
    *("source", "other", "use", "false", "system", "new", "task", "your", "self", "figure"),
)
"""What a word may be for: to drop, rules, former, what was told, to say, …"""
WIDTH: Final = len(CLASSES)
EVERY: Final = "every"
"""The list of what all languages share."""
UNSPACED: Final = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー"
LONGEST: Final = 24
"""Letters of a word that are looked at."""
_LONGEST_INSIDE = 10
_CLITICS, _LEAST_STEM = 3, 3
_RUN = late_pattern(rf"[{UNSPACED}]")
_CLITIC = late_pattern(r"[\p{Arabic}\p{Hebrew}]")
_IDEOGRAPHIC = late_pattern(r"[\p{Han}\p{Hiragana}\p{Katakana}ー]")

Place = tuple[str, str]
"""A language and a class of its words."""


class Entry(NamedTuple):
    """What an entry goes on with behind its first word, and what it is."""

    rest: tuple[str, ...]
    place: Place

    def follows(self, tokens: Sequence[str], at: int) -> bool:
        """Return whether the rest stands behind the word at a place."""
        end = at + 1 + len(self.rest)
        return end <= len(tokens) and all(map(_fits, tokens[at + 1 : end], self.rest))


class Meaning(NamedTuple):
    """What one word may be."""

    places: tuple[Place, ...]
    openings: tuple[Entry, ...]
    """Entries of several words that it may open."""
    bits: int
    """All classes it may be of: one bit for each class of each language, those of all languages first."""


class _Lists(NamedTuple):
    """All entries: whole words, beginnings of words, and what is found inside a run without spaces."""

    languages: tuple[str, ...]
    whole: dict[str, list[Entry]]
    stems: dict[str, list[Entry]]
    inside: dict[str, list[Entry]]


def languages() -> tuple[str, ...]:
    """Return the languages that have a list, in the order of their bits."""
    return _lists().languages


def bits_of(names: Iterable[str]) -> int:
    """Return classes of one language as bits."""
    return sum({1 << CLASSES.index(name) for name in names})


def found_inside(run: str) -> list[tuple[int, Place]]:
    """Return what is found in a run without spaces, and where it ends."""
    inside = _lists().inside
    return [
        (end - 1, entry.place)
        for start in range(len(run))
        for end in range(start + 1, min(start + _LONGEST_INSIDE, len(run)) + 1)
        for entry in inside.get(run[start:end], ())
    ]


def bits_at(places: Iterable[Place]) -> int:
    """Return the bits of classes of several languages."""
    bits = 0
    for language, name in places:
        bits |= 1 << _number(language, name)
    return bits


@lru_cache(maxsize=2048)
def _number(language: str, name: str) -> int:
    return (0 if language == EVERY else languages().index(language) + 1) * WIDTH + CLASSES.index(name)


def is_run(token: str) -> bool:
    """Return whether a token is in a script that is written without spaces between words."""
    return not token.isascii() and _RUN.match(token) is not None


def width_of(run: str) -> float:
    """Return how much of a word a character of such a run is."""
    return 0.4 if _IDEOGRAPHIC.match(run) else 0.25


@lru_cache(maxsize=1)
def _lists() -> _Lists:
    """Return all entries; read at the first row, not at import."""
    found = [file for file in (files("voice") / "data" / "instructions").iterdir() if file.name.endswith(".txt")]
    names = sorted(file.name.removesuffix(".txt") for file in found)
    lists = _Lists(tuple(name for name in names if name != EVERY), {}, {}, {})
    for file in found:
        language = file.name.removesuffix(".txt")
        for line in _apart(file.read_text(encoding="utf-8")).splitlines():
            name, _, entries = line.partition(":")
            place = (language, name)
            for entry in entries.split(","):
                _enter(entry.split(), place, lists)
    return lists


def _apart(text: str) -> str:
    """Return a whole list as its entries are looked up: folding it at once costs a tenth of folding each entry."""
    return fold(text.replace("-", " ").replace("'", " "))


def _enter(words: Sequence[str], place: Place, lists: _Lists) -> None:
    if is_run(words[0]):
        lists.inside.setdefault("".join(words).replace("*", ""), []).append(Entry((), place))
        return
    table = lists.stems if words[0].endswith("*") else lists.whole
    table.setdefault(words[0].removesuffix("*"), []).append(Entry(tuple(words[1:]), place))


def _fits(word: str, entry: str) -> bool:
    return word.startswith(entry[:-1]) if entry.endswith("*") else word == entry


def _meaning_of(token: str) -> Meaning | None:
    """Return what a word with spaces around it may be, None when it is nothing."""
    lists, found = _lists(), list[Entry]()
    for start in range(_CLITICS + 1 if not token.isascii() and _CLITIC.match(token) else 1):
        rest = token[start:]
        found += lists.whole.get(rest, ()) if not start or len(rest) > 1 else ()
        shortest = _LEAST_STEM if start else 1
        found += (entry for end in range(shortest, len(rest) + 1) for entry in lists.stems.get(rest[:end], ()))
    if not found:
        return None
    places = tuple(dict.fromkeys(entry.place for entry in found if not entry.rest))
    return Meaning(places, tuple(entry for entry in found if entry.rest), bits_at(entry.place for entry in found))


MEANINGS: Final = Kept(_meaning_of, 65_536)
"""What each word may be; words are given cut to `LONGEST`."""
