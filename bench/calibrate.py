"""Choosing the fusion constants: `python -m bench.calibrate --data FILE [FILE …] [--cache DIR]`; floors: `--floors`.

Every file counts the same, whatever its size: what is raised is the mean over files of the gain in recall@10 over words
alone. All combinations of a small grid are tried. In-sample figures flatter, so the choice is made again without each
part of the data in turn and judged on that part: a conversation of a file that has several, a fifth of the questions of
a file that has one. The program's constants (`voice.core.retrieval.ranking`) are written by hand from what this prints.
"""

import argparse
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Final

import anyio

from bench.corpus import read_corpora
from bench.floors import floors
from bench.report import progress, table
from bench.retrieval import CUTS, WORDS_ONLY, Indexed, Score, index_corpus, means, scores
from voice.adapters.embedding.minilm import MiniLmEmbedder
from voice.bootstrap import make_embedder
from voice.core.errors import VoiceError
from voice.core.retrieval.ranking import FusionProfile
from voice.core.settings.providers import EmbedSettings

_AT_10: Final = CUTS.index(10)
_VECTOR: Final = (0.3, 0.4)
_NEIGHBOUR: Final = (0.5, 0.6)
_COVERAGE: Final = (0.0, 0.2, 0.3)
_QUESTION: Final = (0.0, 0.1)
_SPEAKER: Final = 0.2
"""Of little weight anywhere from 0.12 to 0.3."""
_STRIPES: Final = 5

Parts = list[list[Score]]
"""The scores of one file, by the parts that are held out one at a time."""
Ask = Callable[[Indexed, FusionProfile], Awaitable[list[Score]]]


@dataclass(frozen=True, slots=True)
class Tried:
    """One setting, and what it gave."""

    profile: FusionProfile
    files: list[Parts]


async def calibrate(paths: Sequence[Path], cache: Path | None) -> str:
    """Return the best setting over all files, in-sample and held-out figures of it, and the ten best settings."""
    embedder = MiniLmEmbedder()
    files = [[await index_corpus(corpus, embedder, cache) for corpus in read_corpora(path)] for path in paths]
    words = Tried(WORDS_ONLY, [await parts_of(file, WORDS_ONLY) for file in files])
    tried = [
        Tried(profile, [await parts_of(file, profile) for file in files]) for profile in progress(_grid(), "settings")
    ]
    ranked = sorted(tried, key=lambda each: -gain(each, words))
    heads = ["setting", *(f"r@10 {path.stem}" for path in paths), "gain"]
    rows = [[_name(each.profile), *_recalls(each.files), f"{gain(each, words):.3f}"] for each in ranked[:10]]
    judged = [held_out(number, tried, words) for number in range(len(files))]
    return "\n".join([table(heads, rows), "", _figures("in-sample", ranked[0].files), _figures("held out", judged)])


def _grid() -> list[FusionProfile]:
    return [
        FusionProfile(
            vector=vector,
            lexical=round(1.0 - vector, 6),
            speaker=_SPEAKER,
            neighbour=neighbour,
            coverage=coverage,
            question=question,
        )
        for vector, neighbour, coverage, question in product(_VECTOR, _NEIGHBOUR, _COVERAGE, _QUESTION)
    ]


async def parts_of(file: Sequence[Indexed], profile: FusionProfile, ask: Ask = scores) -> Parts:
    """Return the scores of a file's questions by the parts that are held out."""
    by_corpus = [await ask(indexed, profile) for indexed in file]
    return by_corpus if len(by_corpus) > 1 else [by_corpus[0][stripe::_STRIPES] for stripe in range(_STRIPES)]


def held_out(number: int, tried: Sequence[Tried], words: Tried) -> Parts:
    """Return, of one file, each part's scores under the setting that is best without that part."""
    best = [best_without(number, part, tried, words) for part in range(len(words.files[number]))]
    return [each.files[number][part] for part, each in enumerate(best)]


def best_without(number: int, part: int, tried: Sequence[Tried], words: Tried) -> Tried:
    """Return the setting that is best without one part of a file."""
    return max(tried, key=lambda each: gain(each, words, without=(number, part)))


def gain(each: Tried, words: Tried, without: tuple[int, int] | None = None) -> float:
    """Return the mean over files of recall@10 over that of words alone, `without` one part (file, part) of one."""
    ratios: list[float] = []
    for number, parts in enumerate(each.files):
        kept = [part for part in range(len(parts)) if (number, part) != without]
        ratios.append(_recall([parts[part] for part in kept]) / _recall([words.files[number][part] for part in kept]))
    return sum(ratios) / len(ratios)


def _recall(parts: Parts) -> float:
    found = [score.recall[_AT_10] for part in parts for score in part]
    return sum(found) / len(found)


def _recalls(files: Sequence[Parts]) -> list[str]:
    return [f"{100 * _recall(parts):.1f}" for parts in files]


def _figures(name: str, files: Sequence[Parts]) -> str:
    pooled = [means([score for part in parts for score in part]) for parts in files]
    return f"{name}: " + "; ".join(
        ", ".join(f"{measure} {100 * value:.1f}" for measure, value in figures.items()) for figures in pooled
    )


def _name(profile: FusionProfile) -> str:
    return (
        f"vector {profile.vector:g} neighbour {profile.neighbour:g} coverage {profile.coverage:g} "
        f"question {profile.question:g}"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the calibration and print the constants."""
    parser = argparse.ArgumentParser(prog="python -m bench.calibrate", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, nargs="+", help="memory-bench/1 files")
    parser.add_argument("--cache", type=Path, help="a directory to keep vectors in")
    parser.add_argument("--floors", action="store_true", help="print the floors of an encoder (bench.floors) instead")
    parser.add_argument("--embed", choices=["local", "hash"], default="local", help="which encoder's floors")
    options = parser.parse_args(arguments)
    try:
        if options.cache is not None:
            options.cache.mkdir(parents=True, exist_ok=True)
        embedder = make_embedder(EmbedSettings(provider=options.embed))
        work = (
            floors(options.data, embedder, options.cache) if options.floors else calibrate(options.data, options.cache)
        )
        print(anyio.run(lambda: work))
    except VoiceError as error:
        print(f"bench.calibrate: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
