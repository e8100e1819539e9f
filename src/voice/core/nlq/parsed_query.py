"""A parsed question, the windows and the limit to search it with, and what to say of its time.

Law: a parsed question never excludes by mood or kind: its terms and entities rank, only its window and its quoted
phrases filter (ruling E). What was understood, and what was not, is said beside it.

How many, as S3 takes it, and in which order when nobody says. A number out of range is clamped and said so. Both change
what is shown, never what is found (ruling E).

Where a query's own time is looked in, and what is said of that. A time in the words of a query narrows what is found as
an explicit `when` does, and that is said; where nothing was told then, its own ± is tried, step by step, and each step
is said. What sounds like a time and is none narrows nothing, and is said, too (ruling E).

Source: spec nlq 2, 3, 5, 10; rulings A16, A24, E; DESIGN 3; spec nlq 1 (order_clause, effective_limit), 5, 10; rulings
A22, A24, C16, E; spec nlq 3, 10; rulings A22, E.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from voice.core.errors import InvalidParams
from voice.core.graph.entity_names import Mention
from voice.core.messages import asking as messages
from voice.core.retrieval.values import Order, Window
from voice.core.text.dates import DateOrder
from voice.core.text.word_lists import Language

WeekStart = Literal["monday", "sunday", "saturday"]
Hemisphere = Literal["north", "south"]
AskedFor = Literal["who", "when", "where", "how_many", "what", "why", "how", "yes_no", "list", "statement"]
NoticeCode = Literal["when_unparsed", "window_empty", "several_phrases", "entity_ambiguous"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NlqSettings:
    """How questions are read (ruling A24; ruling E: "weeks start by setting", "the hemisphere is a setting")."""

    week_start: WeekStart = "monday"
    hemisphere: Hemisphere = "north"
    language: Language = "en"
    """Tried first; the others follow when it finds no time phrase."""
    date_order: DateOrder | None = None
    """How 03/04/2024 is read; None takes the language's habit. Impossible readings are never taken."""
    max_keywords: int = 10
    default_limit: int = 25
    """How many rows an answer is made from when the caller does not say."""
    max_limit: int = 100
    timeout_ms: int = 2_000
    """How long a search may go on looking; then what was ranked so far is returned, flagged (spec nlq 9; ruling E)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something about the understanding that a person should know."""

    code: NoticeCode
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TimePhrase:
    """A time phrase and what it means."""

    window: Window
    text: str
    start: int
    end: int
    """Half-open code-point offsets into the text it was found in."""
    note: str
    """How it was understood, with local dates: "last month: 2025-02-01 to 2025-03-01 (America/Chicago)"; the
    end is the first day that is not in it, and a single day stands alone."""
    names: tuple[str, ...] = ()
    """What it calls its time ("in April 2024": April); what was written at another time may call it so, too."""
    widenings: tuple[Window, ...] = ()
    """Wider windows to try in turn, and to report, when the window holds nothing: "two weeks ago" is one day (E)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedQuery:
    """A question, understood."""

    question: str
    time: TimePhrase | None
    """None: any time."""
    time_from_when: bool = False
    """The phrase stands in the explicit `when`, not in the question."""
    terms: tuple[str, ...] = ()
    """Content words in order, folded, without the time phrase and stop words; at most `max_keywords`. They boost."""
    phrases: tuple[str, ...] = ()
    """Quoted phrases as written. They filter (ruling E)."""
    mentions: tuple[Mention, ...] = ()
    persons: tuple[str, ...] = ()
    """People named, as written: known persons, and names nobody knows yet."""
    asked_for: AskedFor = "what"
    limit: int | None = None
    """How many were asked for: "three accomplishments"."""
    order: Order | None = None
    """What "latest" or "first" implies; presentation only (ruling E)."""
    language: Language = "en"
    notices: tuple[Notice, ...] = ()

    @property
    def window(self) -> Window | None:
        """The time asked about; None is any time."""
        return self.time.window if self.time else None

    @property
    def whole(self) -> "ParsedQuery":
        """The same as a claim: the day it names ("The launch is on 1 June") is what it says, not where to look."""
        return self if self.time_from_when else replace(self, time=None)

    @property
    def untimed(self) -> str:
        """The question without its time phrase: what it is about, where the window says when."""
        if self.time is None or self.time_from_when:
            return self.question
        rest = f"{self.question[: self.time.start].rstrip()} {self.question[self.time.end :].lstrip()}".strip()
        return rest if any(char.isalpha() for char in rest) else self.question

    @property
    def entity_ids(self) -> tuple[str, ...]:
        """Every entity the question may name, ambiguous names with all their bearers, in order."""
        return tuple(dict.fromkeys(row_id for mention in self.mentions for row_id in mention.ids))


DEFAULT_ORDER: Final[Order] = "created_at_desc"


def clamp_limit(said: int | None, settings: NlqSettings, warn: Callable[[str], None]) -> int:
    """Return how many rows are wanted: what was said, or the default, from 1 to the most allowed.

    Args:
        said: what the caller asked for; None is "not said".
        warn: told in words when the number was changed (ruling C16).

    Raises:
        InvalidParams: it is no number.
    """
    if isinstance(said, bool):
        raise InvalidParams(messages.number_out_of_bounds("limit", 1, settings.max_limit))
    wanted = settings.default_limit if said is None else said
    inside = min(max(wanted, 1), max(settings.max_limit, 1))
    if said is not None and inside != said:
        warn(messages.number_clamped("limit", said, inside))
    return inside


_OF_TIME = frozenset({"when_unparsed", "window_empty", "several_phrases"})


def search_windows(parsed: ParsedQuery) -> Iterator[tuple[str | None, Window]]:
    """Yield the windows to look in, in turn, until one holds something; each with what is said of it.

    Args:
        parsed: the query; an explicit time is looked in as it stands.
    """
    if parsed.time is None:
        yield None, Window()
    elif parsed.time_from_when:
        yield None, parsed.time.window
    else:
        yield messages.searched_then(parsed.time.note), parsed.time.window
        for wider in parsed.time.widenings:
            yield messages.searched_wider(parsed.time.note), wider


def unparsed_time_notice(parsed: ParsedQuery) -> str | None:
    """Return what sounds like a time and was not understood as one, in words; None where nothing does."""
    return next((notice.detail for notice in parsed.notices if notice.code == "when_unparsed"), None)


def time_notices(parsed: ParsedQuery) -> tuple[str, ...]:
    """Return what a person should know of how a query's time was read."""
    anytime = "" if parsed.time else messages.SEARCHED_ANY_TIME
    return tuple(f"{notice.detail}{anytime}" for notice in parsed.notices if notice.code in _OF_TIME)
