"""What plain likenesses of words make of the same answers: `python -m bench.lexical --data FILE [--data …] [--json]`.

A figure of another program on another sample is no baseline. So the measures that a judge has to beat are taken of the
very rows of a `grounding-bench/1` file, beside the judge's own (`bench.grounding`), as AUROC: the share of the answer's
telling words that the best sentence lacks, the same of its word pairs, of its words and their order, the letters
(`partial_ratio`), the share of its words that no sentence of the sources has, and a careful sum by hand of such
measures: stemmed recall over the best three sentences weighed by how rare a word is, near spellings forgiven, the
summed weight of what is missing, letters, missing numbers and names. The score that the judge ranks
by stands beside them.
"""

import argparse
import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import cast

from rapidfuzz.distance import LCSseq
from rapidfuzz.fuzz import partial_ratio, ratio

from bench.grounding import Item, auroc, measured, read_items
from bench.report import progress, table
from voice.core.errors import VoiceError
from voice.core.text.language_data import word_weight
from voice.core.text.sentences import sentences
from voice.core.text.words import Word, words

_BEST = 3
_SAME = 80
"""So alike, in percent, two words are forms of one."""
_NUMBER = re.compile(r"\d+")
_NAME = re.compile(r"(?<!^)(?<![.!?] )\b[A-Z][a-z]+")


@dataclass(frozen=True)
class Compared:
    """An answer beside the sentences of its sources."""

    answer: str
    sources: tuple[str, ...]

    @cached_property
    def told(self) -> list[Word]:
        """The answer's words."""
        return words(self.answer)

    @cached_property
    def said(self) -> list[list[Word]]:
        """Each source sentence's words, those first that hold the most of the answer's weight."""
        weights = self.weights
        read = [words(sentence) for sentence in self.sources]
        return sorted(read, key=lambda one: -sum(weights[s] for s in weights.keys() & {w.stem for w in one}))

    @cached_property
    def weights(self) -> dict[str, float]:
        """How telling each stem of the answer is."""
        return {word.stem: word_weight(word.stem) for word in self.told if not word.is_stop}


def _lacking(one: Compared) -> float:
    stems = one.weights.keys()
    held = max((len(stems & {word.stem for word in own}) for own in one.said), default=0)
    return 1 - held / len(stems) if stems else 0.0


def _broken_pairs(one: Compared) -> float:
    pairs = set(pairwise(word.stem for word in one.told))
    held = max((len(pairs & set(pairwise(word.stem for word in own))) for own in one.said), default=0)
    return 1 - held / len(pairs) if pairs else 0.0


def _out_of_order(one: Compared) -> float:
    keys = [word.key for word in one.told]
    held = max((LCSseq.similarity(keys, [word.key for word in own]) for own in one.said), default=0)
    return 1 - held / len(keys) if keys else 0.0


def _letters(one: Compared) -> float:
    return 1 - max((partial_ratio(one.answer.lower(), own.lower()) for own in one.sources), default=0) / 100


def _new_words(one: Compared) -> float:
    keys = {word.key for word in one.told}
    held = {word.key for own in one.said for word in own}
    return len(keys - held) / len(keys) if keys else 0.0


def _by_hand(one: Compared) -> float:
    held = {word.stem for own in one.said[:_BEST] for word in own}
    missing = [stem for stem in one.weights if stem not in held and not _is_form(stem, held)]
    lost, total = sum(one.weights[stem] for stem in missing), sum(one.weights.values())
    whole = " ".join(one.sources)
    numbers = set(_NUMBER.findall(one.answer)) - set(_NUMBER.findall(whole))
    names = [name for name in _NAME.findall(one.answer) if name.lower() not in whole.lower()]
    share = lost / total if total else 0.0
    return 2 * share + 2 * _letters(one) + 0.12 * lost + 0.3 * bool(numbers) + 0.3 * bool(names)


def _is_form(stem: str, held: set[str]) -> bool:
    return len(stem) > 3 and any(ratio(stem, other) >= _SAME for other in held)


MEASURES: Mapping[str, Callable[[Compared], float]] = {
    "words lacking": _lacking,
    "pairs broken": _broken_pairs,
    "out of order": _out_of_order,
    "letters": _letters,
    "new words": _new_words,
    "by hand": _by_hand,
}
"""Each plain measure of an answer; higher is less supported."""


def compared(item: Item) -> Compared:
    """Return an answer beside the sentences of its sources."""
    return Compared(item.answer, tuple(sentence for row in item.evidence for sentence in sentences(row.text)))


def measure(items: Sequence[Item]) -> dict[str, float | None]:
    """Return the AUROC of each plain measure and of the score on the answers of one set."""
    ways: dict[str, Callable[[Item], float]] = {
        name: lambda item, way=way: way(compared(item)) for name, way in MEASURES.items()
    }
    ways["the score"] = lambda item: measured(item).score
    scored = {name: [(way(item), item.is_unsupported) for item in progress(items, name)] for name, way in ways.items()}
    found = {
        name: auroc([score for score, bad in own if bad], [score for score, bad in own if not bad])
        for name, own in scored.items()
    }
    return {name: None if value is None else round(value, 4) for name, value in found.items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the comparison and print its report."""
    parser = argparse.ArgumentParser(prog="python -m bench.lexical", description=__doc__)
    parser.add_argument(
        "--data", type=Path, action="append", required=True, help="a grounding-bench/1 file; repeatable"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    found: dict[str, dict[str, float | None]] = {}
    try:
        for path in cast("list[Path]", options.data):
            found[path.stem] = measure(read_items(path))
    except VoiceError as error:
        print(f"bench.lexical: {error}", file=sys.stderr)
        return error.exit_code
    print(json.dumps(found, indent=1) if options.json else _table(found))
    return 0


def _table(found: Mapping[str, Mapping[str, float | None]]) -> str:
    rows = [[name, *("–" if value is None else str(value) for value in own.values())] for name, own in found.items()]
    return table(["answers of", *MEASURES, "the score"], rows)


if __name__ == "__main__":
    sys.exit(main())
