"""The page of the pins.

Law: as `voice.services.recall.pins`: a pin has a reason, and an end where one was said; private ones are counted, and
shown where that is asked for.

Source: DESIGN 8 Web; rulings A18, G, H; docs/recall.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from voice.core.errors import VoiceError
from voice.core.recall.pins import PinRequest, parse_lifetime
from voice.core.recall.values import Pin
from voice.core.records import Scope
from voice.entrypoints.library import Voice
from voice.entrypoints.web.pages.links import is_own_path, session_url, source_url
from voice.entrypoints.web.pages.rendering import Templates, with_problems
from voice.entrypoints.web.pages.request_fields import fields_of, is_set
from voice.entrypoints.web.problems import problem_of

_OF_SESSION = "m:s:"
_SUMMARY = "m:"


@dataclass(frozen=True, slots=True)
class PinPages:
    """The page of pins and its forms."""

    memory: Voice
    templates: Templates

    @property
    def routes(self) -> list[Route]:
        """Where they are."""
        return [
            Route(
                "/pins",
                with_problems(self.templates, self.listed, ("target", "private", "expired")),
                methods=["GET"],
                name="pins",
            ),
            Route("/pins", with_problems(self.templates, self.add), methods=["POST"], name="pin"),
            Route("/pins/remove", with_problems(self.templates, self.remove), methods=["POST"], name="unpin"),
        ]

    async def listed(self, request: Request) -> Response:
        """Show the pins."""
        return await self._page(request, {"target": request.query_params.get("target", "")})

    async def add(self, request: Request) -> Response:
        """Pin something and lead back; where that cannot be, give back what was typed."""
        fields = await fields_of(request)
        try:
            await self.memory.services.pins.pin(_request_of(fields))
        except VoiceError as error:
            return await self._page(request, fields, error)
        return RedirectResponse(_back(fields), 303)

    async def remove(self, request: Request) -> Response:
        """Take a pin away; one that is gone already stays so."""
        fields = await fields_of(request)
        await self.memory.services.pins.unpin(fields.get("pin", ""))
        return RedirectResponse(_back(fields), 303)

    async def _page(self, request: Request, fields: Mapping[str, str], error: VoiceError | None = None) -> Response:
        failed = problem_of(error) if error else None
        query = request.query_params
        include_private, include_expired = is_set(query, "private"), is_set(query, "expired")
        listed = await self.memory.services.pins.listed(
            scope=Scope.ALL, include_expired=include_expired, include_private=include_private
        )
        return self.templates.page(
            request,
            "pins.html",
            failed.status if failed else 200,
            pins=[(view, _url(view.pin)) for view in listed.pins],
            hidden=listed.hidden,
            include_private=include_private,
            include_expired=include_expired,
            fields={name: fields.get(name, "") for name in ("target", "reason", "lifetime", "private")},
            failed=failed,
        )


def _request_of(fields: Mapping[str, str]) -> PinRequest:
    lifetime = fields.get("lifetime", "").strip()
    return PinRequest(
        target_id=fields.get("target", "").strip(),
        reason=fields.get("reason", ""),
        lifetime=parse_lifetime(lifetime) if lifetime else None,
        allow_private=is_set(fields, "private"),
    )


def _back(fields: Mapping[str, str]) -> str:
    back = fields.get("back", "")
    return back if is_own_path(back) else "/pins"


def _url(pin: Pin) -> str | None:
    """Return where the target of a pin is shown; None where it has no page."""
    if pin.target_id.startswith(_OF_SESSION):
        return session_url(pin.target_id.removeprefix(_SUMMARY))
    return None if pin.target_id.startswith(_SUMMARY) else source_url(pin.target_id)
