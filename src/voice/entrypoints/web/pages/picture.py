"""The pages of the graph picture: choose an entity, and see its neighbourhood, drawn and in words.

Law: an address names an entity by its id, never by its name; what was typed to choose one is in no address. At most so
many entities are drawn, the most connected ones, and how many are left out is told. The list says what the picture
says; whatever a name holds is escaped where the picture is made.
Source: DESIGN 8 Web; docs/graph.md; promises 6, 9; rulings C2, C10.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Final

from anyio import to_thread
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from voice.core.errors import InvalidParams, UnknownId
from voice.core.graph.subgraph import Subgraph, mentioned_together, most_connected
from voice.core.records import Entity, EntityName
from voice.core.render.picture.drawing import KINDS, Drawing, draw, has_ended
from voice.core.render.picture.page import drawing_svg, shape_svg
from voice.core.text.display import counted, printable
from voice.entrypoints.web.pages.addresses import address_of, fields_of, graph_url, is_set, one_of, source_url
from voice.entrypoints.web.pages.rendering import PRIVATE, Handler, PageGroup, with_problems
from voice.entrypoints.web.responses import problem_of
from voice.services.graph.editor import resolve_entity


class PicturePages(PageGroup):
    """The pages of the picture of one memory's graph."""

    @property
    def routes(self) -> list[BaseRoute]:
        """The routes of both pages."""
        handlers: tuple[tuple[str, Handler, str, tuple[str, ...]], ...] = (
            (PATH, self.choose, "GET", PRIVATE),
            (PATH, self.chosen, "POST", ()),
            (f"{PATH}/{{entity_id:path}}", self.picture, "GET", ("depth", "most", "private")),  # an id may hold a slash
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
            entity = resolve_entity(name, (await self._nodes(private=private)))
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
        # Where many boxes stand is reckoned for a while: other requests are answered meanwhile.
        view = await to_thread.run_sync(lambda: view_of(found.part, found.focus, query, now=now))
        return self.templates.page(request, "picture.html", picture=view, query=query, entity_id=found.focus.id)

    async def _choose(
        self, request: Request, *, private: bool, name: str = "", error: InvalidParams | UnknownId | None = None
    ) -> Response:
        nodes = await self._nodes(private=private)
        return self.templates.page(
            request,
            "picture_choice.html",
            HTTPStatus.OK if error is None else problem_of(error).status,
            names=names_of(nodes),
            more=max(0, len(nodes) - MOST_NAMED),
            private=private,
            typed=name,
            fault="" if error is None else error.message,
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
_STATEMENTS: Final = 6  # newest statements of an entity
_MENTIONED: Final = 8  # names beside an entity's entry


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


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityRelation:
    """A relation, as it stands in an entity's entry."""

    source: str
    type: str
    target: str
    other: str | None
    """The address of the picture around the other end."""
    has_ended: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """An entity in the list."""

    id: str
    name: str
    type: str
    shape: Markup
    kind: str
    url: str
    around: str
    description: str
    ties: tuple[EntityRelation, ...]
    said: tuple[tuple[str, str, datetime], ...]
    """(text, address, day) of the newest statements about it."""
    more_said: int
    together: tuple[tuple[str, int], ...]
    """(name, count) of entities that the same notes name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureView:
    """What the page shows."""

    name: str
    url: str
    svg: Markup
    nodes: tuple[Node, ...]
    counts: str
    left_out: int
    """Entities within reach that are not drawn."""
    hidden_names: int
    private: int
    legend: tuple[tuple[Markup, str], ...]
    """Sign and word of each type that is drawn."""
    has_ended: bool
    has_threads: bool


def view_of(part: Subgraph, focus: Entity, query: PictureQuery, *, now: datetime) -> PictureView:
    """Return the picture of a neighbourhood and its list; what has ended before `now` is drawn so."""
    shown = most_connected(part, focus.id, query.most)
    drawing = draw(shown, focus.id, now=now)
    counts = _counts(shown)
    name = printable(focus.name) or focus.id  # a name of invisible signs shows nothing
    links = [query.url(card.entity.id) for card in drawing.cards]
    title = f"Graph around {name}; the list below says the same"
    return PictureView(
        name=focus.name,
        url=source_url(focus.id),
        svg=Markup(drawing_svg(drawing, title, links=links, about=counts)),  # noqa: S704 - `drawing_svg` escapes
        nodes=tuple(_nodes(shown, drawing, query, now)),
        counts=counts,
        left_out=len(part.entities) - len(shown.entities),
        hidden_names=drawing.hidden_names,
        private=0 if query.private else part.private_left_out,  # none is hidden where all are shown
        legend=tuple(_legend(drawing)),
        has_ended=any(line.has_ended for line in drawing.lines),
        has_threads=any(not line.words for line in drawing.lines),
    )


def names_of(nodes: tuple[EntityName, ...]) -> tuple[tuple[str, str, str], ...]:
    """Return (name, type, address of the picture) of entities, by name, at most `MOST_NAMED`."""
    ordered = sorted(nodes, key=lambda node: (node.name.casefold(), node.id))
    return tuple((node.name, node.entity_type, graph_url(node.id)) for node in ordered[:MOST_NAMED])


def _counts(shown: Subgraph) -> str:
    entities = counted(len(shown.entities), "entity", "entities")
    relations, notes = counted(len(shown.relations), "relation"), counted(len(shown.observations), "note")
    return f"{entities}, {relations}, {notes}"


def _nodes(shown: Subgraph, drawing: Drawing, query: PictureQuery, now: datetime) -> Iterator[Node]:
    names = {each.id: each.name for each in shown.entities}
    pairs = mentioned_together(shown.observations)
    for card in drawing.cards:
        entity = card.entity
        statements = [row for row in shown.observations if entity.id in row.entity_ids]
        counts = {
            (left if right == entity.id else right): n
            for (left, right), n in pairs.items()
            if entity.id in (left, right)
        }
        ordered = sorted(counts, key=lambda each: (-counts[each], names[each].casefold(), each))
        yield Node(
            id=entity.id,
            name=entity.name,
            type=entity.entity_type,
            shape=Markup(shape_svg(card.kind)),  # noqa: S704 - one of our own signs
            kind=card.kind,
            url=source_url(entity.id),
            around=query.url(entity.id),
            description=entity.description,
            ties=tuple(_relations_of(entity, shown, names, query, now)),
            said=tuple((row.text, source_url(row.id), row.created_at) for row in statements[:_STATEMENTS]),
            more_said=max(0, len(statements) - _STATEMENTS),
            together=tuple((names[each], counts[each]) for each in ordered[:_MENTIONED]),
        )


def _relations_of(
    entity: Entity, shown: Subgraph, names: Mapping[str, str], query: PictureQuery, now: datetime
) -> Iterator[EntityRelation]:
    """Yield each relation of an entity once, however often it was stated; it has ended once all of them have."""
    ended: dict[tuple[str, str, str], bool] = {}
    for row in shown.relations:
        if entity.id in (row.source_id, row.target_id):
            triple = (row.source_id, row.rel_type, row.target_id)
            ended[triple] = ended.get(triple, True) and has_ended(row, now)  # ended only where each of the rows has
    for (source, rel_type, target), is_over in ended.items():
        other = target if source == entity.id else source
        yield EntityRelation(
            source=names[source],
            type=rel_type.replace("_", " "),
            target=names[target],
            other=None if other == entity.id else query.url(other),  # a loop leads back here
            has_ended=is_over,
        )


def _legend(drawing: Drawing) -> Iterator[tuple[Markup, str]]:
    kinds = {card.kind for card in drawing.cards}
    for kind in (*KINDS, "other"):
        if kind in kinds:
            yield Markup(shape_svg(kind)), kind  # noqa: S704 - one of our own signs
