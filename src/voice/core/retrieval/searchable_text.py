"""The indexed text of a row, the dates it mentions, and quoted phrases and literal terms found in texts.

Law: both arms index `[date] title › heading: Speaker: words` (recall@10 on dialogue turns: 0.68 instead of 0.56).
Spans and hashes refer to the row's own text (ruling C19). A time window matches rows told in it and rows that
mention a date wholly inside it; a date without a year is the nearest one, headings count.

Words of a question rank; only its quoted phrases filter, ignoring case and spacing (ruling E); the speaker's name
counts as text. Literal search requires every word and phrase, as whole words, without stemming; spans are code points
of the stored text. A path matches consecutive steps of a note's place.
Source: DESIGN 5 ("what is indexed is the item in context"), 8 Web; spec nlq, 1; rulings A10, C13, E, I3.
"""

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, assert_never

import regex

from voice.core.errors import InvalidParams
from voice.core.messages import asking as messages
from voice.core.records import Entity, Observation, Relation, Row, RowStatus, Thought
from voice.core.retrieval.values import Candidate, Window
from voice.core.text.dates import DateMention, relative_dates, stated_dates, week_named, with_year_near
from voice.core.text.instants import has_date
from voice.core.text.lazy import late_pattern
from voice.core.text.normalise import norm_v1
from voice.core.text.note_context import title_of

_BEGINS = r"(?:(?<![\p{L}\p{N}])|(?<=\p{Lo}))"
_ENDS = r"(?:(?![\p{L}\p{N}])|(?=\p{Lo}))"  # word boundary; scripts without spaces have none

_STOPS = ".,;: "  # punctuation often put inside the closing quotation mark


def holding(
    candidates: Iterable[Candidate], phrases: Iterable[str]
) -> tuple[tuple[Candidate, ...], tuple[Candidate, ...]]:
    """Partition candidates by whether they contain one of the phrases; without phrases all do."""
    wanted = [found[1] for found in map(phrase_pattern, phrases) if found is not None]
    holders: list[Candidate] = []
    others: list[Candidate] = []
    for candidate in candidates:
        text = norm_v1(_said(candidate)) if wanted else ""
        (holders if not wanted or any(pattern.search(text) for pattern in wanted) else others).append(candidate)
    return tuple(holders), tuple(others)


def unheld(candidates: Iterable[Candidate], phrases: Iterable[str]) -> tuple[str, ...]:
    """Return the phrases that no candidate contains; phrases without a word are ignored."""
    return missing_phrases(map(_said, candidates), phrases)


def missing_phrases(texts: Iterable[str], phrases: Iterable[str]) -> tuple[str, ...]:
    """Return the phrases that no text contains; phrases without a word are ignored."""
    wanted = {phrase: found[1] for phrase in phrases if (found := phrase_pattern(phrase)) is not None}
    for text in map(norm_v1, texts if wanted else ()):
        wanted = {phrase: pattern for phrase, pattern in wanted.items() if pattern.search(text) is None}
    return tuple(wanted)


def phrase_pattern(phrase: str) -> "tuple[str, regex.Pattern[str]] | None":
    """Return a phrase's normal form with its pattern for normalised text; None if it has no word."""
    # American style puts the stop inside: "the gate," is the phrase "the gate".
    normal = norm_v1(phrase).rstrip(_STOPS)
    if not normal:
        return None
    begins = _BEGINS if normal[0].isalnum() else ""  # no boundary before ".net"
    ends = _ENDS if normal[-1].isalnum() else ""
    return normal, late_pattern(f"{begins}{regex.escape(normal)}{ends}")


def _said(candidate: Candidate) -> str:
    row = candidate.row
    speaker = row.speaker if isinstance(row, Thought | Observation) else None
    return f"{speaker}: {candidate.text}" if speaker else candidate.text


_PARTS: Final = late_pattern(r"[\"“”„«»](?P<phrase>[^\"“”„«»]++)[\"“”„«»]?|(?P<word>[^\s\"“”„«»]++)")
_CLUSTERS: Final = late_pattern(r"\X")  # normal form may join or split code points within one
_MOST_PARTS: Final = 20  # terms of one search, each a pattern run over every text
_SECTION: Final = re.compile(r"#[^/#]*\Z")  # "#2" of "Gate.md#2"

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class LiteralQuery:
    """Terms that a text must all contain."""

    parts: tuple[str, ...]
    """Words and phrases in normal form."""
    patterns: "tuple[regex.Pattern[str], ...]"

    def holds(self, normal: str) -> bool:
        """Return whether a text contains all terms; `normal` is in normal form (`norm_v1`)."""
        # The plain test first: it is much cheaper and refuses most texts.
        return all(part in normal for part in self.parts) and all(each.search(normal) for each in self.patterns)

    def spans(self, text: str) -> tuple[Span, ...]:
        """Return the terms' spans in a text, in order; touching or overlapping ones are merged."""
        folded, starts, ends = _folded(text)
        found = sorted(match.span() for pattern in self.patterns for match in pattern.finditer(folded))
        merged: list[Span] = []
        for start, end in ((starts[start], ends[end - 1]) for start, end in found):
            if merged and start <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(merged[-1][1], end))
            else:
                merged.append((start, end))
        return tuple(merged)


def parse_literal(words: str) -> LiteralQuery:
    """Parse search terms: words, and phrases in quotation marks. Raises InvalidParams: no term, or too many."""
    parts = (str(match["phrase"] or match["word"]) for match in _PARTS.finditer(words))
    found = dict(pattern for each in parts if (pattern := phrase_pattern(each)) is not None)
    if not found:
        raise InvalidParams(messages.SEARCH_EMPTY)
    if len(found) > _MOST_PARTS:
        raise InvalidParams(messages.search_too_long(_MOST_PARTS))
    return LiteralQuery(tuple(found), tuple(found.values()))


