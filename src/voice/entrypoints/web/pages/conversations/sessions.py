"""Pages of sessions: the list, each with its turns, audit and export, and the forms that change it.

Law: private turns are counted and not shown unless that is asked for, in an export, too, nor is the topic of a
conversation that began with one (promise 6). Each change is one call of a service and leads back to where it shows.
What cannot be undone is shown first; what is then deleted is what was shown, and nothing that came since.
Source: DESIGN 8 Web; rulings D21, H; docs/sessions.md.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from voice.core.errors import InvalidParams, UnknownId
from voice.core.messages.showing import AUDITS
from voice.core.render.audit import summary_line
from voice.core.render.conversation import transcript_markdown
from voice.core.retrieval.searchable_text import parse_literal
from voice.core.session.lifecycle import PRIVATE_TOPIC, topic_of
from voice.core.session.values import InnerVoiceSession
from voice.core.text.display import printable_block, truncate
from voice.entrypoints.web.pages.addresses import (
    TURNS_PER_PAGE,
    Kept,
    Search,
    address_of,
    chat_url,
    fields_of,
    is_set,
    one_of,
    page_of,
    search_of,
    session_url,
)
from voice.entrypoints.web.pages.rendering import PRIVATE, PageGroup
from voice.entrypoints.web.pages.source_list import SourceQuery, TurnEntry, turn_entry_of
from voice.entrypoints.web.pages.turn_view import (
    STATES,
    State,
    cost_in_words,
    locations_of,
    session_facts,
    session_filter,
    totals_in_words,
    turn_views,
)
from voice.ports.stores import SessionListItem
from voice.services.sessions.lifecycle import Deletion, SessionLife
from voice.services.sessions.lookup import shown_summary
from voice.services.sessions.report import sum_of

PER_PAGE = 20  # sessions
_OPENING_CHARS: Final = 160  # of a first question
_MOST_SAID = 5
"""Turns that say what is looked for and are shown below the sessions; a page of the sources has all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _ListQuery:
    """Which list of sessions an address is of."""

    state: State
    search: str
    private: bool

    @property
    def params(self) -> dict[str, str]:
        """What stands in its address."""
        state = "" if self.state == "all" else self.state
        params = {"state": state, "search": self.search, "private": "1" if self.private else ""}
        return {name: value for name, value in params.items() if value}

    @property
    def url(self) -> str:
        """Its address."""
        return address_of("/sessions", self.params)


