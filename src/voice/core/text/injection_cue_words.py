"""Cue words of instructions to a model, and their positions in a sentence.

Law: cues of different languages never add up: a sentence is read once per language, plus the shared cues. Lists are
data (`voice/data/instructions/<language>.txt`), one class per line: `ignor*` is a prefix, several words a sequence; in
unspaced scripts and after clitics cues match inside words. Linear time; long sentences are read in windows.
Source: ruling D22; DESIGN 6.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Final, NamedTuple

import regex

from voice.core.text.lazy import Memo, late_pattern
from voice.core.text.normalise import fold_text, rot13

CLASSES: Final = (
    *("drop", "rules", "before", "told", "show", "reply", "expected", "model", "to", "user", "asked", "not", "must"),
    *("source", "other", "use", "false", "system", "new", "task", "your", "self", "figure"),
)
"""Classes of cue words: drop, rules, before, told, …"""
WIDTH: Final = len(CLASSES)
EVERY: Final = "every"
"""The list shared by all languages."""
UNSPACED: Final = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー"
_LONGEST: Final = 24  # letters of a word that are read
_LONGEST_INSIDE = 10  # characters of a cue in an unspaced script
_CLITICS, _LEAST_STEM = 3, 3  # most letters of clitics before a word; least letters of a prefix behind them
_RUN = late_pattern(rf"[{UNSPACED}]")
_CLITIC = late_pattern(r"[\p{Arabic}\p{Hebrew}]")  # here "and", "the", "to" are written as a part of the word
_IDEOGRAPHIC = late_pattern(r"[\p{Han}\p{Hiragana}\p{Katakana}ー]")

Place = tuple[str, str]  # (language, class)


class Entry(NamedTuple):
    """The remaining words of an entry, and its class."""

    rest: tuple[str, ...]
    place: Place

    def follows(self, tokens: Sequence[str], at: int) -> bool:
        """Return whether the remaining words follow position `at`."""
        end = at + 1 + len(self.rest)
        return end <= len(tokens) and all(map(_matches_entry, tokens[at + 1 : end], self.rest))


class Meaning(NamedTuple):
    """What a word may be."""

    places: tuple[Place, ...]
    openings: tuple[Entry, ...]
    """Multi-word entries that it may start."""
    bits: int
    """Bit set: one bit per class and language, shared ones first."""


class _Lists(NamedTuple):
    """All entries: whole words, prefixes, and cues of unspaced scripts."""

    languages: tuple[str, ...]
    whole: dict[str, list[Entry]]
    stems: dict[str, list[Entry]]
    inside: dict[str, list[Entry]]


def languages() -> tuple[str, ...]:
    """Return the languages with a list, in bit order."""
    return _lists().languages


def bits_of(names: Iterable[str]) -> int:
    """Return classes of one language as bits."""
    return sum({1 << CLASSES.index(name) for name in names})  # a set: a name given twice is one bit


def found_inside(run: str) -> list[tuple[int, Place]]:
    """Return the cues in an unspaced run, with end positions."""
    inside = _lists().inside
    return [
        (end - 1, entry.place)
        for start in range(len(run))
        for end in range(start + 1, min(start + _LONGEST_INSIDE, len(run)) + 1)
        for entry in inside.get(run[start:end], ())
    ]


def bits_at(places: Iterable[Place]) -> int:
    """Return (language, class) pairs as bits."""
    return sum({1 << _number(*place) for place in places})  # a set, as in `bits_of`


@lru_cache(maxsize=2048)
def _number(language: str, name: str) -> int:
    return (0 if language == EVERY else languages().index(language) + 1) * WIDTH + CLASSES.index(name)


def is_run(token: str) -> bool:
    """Return whether a token is in an unspaced script."""
    return not token.isascii() and _RUN.match(token) is not None


def width_of(run: str) -> float:
    """Return a character's share of a word in such a run."""
    return 0.4 if _IDEOGRAPHIC.match(run) else 0.25


