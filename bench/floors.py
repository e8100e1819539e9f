"""Where an encoder's noise ends: `python -m bench.calibrate --floors --data FILE [FILE …] [--embed local|hash]`.

Noise is the cosine of a question with rows of another memory, where nothing can answer it; evidence is its cosine with
the rows that do. An angle means nothing by itself: what one encoder gives to strangers another gives to an answer. So a
floor is carried over by what it lets through: the specs' 0.25 and 0.15 let a share of the default encoder's noise pass,
and another encoder's floors are the cosines that let the same share of its own pass. The choice is made on one half of
the questions and its shares are counted on the other. The floors in the program
(`voice.core.retrieval.selection_rules`) are written by hand from what this prints.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from bench.corpus import Corpus, read_corpora
from bench.report import table
from bench.retrieval import encoded
from voice.core.errors import DataFileError
from voice.core.retrieval.searchable_text import indexed_text
from voice.core.retrieval.selection_rules import floors_of
from voice.ports.search_index import Embedder

_QUESTIONS: Final = 120
_STRANGERS: Final = 300
"""Questions and rows of each memory that are looked at, spread evenly over it."""
_STEP: Final = 0.01
NOISE_ABOVE_FLOOR: Final = 0.12
"""The share of the default encoder's noise that reaches 0.25 (and 81 % of the evidence does)."""
NOISE_ABOVE_MIN_FLOOR: Final = 0.42
"""The same for 0.15 (93 % of the evidence)."""
Cosines = NDArray[np.float32]
_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class Measured:
    """The cosines of some questions with strangers and with their own evidence."""

    noise: Cosines
    evidence: Cosines

    def passing(self, floor: float) -> tuple[float, float]:
        """Return the shares of noise and of evidence that reach a floor."""
        return float((self.noise >= floor).mean()), float((self.evidence >= floor).mean())

    def floor_at(self, share: float) -> float:
        """Return the least cosine, in hundredths, above which no more than `share` of the noise lies."""
        steps = np.arange(0.0, 1.0 + _STEP, _STEP)
        return round(float(next(step for step in steps if (self.noise >= step).mean() <= share)), 2)


async def floors(paths: Sequence[Path], embedder: Embedder, cache: Path | None) -> str:
    """Return the floors that an encoder should have, what they let through, and the same for those it has.

    Raises:
        DataFileError: a file is no data, or there is only one memory in all of them.
    """
    corpora = [corpus for path in paths for corpus in read_corpora(path)]
    if len(corpora) < 2:
        raise DataFileError("noise is measured between memories: give files that hold at least two")
    chosen, judged = await _halves(corpora, embedder, cache)
    has = floors_of(embedder.model)
    floor, min_floor = chosen.floor_at(NOISE_ABOVE_FLOOR), chosen.floor_at(NOISE_ABOVE_MIN_FLOOR)
    rows = [
        _row("it has: floor", has.floor, judged),
        _row("it has: min_floor", has.min_floor, judged),
        _row("calibrated: floor", floor, judged),
        _row("calibrated: min_floor", min_floor, judged),
    ]
    count = f"{len(judged.noise):,} cosines with strangers, {len(judged.evidence):,} with evidence, held out"
    return f"{embedder.provider}/{embedder.model} ({embedder.dim}); {count}\n" + table(
        ["", "cosine", "noise above %", "evidence above %"], rows
    )


async def _halves(corpora: Sequence[Corpus], embedder: Embedder, cache: Path | None) -> tuple[Measured, Measured]:
    """Return what every second question gives, and what the others give."""
    memories = [await _sample(corpus, embedder, cache) for corpus in corpora]
    first, second = (_measured(memories, half) for half in (0, 1))
    return first, second


@dataclass(frozen=True, slots=True)
class _Memory:
    """The sampled part of one memory, as unit vectors."""

    questions: Sequence[Cosines]
    evidence: Sequence[Cosines]
    """Of each question, one row a vector."""
    rows: Cosines


async def _sample(corpus: Corpus, embedder: Embedder, cache: Path | None) -> _Memory:
    text_of = {row.id: indexed_text(row, {}) for row in corpus.rows}
    asked = [
        (question.text, [text_of[row_id] for row_id in sorted(question.evidence) if row_id in text_of])
        for question in _spread(corpus.questions, _QUESTIONS)
    ]
    strangers = _spread(list(text_of.values()), _STRANGERS)
    texts = [*strangers, *(text for question, held in asked for text in (question, *held))]
    known = await encoded(texts, embedder, corpus.name, cache)
    return _Memory(
        questions=[_vector(known[question]) for question, _ in asked],
        evidence=[_matrix(known, held, embedder.dim) for _, held in asked],
        rows=_matrix(known, strangers, embedder.dim),
    )


def _measured(memories: Sequence[_Memory], half: int) -> Measured:
    noise = [
        other.rows @ question
        for one, other in product(memories, memories)
        if one is not other
        for question in one.questions[half::2]
    ]
    evidence = [
        held @ question
        for one in memories
        for question, held in zip(one.questions[half::2], one.evidence[half::2], strict=True)
    ]
    return Measured(np.concatenate(noise), np.concatenate(evidence))


def _spread(items: Sequence[_Item], most: int) -> Sequence[_Item]:
    """Return at most `most` of the items, evenly spread over them."""
    return items[:: max(1, -(-len(items) // most))]


def _matrix(known: Mapping[str, bytes], texts: Sequence[str], dim: int) -> Cosines:
    return np.array([_vector(known[text]) for text in texts], dtype=np.float32).reshape(len(texts), dim)


def _vector(data: bytes) -> Cosines:
    return np.frombuffer(data, dtype="<f4")


def _row(name: str, floor: float, judged: Measured) -> list[str]:
    noise, evidence = judged.passing(floor)
    return [name, f"{floor:.2f}", f"{100 * noise:.1f}", f"{100 * evidence:.1f}"]
