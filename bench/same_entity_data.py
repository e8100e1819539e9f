"""Entities known to be one or two, made of conversations: what `bench.same_entity` tells apart.

Law: nothing but what somebody says may give away who it is. Everybody is called by one name, in the place of the
speaker and in all that is said, and every conversation begins on one day. One and the same is what a speaker says in
the earlier half of the sessions against what the same one says in the later half; two are the earlier half of one and
the later half of another.
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Final, Literal

from bench.corpus import Corpus, read_corpora
from voice.core.records import Entity, Observation, Origin, Thought
from voice.core.text.words import content_words

NAME: Final = "Beth"
"""What everybody is called."""
SIZES: Final = (1, 2, 5, 20)
"""Statements on a side."""
_DAY_ONE: Final = datetime(2024, 1, 1, tzinfo=UTC)
ENTITY: Final = Entity(
    id="e:beth", created_at=_DAY_ONE, recorded_at=_DAY_ONE, origin=Origin.HUMAN, name=NAME, entity_type="person"
)
_LEAST_WORDS: Final = 4
"""Of content; "Hey, good to see you!" tells nothing of anybody."""
_NICKNAME: Final = 3

Kind = Literal["same", "two, one conversation", "two, other conversations"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """Somebody, and what they said."""

    corpus: str
    name: str
    early: tuple[Observation, ...]
    late: tuple[Observation, ...]
    named: tuple[Observation, ...]
    """All of it, as it was said and by whom: what the rest of a memory is like."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two contexts, and whether they are of one."""

    kind: Kind
    one: tuple[Observation, ...]
    other: tuple[Observation, ...]


def halves(path: Path) -> tuple[list[Speaker], list[Speaker]]:
    """Return the speakers of every other conversation of a file, to choose on, and the others, to report on."""
    corpora = sorted(read_corpora(path), key=lambda corpus: corpus.name)
    chosen, reported = (
        [each for corpus in some for each in _speakers(corpus)] for some in (corpora[1::2], corpora[::2])
    )
    return chosen, reported


def pairs(speakers: Sequence[Speaker], size: int, *, draws: int, seed: int = 0) -> list[Pair]:
    """Return `draws` pairs of every early half and every late one, of `size` statements on each side."""
    chance = random.Random(seed)
    found: list[Pair] = []
    for one, other in product(speakers, speakers):
        if min(len(one.early), len(other.late)) >= size:
            kind = _kind(one, other)
            found += [
                Pair(kind=kind, one=_drawn(one.early, size, chance), other=_drawn(other.late, size, chance))
                for _ in range(draws)
            ]
    return found


def memory(speakers: Sequence[Speaker], count: int, *, seed: int = 0) -> list[Observation]:
    """Return `count` statements of anybody's, with the names they were said under."""
    every = [row for speaker in speakers for row in speaker.named]
    return random.Random(seed).sample(every, min(count, len(every)))


def _kind(one: Speaker, other: Speaker) -> Kind:
    if one == other:
        return "same"
    return "two, one conversation" if one.corpus == other.corpus else "two, other conversations"


def _drawn(rows: Sequence[Observation], size: int, chance: random.Random) -> tuple[Observation, ...]:
    return tuple(chance.sample(rows, size))


def _speakers(corpus: Corpus) -> list[Speaker]:
    began = min(row.created_at for row in corpus.rows)
    first_said = {row.thread: row.created_at for row in reversed(corpus.rows)}
    sessions = sorted(first_said, key=lambda thread: first_said[thread])
    early = frozenset(sessions[: len(sessions) // 2])
    told = [row for row in corpus.rows if sum(1 for _ in content_words(row.content)) >= _LEAST_WORDS]

    def nameless(row: Thought) -> Observation:
        return _statement(row, began, NAME, _nameless(row.content, corpus.speakers))

    return [
        Speaker(
            corpus=corpus.name,
            name=name,
            early=tuple(nameless(row) for row in told if row.speaker == name and row.thread in early),
            late=tuple(nameless(row) for row in told if row.speaker == name and row.thread not in early),
            named=tuple(_statement(row, began, name, row.content) for row in told if row.speaker == name),
        )
        for name in sorted(corpus.speakers)
    ]


def _statement(row: Thought, began: datetime, speaker: str, text: str) -> Observation:
    said_at = _DAY_ONE + (row.created_at - began)
    return Observation(
        id=f"o:{row.id}",
        created_at=said_at,
        recorded_at=said_at,
        origin=Origin.LOGGED,
        text=text,
        entity_ids=(ENTITY.id,),
        speaker=speaker,
    )


def _nameless(text: str, names: frozenset[str]) -> str:
    """Return the text with every speaker, and the short form of one, called by the one name."""

    def put(found: re.Match[str]) -> str:
        return NAME if any(name.startswith(found[0]) for name in names) else found[0]

    return re.sub(rf"\b[A-Z][a-z]{{{_NICKNAME - 1},}}\b", put, text)
