"""The pages of the graph picture: choose an entity, and see its neighbourhood.

Law: an address names an entity by its id, never by its name; what was typed to choose one is in no address.

Source: DESIGN 8 Web; docs/graph.md; promise 6.
"""

from dataclasses import dataclass
from http import HTTPStatus

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from voice.core.errors import InvalidParams, UnknownId
from voice.core.records import EntityName
from voice.entrypoints.library import Voice
from voice.entrypoints.web.pages import picture_view
from voice.entrypoints.web.pages.picture_view import PictureQuery, names_of, view_of
from voice.entrypoints.web.pages.rendering import PRIVATE, Handler, Templates, with_problems
from voice.entrypoints.web.pages.request_fields import fields_of, is_set
from voice.entrypoints.web.problems import problem_of
from voice.services.graph.editor import resolve_entity


@dataclass(frozen=True, slots=True)
class PicturePages:
    """The pages of the picture of one memory's graph."""

    memory: Voice
    templates: Templates

    @property
    def routes(self) -> list[BaseRoute]:
        """The routes of both pages."""
        handlers: tuple[tuple[str, Handler, str, tuple[str, ...]], ...] = (
            (picture_view.PATH, self.choose, "GET", PRIVATE),
            (picture_view.PATH, self.chosen, "POST", ()),
            (f"{picture_view.PATH}/{{entity_id:path}}", self.picture, "GET", ("depth", "most", "private")),
        )
        return [
            Route(path, with_problems(self.templates, each, takes), methods=[method])
            for path, each, method, takes in handlers
        ]

    async def choose(self, request: Request) -> Response:
        """Show which entities there are."""
        return await self._choose(request, private=is_set(request.query_params, "private"))

    async def chosen(self, request: Request) -> Response:
        """Lead to the picture around the entity that was named."""
        form = await fields_of(request)
        private, name = is_set(form, "private"), form.get("name", "").strip()
        try:
            meant = resolve_entity(name, (await self._nodes(private=private)))
        except (InvalidParams, UnknownId) as error:
            return await self._choose(request, private=private, name=name, error=error)
        return RedirectResponse(PictureQuery(private=private).url(meant.id), HTTPStatus.SEE_OTHER)

    async def picture(self, request: Request) -> Response:
        """Show what lies around an entity."""
        asked, services = PictureQuery.of(request.query_params), self.memory.services
        entity_id = str(request.path_params["entity_id"])
        found = await services.portraits.around(entity_id, hops=asked.depth, include_private=asked.private)
        now = services.clock.now()
        # Where many boxes stand is reckoned for a while: other requests are answered meanwhile.
        view = await to_thread.run_sync(lambda: view_of(found.part, found.focus, asked, now=now))
        return self.templates.page(request, "picture.html", picture=view, asked=asked, entity_id=found.focus.id)

    async def _choose(
        self, request: Request, *, private: bool, name: str = "", error: InvalidParams | UnknownId | None = None
    ) -> Response:
        nodes = await self._nodes(private=private)
        return self.templates.page(
            request,
            "picture_choice.html",
            HTTPStatus.OK if error is None else problem_of(error).status,
            names=names_of(nodes),
            more=max(0, len(nodes) - picture_view.MOST_NAMED),
            private=private,
            typed=name,
            fault="" if error is None else error.message,
        )

    async def _nodes(self, *, private: bool) -> tuple[EntityName, ...]:
        known = await self.memory.services.browse.names.known()
        return known.nodes if private else known.public.nodes