@lru_cache(maxsize=1)
def _lists() -> _Lists:
    found = [file for file in (files("voice") / "data" / "instructions").iterdir() if file.name.endswith(".txt")]
    names = sorted(file.name.removesuffix(".txt") for file in found)  # sorted: the bits depend on the order
    lists = _Lists(tuple(name for name in names if name != EVERY), {}, {}, {})
    for file in found:
        language = file.name.removesuffix(".txt")
        text = file.read_text(encoding="utf-8").replace("-", " ").replace("'", " ")  # a token has neither
        for line in fold_text(text).splitlines():  # a whole list at once: ten times faster than each entry
            name, _, entries = line.partition(":")
            place = (language, name)
            for entry in entries.split(","):
                _enter(entry.split(), place, lists)
    return lists


def _enter(words: Sequence[str], place: Place, lists: _Lists) -> None:
    if is_run(words[0]):
        lists.inside.setdefault("".join(words).replace("*", ""), []).append(Entry((), place))
        return
    table = lists.stems if words[0].endswith("*") else lists.whole
    table.setdefault(words[0].removesuffix("*"), []).append(Entry(tuple(words[1:]), place))


def _matches_entry(word: str, entry: str) -> bool:
    return word.startswith(entry[:-1]) if entry.endswith("*") else word == entry


def _meaning_of(token: str) -> Meaning | None:
    lists, found = _lists(), list[Entry]()
    # The word itself, and what is left without one to three letters of clitics.
    for start in range(_CLITICS + 1 if not token.isascii() and _CLITIC.match(token) else 1):
        rest = token[start:]
        found += lists.whole.get(rest, ()) if not start or len(rest) > 1 else ()  # a single letter says nothing
        shortest = _LEAST_STEM if start else 1
        found += (entry for end in range(shortest, len(rest) + 1) for entry in lists.stems.get(rest[:end], ()))
    if not found:
        return None
    places = tuple(dict.fromkeys(entry.place for entry in found if not entry.rest))
    # The bits include openings: they only say what may be there (`_hits` checks the words that follow).
    return Meaning(places, tuple(entry for entry in found if entry.rest), bits_at(entry.place for entry in found))


_MEANINGS: Final = Memo(_meaning_of, 65_536)  # by word, cut to `_LONGEST`


Reading = Mapping[str, Sequence[float]]
"""Positions per class of a sentence in one language; `:`, `,`, `"` and the end are classes too."""

END: Final = "#"
_TOKEN = late_pattern(rf"[{UNSPACED}]+|[\w--[_{UNSPACED}]]+|[:,\"]|[.!?;\n]", regex.VERSION1)
_ASCII_TOKEN = re.compile(r"[a-z0-9]+|[:,\"]|[.!?;\n]")
_ASCII_WORD = re.compile(r"[a-z]+")
_SIGNS, _ENDS = frozenset(':,"'), frozenset(".!?;\n")
# A longer sentence is read in stretches of 48 words, one beginning every 24 words: linear time.
_WINDOW, _STEP = 48, 24
_BEFORE = 0.3  # how far before the next word a sign stands
_ONE_LANGUAGE = (1 << WIDTH) - 1  # bits of one language
_SHARED = frozenset({"", EVERY})  # "" is the language of signs


class _Hit(NamedTuple):
    """A cue word with its position in the sentence."""

    at: float
    language: str
    name: str


def readings(text: str, worth: Callable[[int], Sequence[str]]) -> Iterator[Reading]:
    """Yield each sentence's readings of a folded text in the languages that `worth` returns for its `bits_at`."""
    bits_of = _bits if text.isascii() else _bits_with_runs
    for sentence in _sentences(text):
        chosen = worth(bits_of(sentence))
        if chosen:
            for hits in _windows(tuple(_hits(sentence))):
                yield from _by_language(hits, chosen)


