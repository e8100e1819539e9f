"""Reports and totals over stored turns.

Law: usage and cost are read from the exchanges, never from metrics (ruling D19), page by page: a report holds one page
of turns at a time, and of these their figures alone. `since` is where its phrase begins and `until` is where its phrase
ends, so that the same phrase for both is that time alone; the period that was taken is told with the figures.

Totals are the sums that each session keeps of its own turns; what a fork shares is counted once. What nobody reported
is counted as unknown, and never as 0.

Source: DESIGN 8 Web; rulings D18, D19, D21.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from voice.core.errors import InvalidParams
from voice.core.nlq.parse import parse_query
from voice.core.nlq.parsed_query import NlqSettings
from voice.core.report.totals import ReportTally
from voice.core.report.values import Dimension, Period, Report
from voice.core.retrieval.values import Window
from voice.core.session.budgets import NOTHING, OpenCall
from voice.core.session.values import DialogueExchange
from voice.core.text.instants import parse_instant
from voice.core.usage import PriceTable, Total
from voice.ports.llm import SpendStore
from voice.ports.row_queries import SessionFigures
from voice.ports.stores import SessionStore
from voice.ports.system import Clock
from voice.services.sessions.lookup import EVERY, topics_to_hide

Progress = Callable[[int, int], None]
"""Called with how far through the period the report is and how long that is, both in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reports:
    """Adds up what past turns used."""

    sessions: SessionStore
    clock: Clock
    nlq: NlqSettings
    timezone: str
    spending: SpendStore | None = None
    """Where calls stand whose end is unknown; None: they are not told."""

    async def __call__(
        self,
        *,
        since: str | None = None,
        until: str | None = None,
        by: Dimension = "session",
        prices: PriceTable | None = None,
        include_private: bool = False,
        progress: Progress | None = None,
    ) -> Report:
        """Return the report on a period; on everything when neither end of it is given. `since` and `until` are a time
        phrase, a date or an instant. `prices`: reckon the turns anew with these. `include_private`: topics that are
        withheld are told, too. Raises InvalidParams: a phrase cannot be understood or has no beginning, or nothing lies
        between the two."""
        period = self.period(since, until)
        (made,) = await self.grouped((by,), period, prices=prices, include_private=include_private, progress=progress)
        return made

    async def grouped(
        self,
        by: Sequence[Dimension],
        period: Period,
        *,
        prices: PriceTable | None = None,
        include_private: bool = False,
        progress: Progress | None = None,
    ) -> tuple[Report, ...]:
        """Return a report on `period` for each way of grouping its turns, which are read once."""
        tallies = {each: ReportTally(each, period, prices) for each in by if each != "month" or "day" not in by}
        is_by_session = "session" in tallies
        listed = await self.sessions.sessions(limit=EVERY) if is_by_session else ()
        topics = {item.id: item.thread_topic for item in listed}
        within, reached = Window(start=period.start, end=period.end), list[datetime]()
        begun: dict[str, bool] = {}
        async for read in self.sessions.figures(since=period.start):
            page = [each for each in read if within.admits(each.timestamp)]
            gone = await self._deleted_sessions(page, topics) if is_by_session else frozenset[str]()
            for exchange in page:
                named = replace(exchange, session_id="") if exchange.session_id in gone else exchange
                for dimension, tally in tallies.items():
                    tally.add(named if dimension == "session" else exchange)  # deleted ones are one row, without an id
            begun |= {each.session_id: each.is_withheld for each in page if each.index == 0}
            if progress is not None and page:  # by id is nearly in the order of time
                reached = [min([*reached[:1], page[0].timestamp]), max([*reached[1:], page[-1].timestamp])]
                whole = (period.end or self.clock.now()) - reached[0]
                progress(int((reached[1] - reached[0]).total_seconds()), int(whole.total_seconds()))
        made = {dimension: tally.report() for dimension, tally in tallies.items()}
        if "month" in by and "day" in by:
            made["month"] = tallies["day"].report(by="month")  # days are in months: no turn is added up twice
        if is_by_session:
            told = {row.key: topics[row.key] for row in made["session"].rows if row.key in topics}
            if not include_private:
                told = await topics_to_hide(self.sessions, told, known=begun)
            rows = tuple(replace(row, topic=told.get(row.key)) for row in made["session"].rows)
            made["session"] = replace(made["session"], rows=rows)
        unended = await self.unended(period)
        worst = sum((call.worst for call in unended), NOTHING)
        cost = Total(known=worst.counted, unknown_count=worst.unknown)
        return tuple(replace(made[dimension], unended=len(unended), unended_cost=cost) for dimension in by)

    async def unended(self, period: Period = Period()) -> tuple[OpenCall, ...]:  # noqa: B008 - frozen
        """Return the turns of a period whose end is unknown: under way, or cut off when their process was killed."""
        within = Window(start=period.start, end=period.end)
        found = await self.spending.open_calls() if self.spending is not None else ()
        return tuple(call for call in found if within.admits(call.began_at))

    def period(self, since: str | None, until: str | None) -> Period:
        """Return the period of two phrases. Raises InvalidParams: not understood, no beginning, or nothing between."""
        start = None if since is None else self._window(since, "since").start
        end = None if until is None else self._window(until, "until").end
        if since is not None and start is None:
            raise InvalidParams("`since` has no start; give a time with a start, or use `until` for an end")
        if start is not None and end is not None and start >= end:
            raise InvalidParams("`until` ends before `since` begins; give a later `until`")
        return Period(start=start, end=end, timezone=self.timezone)

    def _window(self, phrase: str, name: str) -> Window:
        """Return the time that a phrase names; an instant is a window without length."""
        if "T" in phrase.strip()[10:11]:  # "2024-03-05T10:00" is an instant, "next Tuesday" is not
            try:
                instant = parse_instant(phrase, ZoneInfo(self.timezone), naive_is_local=True)
            except InvalidParams as unread:
                raise InvalidParams(f"that `{name}` {unread.message}") from None
            return Window(start=instant, end=instant)
        try:
            parsed = parse_query(
                "report", now=self.clock.now(), timezone=self.timezone, settings=self.nlq, entities=(), when=phrase
            )
        except InvalidParams as unread:
            raise InvalidParams(unread.message.replace("`when`", f"`{name}`")) from None  # the parser says `when`
        return parsed.window or Window()

    async def _deleted_sessions(self, page: Sequence[DialogueExchange], topics: dict[str, str]) -> frozenset[str]:
        """Return the deleted sessions of a page; a session begun since `topics` was read is added to it."""
        unlisted = {exchange.session_id for exchange in page} - topics.keys()
        found = {name: await self.sessions.load(name, window=0) for name in unlisted}
        topics |= {name: session.thread_topic for name, session in found.items() if session is not None}
        return frozenset(name for name, session in found.items() if session is None)


def sum_of(sessions: Iterable[SessionFigures]) -> SessionFigures:
    """Return the totals of several sessions, under no id."""
    every = list(sessions)
    return SessionFigures(
        id="",
        turns=sum(each.turns for each in every),
        refused=sum(each.refused for each in every),
        errors=sum(each.errors for each in every),
        tokens=sum(each.tokens for each in every),
        cost=sum((each.cost for each in every), Total()),
    )
