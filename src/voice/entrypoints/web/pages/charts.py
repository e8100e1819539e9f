"""Figures of turns in words, and charts of them over time.

Law: what is unknown is told as unknown and drawn as a gap, never as 0 (ruling D18). Every figure of a chart stands in
its table, too. What a chart is drawn from holds numbers and days alone, no text of the memory.
Source: rulings D6, D18, D19; DESIGN 8 Web (cost, token and grounding charts).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import Final

from voice.core.report.values import Dimension, Report, ReportRow, money
from voice.core.usage import Total
from voice.entrypoints.web.pages.rendering import DAY, MONTH

MOST_DAYS: Final = 400
"""Days that one chart draws; of a longer time it draws the months."""
InWords = Callable[[ReportRow], str]
COLUMNS: Final[Mapping[str, InWords]] = {
    "Turns": lambda row: f"{row.turns:,}",
    "Answered": lambda row: f"{row.answered:,}",
    "Refused": lambda row: f"{row.refused:,}",
    "Failed": lambda row: f"{row.errors:,}",
    "Coverage": lambda row: percent_in_words(row.mean_coverage),
    "Tokens read": lambda row: _tokens_in_words(row, row.prompt_tokens),
    "Tokens written": lambda row: _tokens_in_words(row, row.completion_tokens),
    "Cost": lambda row: cost_in_words(row.cost),
    "Median time": lambda row: "–" if row.median_latency_ms is None else f"{row.median_latency_ms / 1000:.2f} s",
}
"""The figures of a group of turns in words, by what they are called."""


def day_in_words(key: str, by: Dimension) -> str:
    """Return the key of a group of turns; a day or a month as every page writes it."""
    form = {"day": DAY, "month": MONTH}.get(by)
    return f"{_first_day(key):{form}}" if form else key


def cost_in_words(total: Total) -> str:
    """Return what is known of a cost; where nothing is, that it is unknown."""
    return _with_unknown(money(total.known), total.unknown_count, is_known=bool(total.known))


def percent_in_words(value: float | None, otherwise: str = "–") -> str:
    """Return a share in words; `otherwise` where there is none."""
    return otherwise if value is None else f"{value:.0%}"


def _tokens_in_words(row: ReportRow, count: int) -> str:
    return _with_unknown(f"{count:,}", row.unknown_token_turns, is_known=bool(count))


def _with_unknown(known: str, unknown: int, *, is_known: bool) -> str:
    if not unknown:
        return known
    return f"{known} and {unknown:,} unknown" if is_known else "unknown"  # a known part and what is missing


@dataclass(frozen=True, slots=True)
class Line:
    """One line or row of bars in a chart."""

    name: str
    looks: str
    """Which colour of the style sheet it has."""
    figure: Callable[[ReportRow], float | None]
    """None: not known, or nothing to tell."""
    words: InWords
    """The figure in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A chart over time."""

    title: str
    unit: str
    """`usd`, `count` or `percent`."""
    form: str
    """`bars`, one on the other, or `line`."""
    about: str
    """What it shows, for who does not see it."""
    lines: tuple[Line, ...]
    days: Mapping[date, ReportRow | None] = field(default_factory=dict[date, ReportRow | None])
    """None: a day without a turn."""

    @property
    def data(self) -> Mapping[str, object]:
        """What the script draws it from; a day is told in seconds since 1970, as if the days were UTC's."""
        return {
            "title": self.title,
            "unit": self.unit,
            "form": self.form,
            "days": [int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) for day in self.days],
            "lines": [{"name": each.name, "looks": each.looks, "points": self._points(each)} for each in self.lines],
        }

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not any(point for line in self.lines for point in self._points(line))  # only unknown or 0

    @property
    def table(self) -> tuple[tuple[str, list[str]], ...]:
        """(day, figures) of each day on which there was something, for who does not see the chart."""
        rows = ((day, row) for day, row in self.days.items() if row is not None)
        return tuple((f"{day:{DAY}}", [line.words(row) for line in self.lines]) for day, row in rows)

    def _points(self, line: Line) -> list[float | None]:
        return [None if row is None else line.figure(row) for row in self.days.values()]


def is_long(by_day: Report) -> bool:
    """Return whether a report holds more days than a chart draws."""
    days = [_first_day(row.key) for row in by_day.rows]
    return bool(days) and (days[-1] - days[0]).days >= MOST_DAYS


def charts_of(report: Report) -> tuple[Chart, ...]:
    """Return the charts of a report by day or by month: cost, tokens, outcomes, coverage."""
    by_day = {_first_day(row.key): row for row in report.rows}
    step = "month" if report.by == "month" else "day"
    days = {day: by_day.get(day) for day in _days(by_day, is_month=step == "month")}
    return tuple(replace(each, title=f"{each.title} per {step}", days=days) for each in _CHARTS)


def _known_cost(row: ReportRow) -> float | None:
    """Return a day's cost; None where nothing of it is known, for a gap says less than a zero that is wrong."""
    return None if row.cost.unknown_count and not row.cost.known else float(row.cost.known)


_CHARTS: Final = (
    Chart(
        title="Cost",
        unit="usd",
        form="bars",
        about="Cost of the turns in US dollars, without turns of unknown cost.",
        lines=(Line("cost", "one", _known_cost, COLUMNS["Cost"]),),
    ),
    Chart(
        title="Tokens",
        unit="count",
        form="bars",
        about="Tokens that models read and wrote, if the provider reported them.",
        lines=(
            Line("read", "one", lambda row: float(row.prompt_tokens), COLUMNS["Tokens read"]),
            Line("written", "two", lambda row: float(row.completion_tokens), COLUMNS["Tokens written"]),
        ),
    ),
    Chart(
        title="Answers and refusals",
        unit="count",
        form="bars",
        about="Outcomes of the turns.",
        lines=(
            Line("answered", "good", lambda row: float(row.answered), COLUMNS["Answered"]),
            Line("refused", "doubt", lambda row: float(row.refused), COLUMNS["Refused"]),
            Line("failed", "bad", lambda row: float(row.errors), COLUMNS["Failed"]),
        ),
    ),
    Chart(
        title="Mean coverage of answers",
        unit="percent",
        form="line",
        about="Share of each answer that its sources prove, on average.",
        lines=(
            Line(
                "coverage",
                "one",
                lambda row: row.mean_coverage,
                lambda row: percent_in_words(row.mean_coverage, "no answers"),
            ),
        ),
    ),
)


def _first_day(key: str) -> date:
    return date.fromisoformat(key if len(key) > 7 else f"{key}-01")  # "2025-03" is a month


def _days(found: Iterable[date], *, is_month: bool) -> Sequence[date]:
    """Return every day or month from the first to the last, those without a turn, too."""
    known = sorted(found)
    if not known:
        return []
    if is_month:
        first, last = (each.year * 12 + each.month - 1 for each in (known[0], known[-1]))  # months since the year 0
        return [date(each // 12, each % 12 + 1, 1) for each in range(first, last + 1)]
    return [known[0] + timedelta(days=each) for each in range((known[-1] - known[0]).days + 1)]
