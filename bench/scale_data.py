"""The made-up memory of `bench.scale`: rows, vectors and questions, each a pure function of its number.

Law: the same numbers give the same rows in every process, so that whoever measures need not have built and whoever
checks need not have kept. Words follow Zipf's law, as words do: the commonest stands in nearly every row, most in
hardly any. Vectors stand in clusters with as much noise as signal: rows of a cluster have a cosine of about 0.5, others
of about 0. Thoughts and observations take turns, said half a minute apart, in threads of a day; every two-hundredth row
is an entity.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import chain, count, islice, pairwise, product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from voice.core.records import Entity, Observation, Origin, Provenance, Row, Thought, TrustTier, VectorRow

MODEL: Final = "made-up"
CHUNK: Final = 1_000
"""Rows that are made, and written, at a time."""
START: Final = datetime(2024, 1, 1, tzinfo=UTC)
SHAPES: Final = ("rare_term", "term_in_20_percent", "term_in_nearly_every_row", "full_sentence")

_SEED: Final = 20_251_122
_VOCABULARY: Final = 40_000
_ZIPF: Final = 1.05
_WORDS_PER_ROW: Final = (15, 35)
_MEAN_WORDS: Final = 25
_CLUSTERS: Final = 2_000
_ENTITY_EVERY: Final = 200
_ROWS_PER_DAY: Final = 2_880
_SENTENCE_WORDS: Final = 12
_SYLLABLES: Final = ("bar", "dor", "gru", "kal", "lom", "mip", "pen", "qui", "ren", "sha", "tos", "vel", "zan", "fir")
_SPEAKERS: Final = ("Ann", "Bo", "Chidi", "Dara", "Elif")

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, and the vector that stands for its meaning."""

    shape: str
    text: str
    vector: bytes


def chunks(rows: int, dim: int) -> Iterator[tuple[list[Row], list[VectorRow]]]:
    """Yield all rows with their vectors, `CHUNK` at a time."""
    for start in range(0, rows, CHUNK):
        made = rows_from(start, min(CHUNK, rows - start))
        numbers = vectors_from(start, len(made), dim)
        yield (
            made,
            [
                VectorRow(row_id=row.id, model=MODEL, dim=dim, data=vector.astype("<f4").tobytes())
                for row, vector in zip(made, numbers, strict=True)
            ],
        )


def rows_from(start: int, size: int) -> list[Row]:
    """Return the rows numbered from `start`, which begins a chunk."""
    chance = _chance(1, start)
    lengths = chance.integers(*_WORDS_PER_ROW, endpoint=True, size=size)
    picked: list[int] = _shares().cumsum().searchsorted(chance.random(int(lengths.sum()))).tolist()
    words = vocabulary()
    edges = np.concatenate(([0], lengths.cumsum()))
    return [
        _row(start + place, " ".join(words[min(pick, _VOCABULARY - 1)] for pick in picked[first:end]))
        for place, (first, end) in enumerate(pairwise(edges.tolist()))
    ]


def vectors_from(start: int, size: int, dim: int) -> Vectors:
    """Return the vectors of the rows numbered from `start`, which begins a chunk, one a line."""
    return _around_clusters(_chance(2, start), size, dim)


def added(number: int, nonce: str, dim: int) -> tuple[Thought, VectorRow]:
    """Return a row that is added later, with a word that only it has: `word_of_added`."""
    chance = _chance(4, number)
    row = Thought(
        id=f"t:added-{nonce}-{number}",
        content=f"{word_of_added(number, nonce)} {' '.join(chance.choice(vocabulary(), _MEAN_WORDS))}",
        created_at=START - timedelta(days=number + 10),
        recorded_at=START,
        origin=Origin.HUMAN,
    )
    data = _unit(chance.standard_normal((1, dim)))[0].astype("<f4").tobytes()
    return row, VectorRow(row_id=row.id, model=MODEL, dim=dim, data=data)


