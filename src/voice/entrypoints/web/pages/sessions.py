"""Conversations: the list, and each one with its turns, its audit and its export.

Law: pages read; what changes a conversation is in `session_changes`. Private turns are counted and not shown unless
that is asked for, in an export, too, nor is the topic of a conversation that began with one (promise 6).

Source: DESIGN 8 Web; rulings D21, H; docs/sessions.md.
"""

import json
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from voice.core.errors import InvalidParams, UnknownId
from voice.core.render.answer_markdown import transcript_markdown
from voice.core.render.audit import IN_WORDS, summary_line
from voice.core.retrieval.phrases import parse_literal
from voice.core.session.lifecycle import PRIVATE_TOPIC
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.core.text.escaping import printable_block
from voice.entrypoints.library import Voice
from voice.entrypoints.web.pages.fields import fields_of, is_set, one_of, page_of
from voice.entrypoints.web.pages.links import TURNS_PER_PAGE
from voice.entrypoints.web.pages.paging import part_of
from voice.entrypoints.web.pages.problems import PRIVATE, Handler, with_problems
from voice.entrypoints.web.pages.rendering import Templates
from voice.entrypoints.web.pages.searches import Searches, search_of
from voice.entrypoints.web.pages.sessions_view import STATES, State, came_to, cost_in_words, entry_of, wanted
from voice.entrypoints.web.pages.sources_view import Asked, TurnEntry, turn_entry_of
from voice.entrypoints.web.pages.turns import locations_of, turn_views
from voice.ports.stores import SessionListItem
from voice.services.sessions.lifecycle import Wanted
from voice.services.sessions.private_topics import shown_summary
from voice.services.sessions.report import sum_of

PER_PAGE = 20
_MOST_SAID = 5
"""Turns that say what is looked for and are shown below the sessions; a page of the sources has all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Which list of sessions an address is of."""

    state: State
    search: str
    private: bool

    @property
    def asked(self) -> dict[str, str]:
        """What stands in its address."""
        state = "" if self.state == "all" else self.state
        said = {"state": state, "search": self.search, "private": "1" if self.private else ""}
        return {name: value for name, value in said.items() if value}

    @property
    def url(self) -> str:
        """Its address."""
        return f"/sessions?{urlencode(self.asked)}" if self.asked else "/sessions"


