"""Spending caps on a turn, a session, a day and a month.

Law: a cap is held against the worst case, before the call. What was spent is what is known, and with it the most that
a call can have cost whose usage nobody reported; a turn whose cost cannot be told even so is counted and never taken
for free: a sum with such turns in it is a lower bound, and says so (ruling D18). What was imported was paid elsewhere.
A call that costs nothing is never refused.

Source: promise 7; rulings D8, D18; docs/budgets.md.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Literal

from voice.core.messages import asking as messages
from voice.core.session.values import Attempt, DialogueExchange
from voice.core.text.instants import in_zone
from voice.core.usage import Price, cost_of

CapName = Literal["turn", "session", "day", "month"]
OnUnknownPrice = Literal["refuse", "allow"]
_CENT_PARTS = Decimal("0.0001")


@dataclass(frozen=True, slots=True, kw_only=True)
class AmountSpent:
    """A sum of money that says how sure it is."""

    known: Decimal = Decimal(0)
    at_worst: Decimal = Decimal(0)
    """The most that calls can have cost whose usage nobody reported."""
    unknown: int = 0
    """Turns (or calls) of which nobody can tell even that."""

    def __add__(self, other: "AmountSpent") -> "AmountSpent":
        """Return both together."""
        return AmountSpent(
            known=self.known + other.known,
            at_worst=self.at_worst + other.at_worst,
            unknown=self.unknown + other.unknown,
        )

    @property
    def counted(self) -> Decimal:
        """What a cap is held against."""
        return self.known + self.at_worst

    @property
    def is_nothing(self) -> bool:
        """Whether nothing was spent, for certain."""
        return not self.counted and not self.unknown


NOTHING = AmountSpent()


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCall:
    """What a turn can cost at most whose calls have begun and whose end is not on record."""

    id: str
    """The id that the turn is to have; one turn has one, however many calls it makes."""
    session_id: str
    model: str
    """provider/model."""
    began_at: datetime
    worst: AmountSpent


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendCap:
    """The most that a turn, a session, a day or a month may cost."""

    name: CapName
    limit: Decimal
    frees_at: datetime | None = None
    """When it begins anew; None: with another turn or session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CapState:
    """A cap and what counts against it so far."""

    cap: SpendCap
    spent: AmountSpent

    @property
    def left(self) -> Decimal:
        """What it still allows."""
        return max(Decimal(0), self.cap.limit - self.spent.counted)


def spent_in(attempts: Sequence[Attempt], price: Price | None, *, worst: Sequence[Decimal | None]) -> AmountSpent:
    """Return what calls cost, each whose usage is not known at its worst.

    Args:
        price: the model's price.
        worst: the most that each of them can have cost; None = unknown.
    """
    total = NOTHING
    for attempt, most in zip(attempts, worst, strict=True):
        total += _of_call(cost_of(attempt.usage, price), most)
    return total


def charge_of(exchange: DialogueExchange) -> AmountSpent:
    """Return what a kept turn counts against the caps: nothing where it was imported, one unknown at most."""
    if exchange.imported_from is not None:
        return NOTHING
    if exchange.cost_estimate is not None:
        return AmountSpent(known=exchange.cost_estimate)
    if not exchange.attempts:
        return AmountSpent(unknown=1)
    worst = [attempt.worst for attempt in exchange.attempts]
    total = spent_in(exchange.attempts, exchange.price, worst=worst)
    return AmountSpent(known=total.known, at_worst=total.at_worst, unknown=min(total.unknown, 1))


def total_charge(exchanges: Iterable[DialogueExchange]) -> AmountSpent:
    """Return what turns count against the caps together."""
    return sum((charge_of(exchange) for exchange in exchanges), NOTHING)


def refused_by(
    states: Sequence[CapState], worst: Decimal | None, *, on_unknown_price: OnUnknownPrice, timezone: str
) -> str | None:
    """Return why a call must not be made, or None.

    Args:
        states: every cap that is set, with all that counts against it but this call.
        worst: the most that the call can cost; None = its price is not known.
        on_unknown_price: what a cap does where it rests on something that is not known.
        timezone: the zone in which a person is told when a cap frees up.
    """
    if worst == 0:
        return None
    for state in states:
        why = _refused_by(state, worst, on_unknown_price)
        if why is not None:
            is_unpriced = worst is None and on_unknown_price == "refuse"
            return why if is_unpriced else f"{why}; {_way_out(state.cap, worst, timezone)}"
    return None


def lower_bounds(states: Sequence[CapState]) -> tuple[str, ...]:
    """Return a sentence for every cap whose sum holds turns of unknown cost."""
    return tuple(
        messages.cap_on_lower_bound(_this(state.cap), _unknown_turns(state.spent))
        for state in states
        if state.spent.unknown
    )


def _of_call(cost: Decimal | None, most: Decimal | None) -> AmountSpent:
    if cost is not None:
        return AmountSpent(known=cost)
    return AmountSpent(unknown=1) if most is None else AmountSpent(at_worst=most)


def _refused_by(state: CapState, worst: Decimal | None, on_unknown_price: OnUnknownPrice) -> str | None:
    cap, spent = state.cap, state.spent
    named = messages.spending_cap(_this(cap), cap.limit, _setting(cap))
    if worst is None and on_unknown_price == "refuse":
        return messages.price_unknown(named)
    if spent.unknown and on_unknown_price == "refuse":
        return messages.cap_not_kept(named, _unknown_turns(spent))
    is_over = spent.counted >= cap.limit if worst is None else spent.counted + worst > cap.limit
    if not is_over:
        return None
    could = messages.CALL_AT_UNKNOWN_PRICE if worst is None else messages.call_could_cost(_dollars(worst))
    return messages.cap_leaves(could, named, _dollars(state.left), _told(spent))


def _told(spent: AmountSpent) -> str:
    told = messages.spent(_dollars(spent.counted))
    if spent.at_worst:
        told += messages.spent_at_worst(_dollars(spent.at_worst))
    return f"{told}, and {_unknown_turns(spent)}" if spent.unknown else told


def _unknown_turns(spent: AmountSpent) -> str:
    turns = "1 turn" if spent.unknown == 1 else f"{spent.unknown} turns"
    return messages.turns_of_unknown_cost(turns, _dollars(spent.counted))


def _way_out(cap: SpendCap, worst: Decimal | None, timezone: str) -> str:
    """Return what can be done; waiting is no way out for a call that the whole cap would not allow."""
    variable = "SURR_INNER_VOICE_MAX_COST" if cap.name == "turn" else f"SURR_INNER_VOICE_MAX_{cap.name.upper()}_COST"
    if worst is not None and worst > cap.limit:
        return messages.over_the_whole_cap(variable)
    if cap.name == "turn":
        return messages.ask_in_new_turn(variable)
    if cap.frees_at is None:
        return messages.start_new_session(variable)
    return messages.frees_up_at(in_zone(cap.frees_at, timezone), timezone, variable)


def _this(cap: SpendCap) -> str:
    return "this day" if cap.name == "day" else f"this {cap.name}"


def _setting(cap: SpendCap) -> str:
    return f"llm.max_{cap.name}_cost"


def _dollars(sum_: Decimal) -> str:
    """Return a sum for a person: four digits, more where it is smaller than they can show."""
    if sum_ and sum_ < _CENT_PARTS:
        return f"${sum_.normalize():f}"
    return f"${sum_:.4f}"
