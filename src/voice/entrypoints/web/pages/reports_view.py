"""Reports as a page shows them: a few figures, charts over time, and tables that say the same.

Law: what is unknown is told as unknown and drawn as a gap, never as 0 (ruling D18). Every figure of a chart stands in a
table, too. What a chart is drawn from holds numbers and days alone, no text of the memory.

Source: rulings D6, D18, D19; DESIGN 8 Web (cost, token and grounding charts).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Final
from urllib.parse import urlencode

from voice.core.report import DELETED, Dimension, Report, ReportRow, money
from voice.core.usage import Total
from voice.entrypoints.web.pages.links import session_url

PATH: Final = "/reports"
DIMENSIONS: Final[Mapping[Dimension, str]] = {
    "day": "Day",
    "month": "Month",
    "session": "Conversation",
    "model": "Model",
    "prompt": "Prompt",
    "stance": "Stance",
}
SPANS: Final[Mapping[str, str]] = {
    "All of it": "",
    "This week": "this week",
    "This month": "this month",
    "Last 90 days": "the last 90 days",
    "This year": "this year",
}
"""Times that are one click away, in the words they are asked for with."""
MOST_DAYS: Final = 400
"""Days that one chart draws; of a longer time it draws the months."""
_TENTHS: Final = tuple(f"{tenth * 10}–{tenth * 10 + 10} %" for tenth in range(10))
Point = float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportsAsked:
    """Which time somebody wants to see, and how its turns are grouped."""

    since: str = field(default="", repr=False)
    until: str = field(default="", repr=False)
    by: Dimension = "day"

    @classmethod
    def of(cls, params: Mapping[str, str]) -> "ReportsAsked":
        """Return what the parameters of an address say."""
        return cls(
            since=params.get("since", "").strip(),
            until=params.get("until", "").strip(),
            by=_dimension(params.get("by")),
        )

    def url(self, by: Dimension) -> str:
        """Return the address of the same time, grouped in another way."""
        return _url(self.since, self.until, by)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One number at the head of the page."""

    name: str
    value: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line or row of bars in a chart."""

    name: str
    looks: str
    """Which colour of the style sheet it has."""
    points: tuple[Point, ...]
    """One per day; None: not known, or nothing to tell."""
    cells: tuple[str, ...] = ()
    """The same in words; empty on a day without a turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A chart over time."""

    key: str
    title: str
    unit: str
    """`usd`, `count` or `percent`."""
    form: str
    """`bars`, one on the other, or `line`."""
    about: str
    """What it shows, for who does not see it."""
    days: tuple[int, ...]
    """The beginning of each day as seconds since 1970, as if the days were UTC's."""
    lines: tuple[Line, ...]

    @property
    def data(self) -> Mapping[str, object]:
        """What the script draws it from."""
        return {
            "title": self.title,
            "unit": self.unit,
            "form": self.form,
            "days": self.days,
            "lines": [{"name": each.name, "looks": each.looks, "points": each.points} for each in self.lines],
        }

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not any(point for line in self.lines for point in line.points)

    @property
    def table(self) -> tuple[tuple[str, list[str]], ...]:
        """(day, figures) of each day on which there was something, for who does not see the chart."""
        rows = zip(self.days, *(line.cells for line in self.lines), strict=True)
        return tuple((f"{datetime.fromtimestamp(day, UTC):%Y-%m-%d}", cells) for day, *cells in rows if any(cells))


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """One group of turns in the table."""

    name: str
    url: str | None
    cells: tuple[str, ...]
    is_text: bool = False
    """Whether the name is a text of the memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportsView:
    """What the page shows."""

    figures: tuple[Figure, ...]
    charts: tuple[Chart, ...]
    headings: tuple[str, ...]
    rows: tuple[TableRow, ...]
    total: TableRow
    reasons: tuple[tuple[str, int], ...]
    tenths: tuple[tuple[str, int, int], ...]
    """(share, answered, refused) of judged drafts, by how covered they were."""
    prices: tuple[str, ...]
    notes: tuple[str, ...]
    is_empty: bool


HEADINGS: Final = (
    "Turns",
    "Answered",
    "Refused",
    "Failed",
    "Coverage",
    "Tokens read",
    "Tokens written",
    "Cost",
    "Median time",
)


def view_of(over_time: Report, grouped: Report) -> ReportsView:
    """Return what the page shows.

    Args:
        over_time: the time by days, or by months where it is long.
        grouped: the same time, as somebody wants it grouped.
    """
    total = grouped.total
    return ReportsView(
        figures=tuple(_figures(total)),
        charts=charts_of(over_time),
        headings=HEADINGS,
        rows=tuple(_row(row, grouped.by) for row in grouped.rows),
        total=TableRow(name="All of it", url=None, cells=_cells(total)),
        reasons=total.reasons,
        tenths=tuple(
            (name, answered, refused)
            for name, answered, refused in zip(_TENTHS, total.coverage, total.coverage_refused, strict=True)
            if answered or refused
        ),
        prices=tuple(_prices(grouped)),
        notes=tuple(_notes(grouped)),
        is_empty=not (total.turns or total.reach.count or total.reading.count),
    )


def url_of_span(since: str, by: Dimension) -> str:
    """Return the address of one of the times that are one click away."""
    return _url(since, "", by)


def is_long(by_day: Report) -> bool:
    """Return whether a report holds more days than a chart draws."""
    days = [_first_day(row.key) for row in by_day.rows]
    return bool(days) and (days[-1] - days[0]).days >= MOST_DAYS


def charts_of(report: Report) -> tuple[Chart, ...]:
    """Return the charts of a report by day or by month: cost, tokens, outcomes, coverage."""
    by_day = {_first_day(row.key): row for row in report.rows}
    days = _days(by_day, is_month=report.by == "month")
    rows = [by_day.get(day) for day in days]
    starts = tuple(int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) for day in days)
    return tuple(
        Chart(
            key=drawn.key,
            title=f"{drawn.title} per {'month' if report.by == 'month' else 'day'}",
            unit=drawn.unit,
            form=drawn.form,
            about=drawn.about,
            days=starts,
            lines=tuple(_line(each, rows) for each in drawn.lines),
        )
        for drawn in _DRAWN
    )


@dataclass(frozen=True, slots=True)
class _DrawnLine:
    """One line of a chart: its name, its colour, its figure, and the figure in words."""

    name: str
    looks: str
    figure: Callable[[ReportRow], Point]
    words: Callable[[ReportRow], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drawn:
    """What a chart is drawn of."""

    key: str
    title: str
    unit: str
    form: str
    about: str
    lines: tuple[_DrawnLine, ...]


def _known_cost(row: ReportRow) -> Point:
    """Return a day's cost; None where nothing of it is known, for a gap says less than a zero that is wrong."""
    return None if row.cost.unknown_count and not row.cost.known else float(row.cost.known)


