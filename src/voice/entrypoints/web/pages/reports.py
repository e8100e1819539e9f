"""The page of the reports: figures, charts and tables.

Law: the page asks for the same report that `voice report` prints; nothing is reckoned here. What is unknown is told as
unknown, never as 0 (ruling D18).
Source: rulings D6, D18, D19; DESIGN 8 Web (cost, token and grounding charts).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from http import HTTPStatus
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from voice.core.errors import InvalidParams
from voice.core.report.values import DELETED, Dimension, Report, ReportRow, money
from voice.core.text.display import counted
from voice.entrypoints.web.pages import charts
from voice.entrypoints.web.pages.addresses import address_of, is_set, one_of, session_url
from voice.entrypoints.web.pages.charts import (
    Chart,
    charts_of,
    cost_in_words,
    day_in_words,
    percent_in_words,
    tokens_in_words,
)
from voice.entrypoints.web.pages.rendering import PageGroup, with_problems
from voice.entrypoints.web.responses import problem_of

PATH: Final = "/reports"
TAKES: Final = ("since", "until", "by", "private")
"""The parameters of the address of the report."""
DIMENSIONS: Final[Mapping[Dimension, str]] = {
    "day": "Day",
    "month": "Month",
    "session": "Session",
    "model": "Model",
    "prompt": "Prompt",
    "stance": "Stance",
}
SPANS: Final[Mapping[str, str]] = {
    "All time": "",
    "This week": "this week",
    "This month": "this month",
    "Last 90 days": "the last 90 days",
    "This year": "this year",
}
"""Times that are one click away, in the words they are asked for with."""
_TENTHS: Final = tuple(f"{tenth * 10}–{tenth * 10 + 10} %" for tenth in range(10))  # as the bins of `Report`


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportQuery:
    """Which time somebody wants to see, and how its turns are grouped."""

    since: str = field(default="", repr=False)
    until: str = field(default="", repr=False)
    by: Dimension = "day"
    private: bool = False
    """Whether the topics of conversations that began with private notes let in are told, too."""

    @classmethod
    def of(cls, params: Mapping[str, str]) -> "ReportQuery":
        """Return what the parameters of an address say; what is not valid is refused (InvalidParams)."""
        return cls(
            since=params.get("since", "").strip(),
            until=params.get("until", "").strip(),
            by=one_of(params, "by", DIMENSIONS, "day"),
            private=is_set(params, "private"),
        )

    def url(self, by: Dimension) -> str:
        """Return the address of the same time, grouped in another way."""
        return _url(self.since, self.until, by, private=self.private)

    def url_of_span(self, since: str) -> str:
        """Return the address of one of the times that are one click away, grouped and shown as this one is."""
        return _url(since, "", self.by, private=self.private)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One number at the head of the page."""

    name: str
    value: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """One group of turns in the table."""

    name: str
    url: str | None
    cells: tuple[str, ...]


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
    """Return what the page shows of a time: by days, or by months where it is long, and grouped as it is asked for."""
    total, is_time = grouped.total, grouped.by in ("day", "month")
    return ReportsView(
        figures=tuple(_figures(total)),
        charts=charts_of(over_time),
        headings=HEADINGS,
        rows=tuple(_row(row, grouped.by) for row in (reversed(grouped.rows) if is_time else grouped.rows)),
        total=TableRow(name="Total", url=None, cells=_cells(total)),
        reasons=total.reasons,
        tenths=tuple(
            (name, answered, refused)
            for name, answered, refused in zip(_TENTHS, total.coverage, total.coverage_refused, strict=True)
            if answered or refused  # empty tenths are left out
        ),
        prices=tuple(_prices(grouped)),
        notes=tuple(_notes(grouped)),
        is_empty=not (total.turns or total.reach.count or total.reading.count),  # calls outside of turns count as well
    )


def _url(since: str, until: str, by: Dimension, *, private: bool) -> str:
    params = {"since": since, "until": until, "by": "" if by == "day" else by, "private": "1" if private else ""}
    return address_of(PATH, params)


