"""How an answer's sentences are best added up: `python -m bench.composed --data FILE [--data …] [--json]`.

Answers of two to eight sentences are put together from the one-sentence items of a `grounding-bench/1` file, over the
sources of all of them and of two that have nothing to do with it. In the first half of the answers one in two holds
one or two unsupported sentences, however long it is; in the second each sentence is unsupported one time in seven, so
that long answers more often are. An answer is unsupported when any sentence of it is. Printed is how well each way of
adding up ranks them; `bench.grounding` takes `answer_score`.
"""

import argparse
import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import cast

from bench.grounding import Item, Read, answer_score, auroc, read_answer, read_items
from bench.report import progress, table
from voice.core.errors import DataFileError, VoiceError
from voice.core.text.sentences import sentences

_SENTENCES = (2, 3, 4, 5, 6, 7, 8)
_STRANGERS = 2
_RARE = 1 / 7
_ENDS = (".", "!", "?", '"', "”")


def _mean(scores: Sequence[float]) -> float:
    return sum(scores) / len(scores)


def _soft(scores: Sequence[float]) -> float:
    return 0.35 * math.log(sum(math.exp(score / 0.35) for score in scores))


WAYS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "worst": max,
    "mean": _mean,
    "two worst": lambda scores: _mean(sorted(scores)[-2:]),
    "soft maximum": _soft,
    "worst + half the mean": lambda scores: max(scores) + 0.5 * _mean(scores),
}
"""Each way of making one figure of the scores of an answer's sentences; `answer_score` reads the wording, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What was found of one answer, and whether any of its sentences is unsupported."""

    found: Read
    is_unsupported: bool


def compose(items: Sequence[Item], count: int, seed: int) -> list[Item]:
    """Return `count` answers of several sentences made of `items` of one sentence.

    Raises:
        DataFileError: there are too few items of either label.
    """
    pools, chance = pools_of(items), Random(seed)
    return [_composed(pools, chance, is_rare=number >= count // 2) for number in range(count)]


def pools_of(items: Sequence[Item]) -> tuple[list[Item], list[Item]]:
    """Return the items of one sentence that are supported, and those that are not.

    Raises:
        DataFileError: there are too few of either.
    """
    single = [item for item in items if len(sentences(item.answer)) == 1]
    pools = [[item for item in single if item.is_unsupported is label] for label in (False, True)]
    most = max(_SENTENCES) + _STRANGERS
    if any(len({item.evidence[0].text for item in pool}) < most for pool in pools):
        raise DataFileError(f"too few answers of one sentence: {2 * most} are needed, {most} of either label")
    return pools[0], pools[1]


def _composed(pools: tuple[list[Item], list[Item]], chance: Random, *, is_rare: bool) -> Item:
    length = chance.choice(_SENTENCES)
    if is_rare:
        wrong = sum(chance.random() < _RARE for _ in range(length))
    else:
        wrong = min(length, chance.randint(1, 2)) if chance.random() < 0.5 else 0
    seen: set[str] = set()
    told = [drawn(pools[place < wrong], seen, chance) for place in range(length)]
    strangers = [drawn(pools[0], seen, chance) for _ in range(_STRANGERS)]
    chance.shuffle(told)
    return put_together(told, strangers, chance)


def put_together(told: Sequence[Item], strangers: Sequence[Item], chance: Random) -> Item:
    """Return one answer that says what all of `told` say, over their sources and those of `strangers`, shuffled."""
    rows = [row for item in (*told, *strangers) for row in item.evidence]
    chance.shuffle(rows)
    return Item(
        set_name=told[0].set_name,
        evidence=tuple(replace(row, alias=f"s{at}", row_id=f"o:s{at}") for at, row in enumerate(rows)),
        answer=" ".join(_ended(item.answer.strip()) for item in told),
        is_unsupported=any(item.is_unsupported for item in told),
    )


def drawn(pool: Sequence[Item], seen: set[str], chance: Random) -> Item:
    """Return an item over a source that is not in `seen`, and put its source there."""
    item = chance.choice(pool)
    while item.evidence[0].text in seen:
        item = chance.choice(pool)
    seen.add(item.evidence[0].text)
    return item


def _ended(answer: str) -> str:
    return answer if answer.endswith(_ENDS) else f"{answer}."


def figures_of(outcomes: Sequence[Outcome]) -> dict[str, float | None]:
    """Return the AUROC of each way of adding up."""
    figures: dict[str, float | None] = {}
    ways: dict[str, Callable[[Read], float]] = {name: partial(_by_sentences, way) for name, way in WAYS.items()}
    for name, way in {**ways, "answer_score": answer_score}.items():
        scored = [(way(one.found), one.is_unsupported) for one in outcomes]
        value = auroc([score for score, bad in scored if bad], [score for score, bad in scored if not bad])
        figures[name] = None if value is None else round(value, 4)
    return figures


def _by_sentences(way: Callable[[Sequence[float]], float], found: Read) -> float:
    return way(found.scores or (0.0,))


def measure(path: Path, count: int, seed: int) -> dict[str, float | None]:
    """Return the AUROC of each way on answers composed of a file's."""
    composed = compose(read_items(path), count, seed)
    return figures_of(
        [Outcome(found=read_answer(item), is_unsupported=item.is_unsupported) for item in progress(composed, path.name)]
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its report."""
    parser = argparse.ArgumentParser(prog="python -m bench.composed", description=__doc__)
    parser.add_argument(
        "--data", type=Path, action="append", required=True, help="a grounding-bench/1 file; repeatable"
    )
    parser.add_argument("--answers", type=int, default=600, help="how many answers of each file (600)")
    parser.add_argument("--seed", type=int, default=1, help="of their composition (1)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    found: dict[str, dict[str, float | None]] = {}
    try:
        for path in cast("list[Path]", options.data):
            found[path.stem] = measure(path, cast("int", options.answers), cast("int", options.seed))
    except VoiceError as error:
        print(f"bench.composed: {error}", file=sys.stderr)
        return error.exit_code
    print(json.dumps(found, indent=1) if options.json else _table(found))
    return 0


def _table(found: Mapping[str, Mapping[str, float | None]]) -> str:
    rows = [[name, *("–" if value is None else str(value) for value in own.values())] for name, own in found.items()]
    return table(["composed of", *WAYS, "answer_score"], rows)


if __name__ == "__main__":
    sys.exit(main())
