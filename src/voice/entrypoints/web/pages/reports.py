"""The page of the reports: figures, charts and tables.

Law: the page asks for the same report that `voice report` prints; nothing is reckoned here. What is unknown is told as
unknown, never as 0 (ruling D18).
Source: rulings D6, D18, D19; DESIGN 8 Web (cost, token and grounding charts).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from voice.core.errors import InvalidParams
from voice.core.report.values import DELETED, Dimension, Report, ReportRow, money
from voice.core.text.display import counted
from voice.entrypoints.web.pages.addresses import address_of, is_set, one_of, session_url
from voice.entrypoints.web.pages.charts import (
    COLUMNS,
    charts_of,
    cost_in_words,
    day_in_words,
    is_long,
    percent_in_words,
)
from voice.entrypoints.web.pages.rendering import PageGroup

PATH: Final = "/reports"
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

    @property
    def url(self) -> str:
        """The address that says this."""
        by, private = "" if self.by == "day" else self.by, "1" if self.private else ""
        return address_of(PATH, {"since": self.since, "until": self.until, "by": by, "private": private})


def figures_of(total: ReportRow) -> Iterator[tuple[str, str, str]]:
    """Yield the numbers at the head of the page: name, value, note."""
    yield "Turns", f"{total.turns:,}", f"{total.answered:,} answered"
    yield "Cost", *_cost(total)
    unknown = total.unknown_token_turns
    tokens = f"{total.prompt_tokens + total.completion_tokens:,}"
    yield "Tokens", tokens, f"unknown for {counted(unknown, 'turn')}" if unknown else ""
    refused = f"{total.refused:,} of {total.turns:,}" if total.turns else ""
    yield "Refused", percent_in_words(total.refusal_rate, "no turns"), refused
    yield "Coverage", percent_in_words(total.mean_coverage, "no answers"), "mean over answers"


def _cost(total: ReportRow) -> tuple[str, str]:
    """Return what is known of the cost as a number to be read at a glance, and beside it how much is not known."""
    unknown, known = total.cost.unknown_count, total.cost.known
    if unknown and not known:
        return "unknown", f"for {counted(unknown, 'turn')}"
    notes = [f"plus {counted(unknown, 'turn')} of unknown cost"] if unknown else []
    notes += [] if total.mean_cost is None else [f"{money(total.mean_cost)} per turn"]
    glance = f"${known:,.2f}" if known >= 1 else money(known)  # below a dollar each digit counts
    return glance if total.turns or known else "none", "; ".join(notes)


def rows_of(report: Report) -> Iterator[tuple[str, str | None, ReportRow]]:
    """Yield the groups with their names, and where each leads; of times the newest first."""
    for row in reversed(report.rows) if report.by in ("day", "month") else report.rows:
        name = "deleted sessions" if row.key == DELETED else row.topic or day_in_words(row.key, report.by)
        yield name, session_url(row.key) if report.by == "session" and row.topic is not None else None, row


def _tenths(total: ReportRow) -> Iterator[tuple[str, int, int]]:
    """Yield how many judged drafts were how covered: share, answered, refused; empty tenths are left out."""
    for tenth, counts in enumerate(zip(total.coverage, total.coverage_refused, strict=True)):
        if any(counts):
            yield f"{tenth * 10}–{tenth * 10 + 10} %", *counts


def prices_of(report: Report) -> Iterator[str]:
    """Yield the prices behind the figures."""
    for used in report.prices:
        if (price := used.price) is None:
            yield f"{used.model}: price {'unknown' if used.source is None else 'not stored'}"
        else:
            rates = f"${price.input_per_million:f} read, ${price.output_per_million:f} written per million tokens"
            yield f"{used.model}: {rates} ({used.source}, {used.last_as_of})"


def _notes(report: Report) -> Iterator[str]:
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
        return [self.route("GET", PATH, self.report, ("since", "until", "by", "private"))]

    async def report(self, request: Request) -> Response:
        """Show a report on the time that was asked for."""
        query = ReportQuery.of(request.query_params)
        shown, error = {}, None
        try:
            shown = await self._shown(query)
        except InvalidParams as fault:
            error = fault
        return self.templates.form_page(
            request,
            "reports.html",
            error,
            query=query,  # the form keeps what was typed
            dimensions=[(key, name, replace(query, by=key).url) for key, name in DIMENSIONS.items()],
            spans=[(name, replace(query, since=since, until="").url) for name, since in SPANS.items()],
            **shown,
        )

    async def _shown(self, query: ReportQuery) -> Mapping[str, object]:
        """Return what is shown of the time that was asked for: over time, and grouped as it was asked for."""
        reports = self.memory.services.report
        period = reports.period(query.since or None, query.until or None)
        dimensions: tuple[Dimension, ...] = ("day", "month", query.by)
        by_day, by_month, grouped = await reports.grouped(dimensions, period, include_private=query.private)
        return {
            "report": grouped,
            "figures": figures_of(grouped.total),
            "charts": charts_of(by_month if is_long(by_day) else by_day),  # too many days for one chart
            "columns": COLUMNS,
            "rows": rows_of(grouped),
            "tenths": [*_tenths(grouped.total)],
            "prices": [*prices_of(grouped)],
            "notes": _notes(grouped),
        }
