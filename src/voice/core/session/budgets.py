"""Spending caps on a turn, a session, a day and a month, and the calibration of token estimates.

Law: a cap is checked against the worst case, before the call. Calls without reported usage count at their maximum;
turns of unknown cost make the sum a lower bound, which is stated (ruling D18). Imported turns do not count; free calls
are never refused.

The prompt budget is divided by the largest recent ratio of reported to estimated tokens, never by less than one,
within bounds. Only turns with the same model and counter are used. The stored estimate stays unchanged, since prompts
are rebuilt by it (ruling D15).
Source: promise 7; rulings D8, D15, D18; docs/budgets.md.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from math import ceil
from statistics import fmean
from typing import Final, Literal

from voice.core.messages import asking as messages
from voice.core.session.values import Attempt, DialogueExchange
from voice.core.text.instants import in_zone
from voice.core.usage import Price, cost_of

CapName = Literal["turn", "session", "day", "month"]
OnUnknownPrice = Literal["refuse", "allow"]
_CENT_PARTS = Decimal("0.0001")  # the smallest sum that four decimals show


@dataclass(frozen=True, slots=True, kw_only=True)
class AmountSpent:
    """A sum in US dollars with its uncertainty."""

    known: Decimal = Decimal(0)
    at_worst: Decimal = Decimal(0)
    """Maximum cost of calls without reported usage."""
    unknown: int = 0
    """Number of turns or calls without even a maximum."""

    def __add__(self, other: "AmountSpent") -> "AmountSpent":
        return AmountSpent(
            known=self.known + other.known,
            at_worst=self.at_worst + other.at_worst,
            unknown=self.unknown + other.unknown,
        )

    @property
    def counted(self) -> Decimal:
        """The amount compared with a cap."""
        return self.known + self.at_worst

    @property
    def is_nothing(self) -> bool:
        """Whether certainly nothing was spent."""
        return not self.counted and not self.unknown


NOTHING = AmountSpent()


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCall:
    """Maximum cost of a turn whose calls are not finished."""

    id: str
    """The id reserved for the turn, shared by all its calls."""
    session_id: str
    model: str
    """provider/model."""
    began_at: datetime
    worst: AmountSpent


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendCap:
    """The maximum cost of a turn, session, day or month."""

    name: CapName
    limit: Decimal
    frees_at: datetime | None = None
    """When it resets; None: with another turn or session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CapState:
    """A cap and what counts against it so far."""

    cap: SpendCap
    spent: AmountSpent

    @property
    def left(self) -> Decimal:
        """The remaining amount, at least 0."""
        return max(Decimal(0), self.cap.limit - self.spent.counted)


def spent_in(attempts: Sequence[Attempt], price: Price | None, *, worst: Sequence[Decimal | None]) -> AmountSpent:
    """Sum the cost of calls, at its maximum in `worst` (None = unknown) where the usage is unknown."""
    total = NOTHING
    for attempt, most in zip(attempts, worst, strict=True):
        cost = cost_of(attempt.usage, price)
        if cost is not None:
            total += AmountSpent(known=cost)
        else:
            total += AmountSpent(unknown=1) if most is None else AmountSpent(at_worst=most)
    return total


def charge_of(exchange: DialogueExchange) -> AmountSpent:
    """Return a stored turn's charge: nothing if imported, at most one unknown."""
    if exchange.imported_from is not None:
        return NOTHING
    if exchange.cost_estimate is not None:
        return AmountSpent(known=exchange.cost_estimate)
    if not exchange.attempts:
        return AmountSpent(unknown=1)
    worst = [attempt.worst for attempt in exchange.attempts]
    total = spent_in(exchange.attempts, exchange.price, worst=worst)
    return AmountSpent(known=total.known, at_worst=total.at_worst, unknown=min(total.unknown, 1))  # a turn counts once


