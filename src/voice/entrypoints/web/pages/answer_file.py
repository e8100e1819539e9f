"""One answer as Markdown with its sources, to be copied or kept as a file.

Law: the file holds what the page shows, and says where each source stands. Of a private turn nothing is told unless it
is asked for (promise 6). A script copies what the file holds; without one the link is the file.

Source: DESIGN 8 Web; rulings D1, I4.
"""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from voice.core.errors import UnknownId
from voice.core.render.answer_markdown import answer_markdown
from voice.core.text.escaping import printable_block
from voice.entrypoints.library import Voice
from voice.entrypoints.web.pages.fields import is_set
from voice.entrypoints.web.pages.problems import PRIVATE, with_problems
from voice.entrypoints.web.pages.rendering import Templates
from voice.entrypoints.web.pages.turns import locations_of


@dataclass(frozen=True, slots=True)
class AnswerFile:
    """Hands out answers of one memory."""

    memory: Voice
    templates: Templates

    @property
    def routes(self) -> list[Route]:
        """Where they are."""
        return [Route("/turns/{turn}/answer.md", with_problems(self.templates, self.get, PRIVATE), methods=["GET"])]

    async def get(self, request: Request) -> Response:
        """Hand out one answer.

        Raises:
            UnknownId: there is no such turn, or it is private and that was not asked for.
        """
        services = self.memory.services
        include_private = is_set(request.query_params, "private")
        found = await services.sessions.exchanges(exchange_id=str(request.path_params["turn"]))
        if not found or found[0].deleted:
            raise UnknownId("there is no such turn; its session may have been deleted")
        if found[0].is_withheld and not include_private:
            raise UnknownId("that turn is private; open it from its session, with private turns shown")
        locations = await locations_of(found[:1], services.source_locations, include_private=include_private)
        places = {row_id: at.label_beside_date for row_id, at in locations.items()}
        text = answer_markdown(found[0], places, timezone=services.timezone)
        named = {"content-disposition": 'attachment; filename="answer.md"'}
        return Response(printable_block(text), media_type="text/markdown; charset=utf-8", headers=named)
