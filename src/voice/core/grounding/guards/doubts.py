"""Everything that a sentence says and nothing it cites gives.

Law: a guard vetoes where nobody verifies; where somebody does, it is a question put to them, and the words that settle
it must hold the answer.

Source: DESIGN 6 "Guards".
"""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import product

from voice.core.grounding.guards.doubt import Doubt
from voice.core.grounding.guards.given import Given
from voice.core.grounding.guards.names import name_doubts
from voice.core.grounding.guards.numbers import number_doubts
from voice.core.grounding.quotation.places import said_on
from voice.core.text.dates import DateMention, mention_of_day, relative_dates, stated_dates, with_year_near
from voice.core.text.lazy import late_pattern

_SHORT = late_pattern(r"(?<![\d/.,:-])(\d{1,2})[/.](\d{1,2})(?![\d/:-]|[.,]\d)")
_MONTHS = 12
_LONGEST_MONTH = 31

_Parts = tuple[int | None, int | None, int | None]
"""Year, month and day, as far as they are said."""


def date_doubts(sentence: str, given: Given, mentions: Sequence[DateMention]) -> list[Doubt]:
    """Return a doubt for each date of `sentence` that nothing given bears out.

    Args:
        sentence: one sentence of an answer.
        given: what it may repeat without proof.
        mentions: its dates (`stated_dates`); an ambiguous one once per reading.
    """
    if not mentions:
        return []
    told, told_without_year, years = _told(given)
    readings: dict[int, list[DateMention]] = {}
    for mention in mentions:
        readings.setdefault(mention.start, []).append(mention)
    return [
        _doubt(found[0], sentence)
        for found in readings.values()
        if not any(one[:3] in told or _is_in_parts(one, years, told_without_year) for one in found)
    ]


@lru_cache(maxsize=8)
def _told(given: Given) -> tuple[AbstractSet[_Parts], AbstractSet[_Parts], AbstractSet[int | None]]:
    """Return what may be said of a date, what may be where no year is told with it, and which years are told."""
    stated = _stated(given)
    return _sayable(stated), _sayable(one for one in stated if one.year is None), {one.year for one in stated}


def _sayable(stated: Iterable[DateMention]) -> frozenset[_Parts]:
    """Return all that may be said of a date when these are (`bears_out`): each part of each, or nothing of it."""
    return frozenset(
        parts
        for year, month, day in {one[:3] for one in stated}
        for parts in product((year, None), (month, None), (day, None))
    )


def _stated(given: Given) -> list[DateMention]:
    """Return the dates that are given, with the years that are certain."""
    found = [mention_of_day(day) for day in (*given.days, *((given.today,) if given.today else ()))]
    for row, text in zip(given.rows, given.texts, strict=True):
        day = said_on(row)
        own = stated_dates(text)
        found += [*own, *(with_year_near(one, day) for one in own if day)]
        found += relative_dates(text, day) if day else []
        found += _short(text)
    for text in (*given.places, given.question):
        own = stated_dates(text)
        found += [*own, *(with_year_near(one, given.today) for one in own if given.today)]
    return found


def _short(text: str) -> Iterator[DateMention]:
    """Yield both readings of a day that is written without its year ("01/14", "14.1.")."""
    for found in _SHORT.finditer(text):
        first, second = int(found[1]), int(found[2])
        for month, day in ((first, second), (second, first)):
            if 1 <= month <= _MONTHS and 1 <= day <= _LONGEST_MONTH:
                yield DateMention(None, month, day, found[0], found.start(), found.end())


def _is_in_parts(claimed: DateMention, years: AbstractSet[int | None], told_without_year: AbstractSet[_Parts]) -> bool:
    """Return whether month and day stand in one date and the year in another ("14 January", told in 2025)."""
    if claimed.year is None or (claimed.month is None and claimed.day is None):
        return False
    return claimed.year in years and (None, claimed.month, claimed.day) in told_without_year


def _doubt(mention: DateMention, sentence: str) -> Doubt:
    said = mention.text.rstrip(".,")
    parts = tuple(str(part) for part in (mention.day, mention.year) if part is not None)
    wanted = (said.casefold(), *parts, *said.casefold().split()[:1])
    told = f"the cited sources do not give the date {said}"
    return Doubt("date", mention.start, min(mention.end, len(sentence)), told, wanted)


def doubts_of(sentence: str, given: Given) -> tuple[Doubt, ...]:
    """Return what `sentence` adds to what is given, in the order in which it says it."""
    mentions = stated_dates(sentence)
    found = [
        *number_doubts(sentence, given, mentions),
        *date_doubts(sentence, given, mentions),
        *name_doubts(sentence, given),
    ]
    return tuple(sorted(found, key=lambda doubt: doubt.start))
