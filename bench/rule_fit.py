"""Fitting a rule that says what answers, and what it is worth on memories that it was not fitted on.

Law: a rule is a sum of figures by weights, found by logistic regression; over a line it answers. Each memory is held
out in turn: what it is worth there is measured with weights that were fitted on all others. The same cases give the
same weights.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_STEPS: Final = 4_000
_RATE: Final = 0.5


class Case(Protocol):
    """What a rule is fitted on, in figures."""

    @property
    def memory(self) -> str:
        """The memory that it is of."""
        ...

    @property
    def figures(self) -> tuple[float, ...]:
        """The figures that are added up."""
        ...


AnyCase = TypeVar("AnyCase", bound=Case)


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedRule:
    """Weights and bias."""

    weights: Floats
    bias: float

    def score(self, case: Case) -> float:
        """Return the sum for a case."""
        return float(self.weights @ np.array(case.figures)) + self.bias

    def by_name(self, names: Sequence[str], *, line: float = 0.0, digits: int) -> dict[str, float]:
        """Return the weights as they are put into the rule, its bias such that what is over `line` is over 0."""
        weights = dict(zip(names, np.round(self.weights, digits).tolist(), strict=True))
        return {"bias": round(self.bias - line, digits), **weights}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a rule says of one question."""

    score: float
    is_answerable: bool
    holds: bool
    """Whether what would be answered is right."""


def logistic(cases: Sequence[Case], holds: Iterable[bool], share: Sequence[float], *, l2: float) -> FittedRule:
    """Return a logistic regression.

    Args:
        cases: what it is fitted on.
        holds: whether each case holds.
        share: how much each case counts.
        l2: how much weights cost, of figures that are scaled to a spread of 1.
    """
    figures, wanted, counts = np.array([case.figures for case in cases]), np.array([*holds], float), np.array(share)
    middle, spread = figures.mean(0), figures.std(0) + 1e-9
    scaled = (figures - middle) / spread
    weights, bias = np.zeros(scaled.shape[1]), 0.0
    for _ in range(_STEPS):
        error = (1 / (1 + np.exp(-(scaled @ weights + bias))) - wanted) * counts
        weights -= _RATE * (scaled.T @ error / counts.sum() + l2 * weights)
        bias -= _RATE * float(error.sum() / counts.sum())
    return FittedRule(weights=weights / spread, bias=bias - float((weights * middle / spread).sum()))


def held_out(
    cases: Sequence[AnyCase], fitted: Callable[[Sequence[AnyCase]], FittedRule]
) -> dict[str, list[tuple[AnyCase, float]]]:
    """Return, by memory, its cases with their sums by the rule that is fitted on the others; nothing of one alone."""
    memories = dict.fromkeys(case.memory for case in cases)
    if len(memories) == 1:
        return {}
    found: dict[str, list[tuple[AnyCase, float]]] = {}
    for memory in memories:
        rule = fitted([case for case in cases if case.memory != memory])
        found[memory] = [(case, rule.score(case)) for case in cases if case.memory == memory]
    return found


def by_line(outcomes: Sequence[Outcome], lines: Sequence[float]) -> Mapping[str, Mapping[str, float]]:
    """Return, by line, which shares of the questions are answered and refused."""
    return {str(line): _at(line, outcomes) for line in lines}


def _at(line: float, outcomes: Sequence[Outcome]) -> Mapping[str, float]:
    answerable = [one for one in outcomes if one.is_answerable]
    others = [one for one in outcomes if not one.is_answerable]
    return {
        "right": _share([one.score > line and one.holds for one in answerable]),
        "wrong": _share([one.score > line and not one.holds for one in answerable]),
        "refused": _share([one.score <= line for one in answerable]),
        "answered though unanswerable": _share([one.score > line for one in others]),
    }


def _share(held: Sequence[bool]) -> float:
    return round(sum(held) / len(held), 3) if held else 0.0
