"""The palette, and the keys in words.

Law: what the palette offers is made here, of one table and of the sessions as they are listed; a topic that is withheld
is not told (promise 6). The same stands on a page of its own, for which no script is needed. Nothing is changed here.

Source: DESIGN 8 Web.
"""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from voice.core.session.lifecycle import PRIVATE_TOPIC
from voice.entrypoints.library import Voice
from voice.entrypoints.web.pages.acts import Act, acts_of, keys_by_place
from voice.entrypoints.web.pages.links import chat_url
from voice.entrypoints.web.pages.problems import with_problems
from voice.entrypoints.web.pages.rendering import Templates

_SESSIONS = 200
"""Sessions that the palette knows, the most recent ones; the page of the sessions finds all."""


@dataclass(frozen=True, slots=True)
class Keys:
    """The page of the keys, and the palette as a piece of a page."""

    memory: Voice
    templates: Templates

    @property
    def routes(self) -> list[Route]:
        """Where they are."""
        return [
            Route("/keys", with_problems(self.templates, self.page), methods=["GET"]),
            Route("/keys/palette", with_problems(self.templates, self.palette), methods=["GET"]),
        ]

    async def page(self, request: Request) -> Response:
        """Show where one can go, and the keys."""
        return self.templates.page(request, "keys.html", acts=_acts(request), keys=keys_by_place())

    async def palette(self, request: Request) -> Response:
        """Return the palette, to be put into a page."""
        listed = await self.memory.services.life.listed(limit=_SESSIONS)
        sessions = [
            Act(each.thread_topic, chat_url(each.id), "Session") for each in listed if _is_told(each.thread_topic)
        ]
        part = self.templates.part("palette.html", acts=(*_acts(request), *sessions), keys=keys_by_place())
        return Response(part, media_type="text/html")


def _acts(request: Request) -> tuple[Act, ...]:
    return acts_of({str(getattr(route, "path", "")) for route in request.app.routes})


def _is_told(topic: str) -> bool:
    return topic != PRIVATE_TOPIC
