"""Choosing the fusion constants: `python -m bench.calibrate --data FILE [FILE …] [--cache DIR]`.

Every file counts the same, whatever its size: what is raised is the mean over files of the gain in recall@10 over words
alone. One constant is varied at a time, the others stay, until a round changes nothing. The program's constants
(`voice.core.retrieval.fusion`) are written by hand from what this prints: a flat top is read as such, and the middle of
it is taken rather than its last decimal.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import anyio

from bench.corpus import read_corpora
from bench.retrieval import CUTS, WORDS_ONLY, Indexed, Score, index_corpus, scores
from voice.adapters.embedding.minilm import MiniLmEmbedder
from voice.core.errors import VoiceError
from voice.core.retrieval.fusion import FusionProfile, fusion_profile

_AT_10: Final = CUTS.index(10)
_GRID: Final[dict[str, tuple[float, ...]]] = {
    "vector": (0.2, 0.3, 0.4, 0.5, 0.6),
    "neighbour": (0.0, 0.3, 0.4, 0.5, 0.6, 0.8),
    "speaker": (0.0, 0.05, 0.1, 0.15, 0.2),
}
_ROUNDS: Final = 3


async def calibrate(paths: Sequence[Path], cache: Path | None) -> FusionProfile:
    """Print every setting tried (constant, value, recall@10 per file, mean gain) and return the best."""
    embedder = MiniLmEmbedder()
    files = [[await index_corpus(corpus, embedder, cache) for corpus in read_corpora(path)] for path in paths]
    words = [await _recall(file, WORDS_ONLY) for file in files]
    _show("words", None, words, 1.0)
    best = fusion_profile(embedder.model)
    for _ in range(_ROUNDS):
        before = best
        for constant in _GRID:
            best = await _best_along(constant, best, files, words)
        if best == before:
            break
    return best


async def _best_along(
    constant: str, start: FusionProfile, files: Sequence[Sequence[Indexed]], words: Sequence[float]
) -> FusionProfile:
    gains: dict[float, FusionProfile] = {}
    for value in _GRID[constant]:
        profile = _with(start, constant, value)
        recalls = [await _recall(file, profile) for file in files]
        gain = sum(recall / base for recall, base in zip(recalls, words, strict=True)) / len(words)
        gains[gain] = profile
        _show(constant, value, recalls, gain)
    return gains[max(gains)]


def _with(profile: FusionProfile, constant: str, value: float) -> FusionProfile:
    if constant == "vector":
        return replace(profile, vector=value, lexical=round(1.0 - value, 6))
    return replace(profile, neighbour=value) if constant == "neighbour" else replace(profile, speaker=value)


async def _recall(file: Sequence[Indexed], profile: FusionProfile) -> float:
    found: list[Score] = [score for indexed in file for score in await scores(indexed, profile)]
    return sum(score.recall[_AT_10] for score in found) / len(found)


def _show(constant: str, value: float | None, recalls: Sequence[float], gain: float) -> None:
    shown = "" if value is None else f"{value:g}"
    print(f"{constant:<10}{shown:>6}", *(f"{100 * recall:6.1f}" for recall in recalls), f"{gain:8.3f}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the calibration and print the constants."""
    parser = argparse.ArgumentParser(prog="python -m bench.calibrate", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, nargs="+", help="memory-bench/1 files")
    parser.add_argument("--cache", type=Path, help="a directory to keep vectors in")
    options = parser.parse_args(arguments)
    try:
        if options.cache is not None:
            options.cache.mkdir(parents=True, exist_ok=True)
        best = anyio.run(calibrate, options.data, options.cache)
    except VoiceError as error:
        print(f"bench.calibrate: {error}", file=sys.stderr)
        return error.exit_code
    print(f"best: {best}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
