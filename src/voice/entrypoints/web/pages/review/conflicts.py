"""Pages of conflicts: look for pairs that cannot both hold, and settle each.

Law: a page that is opened looks for nothing; a person asks for it by a form, and what they look for stands in no
address. Each form is one decision; what it would change is shown first, and then it is carried out whole or refused,
which is said above the list.
Source: DESIGN 8 Web; rulings F, H.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute

from voice.core.errors import VoiceError
from voice.entrypoints.shared.moments import parse_moment
from voice.entrypoints.shared.review import conflict_reason, place_of, places_of
from voice.entrypoints.web.pages.addresses import address_of, digest_of, fields_of, is_set, one_of
from voice.entrypoints.web.pages.rendering import PageGroup
from voice.services.graph.conflicts import Act, ConflictRequest, Resolution

PATH: Final = "/review/conflicts"
PAGE_SIZE: Final = 50
DEEDS: Final[Mapping[str, tuple[Act, str | None]]] = {  # (what is done, on which side) by the button
    "both": ("both", None),
    "right-1": ("correct", "1"),
    "right-2": ("correct", "2"),
    "ended-1": ("end", "1"),
    "ended-2": ("end", "2"),
}


class ConflictPages(PageGroup):
    """The pages of what cannot both hold."""

    @property
    def routes(self) -> list[BaseRoute]:
        """Where they are."""
        return [
            self.route("GET", PATH, self.listed, ("private", "looked")),
            self.route("POST", PATH, self.look),
            self.route("POST", f"{PATH}/{{conflict_id}}", self.settle),
        ]

    async def listed(self, request: Request) -> Response:
        """Show what waits."""
        return await self._page(request, request.query_params)

    async def look(self, request: Request) -> Response:
        """Look for conflicts, let them wait for review, and lead to the list."""
        form, services = await fields_of(request), self.memory.services
        since_text = form.get("since", "").strip()
        since = parse_moment(since_text, "since", self.memory.settings, services.clock.now()) if since_text else None
        about = form.get("about", "").strip() or None
        conflict_request = ConflictRequest(about=about, since=since, include_private=is_set(form, "private"))
        found = await services.conflicts(conflict_request)
        await services.conflicts.put_up(found.conflicts)  # they wait until somebody decides
        return RedirectResponse(_url(form, looked=found.total), HTTPStatus.SEE_OTHER)  # no word of what was looked for

    async def settle(self, request: Request) -> Response:
        """Show what one decision on one pair would change, and carry it out once that is confirmed; where that cannot
        be, say why above the list."""
        form, settling = await fields_of(request), self.memory.services.settling
        deed = one_of(form, "deed", tuple(DEEDS), "both")
        act, side = DEEDS[deed]
        resolution = Resolution(
            conflict_id=str(request.path_params["conflict_id"]),
            act=act,
            side=side,
            include_private=is_set(form, "private"),
        )
        try:
            foreseen = await settling(resolution, dry_run=True)
            done = foreseen.corrected
            changed = (*done.superseded, *done.moved, f"{done.pins} {foreseen.along}") if done else ()
            digest = digest_of([deed, *foreseen.conflict.row_ids, *changed])
            if form.get("sure_of") != digest:  # nothing is done that was not shown
                return self.templates.page(
                    request,
                    "conflict_settle.html",
                    deed=deed,
                    foreseen=foreseen,
                    digest=digest,
                    is_other="sure_of" in form,
                    private=is_set(form, "private"),
                    back=_url(form),
                )
            await settling(resolution)
        except VoiceError as error:
            return await self._page(request, form, error)  # the list, with the reason above it
        return RedirectResponse(_url(form), HTTPStatus.SEE_OTHER)

    async def _page(self, request: Request, params: Mapping[str, str], error: VoiceError | None = None) -> Response:
        services, private = self.memory.services, is_set(params, "private")
        found = await services.conflicts.waiting(include_private=private, limit=PAGE_SIZE)
        places = await places_of(found.conflicts, services.source_locations)
        return self.templates.form_page(
            request,
            "conflicts.html",
            error,
            conflicts=[(each, conflict_reason(each), (each.one, each.other)) for each in found.conflicts],
            places=places,
            place_of=place_of,
            total=found.total,
            private=private,
            looked="looked" in params,  # also 0: nothing was found
        )


def _url(params: Mapping[str, str], *, looked: int | None = None) -> str:
    query = {"private": "1" if is_set(params, "private") else "", "looked": "" if looked is None else str(looked)}
    return address_of(PATH, query)