def _folded(text: str) -> tuple[str, list[int], list[int]]:
    """Return the normal form of a text, and for each of its characters the source span."""
    folded: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in _CLUSTERS.finditer(text):
        cluster = match[0]
        piece = " " if cluster.isspace() else norm_v1(cluster)
        if piece == " " and folded and folded[-1] == " ":  # as `norm_v1`: one blank for many
            continue
        folded.extend(piece)
        starts.extend([match.start()] * len(piece))
        ends.extend([match.end()] * len(piece))
    return "".join(folded), starts, ends


def is_under(place: str | None, path: str) -> bool:
    """Return whether a note is in a folder, or is the file, that `path` names.

    Args:
        place: from the import, e.g. `Garden/Gate.md#2`; None: none.
        path: the file or folder, or its last steps, in any case.
    """
    wanted = _steps(path)
    if place is None or not wanted:
        return not wanted
    there = _steps(_SECTION.sub("", place))
    return any(there[at : at + len(wanted)] == wanted for at in range(len(there) - len(wanted) + 1))


def _steps(path: str) -> list[str]:
    return [step for step in norm_v1(path.replace("\\", "/")).split("/") if step not in ("", ".")]


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
_NOON: Final = time(12, tzinfo=UTC)  # within the local day of that date from UTC-12 to UTC+11
_FIRST_NOON: Final = datetime.combine(EPOCH, _NOON)
_ONE_DAY: Final = timedelta(days=1)
_SHORTEST_DAY: Final = timedelta(hours=23)  # when clocks go forward
_FAR: Final = 2**31 - 1  # beyond any day
_UNDERSCORE: Final = late_pattern(r"(?<=\d)_(?=\d)")  # "2018_07_14"
_YEAR_FIRST: Final = late_pattern(r"\b(?P<year>(?:19|20)\d\d)[-_/ ]{1,3}(?P<month>\p{L}{3,9})\b")  # "2018-july"
_MOST_READ: Final = 4_000  # characters of a row that are scanned for dates; its sentences are separate rows


def is_in(window: Window, row: Row) -> bool:
    """Return whether a row was told in a window or mentions a date in it."""
    if window.admits(row.created_at):
        return True
    within = days_within(window)
    return within is not None and any(_are_within(within, each) for each in mentioned_days(row))


def is_told_of(window: Window, row: Observation) -> bool:
    """Return whether a statement is about a window: it states a day of it, or the time that it stands under is in it.

    That is the day in the nearest step of its path, else its own date, or another time that its path names; of what is
    undated, also one that it names itself.
    """
    within = days_within(window)
    if within is None:
        return window.admits(row.created_at)
    own, placed = mentioned_days(replace(row, context_path=())), mentioned_days(replace(row, text=""))
    if any(_are_within(within, each) and _is_one_day(each) for each in own):
        return True
    # The nearest heading that is a day decides, whatever day stands further out.
    for step in reversed(row.context_path):
        if days := [*filter(_is_one_day, mentioned_days(replace(row, context_path=(step,), text="")))]:
            return any(_are_within(within, each) for each in days)
    named = placed if has_date(row.created_at) else (*placed, *own)
    return window.admits(row.created_at) or any(_are_within(within, each) for each in named)


def _is_one_day(days: Days) -> bool:
    return days[0] == days[1]


def _are_within(within: Days, days: Days) -> bool:
    return within[0] <= days[0] and days[1] <= within[1]


def mentioned_days(row: Row) -> tuple[Days, ...]:
    """Return the days or ranges that a row mentions; none if it is redacted."""
    text = own_words(row)[:_MOST_READ]
    # A redacted row tells nothing any more, not even by being found for a day.
    if row.status is RowStatus.REDACTED or not text:
        return ()
    told_on = row.created_at.date() if has_date(row.created_at) else None
    mentions = stated_dates(text)
    week = _week_of(row, told_on) if told_on else ()
    if told_on is not None:
        relative = () if week else relative_dates(text, told_on)  # the day of the week on which it was said is unknown
        mentions = [*(with_year_near(each, told_on) for each in mentions), *relative]
    return tuple(dict.fromkeys((*(days for mention in mentions for days in _days(mention)), *week)))


def _week_of(row: Row, told_on: date) -> tuple[Days, ...]:
    """Return each day of the week that a note is named and dated after, so that windows that hold part of it match."""
    path = row.context_path[:1] if isinstance(row, Observation) else ()
    monday = week_named(title_of(row.source_ref) or "" if isinstance(row, Thought) else "".join(path))
    # In UTC a local Monday may begin on Sunday.
    if monday is None or not 0 <= (monday - told_on).days <= 1:
        return ()
    first = (monday - EPOCH).days
    return tuple((day, day) for day in range(first, first + 7))


def days_within(window: Window) -> Days | None:
    """Return the first and last day of a window; None if it contains no whole day."""
    if window.start is not None and window.end is not None and window.end - window.start < _SHORTEST_DAY:
        return None
    # A day is in a window if its noon in UTC is, so that a window of local days holds just these.
    first = -_FAR if window.start is None else -((_FIRST_NOON - window.start) // _ONE_DAY)
    last = _FAR if window.end is None else -((_FIRST_NOON - window.end) // _ONE_DAY) - 1
    return first, last


def _days(mention: DateMention) -> Iterator[Days]:
    year, month, day = mention.year, mention.month, mention.day
    if year is None or (month is None and day is not None):  # "on the 5th" is no day of a calendar
        return
    try:
        first = date(year, month or 1, day or 1)
        last = date(year, month or 12, day or monthrange(year, month or 12)[1])
    except ValueError:  # 30 February
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
