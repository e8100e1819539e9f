"""Calibrate the token estimate of a model by what its provider reported.

Law: where a model reported more tokens than estimated, its next prompt gets that much less room, by the largest such
ratio among its recent turns, of whatever session; so a model that finds more is under-counted once. Turns whose prompt
was counted by something else, another version of the estimate or a vocabulary, tell nothing. A ratio below one
never widens a budget: a text of another kind may find what these turns did not. It tells what a call is expected to
cost, and nothing else. Bounds keep one odd report from emptying every prompt. The estimate itself stays as it is: it is
kept with each turn, and a prompt is rebuilt by it.

Source: ruling D15; docs/budgets.md.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from math import ceil
from statistics import fmean
from typing import Final

from voice.core.session.values import DialogueExchange

MOST: Final = 4.0
"""A larger ratio is a provider's mistake, or ours; no text has four times its estimate."""
LEAST: Final = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenCalibration:
    """How reported tokens stand to estimated ones."""

    turns: int = 0
    """How many turns it rests on."""
    mean: float = 1.0
    largest: float = 1.0

    @property
    def factor(self) -> float:
        """What an estimate is multiplied by where it must not be too low."""
        return max(1.0, self.largest)

    def upper(self, estimate: int) -> int:
        """Return an estimate that is not below what this model would report."""
        return ceil(estimate * self.factor)

    def room(self, budget: int) -> int:
        """Return how much may be estimated where no more than `budget` may be reported."""
        return int(budget / self.factor)

    def expected(self, estimate: int) -> int:
        """Return what this model would most likely report."""
        return round(estimate * self.mean)


AS_ESTIMATED: Final = TokenCalibration()


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationKey:
    """Who reported, and what had counted before."""

    provider: str
    model: str
    counter: str
    """The version of the estimate, or the vocabulary."""


def ratios_of(exchanges: Iterable[DialogueExchange], by: CalibrationKey) -> dict[str, float]:
    """Return reported by estimated tokens of each turn that tells both, by its id."""
    found = ((exchange.id, _ratio(exchange, by)) for exchange in exchanges)
    return {exchange_id: ratio for exchange_id, ratio in found if ratio is not None}


def calibrate_tokens(ratios: Collection[float]) -> TokenCalibration:
    """Return how one model's reports stand to the estimates; as estimated where there are none."""
    if not ratios:
        return AS_ESTIMATED
    return TokenCalibration(turns=len(ratios), mean=fmean(ratios), largest=max(ratios))


def _ratio(exchange: DialogueExchange, by: CalibrationKey) -> float | None:
    """Return the ratio of the prompt that was sent last; None where it is another's, or either count is unknown."""
    if exchange.prompt is None or exchange.imported_from is not None:
        return None  # what was imported says of itself what it was counted at
    counter = dict(exchange.prompt.rendering).get("estimate")
    if (exchange.provider, exchange.model, counter) != (by.provider, by.model, by.counter):
        return None
    drafts = [attempt for attempt in exchange.attempts if attempt.purpose == "draft"]
    estimate = exchange.prompt.prompt_tokens_estimated
    reported = drafts[-1].usage.input_tokens if drafts else None
    if not estimate or not reported:
        return None
    return min(MOST, max(LEAST, reported / estimate))
