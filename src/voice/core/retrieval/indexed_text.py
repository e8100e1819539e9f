"""The indexed text of a row, and the dates it mentions.

Law: both arms index `[date] title › heading: Speaker: words` (recall@10 on dialogue turns: 0.68 instead of 0.56).
Spans and hashes refer to the row's own text (ruling C19). A time window matches rows told in it and rows that
mention a date wholly inside it; a date without a year is the nearest one, headings count.
Source: DESIGN 5 ("what is indexed is the item in context"); ruling I3.
"""

from calendar import monthrange
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, assert_never

from voice.core.records import Entity, Observation, Relation, Row, RowStatus, Thought
from voice.core.retrieval.values import Window
from voice.core.text.dates import DateMention, relative_dates, stated_dates, with_year_near
from voice.core.text.instants import has_date
from voice.core.text.lazy import late_pattern

_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def indexed_text(row: Row, entity_names: Mapping[str, str]) -> str:
    """Return the text of `row` that both arms of the search index.

    Args:
        entity_names: by id, missing ids are skipped. Private names only if the row itself is private.
    """
    words = _words_of(row, entity_names)
    return f"[{spoken_date(row.created_at)}] {words}" if has_date(row.created_at) else words


def spoken_date(moment: datetime) -> str:
    """Format a date as in questions, e.g. `8 May 2023`."""
    return f"{moment.day} {_MONTHS[moment.month - 1]} {moment.year}"


def mentioned_entities(row: Row) -> tuple[str, ...]:
    """Return the ids of the entities named in the indexed text of `row`."""
    match row:
        case Observation():
            return row.entity_ids
        case Relation():
            return (row.source_id, row.target_id)
        case Thought() | Entity():
            return ()
        case _:
            assert_never(row)


def _words_of(row: Row, names: Mapping[str, str]) -> str:
    match row:
        case Thought():
            return _spoken(row.speaker, row.content)
        case Observation():
            path = f"{' › '.join(row.context_path)}: " if row.context_path else ""
            return f"{path}{_spoken(row.speaker, row.text)}{_unsaid_names(row, names)}"
        case Entity():
            heads = ", ".join((row.name, *row.aliases))
            return f"{heads} ({row.entity_type}): {row.description}"
        case Relation():
            source, target = names.get(row.source_id, ""), names.get(row.target_id, "")
            rel_type = row.rel_type.replace("_", " ")
            return f"{source} {rel_type} {target}: {row.description}"
        case _:
            assert_never(row)


def _spoken(speaker: str | None, words: str) -> str:
    return f"{speaker}: {words}" if speaker else words


def _unsaid_names(row: Observation, names: Mapping[str, str]) -> str:
    """Return the entity names that the observation's text does not contain."""
    said = f"{row.speaker or ''} {row.text}".casefold()
    unsaid = [names[entity_id] for entity_id in row.entity_ids if entity_id in names]
    unsaid = [name for name in dict.fromkeys(unsaid) if name.casefold() not in said]
    return f" ({', '.join(unsaid)})" if unsaid else ""


Days = tuple[int, int]
"""First and last day, counted from 1970-01-01."""
EPOCH: Final = date(1970, 1, 1)
_NOON: Final = time(12, tzinfo=UTC)
_FIRST_NOON: Final = datetime.combine(EPOCH, _NOON)
_ONE_DAY: Final = timedelta(days=1)
_SHORTEST_DAY: Final = timedelta(hours=23)
_FAR: Final = 2**31 - 1
"""Beyond any day."""
_UNDERSCORE: Final = late_pattern(r"(?<=\d)_(?=\d)")
_YEAR_FIRST: Final = late_pattern(r"\b(?P<year>(?:19|20)\d\d)[-_/ ]{1,3}(?P<month>\p{L}{3,9})\b")
_MOST_READ: Final = 4_000
"""Characters of a row that are scanned for dates; its sentences are separate rows."""


def is_in(window: Window, row: Row) -> bool:
    """Return whether a row was told in a window or mentions a date in it."""
    if window.admits(row.created_at):
        return True
    within = days_within(window)
    return within is not None and any(within[0] <= first and last <= within[1] for first, last in mentioned_days(row))


def mentioned_days(row: Row) -> tuple[Days, ...]:
    """Return the days or ranges that a row mentions; none if it is redacted."""
    text = own_words(row)[:_MOST_READ]
    if row.status is RowStatus.REDACTED or not text:
        return ()
    told_on = row.created_at.date() if has_date(row.created_at) else None
    mentions = stated_dates(text)
    if told_on is not None:
        mentions = [*(with_year_near(each, told_on) for each in mentions), *relative_dates(text, told_on)]
    return tuple(dict.fromkeys(days for mention in mentions for days in _days(mention)))


def days_within(window: Window) -> Days | None:
    """Return the first and last day of a window; None if it contains no whole day."""
    if window.start is not None and window.end is not None and window.end - window.start < _SHORTEST_DAY:
        return None
    first = -_FAR if window.start is None else -((_FIRST_NOON - window.start) // _ONE_DAY)
    last = _FAR if window.end is None else -((_FIRST_NOON - window.end) // _ONE_DAY) - 1
    return first, last


def _days(mention: DateMention) -> Iterator[Days]:
    year, month, day = mention.year, mention.month, mention.day
    if year is None or (month is None and day is not None):
        return
    try:
        first = date(year, month or 1, day or 1)
        last = date(year, month or 12, day or monthrange(year, month or 12)[1])
    except ValueError:
        return
    yield (first - EPOCH).days, (last - EPOCH).days


def own_words(row: Row) -> str:
    """Return a row's own text, under its headings."""
    match row:
        case Thought():
            return row.content
        case Observation():
            # Dates in headings (2018-july, 2018_07_14) are rewritten for the date parser.
            path = (_YEAR_FIRST.sub(r"\g<month> \g<year>", _UNDERSCORE.sub("-", step)) for step in row.context_path)
            return "\n".join((*path, row.text))
        case Entity() | Relation():
            return row.description
        case _:
            assert_never(row)
