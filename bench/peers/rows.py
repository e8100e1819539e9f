"""Rows that nobody said: a seeded memory of any size with the statistics of language.

Law: the same number of rows gives the same rows on every machine. Words follow Zipf's law, so that one stands in nearly
every row, a dozen in a fifth of them and thousands in one or two.
"""

import random
from bisect import bisect
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import accumulate

from voice.core.records import Origin, Thought

_SEED = 20240131
_VOCABULARY = 8000
_WORDS = (12, 36)
_SPEAKERS = ("Ann", "Ben", "Cleo", "Dov", "Eva", "Finn")
_STARTS = (
    "b",
    "br",
    "d",
    "dr",
    "f",
    "g",
    "gr",
    "h",
    "k",
    "kl",
    "l",
    "m",
    "n",
    "p",
    "pr",
    "r",
    "s",
    "st",
    "t",
    "tr",
    "v",
    "z",
)
_VOWELS = ("a", "e", "i", "o", "u", "ai", "ou")
_ENDS = ("", "n", "r", "l", "st", "m")
_ROWS_A_TALK = 20
_EPOCH = datetime(2021, 1, 1, 9, tzinfo=UTC)


def invented_rows(count: int) -> tuple[Thought, ...]:
    """Return `count` thoughts of a dozen to three dozen words, a quarter of an hour apart."""
    chance = random.Random(_SEED)
    words = _invented_words(chance)
    chances = list(accumulate(1 / rank for rank in range(1, len(words) + 1)))
    return tuple(_row(number, chance, words, chances) for number in range(count))


def _row(number: int, chance: random.Random, words: Sequence[str], chances: Sequence[float]) -> Thought:
    said_at = _EPOCH + timedelta(minutes=15 * number)
    length = chance.randint(*_WORDS)
    text = " ".join(words[bisect(chances, chance.random() * chances[-1])] for _ in range(length))
    return Thought(
        id=f"t:{number:07}",
        created_at=said_at,
        recorded_at=said_at,
        origin=Origin.LOGGED,
        content=f"{text.capitalize()}.",
        kind="message",
        speaker=chance.choice(_SPEAKERS),
        thread=f"talk {number // _ROWS_A_TALK}",
    )


def _invented_words(chance: random.Random) -> list[str]:
    words: dict[str, None] = {}
    while len(words) < _VOCABULARY:
        syllables = range(chance.choice((2, 2, 3)))
        words["".join(chance.choice(_STARTS) + chance.choice(_VOWELS) for _ in syllables) + chance.choice(_ENDS)] = None
    return list(words)
