"""Other encoders in the default one's place, on every development set.

    python -m bench.encoders --data FILE [FILE …] [--vault DIR QUESTIONS …] [--model FILE …] [--cache DIR]

Each encoder is measured alone, with the constants that were made for the default one, and with constants of its own.
For these its cosines are brought to the default's scale (`bench.encoder_scale`); then they are chosen among twenty
settings by the rule of `bench.calibrate`, and judged on what did not choose them: a conversation, a fifth of a person's
questions, a vault. With `--rerank` the installed re-ranker reads the best of that. A vault is imported as a person
would, its sentences are the rows, and its evidence are the notes that hold the answer. Differences are to the default
one as it ships, with what 95 % of resampled questions give.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from time import process_time
from typing import Final

import anyio
import numpy as np

from bench.answerability import CachedEmbedder
from bench.calibrate import Parts, Tried, best_without, gain, held_out, parts_of
from bench.corpus import Corpus, read_corpora, with_turn_before
from bench.encoder_files import Encoder, read_encoders
from bench.encoder_scale import Matrix, Scale, Vectors, strangers
from bench.feed import Feed
from bench.report import machine, progress, table
from bench.reranked import Reranking
from bench.retrieval import CUTS, VECTORS_ONLY, WORDS_ONLY, Indexed, Score
from bench.vault import vault_corpus
from voice.adapters.embedding.minilm import MiniLmEmbedder
from voice.adapters.index.index import FoldedIndex
from voice.adapters.rerankers import NAME, RerankerContext, make_reranker
from voice.adapters.system.data_directory import models_directory
from voice.core.errors import VoiceError
from voice.core.records import VectorRow
from voice.core.retrieval.ranking import FusionProfile, fusion_profile
from voice.core.retrieval.searchable_text import indexed_text
from voice.ports.search_index import Embedder

_VECTOR: Final = (0.3, 0.4, 0.5, 0.6, 0.7)
_NEIGHBOUR: Final = (0.4, 0.5)
_COVERAGE: Final = (0.2, 0.3)
_RESAMPLED: Final = 2_000
_TIMED: Final = 200
_SHIPPED: Final = fusion_profile(MiniLmEmbedder.model)
_ARMS: Final = {"alone": "alone", "default's constants": "default's constants", "its own": "default's constants"}
_RERANKED: Final = {"default's, re-ranked": "default's, re-ranked", "its own, re-ranked": "default's, re-ranked"}
"""The arms, each with the arm of the default encoder that it is held against."""


@dataclass(frozen=True, slots=True)
class Memory:
    """One memory with its questions."""

    corpus: Corpus
    column: str
    """Where its figures stand."""
    note_of: dict[str, str]
    """By row, of a vault."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What one encoder gave."""

    encoder: Encoder
    arms: dict[str, dict[str, list[Score]]]
    """By column."""
    setting: str
    cpu_ms: tuple[float, float]
    """Of a text among many, and by itself."""


