"""Fitting the score that ranks: `python -m bench.support --data FILE [--data …] [--json]`.

Reads `grounding-bench/1` files of public answers and fits the weights of `voice.core.grounding.proof` to them: a
logistic regression without negative weights, each file and each class of it weighed equally, whole answers beside all
their sources. Printed are the weights to put there, and AUROC of each file: by the weights in use, by the new ones, by
those fitted without that file (`held out`), and by each measure alone. The same files give the same figures.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from bench.grounding import auroc, measured, read_items
from bench.report import progress, table
from voice.core.errors import VoiceError
from voice.core.grounding.proof import BIAS, WEIGHTS

Floats = NDArray[np.float64]
FEATURES = ("new words", "broken pairs", "lacking in the best", "numbers", "names")
_STEPS = 4_000
_RIDGE = 1e-3


@dataclass(frozen=True)
class Answers:
    """The plain measures of one file's answers, a row each, and which of them are unsupported (1.0)."""

    measures: Floats
    unsupported: Floats

    def auroc(self, score: Floats) -> float | None:
        """Return how well a score ranks them."""
        found = auroc(list(score[self.unsupported == 1]), list(score[self.unsupported == 0]))
        return None if found is None else round(found, 4)


@dataclass(frozen=True)
class Fit:
    """What a fit found."""

    weights: tuple[float, ...]
    bias: float

    def score(self, answers: Answers) -> Floats:
        """Return a number for each answer, higher where it is less supported."""
        return answers.measures @ np.array(self.weights) + self.bias


def answers_of(path: Path) -> Answers:
    """Return the measures of a file's answers.

    Raises:
        DataFileError: it cannot be read.
    """
    items = read_items(path)
    rows = [measured(item).features for item in progress(items, path.name)]
    return Answers(np.array(rows, dtype=float), np.array([item.is_unsupported for item in items], dtype=float))


def fitted(sets: Sequence[Answers]) -> Fit:
    """Return weights, none of them negative, by gradient descent on standardised measures."""
    measures = np.concatenate([one.measures for one in sets])
    wanted = np.concatenate([one.unsupported for one in sets])
    share = np.concatenate([_balanced(one.unsupported) for one in sets]) / len(sets)
    middle, spread = measures.mean(axis=0), measures.std(axis=0) + 1e-9
    scaled = (measures - middle) / spread
    weights, bias = np.zeros(measures.shape[1]), 0.0
    for _ in range(_STEPS):
        lean = share * (1 / (1 + np.exp(-(scaled @ weights + bias))) - wanted)
        weights = np.maximum(weights - (scaled.T @ lean + _RIDGE * weights), 0.0)
        bias -= float(lean.sum())
    own = weights / spread
    return Fit(tuple(round(float(one), 3) for one in own), round(bias - float((own * middle).sum()), 3))


def _balanced(unsupported: Floats) -> Floats:
    """Return a weight for each answer, so that both classes weigh one half."""
    bad = float(unsupported.sum())
    good = len(unsupported) - bad
    return np.where(unsupported == 1, 0.5 / max(bad, 1.0), 0.5 / max(good, 1.0))


def report_on(sets: Mapping[str, Answers]) -> dict[str, object]:
    """Return the weights fitted to all sets, and AUROC of each set by each way."""
    whole, in_use = fitted(list(sets.values())), Fit(WEIGHTS, BIAS)
    return {
        "weights": dict(zip(FEATURES, whole.weights, strict=True)),
        "bias": whole.bias,
        "is_in_use": whole == in_use,
        "auroc": {name: _by_way(name, sets, whole, in_use) for name in sets},
    }


def _by_way(name: str, sets: Mapping[str, Answers], whole: Fit, in_use: Fit) -> dict[str, float | None]:
    own = sets[name]
    others = [one for other, one in sets.items() if other != name]
    alone = {feature: own.auroc(own.measures[:, place]) for place, feature in enumerate(FEATURES)}
    return {
        "in use": own.auroc(in_use.score(own)),
        "fitted": own.auroc(whole.score(own)),
        "held out": own.auroc(fitted(others).score(own)) if others else None,
        **alone,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit the weights and print the report."""
    parser = argparse.ArgumentParser(prog="python -m bench.support", description=__doc__)
    parser.add_argument(
        "--data", type=Path, action="append", required=True, help="a grounding-bench/1 file; repeatable"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    try:
        sets = {path.stem: answers_of(path) for path in cast("list[Path]", options.data)}
    except VoiceError as error:
        print(f"bench.support: {error}", file=sys.stderr)
        return error.exit_code
    report = report_on(sets)
    print(json.dumps(report, indent=1) if options.json else _table(report))
    return 0


def _table(report: Mapping[str, object]) -> str:
    by_set = cast("dict[str, dict[str, float | None]]", report["auroc"])
    ways = list(next(iter(by_set.values())))
    rows = [
        [name, *("–" if value is None else f"{value:.4f}" for value in own.values())] for name, own in by_set.items()
    ]
    weights = cast("dict[str, float]", report["weights"])
    fit = f"WEIGHTS = {tuple(weights.values())}  BIAS = {report['bias']}"
    return f"{fit}  ({'in use' if report['is_in_use'] else 'not in use'})\n\n{table(['answers of', *ways], rows)}"


if __name__ == "__main__":
    sys.exit(main())
