"""The page of the reports.

Law: the page asks for the same report that `voice report` prints; nothing is reckoned here.

Source: rulings D6, D18, D19; DESIGN 8 Web.
"""

from dataclasses import dataclass
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from voice.core.errors import InvalidParams
from voice.core.report.values import Dimension
from voice.entrypoints.library import Voice
from voice.entrypoints.web.pages import charts, reports_view
from voice.entrypoints.web.pages.rendering import Templates, with_problems
from voice.entrypoints.web.pages.reports_view import ReportQuery, ReportsView, view_of
from voice.entrypoints.web.problems import problem_of


@dataclass(frozen=True, slots=True)
class ReportPages:
    """The page of the reports of one memory."""

    memory: Voice
    templates: Templates

    @property
    def routes(self) -> list[BaseRoute]:
        """The route of the page."""
        return [
            Route(reports_view.PATH, with_problems(self.templates, self.report, reports_view.TAKES), methods=["GET"])
        ]

    async def report(self, request: Request) -> Response:
        """Show a report on the time that was asked for."""
        asked = ReportQuery.of(request.query_params)
        view, error = None, None
        try:
            view = await self._view(asked)
        except InvalidParams as fault:
            error = fault
        return self.templates.page(
            request,
            "reports.html",
            HTTPStatus.OK if error is None else problem_of(error).status,
            asked=asked,
            report=view,
            error=None if error is None else (problem_of(error).title, error.message),
            dimensions=[(key, name, asked.url(key)) for key, name in reports_view.DIMENSIONS.items()],
            spans=[(name, asked.url_of_span(since)) for name, since in reports_view.SPANS.items()],
        )

    async def _view(self, asked: ReportQuery) -> ReportsView:
        """Return the time by days, or by months where there are too many days for a chart, and as it is asked for.

        Raises:
            InvalidParams: the time cannot be understood.
        """
        reports = self.memory.services.report
        period = reports.period(asked.since or None, asked.until or None)
        ways: tuple[Dimension, ...] = ("day", "month", asked.by)
        by_day, by_month, grouped = await reports.grouped(ways, period, include_private=asked.private)
        return view_of(by_month if charts.is_long(by_day) else by_day, grouped)