def languages_in(bits: int, worth: Callable[[int], bool]) -> list[str]:
    """Return the languages whose classes, with the shared ones, satisfy `worth`."""
    shared, own = bits & _ONE_LANGUAGE, bits >> WIDTH
    found: list[str] = [EVERY] if shared and worth(shared) else []
    for language in languages() if own else ():
        if own & _ONE_LANGUAGE and worth(own & _ONE_LANGUAGE | shared):
            found.append(language)
        own >>= WIDTH
    return found


def in_rot13(text: str) -> bool:
    """Return whether a folded text has more English cues in rot13 than in plain."""
    words = {word[:_LONGEST] for word in _ASCII_WORD.findall(text)}
    turned = sum(map(_TURNED.__getitem__, words))
    return turned > 1 and turned > sum(map(_STRAIGHT.__getitem__, words))  # a single word may be chance


def _sentences(text: str) -> Iterator[list[str]]:
    tokens: list[str] = (_ASCII_TOKEN if text.isascii() else _TOKEN).findall(text)
    start = 0
    for end in (*(at for at, token in enumerate(tokens) if token in _ENDS), len(tokens)):
        if end > start:
            yield tokens[start:end]
        start = end + 1


def _bits(tokens: Sequence[str]) -> int:
    bits = 0
    for token in tokens:
        meaning = _MEANINGS[token[:_LONGEST]]
        if meaning:
            bits |= meaning.bits
    return bits


def _bits_with_runs(tokens: Sequence[str]) -> int:
    runs = [token for token in tokens if is_run(token)]
    bits = _bits([token for token in tokens if not is_run(token)])
    return bits | bits_at(place for run in runs for _, place in found_inside(run))


def _hits(tokens: Sequence[str]) -> Iterator[_Hit]:
    place = 0.0
    for at, token in enumerate(tokens):
        if token in _SIGNS:
            yield _Hit(place - _BEFORE, "", token)
            continue
        if is_run(token):
            width = width_of(token)
            yield from (_Hit(place + start * width, *each) for start, each in found_inside(token))
            place += len(token) * width
            continue
        if meaning := _MEANINGS[token[:_LONGEST]]:
            yield from (_Hit(place, *each) for each in meaning.places)
            yield from (_Hit(place, *entry.place) for entry in meaning.openings if entry.follows(tokens, at))
        place += 1
    yield _Hit(place, "", END)


def _windows(hits: Sequence[_Hit]) -> Iterator[Sequence[_Hit]]:
    """Yield the hits in overlapping windows; short sentences whole."""
    if hits[-1].at < _WINDOW:  # the last hit is the end of the sentence
        yield hits
        return
    stretches: dict[int, list[_Hit]] = {}
    for hit in hits:
        number = max(0, int(hit.at // _STEP))
        for each in {number, max(0, number - 1)}:  # the stretch it is in, and the one that overlaps
            stretches.setdefault(each, []).append(hit._replace(at=hit.at - each * _STEP))
    yield from stretches.values()


def _by_language(hits: Sequence[_Hit], chosen: Sequence[str]) -> Iterator[Reading]:
    met = Counter(hit.language for hit in hits if hit.language not in _SHARED)
    most = max(met.values(), default=0)
    for language in chosen:
        reading: dict[str, list[float]] = {}
        for hit in hits:
            is_own = hit.language == language or hit.language in _SHARED
            # "I" in the sentence's main language counts in every reading: it speaks against an order.
            if is_own or (hit.name == "self" and met[hit.language] == most):
                reading.setdefault(hit.name, []).append(hit.at)
        yield reading


def _is_english(word: str) -> bool:
    meaning = _MEANINGS[word]
    return meaning is not None and any(language == "en" for language, _ in meaning.places)


_STRAIGHT = Memo(_is_english, 65_536)
_TURNED = Memo(lambda word: _is_english(rot13(word)), 65_536)
