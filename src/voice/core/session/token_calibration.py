"""Calibrate a model's token estimate by what its provider reported.

Law: the prompt budget is divided by the largest recent ratio of reported to estimated tokens, never by less than one,
within bounds. Only turns with the same model and counter are used. The stored estimate stays unchanged, since prompts
are rebuilt by it.

Source: ruling D15; docs/budgets.md.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from math import ceil
from statistics import fmean
from typing import Final

from voice.core.session.values import DialogueExchange

MOST: Final = 4.0
"""Maximum plausible ratio; larger ones are clamped."""
LEAST: Final = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenCalibration:
    """Ratio of reported to estimated tokens."""

    turns: int = 0
    """Number of turns behind it."""
    mean: float = 1.0
    largest: float = 1.0

    @property
    def factor(self) -> float:
        """Safety factor for estimates that must not be too low, at least 1."""
        return max(1.0, self.largest)

    def upper(self, estimate: int) -> int:
        """Return an upper bound of the reported tokens."""
        return ceil(estimate * self.factor)

    def room(self, budget: int) -> int:
        """Return the estimated tokens that fit a reported `budget`."""
        return int(budget / self.factor)

    def expected(self, estimate: int) -> int:
        """Return the most likely reported tokens."""
        return round(estimate * self.mean)


AS_ESTIMATED: Final = TokenCalibration()


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationKey:
    """Model and counter whose turns are comparable."""

    provider: str
    model: str
    counter: str
    """Version of the estimate, or the vocabulary."""


def ratios_of(exchanges: Iterable[DialogueExchange], by: CalibrationKey) -> dict[str, float]:
    """Return reported / estimated tokens by turn id, where both are known."""
    found = ((exchange.id, _ratio(exchange, by)) for exchange in exchanges)
    return {exchange_id: ratio for exchange_id, ratio in found if ratio is not None}


def calibrate_tokens(ratios: Collection[float]) -> TokenCalibration:
    """Return the calibration of a model's ratios; neutral if there are none."""
    if not ratios:
        return AS_ESTIMATED
    return TokenCalibration(turns=len(ratios), mean=fmean(ratios), largest=max(ratios))


def _ratio(exchange: DialogueExchange, by: CalibrationKey) -> float | None:
    """Return the ratio for the last prompt sent; None if not comparable or unknown."""
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
