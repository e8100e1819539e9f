"""Charts over time, and their figures in words.

Law: what is unknown is told as unknown and drawn as a gap, never as 0 (ruling D18). Every figure of a chart stands in
its table, too. What a chart is drawn from holds numbers and days alone, no text of the memory.
Source: rulings D6, D18, D19; DESIGN 8 Web (cost, token and grounding charts).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final

from voice.core.report.values import Dimension, Report, ReportRow, money
from voice.core.usage import Total
from voice.entrypoints.web.pages.rendering import DAY, MONTH

MOST_DAYS: Final = 400
"""Days that one chart draws; of a longer time it draws the months."""
Point = float | None


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
        return not any(point for line in self.lines for point in line.points)  # only unknown or 0

    @property
    def table(self) -> tuple[tuple[str, list[str]], ...]:
        """(day, figures) of each day on which there was something, for who does not see the chart."""
        rows = zip(self.days, *(line.cells for line in self.lines), strict=True)
        return tuple((f"{datetime.fromtimestamp(day, UTC):{DAY}}", cells) for day, *cells in rows if any(cells))


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
            key=spec.key,
            title=f"{spec.title} per {'month' if report.by == 'month' else 'day'}",
            unit=spec.unit,
            form=spec.form,
            about=spec.about,
            days=starts,
            lines=tuple(_line(each, rows) for each in spec.lines),
        )
        for spec in _CHARTS
    )


@dataclass(frozen=True, slots=True)
class _LineSpec:
    """One line of a chart: its name, its colour, its figure, and the figure in words."""

    name: str
    looks: str
    figure: Callable[[ReportRow], Point]
    words: Callable[[ReportRow], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _ChartSpec:
    """What a chart is drawn of."""

    key: str
    title: str
    unit: str
    form: str
    about: str
    lines: tuple[_LineSpec, ...]


def _known_cost(row: ReportRow) -> Point:
    """Return a day's cost; None where nothing of it is known, for a gap says less than a zero that is wrong."""
    return None if row.cost.unknown_count and not row.cost.known else float(row.cost.known)


_CHARTS: Final = (
    _ChartSpec(
        key="cost",
        title="Cost",
        unit="usd",
        form="bars",
        about="Cost of the turns in US dollars, without turns of unknown cost.",
        lines=(_LineSpec("cost", "one", _known_cost, lambda row: cost_in_words(row.cost)),),
    ),
    _ChartSpec(
        key="tokens",
        title="Tokens",
        unit="count",
        form="bars",
        about="Tokens that models read and wrote, if the provider reported them.",
        lines=(
            _LineSpec(
                "read", "one", lambda row: float(row.prompt_tokens), lambda row: tokens_in_words(row, row.prompt_tokens)
            ),
            _LineSpec(
                "written",
                "two",
                lambda row: float(row.completion_tokens),
                lambda row: tokens_in_words(row, row.completion_tokens),
            ),
        ),
    ),
    _ChartSpec(
        key="outcomes",
        title="Answers and refusals",
        unit="count",
        form="bars",
        about="Outcomes of the turns.",
        lines=(
            _LineSpec("answered", "good", lambda row: float(row.answered), lambda row: f"{row.answered:,}"),
            _LineSpec("refused", "doubt", lambda row: float(row.refused), lambda row: f"{row.refused:,}"),
            _LineSpec("failed", "bad", lambda row: float(row.errors), lambda row: f"{row.errors:,}"),
        ),
    ),
    _ChartSpec(
        key="coverage",
        title="Mean coverage of answers",
        unit="percent",
        form="line",
        about="Share of each answer that its sources prove, on average.",
        lines=(
            _LineSpec(
                "coverage",
                "one",
                lambda row: row.mean_coverage,
                lambda row: percent_in_words(row.mean_coverage, "no answers"),
            ),
        ),
    ),
)


def _line(spec: _LineSpec, rows: Sequence[ReportRow | None]) -> Line:
    return Line(
        name=spec.name,
        looks=spec.looks,
        points=tuple(None if row is None else spec.figure(row) for row in rows),
        cells=tuple("" if row is None else spec.words(row) for row in rows),
    )


def day_in_words(key: str, by: Dimension) -> str:
    """Return the key of a group of turns; a day or a month as every page writes it."""
    form = {"day": DAY, "month": MONTH}.get(by)
    return f"{_first_day(key):{form}}" if form else key


def _first_day(key: str) -> date:
    return date.fromisoformat(key if len(key) > 7 else f"{key}-01")  # "2025-03" is a month


def _days(found: Iterable[date], *, is_month: bool) -> list[date]:
    """Return every day or month from the first to the last, those without a turn, too."""
    known = sorted(found)
    if not known:
        return []
    if is_month:
        first, last = (each.year * 12 + each.month - 1 for each in (known[0], known[-1]))  # months since the year 0
        return [date(each // 12, each % 12 + 1, 1) for each in range(first, last + 1)]
    return [known[0] + timedelta(days=each) for each in range((known[-1] - known[0]).days + 1)]


def cost_in_words(total: Total) -> str:
    """Return what is known of a cost; where nothing is, that it is unknown."""
    if total.unknown_count and not total.known:
        return "unknown"
    more = f" and {total.unknown_count:,} unknown" if total.unknown_count else ""  # a known part and what is missing
    return f"{money(total.known)}{more}"


def percent_in_words(value: float | None, otherwise: str = "–") -> str:
    """Return a share in words; `otherwise` where there is none."""
    return otherwise if value is None else f"{value:.0%}"


def tokens_in_words(row: ReportRow, count: int) -> str:
    """Return a count of tokens; of turns whose provider did not report theirs, that they are unknown."""
    if not row.unknown_token_turns:
        return f"{count:,}"
    return f"{count:,} and {row.unknown_token_turns:,} unknown" if count else "unknown"