def word_of_added(number: int, nonce: str) -> str:
    """Return the word by which an added row is found."""
    return f"{nonce}x{number}"


def questions(rows: int, dim: int, each: int) -> list[Question]:
    """Return `each` questions of each shape for a memory of so many rows."""
    found: list[Question] = []
    for at, shape in enumerate(SHAPES):
        chance = _chance(3, at)
        vectors = _around_clusters(chance, each, dim)
        texts = [_text(shape, rows, number, chance) for number in range(each)]
        found += [
            Question(shape=shape, text=text, vector=vector.astype("<f4").tobytes())
            for text, vector in zip(texts, vectors, strict=True)
        ]
    return found


@cache
def vocabulary() -> Sequence[str]:
    """Return all words, the commonest and shortest first; none is a stop word."""
    parts: Iterator[tuple[str, ...]] = chain.from_iterable(product(_SYLLABLES, repeat=size) for size in count(2))
    return tuple("".join(each) for each in islice(parts, _VOCABULARY))


def _text(shape: str, rows: int, number: int, chance: np.random.Generator) -> str:
    words = vocabulary()
    if shape == "full_sentence":
        picks: NDArray[np.intp] = chance.choice(_VOCABULARY, _SENTENCE_WORDS, replace=False, p=_shares())
        return "What about " + " ".join(words[int(pick)] for pick in picks.tolist()) + "?"
    ranks = _ranks_for(shape, rows)
    return words[ranks[number % len(ranks)]]


def _ranks_for(shape: str, rows: int) -> list[int]:
    """Return the words of a shape by how many rows are expected to hold them."""
    held = 1 - (1 - _shares()) ** _MEAN_WORDS
    if shape == "term_in_20_percent":
        return [int(rank) for rank in np.abs(held - 0.2).argsort()[:3]]
    if shape == "term_in_nearly_every_row":
        return [0]
    return [int(rank) for rank in np.abs(held * rows - 8).argsort()[:40]]


@cache
def _shares() -> NDArray[np.float64]:
    weights = 1 / np.arange(1, _VOCABULARY + 1) ** _ZIPF
    return weights / weights.sum()


@cache
def _centres(dim: int) -> NDArray[np.float64]:
    return _unit(_chance(5, dim).standard_normal((_CLUSTERS, dim)))


def _around_clusters(chance: np.random.Generator, size: int, dim: int) -> Vectors:
    noise = chance.standard_normal((size, dim), dtype=np.float32) / np.float32(dim**0.5)
    return _unit(_centres(dim)[chance.integers(_CLUSTERS, size=size)] + noise).astype(np.float32)


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _chance(what: int, number: int) -> np.random.Generator:
    return np.random.default_rng((_SEED, what, number))


def _row(number: int, text: str) -> Row:
    moment = START + timedelta(seconds=30 * number)
    speaker, thread = _SPEAKERS[number % len(_SPEAKERS)], f"day-{number // _ROWS_PER_DAY}"
    if number % _ENTITY_EVERY == _ENTITY_EVERY - 1:
        return Entity(
            id=f"e:{number:026}",
            name=f"Name {number}",
            description=text,
            created_at=moment,
            recorded_at=moment,
            origin=Origin.HUMAN,
        )
    if number % 2:
        return Observation(
            id=f"o:{number:026}",
            text=text,
            speaker=speaker,
            thread=thread,
            created_at=moment,
            recorded_at=moment,
            origin=Origin.HUMAN,
            provenance=(Provenance(thought_id=f"t:{number - 1:026}", start=0, end=len(text)),),
            trust=TrustTier.GREEN,
        )
    return Thought(
        id=f"t:{number:026}",
        content=text,
        speaker=speaker,
        thread=thread,
        source_ref=f"diary/{number}",
        created_at=moment,
        recorded_at=moment,
        origin=Origin.HUMAN,
    )
