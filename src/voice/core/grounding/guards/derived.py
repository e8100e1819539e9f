"""Numbers that follow from the numbers that are given: sums, differences, products, ages, counts.

Law: arithmetic over what the cited rows state, and nothing else; a number that follows from them is not invented.
Whether it was reckoned rightly from the right ones is a verifier's to say. The pool is bounded, so that time is.

Source: DESIGN 6 "Guards" ("sums, differences, ages and counts over cited rows are derived before anything is flagged").
"""

from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from itertools import combinations

from voice.core.text.numbers import Quantity

_MOST = 24
_HUNDRED = Decimal(100)


def is_derived(claimed: Quantity, stated: Sequence[Quantity], days: Sequence[date], counted: Sequence[int]) -> bool:
    """Return whether a number follows from what is given.

    Args:
        claimed: the number that a sentence states.
        stated: the quantities of the cited rows; those of another unit count for shares alone.
        days: the days on which they were told, the day of the question, and the days they name.
        counted: how many rows, items or mentions there are to count.
    """
    value = claimed.value
    if value in counted:
        return True
    of_any = claimed.unit in (None, "%")
    alike = [one.value for one in stated if of_any or one.unit in (None, claimed.unit)]
    if len(alike) > 1 and value == sum(alike, Decimal(0)):
        return True
    return any(value == other for other in _derived(alike[:_MOST], days[:_MOST]))


def _derived(values: Sequence[Decimal], days: Sequence[date]) -> Iterator[Decimal]:
    for first, second in combinations(values, 2):
        yield from (first + second, abs(first - second), first * second)
        yield from (_share(first, second), _share(second, first))
    years = [Decimal(day.year) for day in days]
    for value in values:
        for year in years:
            yield from (abs(year - value), year + value)
    for one, other in combinations(days, 2):
        yield from _between(min(one, other), max(one, other))


def _share(part: Decimal, whole: Decimal) -> Decimal:
    return (part * _HUNDRED / whole).quantize(Decimal(1)) if whole else Decimal(-1)


def _between(first: date, last: date) -> Iterator[Decimal]:
    """Yield the days, weeks, months and years from one day to another, whole and begun."""
    days = (last - first).days
    months = (last.year - first.year) * 12 + last.month - first.month
    for count in (days, days + 1, days // 7, -(-days // 7), months, months - 1, months // 12, -(-months // 12)):
        yield Decimal(count)
    yield Decimal(last.year - first.year)
