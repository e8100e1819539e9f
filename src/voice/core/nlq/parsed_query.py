"""A parsed question, the windows and limit to search it with, and notices about its time.

Law: terms and entities rank; only the window and quoted phrases filter (ruling E). A time in the question filters like
`when` and is reported; an empty window is widened step by step, each step reported. Limits are clamped with a warning.
Source: spec nlq 1, 2, 3, 5, 10; rulings A16, A22, A24, C16, E; DESIGN 3.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from voice.core.graph.entity_names import Mention
from voice.core.messages import asking as messages
from voice.core.retrieval.params import clamped
from voice.core.retrieval.values import Order, Window
from voice.core.text.dates import DateOrder
from voice.core.text.word_lists import Language

WeekStart = Literal["monday", "sunday", "saturday"]
Hemisphere = Literal["north", "south"]
AskedFor = Literal["who", "when", "where", "how_many", "what", "why", "how", "yes_no", "list", "statement"]
NoticeCode = Literal["when_unparsed", "window_empty", "several_phrases", "entity_ambiguous"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NlqSettings:
    """Settings for parsing questions (rulings A24, E)."""

    week_start: WeekStart = "monday"
    hemisphere: Hemisphere = "north"
    language: Language = "en"
    """Tried first; the others if it finds no time phrase."""
    date_order: DateOrder | None = None
    """Reading of 03/04/2024; None uses the language's. Impossible readings are skipped."""
    max_keywords: int = 10  # S3's, as the next two (ruling A24)
    default_limit: int = 25
    max_limit: int = 100
    timeout_ms: int = 2_000
    """Search timeout; then the results so far are returned, marked partial (spec nlq 9; ruling E)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A problem in the parsing that a person should know."""

    code: NoticeCode
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TimePhrase:
    """A time phrase and its meaning."""

    window: Window
    text: str
    start: int
    end: int
    """Half-open code-point offsets into its text."""
    note: str
    """Its meaning in local dates: "last month: 2025-02-01 to 2025-03-01 (America/Chicago)"; the end is exclusive."""
    names: tuple[str, ...] = ()
    """Calendar names in it ("in April 2024": April), which may occur in rows of other times."""
    is_loose: bool = False
    """Whether it is counted from now, and may be no filter: "on Saturday", "three years ago"."""
    widenings: tuple[Window, ...] = ()
    """Windows to try in turn and report if the window is empty: "two weeks ago" is one day (E), March is each year."""

    def eased(self, tried: Window) -> str:
        """Return the message that nothing was found then, so that another of its windows was searched."""
        begins, ends = self.window.start, tried.end
        is_before = begins is not None and ends is not None and ends <= begins
        return messages.searched_earlier_year(self.note) if is_before else messages.searched_wider(self.note)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedQuery:
    """A parsed question."""

    question: str
    time: TimePhrase | None
    """None: any time."""
    time_from_when: bool = False
    terms: tuple[str, ...] = ()
    """Content words in order, folded, without time phrase and stop words; at most `max_keywords`. They boost."""
    phrases: tuple[str, ...] = ()
    """Quoted phrases as written. They filter (ruling E)."""
    mentions: tuple[Mention, ...] = ()
    persons: tuple[str, ...] = ()
    """People named, as written, known or unknown."""
    asked_for: AskedFor = "what"
    limit: int | None = None
    """Requested count: "three accomplishments"."""
    order: Order | None = None
    """Implied by "latest" or "first"; presentation only (ruling E)."""
    language: Language = "en"
    notices: tuple[Notice, ...] = ()

    @property
    def window(self) -> Window | None:
        """The requested time; None is any time."""
        return self.time.window if self.time else None

    @property
    def whole(self) -> "ParsedQuery":
        """The question read as a claim: a day it names is content, not a filter."""
        return self if self.time_from_when else replace(self, time=None)

    @property
    def untimed(self) -> str:
        """The question without its time phrase, unless nothing else remains."""
        if self.time is None or self.time_from_when:
            return self.question
        rest = f"{self.question[: self.time.start].rstrip()} {self.question[self.time.end :].lstrip()}".strip()
        return rest if any(char.isalpha() for char in rest) else self.question

    @property
    def entity_ids(self) -> tuple[str, ...]:
        """Ids of all entities that may be meant, ambiguous names with all of theirs, in order."""
        return tuple(dict.fromkeys(row_id for mention in self.mentions for row_id in mention.ids))


DEFAULT_ORDER: Final[Order] = "created_at_desc"


def clamp_limit(requested: int | None, settings: NlqSettings, warn: Callable[[str], None]) -> int:
    """Return the rows wanted, within bounds (ruling C16); None means default. Raises InvalidParams: not a number."""
    most = max(settings.max_limit, 1)
    if requested is None:
        return min(max(settings.default_limit, 1), most)
    return clamped("limit", requested, (1, most), warn)


_OF_TIME = frozenset({"when_unparsed", "window_empty", "several_phrases"})


def search_windows(parsed: ParsedQuery) -> Iterator[tuple[str | None, Window]]:
    """Yield (message, window) to search in turn until one has results; an explicit time is not widened."""
    if parsed.time is None:
        yield None, Window()
    elif parsed.time_from_when:  # an explicit time means just that
        yield None, parsed.time.window
    else:
        yield messages.searched_then(parsed.time.note), parsed.time.window
        for wider in parsed.time.widenings:
            yield parsed.time.eased(wider), wider


def unparsed_time_notice(parsed: ParsedQuery) -> str | None:
    """Return the notice about an unparsed time; None if there is none."""
    return next((notice.detail for notice in parsed.notices if notice.code == "when_unparsed"), None)


def time_notices(parsed: ParsedQuery) -> tuple[str, ...]:
    """Return the notices about the query's time."""
    anytime = "" if parsed.time else messages.SEARCHED_ANY_TIME  # an unparsed time filters nothing
    return tuple(f"{notice.detail}{anytime}" for notice in parsed.notices if notice.code in _OF_TIME)