@dataclass(frozen=True, slots=True)
class SessionPages(PageGroup):
    """The pages that show conversations."""

    searches: Kept[Search] = field(default_factory=Kept[Search])

    @property
    def routes(self) -> list[Route]:
        """Where they are."""
        return [
            self.route("GET", "/sessions", self.listed, ("state", "search", "private", "page")),
            self.route("GET", "/sessions/{session}", self.show, ("private", "page")),
            self.route("GET", "/sessions/{session}/audit", self.audit, PRIVATE),
            self.route("GET", "/sessions/{session}/conversation.{form}", self.export, PRIVATE),
            self.route("POST", "/sessions", self.search, ("state", "private")),
        ]

    async def listed(self, request: Request) -> Response:
        """Show conversations, the most recent first; those that are looked for, and the turns that say it."""
        query = request.query_params
        search_id, number = query.get("search", ""), page_of(query)
        search = self.searches.found(search_id)
        state: State = one_of(query, "state", STATES, "all")
        include_private = is_set(query, "private")
        about = search.words if search else ""
        figures = await self.memory.services.session_figures()
        items = await self.memory.services.life.listed(
            limit=PER_PAGE + 1,  # one more tells whether there is a next page
            skip=(number - 1) * PER_PAGE,
            wanted=session_filter(state, about),
            include_private=include_private,
        )
        list_query = _ListQuery(state=state, search=search_id if search else "", private=include_private)
        return self.templates.page(
            request,
            "sessions.html",
            entries=[(each, session_facts(each, figures.get(each.id))) for each in items[:PER_PAGE]],
            openings=await self._openings(items[:PER_PAGE], include_private=include_private),
            number=number,
            has_more=len(items) > PER_PAGE,
            include_private=include_private,
            private_topic=PRIVATE_TOPIC,
            about=about,
            asked=list_query.params,
            state=state,
            states=[(key, name, replace(list_query, state=key).url) for key, name in STATES.items()],
            with_private=replace(list_query, private=True).url,
            said=await self._matching_turns(about, include_private=include_private) if number == 1 else (),
            all_said=SourceQuery(kind="turns", how="words", private=include_private, search_id=list_query.search).url,
            count=len(figures),
            total=sum_of(figures.values()),
            came_to=totals_in_words(sum_of(figures.values())),
            is_lost=bool(search_id) and not search,  # the id of a search that this process never made, or let go
        )

    async def _openings(self, items: Sequence[SessionListItem], *, include_private: bool) -> Mapping[str, str]:
        """Return the first questions of their own, by session, of those listed whose topic others have, as forks do."""
        times = Counter(each.thread_topic for each in items)
        openings: dict[str, str] = {}
        for each in (one for one in items if times[one.thread_topic] > 1 or one.is_fork):
            for turn in await self.memory.services.sessions.exchanges(
                session_id=each.id, after_index=each.own_from - 1, limit=1
            ):
                is_topic = not each.is_fork and topic_of(turn.my_query, include_private=False) == each.thread_topic
                if turn.my_query and not is_topic and (include_private or not turn.is_withheld):
                    openings[each.id] = truncate(turn.my_query, _OPENING_CHARS)
        return openings

    async def search(self, request: Request) -> Response:
        """Keep what is looked for, and lead to the conversations about it."""
        search = search_of((await fields_of(request)).get("about", ""))
        query = request.query_params
        search_id = "" if search.is_empty else self.searches.keep(search)
        state: State = one_of(query, "state", STATES, "all")
        list_query = _ListQuery(state=state, search=search_id, private=is_set(query, "private"))
        return RedirectResponse(list_query.url, 303)

    async def _matching_turns(self, about: str, *, include_private: bool) -> tuple[TurnEntry, ...]:
        """Return the latest turns that say what is looked for; none where that is no word."""
        try:
            words = parse_literal(about)  # words that are a form of query may be wrong
        except InvalidParams:
            return ()
        found = await self.memory.services.literal.turns(words, include_private=include_private, limit=_MOST_SAID)
        return tuple(turn_entry_of(each, words) for each in found.turns)

    async def show(self, request: Request) -> Response:
        """Show a conversation, a part of its turns at a time."""
        include_private = is_set(request.query_params, "private")
        session = await self._named(request, include_private=include_private)
        number = page_of(request.query_params)
        turns = await self.memory.services.sessions.exchanges(
            session_id=session.id, after_index=(number - 1) * TURNS_PER_PAGE - 1, limit=TURNS_PER_PAGE
        )
        locations = await locations_of(turns, self.memory.services.source_locations, include_private=include_private)
        replaced = await self.memory.services.audit.today.replacements(turns, include_private=include_private)
        store = self.memory.services.sessions
        summary = session.rolling_summary if include_private else await shown_summary(store, session)
        return self.templates.page(
            request,
            "session.html",
            session=session,
            turns=turn_views(turns, include_private=include_private, locations=locations, replaced=replaced),
            number=number,
            has_more=session.total_exchanges > number * TURNS_PER_PAGE,
            include_private=include_private,
            private_topic=PRIVATE_TOPIC,
            summary=summary,
            cost=cost_in_words(session.total_cost),
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
            in_words=AUDITS,
            include_private=include_private,
        )

    async def export(self, request: Request) -> Response:
        """Hand out a conversation as a file; another form than `md` and `json` is an UnknownId."""
        form = str(request.path_params["form"])
        if form not in ("md", "json"):
            raise UnknownId("a session downloads as Markdown (`.md`) or JSON (`.json`)")
        services = self.memory.services
        include_private = is_set(request.query_params, "private")
        transcript = await services.transcripts.export(
            str(request.path_params["session"]), include_private=include_private
        )
        if form == "json":
            text, media_type = json.dumps(transcript.document.members(), indent=2) + "\n", "application/json"
        else:
            markdown = transcript_markdown(
                transcript.session,
                transcript.exchanges,
                timezone=services.timezone,
                include_private=include_private,
                replaced=await services.audit.today.replacements(transcript.exchanges, include_private=include_private),
            )
            text, media_type = printable_block(markdown), "text/markdown; charset=utf-8"  # files are opened anywhere
        name = transcript.session.id.partition(":")[2]  # "s:" is not for file names
        return Response(
            text, media_type=media_type, headers={"content-disposition": f'attachment; filename="{name}.{form}"'}
        )

    async def _named(self, request: Request, *, include_private: bool) -> InnerVoiceSession:
        return await self.memory.services.life.named(_name(request), include_private=include_private)