def _figures(total: ReportRow) -> Iterable[Figure]:
    yield Figure(name="Turns", value=f"{total.turns:,}", note=f"{total.answered:,} answered")
    yield _cost(total)
    yield Figure(
        name="Tokens",
        value=f"{total.prompt_tokens + total.completion_tokens:,}",
        note=f"unknown for {counted(total.unknown_token_turns, 'turn')}" if total.unknown_token_turns else "",
    )
    yield Figure(
        name="Refused",
        value=percent_in_words(total.refusal_rate, "no turns"),
        note=f"{total.refused:,} of {total.turns:,}" if total.turns else "",
    )
    yield Figure(name="Coverage", value=percent_in_words(total.mean_coverage, "no answers"), note="mean over answers")


def _cost(total: ReportRow) -> Figure:
    """Return what is known of the cost as a number to be read at a glance, and beside it how much is not known."""
    unknown, known = total.cost.unknown_count, total.cost.known
    if unknown and not known:
        return Figure(name="Cost", value="unknown", note=f"for {counted(unknown, 'turn')}")
    notes = [f"plus {counted(unknown, 'turn')} of unknown cost"] if unknown else []
    notes += [] if total.mean_cost is None else [f"{money(total.mean_cost)} per turn"]
    return Figure(name="Cost", value=_at_a_glance(known) if total.turns or known else "none", note="; ".join(notes))


def _at_a_glance(amount: Decimal) -> str:
    """Return a sum in cents where that is near enough, and to the digit where it is small."""
    return f"${amount:,.2f}" if amount >= 1 else money(amount)  # below a dollar each digit counts


def _row(row: ReportRow, by: Dimension) -> TableRow:
    is_session = by == "session" and row.topic is not None
    name = "deleted sessions" if row.key == DELETED else row.topic or day_in_words(row.key, by)  # their figures stay
    url = session_url(row.key) if is_session else None
    return TableRow(name=name, url=url, cells=_cells(row))


def _cells(row: ReportRow) -> tuple[str, ...]:
    return (
        f"{row.turns:,}",
        f"{row.answered:,}",
        f"{row.refused:,}",
        f"{row.errors:,}",
        percent_in_words(row.mean_coverage),
        tokens_in_words(row, row.prompt_tokens),
        tokens_in_words(row, row.completion_tokens),
        cost_in_words(row.cost),
        "–" if row.median_latency_ms is None else f"{row.median_latency_ms / 1000:.2f} s",
    )


def _prices(report: Report) -> Iterable[str]:
    for used in report.prices:
        if used.price is None:
            yield f"{used.model}: price {'unknown' if used.source is None else 'not stored'}"
        else:
            rates = (
                f"${used.price.input_per_million:f} read, ${used.price.output_per_million:f} written per million tokens"
            )
            yield f"{used.model}: {rates} ({used.source}, {used.last_as_of})"


def _notes(report: Report) -> Iterable[str]:
    if report.imported:
        yield f"Not counted here: {counted(report.imported, 'turn')} asked elsewhere and imported."
    if report.unended:
        most = cost_in_words(report.unended_cost)
        yield f"Not counted here: {counted(report.unended, 'call')} with an unknown outcome, at most {most}."


class ReportPages(PageGroup):
    """The page of the reports of one memory."""

    @property
    def routes(self) -> list[BaseRoute]:
        """The route of the page."""
        return [Route(PATH, with_problems(self.templates, self.report, TAKES), methods=["GET"])]

    async def report(self, request: Request) -> Response:
        """Show a report on the time that was asked for."""
        query = ReportQuery.of(request.query_params)
        view, error = None, None
        try:
            view = await self._view(query)
        except InvalidParams as fault:
            error = fault
        return self.templates.page(
            request,
            "reports.html",
            HTTPStatus.OK if error is None else problem_of(error).status,
            query=query,
            report=view,
            error=None if error is None else (problem_of(error).title, error.message),  # the form keeps what was typed
            dimensions=[(key, name, query.url(key)) for key, name in DIMENSIONS.items()],
            spans=[(name, query.url_of_span(since)) for name, since in SPANS.items()],
        )

    async def _view(self, query: ReportQuery) -> ReportsView:
        """Return the time by days, or by months where there are too many days for a chart, and as it is asked for."""
        reports = self.memory.services.report
        period = reports.period(query.since or None, query.until or None)
        dimensions: tuple[Dimension, ...] = ("day", "month", query.by)
        by_day, by_month, grouped = await reports.grouped(dimensions, period, include_private=query.private)
        return view_of(by_month if charts.is_long(by_day) else by_day, grouped)  # too many days for one chart
