"""Settings and doctor: what is set and by whom, and whether this memory is in order.

Law: a few settings are changed here (`changing`); everything else is only looked at. What is looked at on the disk is
looked at beside the event loop.

Source: DESIGN 8 Web (settings and doctor); rulings A8, H.
"""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from voice.adapters.system.data_directory import places_of
from voice.adapters.system.machine import look_at_home
from voice.core.health import Finding
from voice.core.settings.describe import describe, value_of, with_places
from voice.core.settings.parse import Origin, SettingsResult
from voice.core.settings.table import SETTINGS
from voice.core.settings.values import Settings
from voice.entrypoints.forms.findings import found_around, found_in_open, found_of_settings
from voice.entrypoints.library import Voice
from voice.entrypoints.web.pages.changing import changeables, changes_in, faults_of, write_changes
from voice.entrypoints.web.pages.fields import fields_of, is_set
from voice.entrypoints.web.pages.owner import require_owner
from voice.entrypoints.web.pages.problems import with_problems
from voice.entrypoints.web.pages.rendering import Templates
from voice.entrypoints.web.pages.settings_view import doctor_view, finding_view, groups_of, told_of

_CUT: Final = "<!-- what is found comes here -->"
"""In `doctor.html`: what is before it is sent at once."""
_HTML: Final = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True)
class SettingsPages:
    """The pages that tell how a memory is set up."""

    memory: Voice
    templates: Templates
    told: SettingsResult | None = None
    """The settings with where each came from; None: the program that opened the memory gave them."""

    @property
    def routes(self) -> list[BaseRoute]:
        """The routes of both pages."""
        return [
            Route("/settings", with_problems(self.templates, self.settings, ("saved",)), methods=["GET"]),
            Route("/settings", with_problems(self.templates, self.change), methods=["POST"]),
            Route("/doctor", with_problems(self.templates, self.doctor), methods=["GET"]),
        ]

    async def settings(self, request: Request) -> Response:
        """Show what is set."""
        return await self._page(request, {}, {}, saved=is_set(request.query_params, "saved"))

    async def change(self, request: Request) -> Response:
        """Write what a form sets anew into voice.toml, all of it or nothing, and say so."""
        require_owner(request)
        form, home = await fields_of(request), self.memory.services.home
        changes = changes_in(form)
        faults = await to_thread.run_sync(faults_of, changes, self._result, home)
        if faults:
            return await self._page(request, form, faults)
        await to_thread.run_sync(write_changes, changes, home)
        return RedirectResponse("/settings?saved=1" if changes else "/settings", HTTPStatus.SEE_OTHER)

    async def _page(
        self, request: Request, typed: Mapping[str, str], faults: Mapping[str, str], *, saved: bool = False
    ) -> Response:
        result, home = self._result, self.memory.services.home
        places = await to_thread.run_sync(places_of, result.settings, self.memory.services.home)
        return self.templates.page(
            request,
            "settings.html",
            HTTPStatus.UNPROCESSABLE_ENTITY if faults else HTTPStatus.OK,
            changeables=await to_thread.run_sync(changeables, result, home, typed, faults),
            saved=saved,
            is_refused=bool(faults),
            settings=groups_of(with_places(describe(result), places)),
            warnings=result.warnings,
            tried=[told_of(record) for record in await to_thread.run_sync(self.memory.services.calibrations.read)],
            home=str(home),
        )

    async def doctor(self, request: Request) -> Response:
        """Show what a check-up finds: each look as it is done, and at the end all of them, the gravest first."""
        page = self.templates.page(request, "doctor.html")
        before, after = bytes(page.body).decode().split(_CUT)
        return StreamingResponse(self._told(before, after), headers={"Cache-Control": "no-store"}, media_type=_HTML)

    async def _told(self, before: str, after: str) -> AsyncIterator[str]:
        yield before
        findings: list[Finding] = []
        async for finding in self._looks():
            findings.append(finding)
            yield self.templates.part("doctor_look.html", look=finding_view(finding))
        yield self.templates.part("doctor_found.html", doctor=doctor_view(findings))
        yield after

    async def _looks(self) -> AsyncIterator[Finding]:
        services, result = self.memory.services, self._result
        facts = await to_thread.run_sync(look_at_home, services.home)
        for finding in await to_thread.run_sync(found_around, facts):
            yield finding
        for finding in await found_of_settings(result, kept=services.calibrations):
            yield finding
        async for finding in found_in_open(services, result.settings):
            yield finding

    @property
    def _result(self) -> SettingsResult:
        return self.told or given_by_program(self.memory.settings)


def given_by_program(settings: Settings) -> SettingsResult:
    """Return settings that a program made, each as its own word where it is not the default.

    Args:
        settings: those in force.
    """
    origins: dict[str, Origin] = {
        each.name: "default" if value_of(settings, each) == each.default else "flag" for each in SETTINGS
    }
    return SettingsResult(settings=settings, origins=origins, warnings=())
