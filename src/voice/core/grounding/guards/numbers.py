"""Numbers and their units that nothing cited gives.

Law: equal values are equal however they are written ("two dozen", "24", "1,200.00"); a unit is part of a measure. Soft
number words ("one of them") are never demanded. A number in the question is given.

Source: DESIGN 6 "Guards"; ruling D1.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from functools import lru_cache
from itertools import chain, combinations

from voice.core.grounding.guards.doubt import Doubt
from voice.core.grounding.guards.given import Given
from voice.core.grounding.quotation.statements import statements_of
from voice.core.text.compound_quantities import compound_quantities, durations, single_measures
from voice.core.text.dates import DateMention, stated_dates
from voice.core.text.numbers import Quantity, same_quantity
from voice.core.text.words import words

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


_SMALL = 3
"""Up to this a count is often no more than a way of speaking ("both", "two things")."""


def number_doubts(sentence: str, given: Given, dates: Iterable[DateMention]) -> list[Doubt]:
    """Return a doubt for each number of `sentence` that is neither given nor follows from what is.

    Args:
        sentence: one sentence of an answer.
        given: what it may repeat without proof.
        dates: the dates of the sentence; their digits are no numbers.
    """
    in_dates = {place for mention in dates for place in range(mention.start, mention.end)}
    found = [
        one for one in compound_quantities(sentence, words(sentence)) if not one.is_soft and one.start not in in_dates
    ]
    if not found:
        return []
    told, stated, days, counted = _told(given)
    return [
        _doubt(one)
        for one in found
        if not any(same_quantity(one, other) for other in stated)
        and not (one.value <= _SMALL and one.unit is None and len(given.rows) >= one.value)
        and not is_derived(one, told, days, counted)
        and not (_is_ordinal(one) and one.value in {day.day for day in days})
    ]


@lru_cache(maxsize=8)
def _told(given: Given) -> tuple[Sequence[Quantity], Sequence[Quantity], Sequence[date], Sequence[int]]:
    """Return the rows' numbers, all that are given, each once, the days, and how many things there are."""
    told = [one for text in given.texts for one in _all_amounts(text)]
    beside = (one for text in (*given.places, given.question) for one in _all_amounts(text))
    stated = {one._replace(text="", start=0, end=0): one for one in (*told, *beside)}
    return told, tuple(stated.values()), _days(given), _counted(given)


def _is_ordinal(one: Quantity) -> bool:
    """Return whether a number is written as the how-manieth: it may be the day of a date."""
    return one.text[:1].isdigit() and one.text.rstrip(".")[-1:].isalpha() and one.unit is None


def _all_amounts(text: str) -> list[Quantity]:
    own = words(text)
    return [*compound_quantities(text, own), *single_measures(text, own), *durations(text)]


def _days(given: Given) -> list[date]:
    named = (mention for text in given.texts for mention in stated_dates(text))
    whole = (date(one.year, one.month or 1, one.day or 1) for one in named if one.year)
    return list(dict.fromkeys(chain(given.days, (given.today,) if given.today else (), whole)))


def _counted(given: Given) -> Sequence[int]:
    """Return how many things there are to count: the rows, and the statements and list parts of each."""
    statements = [len(statements_of(row.text, row.source_type)) for row in given.rows]
    parts = [text.count(",") + 1 + (1 if " and " in text else 0) for text in given.texts]
    days = len(set(given.days))
    return [len(given.rows), sum(statements), days, *statements, *parts]


def _doubt(one: Quantity) -> Doubt:
    told = f"the cited sources do not give {one.text.strip()}"
    return Doubt("number", one.start, one.end, told, (one.text.strip().casefold(), f"{one.value.normalize():f}"))
