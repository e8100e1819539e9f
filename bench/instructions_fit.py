"""Weights of what speaks for an order to a model: `python -m bench.instructions_fit [--data FILE …] [--write]`.

Fits one logistic regression to the tuning part of `bench/data/instructions.jsonl`. Of a text that is an order its
weightiest sentence counts (which one that is, each round asks anew), of another every sentence; every third row of
`memory-bench/1` files is another. A feature for an order weighs nothing or more, one against it nothing or less. Prints
the weights; with `--write` they replace `voice/data/instructions/weights.tsv`. The held-out part is never read.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from bench.corpus import read_corpora
from bench.instructions import labelled
from voice.core.text.injection_cue_words import languages_in, readings
from voice.core.text.normalise import fold_text, spelling_variants
from voice.core.text.prompt_injection import BIAS, KINDS, NAMES, features_of, possible

PLACE = Path(__file__).parents[1] / "src" / "voice" / "data" / "instructions" / "weights.tsv"
ROUNDS, STEPS = 8, 60
PENALTY = 1e-4
ORDINARY = 0.3
"""What a row of a memory counts for, against one of the set, which was written to be hard."""
FOUND = 1.0
"""What an order counts for."""
EMPTY = 300.0
"""How many sentences without any feature stand against the bias."""
EVERY = 3

Vector = NDArray[np.float64]


def sentences(text: str) -> list[Vector]:
    """Return the features of each sentence of `text` that has any."""
    found = [features_of(reading) for view in spelling_variants(fold_text(text)) for reading in readings(view, _any)]
    return [np.array([float(name in one) for name in NAMES]) for one in found if one]


def _any(bits: int) -> list[str]:
    return languages_in(bits, lambda own: bool(possible(own)))


def fit(orders: Sequence[list[Vector]], others: Sequence[tuple[list[Vector], float]]) -> tuple[Vector, float]:
    """Return the weights and the bias."""
    signs = np.array([1.0 if name in KINDS else -1.0 for name in NAMES])
    weights, bias = signs.copy(), -1.5
    against = [(one, 0.0, share) for group, share in others for one in group]
    for _ in range(ROUNDS):
        found = [(max(group, key=lambda one: float(one @ weights)), 1.0, FOUND) for group in orders if group]
        rows = [*found, *against, (np.zeros(len(NAMES)), 0.0, EMPTY)]
        told = (
            np.array([row[0] for row in rows]),
            np.array([row[1] for row in rows]),
            np.array([row[2] for row in rows]),
        )
        for _ in range(STEPS):
            weights, bias = _step(weights, bias, *told)
            weights = signs * np.maximum(signs * weights, 0.0)
    return weights, bias


def _step(weights: Vector, bias: float, seen: Vector, truth: Vector, share: Vector) -> tuple[Vector, float]:
    """Return the weights after one step of Newton's method."""
    guess = 1 / (1 + np.exp(-(seen @ weights + bias)))
    wide = np.hstack([seen, np.ones((len(seen), 1))])
    penalty = np.diag(np.append(np.full(len(weights), PENALTY), 1e-9))
    slope = wide.T @ (share * (guess - truth)) / share.sum() + penalty @ np.append(weights, bias)
    bend = (wide * (share * guess * (1 - guess))[:, None]).T @ wide / share.sum() + penalty
    move = cast("Vector", np.linalg.solve(bend, slope))  # pyright: ignore[reportUnknownMemberType]
    after = np.append(weights, bias) - move
    return after[:-1], float(after[-1])


def fitted(data: Iterable[Path]) -> dict[str, float]:
    """Return the weight of each feature, and the bias, from the tuning part and the rows of `data`."""
    tuning = [one for one in labelled() if one["part"] == "tune"]
    rows = [row.content for path in data for corpus in read_corpora(path) for row in corpus.rows][::EVERY]
    orders = [sentences(one["text"]) for one in tuning if one["instruction"]]
    others = [(sentences(one["text"]), 1.0) for one in tuning if not one["instruction"]]
    weights, bias = fit(orders, [*others, *((sentences(text), ORDINARY) for text in rows)])
    return {
        BIAS: round(bias, 2),
        **{name: round(float(weight), 2) for name, weight in zip(NAMES, weights, strict=True)},
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, and print or write the weights."""
    parser = argparse.ArgumentParser(prog="python -m bench.instructions_fit", description=__doc__)
    parser.add_argument("--data", type=Path, action="append", default=[], help="a memory-bench/1 file")
    parser.add_argument("--write", action="store_true", help="replace the weights of the program")
    options = parser.parse_args(arguments)
    text = "".join(f"{name}\t{weight:g}\n" for name, weight in fitted(options.data).items() if weight)
    if options.write:
        PLACE.write_text(text, encoding="utf-8")
    print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