_TOPIC_STATUSES: Final = ("open", "resolved", "abandoned")
_SHOWN = "shown:"  # before the id in the name of a field, which holds the state that was shown


class SessionChanges(PageGroup):
    """The forms of a conversation."""

    @property
    def routes(self) -> list[Route]:
        """Where they are sent."""
        one = "/sessions/{session}"
        return [
            self.route("GET", f"{one}/delete", self.ask_to_delete, ("forks",)),
            self.route("POST", f"{one}/rename", self.rename, PRIVATE),
            self.route("POST", f"{one}/close", self.close, PRIVATE),
            self.route("POST", f"{one}/reopen", self.reopen, PRIVATE),
            self.route("POST", f"{one}/topic", self.set_topic, PRIVATE),
            self.route("POST", f"{one}/fork", self.fork, PRIVATE),
            self.route("POST", f"{one}/delete", self.delete, ("forks",)),  # only a deletion takes forks along
        ]

    @property
    def _life(self) -> SessionLife:
        return self.memory.services.life

    async def rename(self, request: Request) -> Response:
        """Give it another topic."""
        topic = (await fields_of(request)).get("topic", "")
        return _to_session(request, (await self._life.change(_name(request), topic=topic)).id)

    async def close(self, request: Request) -> Response:
        """Close it."""
        return _to_session(request, (await self._life.change(_name(request), status="closed")).id)

    async def reopen(self, request: Request) -> Response:
        """Open it again, and go on."""
        return _redirect(chat_url((await self._life.change(_name(request), status="open")).id))

    async def set_topic(self, request: Request) -> Response:
        """Say what became of its topic; what a topic cannot be is refused (InvalidParams)."""
        status = (await fields_of(request)).get("status", "")
        if status not in _TOPIC_STATUSES:
            raise InvalidParams(f"the outcome must be one of {', '.join(_TOPIC_STATUSES)}")
        return _to_session(request, (await self._life.change(_name(request), topic_status=status)).id)

    async def fork(self, request: Request) -> Response:
        """Go on from a turn of it in a new one."""
        fields = await fields_of(request)
        forked = await self._life.fork(
            _name(request), at=fields.get("at") or None, topic=fields.get("topic", "").strip() or None
        )
        return _redirect(chat_url(forked.id))

    async def ask_to_delete(self, request: Request) -> Response:
        """Show what a deletion would take away."""
        with_forks = is_set(request.query_params, "forks")
        preview = await self._life.delete(_name(request), with_forks=with_forks, dry_run=True)
        return self.templates.page(request, "delete.html", going=preview, shown=_SHOWN, with_forks=with_forks)

    async def delete(self, request: Request) -> Response:
        """Delete what was shown; nothing where something came to it since (SessionConflict)."""
        # By what was shown: a turn that came since is a conflict.
        await self._life.delete_as_shown(Deletion(sessions=(), turns=0, revisions=_revisions(await fields_of(request))))
        return _redirect("/sessions")


def _revisions(fields: Mapping[str, str]) -> Mapping[str, int]:
    """Return which state of each conversation was shown, as the form holds it; none, or no state, is refused."""
    shown = {name.removeprefix(_SHOWN): revision for name, revision in fields.items() if name.startswith(_SHOWN)}
    if not shown or not all(
        revision.isascii() and revision.isdecimal() and len(revision) < 19 for revision in shown.values()
    ):
        raise InvalidParams("the form does not say what to delete; open it again from the session")
    return {session_id: int(revision) for session_id, revision in shown.items()}


def _name(request: Request) -> str:
    return str(request.path_params["session"])


def _to_session(request: Request, session_id: str) -> Response:
    """Lead back to the session, with private turns shown where they were."""
    return _redirect(session_url(session_id, private=is_set(request.query_params, "private")))


def _redirect(url: str) -> Response:
    return RedirectResponse(url, 303)
