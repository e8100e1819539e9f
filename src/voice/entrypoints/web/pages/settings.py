"""Pages of the settings and of the check-up.

Law: a few settings are changed here (`settings_form`); everything else is only looked at, what is on the disk beside
the event loop. A secret is "set" or "not set"; that is decided where settings are described, and nothing here reads a
value again (promise 6).
Source: DESIGN 8 Web (settings and doctor); rulings A8, H.
"""

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from itertools import groupby
from typing import Final

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute

from voice.adapters.system.data_directory import places_of
from voice.adapters.system.machine import look_at_home
from voice.core.health import Finding, State, is_healthy
from voice.core.render.verification import advice_of, belief_line
from voice.core.settings.describe import SettingRow, describe, value_of, with_places
from voice.core.settings.parse import Origin, SettingsResult
from voice.core.settings.table import BY_NAME, SETTINGS
from voice.entrypoints.shared.doctor import check_open_home, check_open_memory, check_settings
from voice.entrypoints.web.pages.addresses import fields_of, is_set, require_owner
from voice.entrypoints.web.pages.rendering import PageGroup
from voice.entrypoints.web.pages.settings_form import changes_in, faults_of, setting_fields, write_changes

_FINDINGS_MARK: Final = "<!-- what is found comes here -->"  # in `doctor.html`: what is before it is sent at once
_HTML: Final = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True)
class SettingsPages(PageGroup):
    """The pages that tell how a memory is set up."""

    told: SettingsResult | None = None
    """The settings with where each came from; None: the program that opened the memory gave them."""

    @property
    def routes(self) -> list[BaseRoute]:
        """The routes of both pages."""
        return [
            self.route("GET", "/settings", self.settings, ("saved",)),
            self.route("POST", "/settings", self.change),
            self.route("GET", "/doctor", self.doctor),
        ]

    async def settings(self, request: Request) -> Response:
        """Show what is set."""
        return await self._page(request, {}, {}, saved=is_set(request.query_params, "saved"))

    async def change(self, request: Request) -> Response:
        """Write what a form sets anew into voice.toml, all of it or nothing, and say so."""
        require_owner(request)  # only the owner sets how the memory works
        form, home = await fields_of(request), self.memory.services.home
        changes = changes_in(form)
        faults = await to_thread.run_sync(faults_of, changes, self._result, home)  # all of them, before any write
        if faults:
            return await self._page(request, form, faults)
        await to_thread.run_sync(write_changes, changes, home)
        return RedirectResponse("/settings?saved=1" if changes else "/settings", HTTPStatus.SEE_OTHER)

    async def _page(
        self, request: Request, typed: Mapping[str, str], faults: Mapping[str, str], *, saved: bool = False
    ) -> Response:
        result, home = self._result, self.memory.services.home
        places = await to_thread.run_sync(places_of, result.settings, home)
        changeables = await to_thread.run_sync(setting_fields, result, home, typed, faults)
        records = await to_thread.run_sync(self.memory.services.calibrations.read)
        return self.templates.page(
            request,
            "settings.html",
            HTTPStatus.UNPROCESSABLE_ENTITY if faults else HTTPStatus.OK,
            changeables=changeables,
            saved=saved,
            is_refused=bool(faults),
            settings=groups_of(with_places(describe(result), places)),
            titles=_GROUPS,
            origins=_ORIGINS,
            table=BY_NAME,
            warnings=result.warnings,
            tried=[(each.verifier, belief_line(each), advice_of(each)) for each in records],
            home=str(home),
        )

    async def doctor(self, request: Request) -> Response:
        """Show what a check-up finds: each look as it is done, and at the end all of them, the gravest first."""
        page = self.templates.page(request, "doctor.html")
        before, after = bytes(page.body).decode().split(_FINDINGS_MARK)  # one mark: two parts
        parts = self._html_parts(before, after)
        return StreamingResponse(parts, headers={"Cache-Control": "no-store"}, media_type=_HTML)

    async def _html_parts(self, before: str, after: str) -> AsyncIterator[str]:
        yield before
        findings: list[Finding] = []
        async for finding in self._findings():
            findings.append(finding)  # each as it is found
            yield self.templates.part("doctor_look.html", finding=finding, states=_STATES)
        # And then all, the gravest first.
        yield self.templates.part(
            "doctor_found.html",
            findings=by_gravity(findings),
            counts=counts_of(findings),
            states=_STATES,
            is_healthy=is_healthy(findings),
        )
        yield after

    async def _findings(self) -> AsyncIterator[Finding]:
        services, result = self.memory.services, self._result
        facts = await to_thread.run_sync(look_at_home, services.home)
        for finding in await to_thread.run_sync(check_open_home, facts):  # it looks at files and their rights
            yield finding
        for finding in await check_settings(result, kept=services.calibrations):
            yield finding
        async for finding in check_open_memory(services, result.settings):
            yield finding

    @property
    def _result(self) -> SettingsResult:
        """The settings with where each came from; of those that a program made, what is not the default is its word."""
        if self.told is not None:
            return self.told
        settings = self.memory.settings
        origins: dict[str, Origin] = {
            each.name: "default" if value_of(settings, each) == each.default else "flag" for each in SETTINGS
        }
        return SettingsResult(settings=settings, origins=origins, warnings=())


_ORIGINS: Final[Mapping[str, str]] = {
    "default": "the default",
    "file": "voice.toml",
    "env": "the environment",
    "flag": "a command-line option",
}
_GROUPS: Final[Mapping[str, str]] = {
    "gate": "On or off",
    "store": "Store",
    "embed": "Vectors",
    "retrieve": "Retrieval",
    "llm": "Model",
    "grounding": "Grounding",
    "time": "Time",
    "privacy": "Privacy",
}
# The look, the sign and the word of each state, the gravest first.
_STATES: Final[Mapping[State, tuple[str, str, str]]] = {
    "fault": ("bad", "✗", "fault"),
    "remark": ("doubt", "!", "remark"),
    "unchecked": ("info", "?", "not checked"),
    "ok": ("good", "✓", "OK"),
}


def groups_of(rows: Iterable[SettingRow]) -> dict[str, list[SettingRow]]:
    """Return the settings by the table of voice.toml they stand in, in the order of the table of settings."""
    return {key: [*of_group] for key, of_group in groupby(rows, key=lambda row: row.name.partition(".")[0])}


def by_gravity(findings: Iterable[Finding]) -> list[Finding]:
    """Return what a check-up found, the gravest first."""
    order = list(_STATES)
    return sorted(findings, key=lambda finding: order.index(finding.state))


def counts_of(findings: Iterable[Finding]) -> Iterator[tuple[str, int]]:
    """Yield (word, how many) of each state there is, the word in the plural where there are several."""
    found = Counter(finding.state for finding in findings)
    for state, (_, _, word) in _STATES.items():
        if number := found[state]:
            yield (
                f"{word}s" if number > 1 and word in ("fault", "remark") else word,
                number,
            )  # the others have no plural