def refused_by(
    states: Sequence[CapState], worst: Decimal | None, *, on_unknown_price: OnUnknownPrice, timezone: str
) -> str | None:
    """Return why a call is refused; None allows it.

    Args:
        states: every cap that is set, without this call.
    """
    if worst == 0:  # free calls are never refused
        return None
    for state in states:
        why = _refused_by(state, worst, on_unknown_price)
        if why is not None:
            is_unpriced = worst is None and on_unknown_price == "refuse"
            return why if is_unpriced else f"{why}; {_advice(state.cap, worst, timezone)}"
    return None


def lower_bounds(states: Sequence[CapState]) -> tuple[str, ...]:
    """Return a message for every cap whose sum has unknown costs."""
    return tuple(
        messages.cap_on_lower_bound(_cap_phrase(state.cap), _unknown_turns(state.spent))
        for state in states
        if state.spent.unknown
    )


def _refused_by(state: CapState, worst: Decimal | None, on_unknown_price: OnUnknownPrice) -> str | None:
    cap, spent = state.cap, state.spent
    named = messages.spending_cap(_cap_phrase(cap), cap.limit, f"llm.max_{cap.name}_cost")
    if worst is None and on_unknown_price == "refuse":
        return messages.price_unknown(named)
    if spent.unknown and on_unknown_price == "refuse":  # the sum is only a lower bound
        return messages.cap_not_kept(named, _unknown_turns(spent))
    # At an unknown price a call is refused once the cap is reached.
    is_over = spent.counted >= cap.limit if worst is None else spent.counted + worst > cap.limit
    if not is_over:
        return None
    could = messages.CALL_AT_UNKNOWN_PRICE if worst is None else messages.call_could_cost(_dollars(worst))
    return messages.cap_leaves(could, named, _dollars(state.left), _spent_phrase(spent))


def _spent_phrase(spent: AmountSpent) -> str:
    told = messages.spent(_dollars(spent.counted))
    if spent.at_worst:
        told += messages.spent_at_worst(_dollars(spent.at_worst))
    return f"{told}, and {_unknown_turns(spent)}" if spent.unknown else told


def _unknown_turns(spent: AmountSpent) -> str:
    turns = "1 turn" if spent.unknown == 1 else f"{spent.unknown} turns"
    return messages.turns_of_unknown_cost(turns, _dollars(spent.counted))


def _advice(cap: SpendCap, worst: Decimal | None, timezone: str) -> str:
    """Return the advice; waiting does not help a call above the whole cap."""
    variable = "SURR_INNER_VOICE_MAX_COST" if cap.name == "turn" else f"SURR_INNER_VOICE_MAX_{cap.name.upper()}_COST"
    if worst is not None and worst > cap.limit:
        return messages.over_the_whole_cap(variable)
    if cap.name == "turn":
        return messages.ask_in_new_turn(variable)
    if cap.frees_at is None:
        return messages.start_new_session(variable)
    return messages.frees_up_at(in_zone(cap.frees_at, timezone), timezone, variable)


def _cap_phrase(cap: SpendCap) -> str:
    return "this day" if cap.name == "day" else f"this {cap.name}"


def _dollars(sum_: Decimal) -> str:
    """Format dollars with four decimals, more for smaller sums."""
    if sum_ and sum_ < _CENT_PARTS:
        return f"${sum_.normalize():f}"  # no exponent
    return f"${sum_:.4f}"


MOST: Final = 4.0
"""Maximum plausible ratio; larger ones are clamped."""
LEAST: Final = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenCalibration:
    """Ratio of reported to estimated tokens."""

    turns: int = 0
    mean: float = 1.0
    largest: float = 1.0

    @property
    def factor(self) -> float:
        """Safety factor for estimates that must not be too low, at least 1."""
        return max(1.0, self.largest)

    def upper(self, estimate: int) -> int:
        """Return an upper bound of the reported tokens."""
        return ceil(estimate * self.factor)  # up: it must not be too low

    def room(self, budget: int) -> int:
        """Return the estimated tokens that fit a reported `budget`."""
        return int(budget / self.factor)  # down: the prompt must fit

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
    reported = drafts[-1].usage.input_tokens if drafts else None  # the record is of the last prompt
    if not estimate or not reported:
        return None
    return min(MOST, max(LEAST, reported / estimate))
