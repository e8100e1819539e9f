"""Whether what is said of two tells if they are one: `python -m bench.same_entity --data FILE [--cache DIR] [--json]`.

The pairs are those of `bench.same_entity_data`, made of a `memory-bench/1` file of conversations; the vectors are the
default encoder's. `words` is the share of the shorter context's words that the other has, `cosine` that of the mean
vectors, `from_the_middle` that of the means less the mean of 200 statements of the memory, `beside_the_name` that of
`voice.core.graph.entities.duplicates`, `both` the sum of that and `words`; each with its AUROC over one and the same
against two of one conversation, and against two of other conversations. `suggested` is the share of pairs that `voice
kg duplicates` would suggest if their names were alike: by words alone, by the cosine alone, by its own rule, and
`borne_out` those that this rule puts first. `bounds` are chosen on one half of the conversations: `tells_apart` is the
highest that at most 5 % of the pairs that are the same lie below, `bears_out` the lowest that at most 5 % of those of
other conversations reach, over all sizes.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar, cast, get_args

import anyio
import numpy as np

from bench.report import table
from bench.retrieval import encoded
from bench.same_entity_data import ENTITY, SIZES, Kind, Pair, Speaker, halves, memory, pairs
from voice.adapters.embedding.minilm import MiniLmEmbedder
from voice.core.errors import VoiceError
from voice.core.graph.entities.duplicates import (
    MEASURED,
    Bounds,
    Context,
    ContextVerdict,
    bound_for,
    compare_contexts,
    context_cosine,
    context_of,
    telling_words,
)
from voice.core.records import EntityName, Observation, Row, VectorRow
from voice.core.retrieval.searchable_text import indexed_text
from voice.ports.search_index import Embedder

T = TypeVar("T")

_DRAWS: Final = 20
_MEMORY: Final = 200
"""Statements that say what the memory is like."""
_WRONG: Final = 0.05
_GRID: Final = tuple(step / 100 for step in range(101))
_KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
_SAME, _OTHERS = _KINDS[0], _KINDS[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A pair with what is known of it."""

    kind: Kind
    one: Context
    other: Context
    words: float
    cosine: float
    from_the_middle: float
    beside_the_name: float

    @property
    def both(self) -> float:
        """Words and vectors together."""
        return self.beside_the_name + self.words

    def reaches(self, bound: float) -> bool:
        """Return whether the cosine reaches the one that contexts of this size have by the bound."""
        return self.beside_the_name >= bound_for(bound, self.one.count, self.other.count)


class Half:
    """The pairs of some conversations, measured."""

    def __init__(self, vectors: Mapping[str, bytes], speakers: Sequence[Speaker], embedder: Embedder) -> None:
        self._vectors, self._embedder = vectors, embedder
        self._name = self._vector(ENTITY)
        self._middle = np.array(self._context(memory(speakers, _MEMORY)).mean)
        self.measured = {size: [self._measured(pair) for pair in pairs(speakers, size, draws=_DRAWS)] for size in SIZES}

    def bounds(self) -> Bounds:
        """Return the bounds that these pairs choose."""
        every = [each for found in self.measured.values() for each in found]
        same, others = ([each for each in every if each.kind == kind] for kind in (_SAME, _OTHERS))
        apart = [bound for bound in _GRID if sum(not each.reaches(bound) for each in same) <= _WRONG * len(same)]
        bears = [bound for bound in _GRID if sum(each.reaches(bound) for each in others) <= _WRONG * len(others)]
        return Bounds(tells_apart=max(apart, default=0.0), bears_out=min(bears, default=1.0))

    def as_json(self) -> dict[str, object]:
        """Return the figures by the size of contexts."""
        return {str(size): self._figures(found) for size, found in self.measured.items() if found}

    def _figures(self, found: Sequence[Measured]) -> dict[str, object]:
        arms: dict[str, Callable[[Measured], float]] = {
            "words": lambda each: each.words,
            "cosine": lambda each: each.cosine,
            "from_the_middle": lambda each: each.from_the_middle,
            "beside_the_name": lambda each: each.beside_the_name,
            "both": lambda each: each.both,
        }
        bounds = MEASURED[self._embedder.model]
        rules: dict[str, Callable[[Measured], bool]] = {
            "by_words": lambda each: compare_contexts(each.one, each.other, None) is not ContextVerdict.APART,
            "by_cosine": lambda each: each.reaches(bounds.tells_apart),
            "by_both": lambda each: compare_contexts(each.one, each.other, bounds) is not ContextVerdict.APART,
            "borne_out": lambda each: compare_contexts(each.one, each.other, bounds) is ContextVerdict.BEARS_OUT,
        }
        return {
            "pairs": {kind: sum(each.kind == kind for each in found) for kind in _KINDS},
            "auroc": {
                name: {kind: _auroc(_of(found, _SAME, arm), _of(found, kind, arm)) for kind in _KINDS if kind != _SAME}
                for name, arm in arms.items()
            },
            "suggested": {
                name: {kind: _share(_of(found, kind, rule)) for kind in _KINDS} for name, rule in rules.items()
            },
        }

    def _measured(self, pair: Pair) -> Measured:
        one, other = self._context(pair.one), self._context(pair.other)
        shorter = min(len(one.words), len(other.words))
        return Measured(
            kind=pair.kind,
            one=one,
            other=other,
            words=len(one.words & other.words) / shorter if shorter else 0.0,
            cosine=_cosine(np.array(one.mean), np.array(other.mean)),
            from_the_middle=_cosine(np.array(one.mean) - self._middle, np.array(other.mean) - self._middle),
            beside_the_name=context_cosine(one, other) or 0.0,
        )

    def _context(self, rows: Sequence[Observation]) -> Context:
        words = telling_words((row.text for row in rows), EntityName.of(ENTITY))
        model, dim = self._embedder.model, self._embedder.dim
        return context_of(words, map(self._vector, rows), self._name, model=model, dim=dim)

    def _vector(self, row: Row) -> VectorRow:
        data = self._vectors[indexed_text(row, {})]
        return VectorRow(row_id=row.id, model=self._embedder.model, dim=self._embedder.dim, data=data)