_DRAWN: Final = (
    _Drawn(
        key="cost",
        title="Cost",
        unit="usd",
        form="bars",
        about="What the turns cost in US dollars; a turn whose cost is unknown is not in it.",
        lines=(_DrawnLine("cost", "one", _known_cost, lambda row: cost_in_words(row.cost)),),
    ),
    _Drawn(
        key="tokens",
        title="Tokens",
        unit="count",
        form="bars",
        about="Tokens that models read and wrote, where the provider reported them.",
        lines=(
            _DrawnLine(
                "read", "one", lambda row: float(row.prompt_tokens), lambda row: _tokens(row, row.prompt_tokens)
            ),
            _DrawnLine(
                "written",
                "two",
                lambda row: float(row.completion_tokens),
                lambda row: _tokens(row, row.completion_tokens),
            ),
        ),
    ),
    _Drawn(
        key="outcomes",
        title="Answers and refusals",
        unit="count",
        form="bars",
        about="How turns ended.",
        lines=(
            _DrawnLine("answered", "good", lambda row: float(row.answered), lambda row: f"{row.answered:,}"),
            _DrawnLine("refused", "doubt", lambda row: float(row.refused), lambda row: f"{row.refused:,}"),
            _DrawnLine("failed", "bad", lambda row: float(row.errors), lambda row: f"{row.errors:,}"),
        ),
    ),
    _Drawn(
        key="coverage",
        title="Mean coverage of answers",
        unit="percent",
        form="line",
        about="How much of the answers their sources hold, over the turns that were answered.",
        lines=(
            _DrawnLine(
                "coverage", "one", lambda row: row.mean_coverage, lambda row: _percent(row.mean_coverage, "no answers")
            ),
        ),
    ),
)


def _dimension(said: str | None) -> Dimension:
    for each in DIMENSIONS:
        if each == said:
            return each
    return "day"


