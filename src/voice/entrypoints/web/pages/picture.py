"""The pages of the graph picture: choose an entity, and see its neighbourhood, drawn and in words.

Law: an address names an entity by its id, never by its name; what was typed to choose one is in no address. At most so
many entities are drawn, the most connected ones, and how many are left out is told. The list says what the picture
says; whatever a name holds is escaped where the picture is made.
Source: DESIGN 8 Web; docs/graph.md; promises 6, 9; rulings C2, C10.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Final

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute

from voice.core.errors import InvalidParams, UnknownId, VoiceError
from voice.core.graph.subgraph import Subgraph, most_connected
from voice.core.records import Entity, EntityName
from voice.core.render.picture.drawing import draw, has_ended
from voice.core.text.display import counted, printable
from voice.entrypoints.shared.graph_picture import CardEntry, drawing_svg, entries_of, sign_svg
from voice.entrypoints.web.pages.addresses import address_of, fields_of, graph_url, is_set, one_of
from voice.entrypoints.web.pages.rendering import PRIVATE, PageGroup
from voice.services.graph.editor import resolve_entity


class PicturePages(PageGroup):
    """The pages of the picture of one memory's graph."""

    @property
    def routes(self) -> list[BaseRoute]:
        """The routes of both pages."""
        one = f"{PATH}/{{entity_id:path}}"  # an id may hold a slash
        return [
            self.route("GET", PATH, self.choose, PRIVATE),
            self.route("POST", PATH, self.chosen),
            self.route("GET", one, self.picture, ("depth", "most", "private")),
        ]

    async def choose(self, request: Request) -> Response:
        """Show which entities there are."""
        return await self._choose(request, private=is_set(request.query_params, "private"))

    async def chosen(self, request: Request) -> Response:
        """Lead to the picture around the entity that was named."""
        form = await fields_of(request)
        private, name = is_set(form, "private"), form.get("name", "").strip()
        try:
            entity = resolve_entity(name, await self._nodes(private=private))
        except (InvalidParams, UnknownId) as error:
            return await self._choose(request, private=private, name=name, error=error)
        return RedirectResponse(PictureQuery(private=private).url(entity.id), HTTPStatus.SEE_OTHER)

    async def picture(self, request: Request) -> Response:
        """Show what lies around an entity."""
        query, services = PictureQuery.of(request.query_params), self.memory.services
        entity_id = str(request.path_params["entity_id"])
        found = await services.portraits.around(entity_id, hops=query.depth, include_private=query.private)
        now = services.clock.now()
        # Where many boxes stand is reckoned for a while: other requests are answered meanwhile.
        shown = await to_thread.run_sync(lambda: shown_of(found.part, found.focus, query, now=now))
        return self.templates.page(request, "picture.html", query=query, focus=found.focus, sign=sign_svg, **shown)

    async def _choose(
        self, request: Request, *, private: bool, name: str = "", error: VoiceError | None = None
    ) -> Response:
        nodes = await self._nodes(private=private)
        return self.templates.form_page(
            request,
            "picture_choice.html",
            error,
            names=names_of(nodes),
            more=max(0, len(nodes) - MOST_NAMED),
            private=private,
            typed=name,
        )

    async def _nodes(self, *, private: bool) -> tuple[EntityName, ...]:
        known = await self.memory.services.browse.names.known()
        return known.nodes if private else known.public.nodes


PATH: Final = "/graph"
MOST: Final = 24
"""Entities that are drawn unless more are asked for."""
MORE: Final = 60  # once it is asked for
DEPTHS: Final = (1, 2)
MOST_NAMED: Final = 300
"""Entities that the page to choose from lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureQuery:
    """How much of the surroundings somebody wants to see."""

    depth: int = 1
    most: int = MOST
    private: bool = False

    @classmethod
    def of(cls, params: Mapping[str, str]) -> "PictureQuery":
        """Return what the parameters of an address say; what is not valid is refused (InvalidParams)."""
        return cls(
            depth=int(one_of(params, "depth", map(str, DEPTHS), "1")),
            most=int(one_of(params, "most", map(str, (MOST, MORE)), str(MOST))),
            private=is_set(params, "private"),
        )

    def url(self, entity_id: str, **other: object) -> str:
        """Return the address of the picture around an entity, seen like this but for what is said otherwise."""
        params = {"depth": self.depth, "most": self.most, "private": "1" if self.private else "", **other}
        defaults = {"depth": 1, "most": MOST, "private": ""}  # an address says what is not as by default
        return address_of(
            graph_url(entity_id), {name: value for name, value in params.items() if value != defaults[name]}
        )


def names_of(nodes: tuple[EntityName, ...]) -> tuple[tuple[str, str, str], ...]:
    """Return (name, type, address of the picture) of entities, by name, at most `MOST_NAMED`."""
    ordered = sorted(nodes, key=lambda node: (node.name.casefold(), node.id))
    return tuple((node.name, node.entity_type, graph_url(node.id)) for node in ordered[:MOST_NAMED])


def shown_of(part: Subgraph, focus: Entity, query: PictureQuery, *, now: datetime) -> Mapping[str, object]:
    """Return the picture of a neighbourhood and its list; what has ended before `now` is drawn so."""
    shown = most_connected(part, focus.id, query.most)
    drawing = draw(shown, focus.id, now=now)
    entities, relations = counted(len(shown.entities), "entity", "entities"), counted(len(shown.relations), "relation")
    counts = f"{entities}, {relations}, {counted(len(shown.observations), 'note')}"
    title = f"Graph around {printable(focus.name) or focus.id}; the list below says the same"  # a name may show nothing
    urls = [query.url(card.entity.id) for card in drawing.cards]
    return {
        "svg": drawing_svg(drawing, title, urls, about=counts),
        "drawing": drawing,
        "entries": [(entry, _relations_of(entry, now)) for entry in entries_of(shown, drawing)],
        "names": shown.by_id,
        "counts": counts,
        "left_out": len(part.entities) - len(shown.entities),
        "hidden": 0 if query.private else part.private_left_out,  # none is hidden where all are shown
    }


def _relations_of(entry: CardEntry, now: datetime) -> Mapping[tuple[str, str, str], bool]:
    """Return each relation of an entity once, however often it was stated; it has ended once all of them have."""
    ended: dict[tuple[str, str, str], bool] = {}
    for row in entry.relations:
        triple = (row.source_id, row.rel_type, row.target_id)
        ended[triple] = ended.get(triple, True) and has_ended(row, now)
    return ended