async def measure(path: Path, embedder: Embedder, cache: Path | None = None) -> dict[str, object]:
    """Return the figures of one file."""
    chosen, reported = [await _half(speakers, embedder, cache) for speakers in halves(path)]
    bounds = chosen.bounds()
    used = MEASURED[embedder.model]
    return {
        "bounds": {"tells_apart": bounds.tells_apart, "bears_out": bounds.bears_out},
        "used": {"tells_apart": used.tells_apart, "bears_out": used.bears_out},
        "chosen_on": chosen.as_json(),
        "reported": reported.as_json(),
        "model": embedder.model,
    }


async def _half(speakers: Sequence[Speaker], embedder: Embedder, cache: Path | None) -> Half:
    rows: list[Row] = [
        ENTITY,
        *memory(speakers, _MEMORY),
        *(row for each in speakers for row in (*each.early, *each.late)),
    ]
    texts = [indexed_text(row, {}) for row in rows]
    names = ", ".join(each.name for each in speakers)
    return Half(await encoded(texts, embedder, names, cache), speakers, embedder)


def _of(found: Sequence[Measured], kind: Kind, asked: Callable[[Measured], T]) -> list[T]:
    return [asked(each) for each in found if each.kind == kind]


def _cosine(one: np.ndarray, other: np.ndarray) -> float:
    return float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))


def _share(told: Sequence[bool]) -> float | None:
    return round(sum(told) / len(told), 3) if told else None


def _auroc(same: Sequence[float], two: Sequence[float]) -> float | None:
    """Return how often one that is the same stands above one that is not, a tie being half."""
    if not (same and two):
        return None
    above = sum((one > other) + (one == other) / 2 for one in same for other in two)
    return round(above / (len(same) * len(two)), 3)


def _as_table(figures: dict[str, object]) -> str:
    """Return the reported half for people, one line for each figure and size."""
    rows: list[list[str]] = []
    reported = cast("dict[str, dict[str, dict[str, dict[str, float]]]]", figures["reported"])
    for size, found in reported.items():
        for group in ("auroc", "suggested"):
            for name, by_kind in found[group].items():
                rows.append([group, name, size, *(f"{by_kind.get(kind, '')}" for kind in _KINDS)])
    return table(["figure", "of", "statements", *_KINDS], rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its report."""
    parser = argparse.ArgumentParser(prog="python -m bench.same_entity", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a memory-bench/1 file of conversations")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--cache", type=Path, help="a directory to keep vectors in, by the hash of model and text")
    options = parser.parse_args(arguments)
    try:
        if options.cache is not None:
            options.cache.mkdir(parents=True, exist_ok=True)
        figures = anyio.run(measure, options.data, MiniLmEmbedder(), options.cache)
    except VoiceError as error:
        print(f"bench.same_entity: {error}", file=sys.stderr)
        return error.exit_code
    print(json.dumps(figures, indent=1) if options.json else _as_table(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
