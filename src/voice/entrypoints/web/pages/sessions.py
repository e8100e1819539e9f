"""Conversations: the list, and each one with its turns, its audit and its export.

Law: pages read; what changes a conversation is in `session_changes`. Private turns are counted and not shown unless
that is asked for, in an export, too, nor is the topic of a conversation that began with one (promise 6).

Source: DESIGN 8 Web; rulings D21, H; docs/sessions.md.
"""

import json
from dataclasses import dataclass, field
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from voice.core.errors import UnknownId
from voice.core.render.audit import IN_WORDS, summary_line
from voice.core.render.transcript import transcript_markdown
from voice.core.session.lifecycle import PRIVATE_TOPIC
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.core.text.inert import printable_block
from voice.entrypoints.library import Voice
from voice.entrypoints.web.pages.fields import fields_of, is_set, page_of
from voice.entrypoints.web.pages.links import TURNS_PER_PAGE
from voice.entrypoints.web.pages.paging import Part, part_of
from voice.entrypoints.web.pages.problems import PRIVATE, Handler, with_problems
from voice.entrypoints.web.pages.rendering import Templates
from voice.entrypoints.web.pages.searches import Searches, search_of
from voice.entrypoints.web.pages.turns import locations_of, turn_views
from voice.ports.stores import SessionListItem
from voice.services.session_life import Wanted
from voice.services.veils import shown_summary

PER_PAGE = 20


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
            ("/sessions", self.listed, ("search", "private", "page")),
            ("/sessions/{session}", self.show, ("private", "page")),
            ("/sessions/{session}/audit", self.audit, PRIVATE),
            ("/sessions/{session}/conversation.{form}", self.export, PRIVATE),
        )
        shown = [
            Route(path, with_problems(self.templates, each, takes), methods=["GET"]) for path, each, takes in pages
        ]
        return [*shown, Route("/sessions", with_problems(self.templates, self.search, PRIVATE), methods=["POST"])]

    async def listed(self, request: Request) -> Response:
        """Show conversations, the most recent first; those about something where that is looked for."""
        search_id = request.query_params.get("search", "")
        search = self.searches.found(search_id)
        about = search.words if search else ""
        include_private = is_set(request.query_params, "private")
        part = await self._part(about, page_of(request.query_params), include_private=include_private)
        is_lost = bool(search_id) and not search
        asked = {"search": search_id if search else "", "private": "1" if include_private else ""}
        where = {"about": about, "asked": {name: value for name, value in asked.items() if value}, "is_lost": is_lost}
        return self.templates.page(
            request, "sessions.html", part=part, include_private=include_private, private_topic=PRIVATE_TOPIC, **where
        )

    async def search(self, request: Request) -> Response:
        """Keep what is looked for, and lead to the conversations about it."""
        search = search_of((await fields_of(request)).get("about", ""), "", "")
        kept = {} if search.is_empty else {"search": self.searches.keep(search)}
        private = {"private": 1} if is_set(request.query_params, "private") else {}
        query = urlencode(kept | private)
        return RedirectResponse(f"/sessions?{query}" if query else "/sessions", 303)

    async def _part(self, about: str, number: int, *, include_private: bool) -> Part[SessionListItem]:
        items = await self.memory.services.life.listed(
            limit=PER_PAGE + 1,
            skip=(number - 1) * PER_PAGE,
            wanted=Wanted(about=about),
            include_private=include_private,
        )
        return part_of(items, number, PER_PAGE)

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