class Bench:
    """Encoders over the same memories; the first that is measured is the default."""

    def __init__(self, files: Sequence[Sequence[Memory]], cache: Path | None, reranking: Reranking | None) -> None:
        self._files = files
        self._cache = cache
        self._reranking = reranking
        self._noise: Matrix | None = None

    async def measured(self, encoder: Encoder) -> Measured:
        """Return what an encoder gives."""
        vectors = [[await self._vectors(memory, encoder) for memory in file] for file in self._files]
        noise = strangers([each for file in vectors for each in file])
        self._noise = noise if self._noise is None else self._noise
        scale = Scale.of(noise, self._noise)
        plain = await self._indexed(vectors, encoder, Scale())
        scaled = await self._indexed(vectors, encoder, scale)
        words = Tried(WORDS_ONLY, [await parts_of(file, WORDS_ONLY) for file in plain])
        tried = [
            Tried(scale.constants(setting), [await parts_of(file, scale.constants(setting)) for file in scaled])
            for setting in progress(_settings(), encoder.name)
        ]
        arms = [
            [await parts_of(file, VECTORS_ONLY) for file in plain],
            [await parts_of(file, _SHIPPED) for file in plain],
            [held_out(number, tried, words) for number in range(len(plain))],
        ]
        if self._reranking is not None:
            arms.append([await parts_of(file, _SHIPPED, self._reranking.scores) for file in plain])
            arms.append([await self._reread(scaled[number], number, tried, words) for number in range(len(plain))])
        named = dict(zip((*_ARMS, *_RERANKED), map(self._columns, arms), strict=False))
        best = _settings()[tried.index(max(tried, key=lambda each: gain(each, words)))]
        said = f"vector {best.vector:g}, neighbour {best.neighbour:g}, coverage {best.coverage:g}; strangers "
        return Measured(encoder, named, f"{said}{noise.mean():.2f} ± {noise.std():.2f}", await self._cpu(encoder))

    async def _reread(self, file: Sequence[Indexed], number: int, tried: Sequence[Tried], words: Tried) -> Parts:
        """Return each part's scores, re-ranked, under the setting that is best without that part."""
        assert self._reranking is not None, "asked for with a re-ranker only"
        best = [best_without(number, part, tried, words).profile for part in range(len(words.files[number]))]
        read = {profile: await parts_of(file, profile, self._reranking.scores) for profile in dict.fromkeys(best)}
        return [read[profile][part] for part, profile in enumerate(best)]

    async def _vectors(self, memory: Memory, encoder: Encoder) -> Vectors:
        embedder = CachedEmbedder(encoder.embedder, self._cache)
        told = with_turn_before(memory.corpus, encodes=True) if encoder.before else memory.corpus
        rows = await _matrix([encoder.tells + indexed_text(row, {}) for row in told.rows], embedder)
        return Vectors(rows, await _matrix([encoder.asks + each.text for each in memory.corpus.questions], embedder))

    async def _indexed(
        self, vectors: Sequence[Sequence[Vectors]], encoder: Encoder, scale: Scale
    ) -> list[list[Indexed]]:
        pairs = [list(zip(file, some, strict=True)) for file, some in zip(self._files, vectors, strict=True)]
        return [[await _index(memory, each, encoder, scale) for memory, each in file] for file in pairs]

    def _columns(self, files: Sequence[Parts]) -> dict[str, list[Score]]:
        columns: dict[str, list[Score]] = {}
        for file, parts in zip(self._files, files, strict=True):
            for number, part in enumerate(parts):
                columns.setdefault(file[min(number, len(file) - 1)].column, []).extend(part)
        return columns

    async def _cpu(self, encoder: Encoder) -> tuple[float, float]:
        texts = [encoder.tells + indexed_text(row, {}) for row in self._files[0][0].corpus.rows[:_TIMED]]
        begun = process_time()
        await encoder.embedder.embed(texts)
        between = process_time()
        for text in texts:
            await encoder.embedder.embed([text])
        return 1000 * (between - begun) / len(texts), 1000 * (process_time() - between) / len(texts)


def _settings() -> list[FusionProfile]:
    return [
        replace(_SHIPPED, vector=vector, lexical=round(1.0 - vector, 6), neighbour=neighbour, coverage=coverage)
        for vector, neighbour, coverage in product(_VECTOR, _NEIGHBOUR, _COVERAGE)
    ]


async def _matrix(texts: Sequence[str], embedder: Embedder) -> Matrix:
    return np.frombuffer(b"".join(await embedder.embed(texts)), dtype="<f4").reshape(len(texts), -1)


async def _index(memory: Memory, vectors: Vectors, encoder: Encoder, scale: Scale) -> Indexed:
    corpus = with_turn_before(memory.corpus, encodes=False) if encoder.before == "indexed" else memory.corpus
    rows, questions = scale.lifted(vectors.rows, 1.0), scale.lifted(vectors.questions, -1.0)
    given = [
        VectorRow(row_id=row.id, model=encoder.name, dim=rows.shape[1], data=vector.tobytes())
        for row, vector in zip(corpus.rows, rows, strict=True)
    ]
    index = FoldedIndex(Feed(corpus.rows, given), None, model=encoder.name, dim=rows.shape[1])
    await index.refresh()
    asked = {each.text: vector.tobytes() for each, vector in zip(corpus.questions, questions, strict=True)}
    return Indexed(corpus, index, asked, memory.note_of)