def _url(since: str, until: str, by: Dimension) -> str:
    said = {"since": since, "until": until, "by": "" if by == "day" else by}
    query = urlencode({name: value for name, value in said.items() if value})
    return f"{PATH}?{query}" if query else PATH


def _line(drawn: _DrawnLine, rows: Sequence[ReportRow | None]) -> Line:
    return Line(
        name=drawn.name,
        looks=drawn.looks,
        points=tuple(None if row is None else drawn.figure(row) for row in rows),
        cells=tuple("" if row is None else drawn.words(row) for row in rows),
    )


def _first_day(key: str) -> date:
    return date.fromisoformat(key if len(key) > 7 else f"{key}-01")


def _days(found: Iterable[date], *, is_month: bool) -> list[date]:
    """Return every day or month from the first to the last, those without a turn, too."""
    known = sorted(found)
    if not known:
        return []
    if is_month:
        first, last = (each.year * 12 + each.month - 1 for each in (known[0], known[-1]))
        return [date(each // 12, each % 12 + 1, 1) for each in range(first, last + 1)]
    return [known[0] + timedelta(days=each) for each in range((known[-1] - known[0]).days + 1)]


def _figures(total: ReportRow) -> Iterable[Figure]:
    yield Figure(name="Turns", value=f"{total.turns:,}", note=f"{total.answered:,} answered")
    yield Figure(name="Cost", value=cost_in_words(total.cost, total.turns), note=_mean(total.mean_cost))
    yield Figure(
        name="Tokens",
        value=f"{total.prompt_tokens + total.completion_tokens:,}",
        note=f"and unknown ones in {total.unknown_token_turns:,} turns" if total.unknown_token_turns else "",
    )
    yield Figure(
        name="Refused",
        value=_percent(total.refusal_rate, "no turns"),
        note=f"{total.refused:,} of {total.turns:,}" if total.turns else "",
    )
    yield Figure(name="Coverage", value=_percent(total.mean_coverage, "no answers"), note="mean over answers")


def cost_in_words(total: Total, turns: int = 1) -> str:
    """Return what is known of a cost; where nothing is, that it is unknown."""
    if total.unknown_count and not total.known:
        return "unknown"
    more = f" and {total.unknown_count:,} unknown" if total.unknown_count else ""
    return f"{money(total.known)}{more}" if turns or total.known else "none"


def _mean(cost: Decimal | None) -> str:
    return "" if cost is None else f"{money(cost)} a turn"


def _percent(value: float | None, otherwise: str = "–") -> str:
    return otherwise if value is None else f"{value:.0%}"


def _row(row: ReportRow, by: Dimension) -> TableRow:
    is_session = by == "session" and row.topic is not None
    name = "deleted conversations" if row.key == DELETED else row.topic or row.key
    url = session_url(row.key) if is_session else None
    return TableRow(name=name, url=url, cells=_cells(row), is_text=is_session)


def _cells(row: ReportRow) -> tuple[str, ...]:
    return (
        f"{row.turns:,}",
        f"{row.answered:,}",
        f"{row.refused:,}",
        f"{row.errors:,}",
        _percent(row.mean_coverage),
        _tokens(row, row.prompt_tokens),
        _tokens(row, row.completion_tokens),
        cost_in_words(row.cost),
        "–" if row.median_latency_ms is None else f"{row.median_latency_ms / 1000:.2f} s",
    )


def _tokens(row: ReportRow, count: int) -> str:
    """Return a count of tokens; of turns whose provider did not report theirs, that they are unknown."""
    if not row.unknown_token_turns:
        return f"{count:,}"
    return f"{count:,} and {row.unknown_token_turns:,} unknown" if count else "unknown"


def _prices(report: Report) -> Iterable[str]:
    for used in report.prices:
        if used.price is None:
            yield f"{used.model}: the price is {'unknown' if used.source is None else 'not kept'}"
        else:
            rates = (
                f"${used.price.input_per_million:f} read, ${used.price.output_per_million:f} written a million tokens"
            )
            yield f"{used.model}: {rates} ({used.source}, {used.last_as_of})"


def _notes(report: Report) -> Iterable[str]:
    if report.imported:
        yield f"{report.imported:,} turns of this time were asked elsewhere and imported; nothing here counts them."
    if report.unended:
        most = cost_in_words(report.unended_cost)
        yield f"How {report.unended:,} turns ended is unknown; they can have cost {most} at most, counted nowhere here."