@dataclass(frozen=True, slots=True)
class SessionPages:
    """The pages that show conversations."""

    memory: Voice
    templates: Templates
    searches: Searches = field(default_factory=Searches)

    @property
    def routes(self) -> list[Route]:
        """Where they are."""
        pages: tuple[tuple[str, Handler, tuple[str, ...]], ...] = (
            ("/sessions", self.listed, ("state", "search", "private", "page")),
            ("/sessions/{session}", self.show, ("private", "page")),
            ("/sessions/{session}/audit", self.audit, PRIVATE),
            ("/sessions/{session}/conversation.{form}", self.export, PRIVATE),
        )
        shown = [
            Route(path, with_problems(self.templates, each, takes), methods=["GET"]) for path, each, takes in pages
        ]
        search = with_problems(self.templates, self.search, ("state", "private"))
        return [*shown, Route("/sessions", search, methods=["POST"])]

    async def listed(self, request: Request) -> Response:
        """Show conversations, the most recent first; those that are looked for, and the turns that say it."""
        query = request.query_params
        search_id, number = query.get("search", ""), page_of(query)
        search = self.searches.found(search_id)
        state: State = one_of(query, "state", STATES, "all")
        include_private = is_set(query, "private")
        about = search.words if search else ""
        figures = await self.memory.services.session_figures()
        items = await self._items(wanted(state, about), number, include_private=include_private)
        entries = [entry_of(each, sum_of(filter(None, (figures.get(each.id),)))) for each in items]
        place = _Place(state=state, search=search_id if search else "", private=include_private)
        return self.templates.page(
            request,
            "sessions.html",
            part=part_of(entries, number, PER_PAGE),
            include_private=include_private,
            private_topic=PRIVATE_TOPIC,
            about=about,
            asked=place.asked,
            state=state,
            states=[(key, name, replace(place, state=key).url) for key, name in STATES.items()],
            with_private=replace(place, private=True).url,
            said=await self._said(about, include_private=include_private) if number == 1 else (),
            all_said=replace(Asked(kind="turns", private=include_private), search_id=place.search).url,
            count=len(figures),
            total=sum_of(figures.values()),
            came_to=came_to(sum_of(figures.values())),
            is_lost=bool(search_id) and not search,
        )

    async def search(self, request: Request) -> Response:
        """Keep what is looked for, and lead to the conversations about it."""
        search = search_of((await fields_of(request)).get("about", ""))
        query = request.query_params
        kept = "" if search.is_empty else self.searches.keep(search)
        state: State = one_of(query, "state", STATES, "all")
        place = _Place(state=state, search=kept, private=is_set(query, "private"))
        return RedirectResponse(place.url, 303)

    async def _items(self, which: Wanted, number: int, *, include_private: bool) -> list[SessionListItem]:
        return await self.memory.services.life.listed(
            limit=PER_PAGE + 1, skip=(number - 1) * PER_PAGE, wanted=which, include_private=include_private
        )

    async def _said(self, about: str, *, include_private: bool) -> tuple[TurnEntry, ...]:
        """Return the latest turns that say what is looked for; none where that is no word."""
        try:
            words = parse_literal(about)
        except InvalidParams:
            return ()
        found = await self.memory.services.literal.turns(words, include_private=include_private, limit=_MOST_SAID)
        return tuple(turn_entry_of(each, words) for each in found.turns)

    async def show(self, request: Request) -> Response:
        """Show a conversation, a part of its turns at a time."""
        include_private = is_set(request.query_params, "private")
        session = await self._named(request, include_private=include_private)
        number = page_of(request.query_params)
        turns = await self._turns(session, number)
        locations = await locations_of(turns, self.memory.services.source_locations, include_private=include_private)
        store = self.memory.services.sessions
        summary = session.rolling_summary if include_private else await shown_summary(store, session)
        return self.templates.page(
            request,
            "session.html",
            session=session,
            turns=turn_views(turns, include_private=include_private, locations=locations),
            number=number,
            has_more=session.total_exchanges > number * TURNS_PER_PAGE,
            include_private=include_private,
            private_topic=PRIVATE_TOPIC,
            summary=summary,
            cost=cost_in_words(session.total_cost),
        )

    async def _turns(self, session: InnerVoiceSession, number: int) -> list[DialogueExchange]:
        return await self.memory.services.sessions.exchanges(
            session_id=session.id, after_index=(number - 1) * TURNS_PER_PAGE - 1, limit=TURNS_PER_PAGE
        )

    async def audit(self, request: Request) -> Response:
        """Show whether the answers of a conversation still stand on today's memory."""
        include_private = is_set(request.query_params, "private")
        session = await self._named(request, include_private=include_private)
        report = await self.memory.services.audit(session.id)
        return self.templates.page(
            request,
            "audit.html",
            session=session,
            audits=report.exchanges,
            told=summary_line(report.exchanges),
            stands=report.is_grounded,
            in_words=IN_WORDS,
            include_private=include_private,
        )

    async def export(self, request: Request) -> Response:
        """Hand out a conversation as a file.

        Raises:
            UnknownId: it is not to be had in that form.
        """
        form = str(request.path_params["form"])
        if form not in ("md", "json"):
            raise UnknownId("a session is to be had as Markdown (`.md`) and as JSON (`.json`)")
        services = self.memory.services
        include_private = is_set(request.query_params, "private")
        leaving = await services.transcripts.export(
            str(request.path_params["session"]), include_private=include_private
        )
        if form == "json":
            text, media_type = json.dumps(leaving.document.members(), indent=2) + "\n", "application/json"
        else:
            written = transcript_markdown(
                leaving.session, leaving.exchanges, timezone=services.timezone, include_private=include_private
            )
            text, media_type = printable_block(written), "text/markdown; charset=utf-8"
        name = leaving.session.id.partition(":")[2]
        return Response(
            text, media_type=media_type, headers={"content-disposition": f'attachment; filename="{name}.{form}"'}
        )

    async def _named(self, request: Request, *, include_private: bool) -> InnerVoiceSession:
        name = str(request.path_params["session"])
        return await self.memory.services.life.named(name, include_private=include_private)
