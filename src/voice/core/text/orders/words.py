"""Where in a sentence the words stand that orders to a model are made of.

Law: words of different languages never add up: a sentence is read once in each language that could make an order of
it, and what all languages share is part of each reading. Only who speaks of herself does so in the language that most
of the sentence is in. Time is linear in the text: a long sentence is read in stretches.

Source: ruling D22; DESIGN 6.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import regex

from voice.core.text.kept import Kept
from voice.core.text.orders.decoding import rot13
from voice.core.text.orders.lists import (
    EVERY,
    LONGEST,
    MEANINGS,
    UNSPACED,
    WIDTH,
    bits_at,
    found_inside,
    is_run,
    languages,
    width_of,
)
from voice.core.text.patterns import late_pattern

Reading = Mapping[str, Sequence[float]]
"""Of a sentence in one language: at which words each class stands; the signs `:`, `,`, `"` and the end are classes."""

END: Final = "#"
_TOKEN = late_pattern(rf"[{UNSPACED}]+|[\w--[_{UNSPACED}]]+|[:,\"]|[.!?;\n]", regex.VERSION1)
_ASCII_TOKEN = re.compile(r"[a-z0-9]+|[:,\"]|[.!?;\n]")
_ASCII_WORD = re.compile(r"[a-z]+")
_SIGNS, _ENDS = frozenset(':,"'), frozenset(".!?;\n")
_WINDOW, _STEP = 48, 24
"""A longer sentence is read in stretches of so many words, each beginning so many after the one before."""
_BEFORE = 0.3
"""How far before the next word a sign stands: behind the last character of a run, too."""
_ONE_LANGUAGE = (1 << WIDTH) - 1
_SHARED = frozenset({"", EVERY})


class _Hit(NamedTuple):
    """One word of a class and which word of its sentence it is."""

    at: float
    language: str
    name: str


def readings(text: str, worth: Callable[[int], Sequence[str]]) -> Iterator[Reading]:
    """Yield how each sentence of a folded text reads in each language.

    Args:
        text: what `fold` returned.
        worth: in which languages a sentence is to be read that may hold words of these classes (`lists.bits_at`).
    """
    bits_of = _bits if text.isascii() else _bits_with_runs
    for sentence in _sentences(text):
        chosen = worth(bits_of(sentence))
        if chosen:
            for hits in _windows(tuple(_hits(sentence))):
                yield from _by_language(hits, chosen)


def languages_in(bits: int, worth: Callable[[int], bool]) -> list[str]:
    """Return the languages among whose classes some are worth it, beside those that all languages share."""
    shared, own = bits & _ONE_LANGUAGE, bits >> WIDTH
    found: list[str] = [EVERY] if shared and worth(shared) else []
    for language in languages() if own else ():
        if own & _ONE_LANGUAGE and worth(own & _ONE_LANGUAGE | shared):
            found.append(language)
        own >>= WIDTH
    return found


def in_rot13(text: str) -> bool:
    """Return whether more words of a folded text are English entries in rot13 than as they stand."""
    words = {word[:LONGEST] for word in _ASCII_WORD.findall(text)}
    turned = sum(map(_TURNED.__getitem__, words))
    return turned > 1 and turned > sum(map(_STRAIGHT.__getitem__, words))


def _sentences(text: str) -> Iterator[list[str]]:
    """Yield the words and signs of each sentence."""
    tokens: list[str] = (_ASCII_TOKEN if text.isascii() else _TOKEN).findall(text)
    start = 0
    for end in [at for at, token in enumerate(tokens) if token in _ENDS]:
        if end > start:
            yield tokens[start:end]
        start = end + 1
    if start < len(tokens):
        yield tokens[start:]


def _bits(tokens: Sequence[str]) -> int:
    bits = 0
    for token in tokens:
        meaning = MEANINGS[token[:LONGEST]]
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
        if meaning := MEANINGS[token[:LONGEST]]:
            yield from (_Hit(place, *each) for each in meaning.places)
            yield from (_Hit(place, *entry.place) for entry in meaning.openings if entry.follows(tokens, at))
        place += 1
    yield _Hit(place, "", END)


def _windows(hits: Sequence[_Hit]) -> Iterator[Sequence[_Hit]]:
    """Yield the hits as they stand together; a long sentence comes in overlapping stretches."""
    if hits[-1].at < _WINDOW:
        yield hits
        return
    stretches: dict[int, list[_Hit]] = {}
    for hit in hits:
        number = max(0, int(hit.at // _STEP))
        for each in {number, max(0, number - 1)}:
            stretches.setdefault(each, []).append(hit._replace(at=hit.at - each * _STEP))
    yield from stretches.values()


def _by_language(hits: Sequence[_Hit], chosen: Sequence[str]) -> Iterator[Reading]:
    met = Counter(hit.language for hit in hits if hit.language not in _SHARED)
    most = max(met.values(), default=0)
    for language in chosen:
        reading: dict[str, list[float]] = {}
        for hit in hits:
            is_own = hit.language == language or hit.language in _SHARED
            if is_own or (hit.name == "self" and met[hit.language] == most):
                reading.setdefault(hit.name, []).append(hit.at)
        yield reading


def _is_english(word: str) -> bool:
    meaning = MEANINGS[word]
    return meaning is not None and any(language == "en" for language, _ in meaning.places)


_STRAIGHT = Kept(_is_english, 65_536)
_TURNED = Kept(lambda word: _is_english(rot13(word)), 65_536)
