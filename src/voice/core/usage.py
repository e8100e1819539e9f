"""Token usage, prices and cost.

Law: unknown is `None`, never zero. Money is `Decimal`. A total is a known subtotal plus the count of turns whose
cost is unknown (ruling D18). A price says where it is from and of when.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens as the provider reported them for one call; `None` is "not reported"."""

    input_tokens: int | None = None
    """All prompt tokens, cached ones included."""
    output_tokens: int | None = None
    """All generated tokens, reasoning included."""
    cached_input_tokens: int | None = None
    """The part of `input_tokens` that the provider read from its cache."""

    def __add__(self, other: "Usage") -> "Usage":
        """Return the sum; a field unknown on either side stays unknown unless the other call was free (no tokens)."""
        return Usage(
            input_tokens=_sum(self.input_tokens, other.input_tokens),
            output_tokens=_sum(self.output_tokens, other.output_tokens),
            cached_input_tokens=_sum(self.cached_input_tokens, other.cached_input_tokens),
        )


_MOST_TOKENS = 10**9  # more than any call takes
NO_USAGE = Usage(input_tokens=0, output_tokens=0, cached_input_tokens=0)  # a call that was not made


def _sum(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a + b  # unknown plus known is unknown (ruling D18)


def reported_usage(sent: object, written: object, cached: object) -> Usage:
    """Return what was reported of a call, None: not told; all is unknown if one figure is not a count."""
    told = (sent, written, cached)
    if not all(each is None or _is_count(each) for each in told):  # one figure that cannot be makes the others doubtful
        return Usage()
    input_tokens, output_tokens, cached_tokens = (each if isinstance(each, int) else None for each in told)
    return Usage(input_tokens=input_tokens, output_tokens=output_tokens, cached_input_tokens=cached_tokens)


def _is_count(value: object) -> bool:
    """Return whether a call can have taken so many; a negative number would lower what was spent."""
    # `True` is an int as well.
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Money per million tokens, in US dollars, with where and when the figure is from."""

    input_per_million: Decimal
    output_per_million: Decimal
    cached_input_per_million: Decimal | None = None
    source: str
    as_of: str

    @property
    def is_free(self) -> bool:
        """Whether no token costs anything."""
        return not (self.input_per_million or self.output_per_million or self.cached_input_per_million)


FREE = Price(input_per_million=Decimal(0), output_per_million=Decimal(0), source="offline", as_of="always")
_MILLION = Decimal(1_000_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceTable:
    """Prices that a person gives, to reckon turns anew with (docs/reports.md)."""

    source: str
    """Where the prices are from, in the person's words."""
    as_of: str
    """Their date, YYYY-MM-DD."""
    digest: str
    """Of the file they were read from: the beginning of its SHA-256, hex."""
    prices: Mapping[str, Price]
    """By `provider/model`, as a report by model prints it."""

    def price_of(self, provider: str, model: str) -> Price | None:
        """Return the price of a model; None = the table does not name it, so that it is unknown."""
        return self.prices.get(f"{provider}/{model}")


def cost_of(usage: Usage, price: Price | None) -> Decimal | None:
    """Return what `usage` cost in US dollars, or `None` when the price or a needed count is unknown (ruling D18)."""
    if price is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    cached = min(usage.cached_input_tokens or 0, usage.input_tokens)  # unknown: all was fresh; never more than was sent
    cached_rate = price.input_per_million if price.cached_input_per_million is None else price.cached_input_per_million
    fresh = usage.input_tokens - cached
    spent = fresh * price.input_per_million + cached * cached_rate + usage.output_tokens * price.output_per_million
    return spent / _MILLION


def worst_case_cost(prompt_tokens: int, max_output_tokens: int, price: Price | None) -> Decimal | None:
    """Return the most a call can cost in US dollars, nothing cached, the reply at its limit; None = unknown price."""
    return cost_of(Usage(input_tokens=prompt_tokens, output_tokens=max_output_tokens), price)


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """A sum that does not hide what it does not know."""

    known: Decimal = Decimal(0)
    unknown_count: int = 0

    def __add__(self, other: "Total") -> "Total":
        return Total(known=self.known + other.known, unknown_count=self.unknown_count + other.unknown_count)

    def plus(self, cost: Decimal | None) -> "Total":
        """Return this total with one more cost; an unknown one is counted, not added."""
        if cost is None:
            return Total(known=self.known, unknown_count=self.unknown_count + 1)
        return Total(known=self.known + cost, unknown_count=self.unknown_count)


def total_of(costs: Iterable[Decimal | None]) -> Total:
    """Return the known subtotal of `costs` and how many of them are unknown."""
    total = Total()
    for cost in costs:
        total = total.plus(cost)
    return total
