"""Settings and doctor: what is set and by whom, and whether this memory is in order.

Law: looking is all these pages do; nothing is set here. What is looked at on the disk is looked at beside the event
loop.

Source: DESIGN 8 Web (settings and doctor, read-only); rulings A8, H.
"""

from dataclasses import dataclass

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from voice.adapters.system.home import places_of
from voice.adapters.system.machine import look_at_home
from voice.core.settings.describe import describe, value_of, with_places
from voice.core.settings.parse import Origin, SettingsResult
from voice.core.settings.table import SETTINGS
from voice.core.settings.values import Settings
from voice.entrypoints.forms.findings import found_around, found_in_open, found_of_settings
from voice.entrypoints.library import Voice
from voice.entrypoints.web.pages.problems import with_problems
from voice.entrypoints.web.pages.rendering import Templates
from voice.entrypoints.web.pages.settings_view import doctor_view, groups_of, told_of


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
            Route("/settings", with_problems(self.templates, self.settings), methods=["GET"]),
            Route("/doctor", with_problems(self.templates, self.doctor), methods=["GET"]),
        ]

    async def settings(self, request: Request) -> Response:
        """Show what is set."""
        result = self._result
        places = await to_thread.run_sync(places_of, result.settings, self.memory.services.home)
        return self.templates.page(
            request,
            "settings.html",
            settings=groups_of(with_places(describe(result), places)),
            warnings=result.warnings,
            tried=[told_of(record) for record in await to_thread.run_sync(self.memory.services.calibrations.read)],
            home=str(self.memory.services.home),
        )

    async def doctor(self, request: Request) -> Response:
        """Show what a check-up finds."""
        services, result = self.memory.services, self._result
        facts = await to_thread.run_sync(look_at_home, services.home)
        findings = [
            *await to_thread.run_sync(found_around, facts),
            *await found_of_settings(result, kept=services.calibrations),
            *await found_in_open(services, result.settings),
        ]
        return self.templates.page(request, "doctor.html", doctor=doctor_view(findings), home=str(services.home))

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