def report(found: Sequence[Measured]) -> str:
    """Return the figures of all encoders, and how far each is from the first."""
    default, against = found[0], _ARMS | _RERANKED
    columns = list(default.arms["alone"])
    every = [(each, arm, scores) for each in found for arm, scores in each.arms.items()]
    rows = [[each.encoder.name, arm, *(_figures(scores[column]) for column in columns)] for each, arm, scores in every]
    differences = [
        [
            each.encoder.name,
            arm,
            *(_difference(scores[column], default.arms[against[arm]][column]) for column in columns),
        ]
        for each, arm, scores in every
        if each is not default or against[arm] != arm
    ]
    cpu = [[each.encoder.name, *(f"{ms:.1f}" for ms in each.cpu_ms), each.setting] for each in found]
    return "\n\n".join(
        [
            table(["r@5 / r@10", "constants", *columns], rows),
            table([f"beside {default.encoder.name}", "constants", *columns], differences),
            table(["processor ms a text", "among many", "by itself", "best over all"], cpu),
            str(machine()),
        ]
    )


def _figures(scores: Sequence[Score]) -> str:
    return " / ".join(f"{100 * np.mean([score.recall[CUTS.index(cut)] for score in scores]):.1f}" for cut in (5, 10))


def _difference(scores: Sequence[Score], base: Sequence[Score]) -> str:
    gains = np.array([np.subtract(score.recall, other.recall) for score, other in zip(scores, base, strict=True)])
    picked = np.random.default_rng(0).integers(len(gains), size=(_RESAMPLED, len(gains)))
    low, high = np.quantile(gains[picked].mean(axis=1), (0.025, 0.975), axis=0)
    return " / ".join(
        f"{100 * gains[:, at].mean():+.1f} ({100 * low[at]:+.1f} to {100 * high[at]:+.1f})"
        for at in map(CUTS.index, (5, 10))
    )


async def measure(options: argparse.Namespace) -> str:
    """Return the report on the encoders, files and vaults that are named."""
    files = [[Memory(each, path.stem, {}) for each in read_corpora(path)] for path in options.data]
    vaults = [await vault_corpus(Path(vault), Path(questions)) for vault, questions in options.vault]
    files += [[Memory(corpus, corpus.name, note_of) for corpus, note_of in vaults]] if vaults else []
    default = Encoder(name="default", embedder=MiniLmEmbedder())
    before = [replace(default, name=f"turn before {how}", before=how) for how in ("encoded", "indexed")]
    others = [encoder for path in options.model for encoder in read_encoders(path)]
    reranker = make_reranker(NAME, RerankerContext(models=models_directory())) if options.rerank else None
    reranking = None if reranker is None else Reranking(reranker=reranker, cache=options.cache)
    bench = Bench(files, options.cache, reranking)
    every = [default, *(before if options.turn_before else ()), *others]
    return report([await bench.measured(encoder) for encoder in every])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its report."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.encoders", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, nargs="+", default=[], help="memory-bench/1 files")
    parser.add_argument("--vault", nargs=2, action="append", default=[], help="a folder of notes and its questions")
    parser.add_argument("--model", type=Path, nargs="+", default=[], help="the files of other encoders")
    parser.add_argument("--turn-before", action="store_true", help="try the default one with the turn before, too")
    parser.add_argument("--rerank", action="store_true", help="let the installed re-ranker read the best, too")
    parser.add_argument("--cache", type=Path, help="a directory to keep vectors in, by the hash of model and text")
    options = parser.parse_args(arguments)
    try:
        if options.cache is not None:
            options.cache.mkdir(parents=True, exist_ok=True)
        print(anyio.run(measure, options))
    except VoiceError as error:
        print(f"bench.encoders: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
