"""The conversation: where one asks, and reads on.

Law: a question is one call of the asking service, sent once: the form bears a key, so that sending it again, or going
back and forth in the browser, asks nobody twice. What was typed comes back with whatever went wrong. Questions are in
no address.

Source: DESIGN 8 Web; rulings D21, D25.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from voice.core.errors import InvalidParams, VoiceError
from voice.core.grounding.values import Stance
from voice.core.recall.scopes import parse_scope
from voice.core.records import Scope
from voice.core.session.lifecycle import topic_of
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.entrypoints.library import Voice
from voice.entrypoints.web.pages.beside import Beside
from voice.entrypoints.web.pages.fields import fields_of, is_set
from voice.entrypoints.web.pages.links import chat_url
from voice.entrypoints.web.pages.problems import PRIVATE, with_problems
from voice.entrypoints.web.pages.rendering import Templates
from voice.entrypoints.web.pages.turns import locations_of, turn_views
from voice.entrypoints.web.problems import problem_of
from voice.services.runtime.turn import AskRequest

SHOWN = 12
"""Turns of a conversation that stand above the question; the earlier ones are in its transcript."""
_RECENT = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a person filled in, word for word."""

    question: str = ""
    stance: str = Stance.SYNTHESIZE.value
    topic: str = ""
    when: str = ""
    scope: str = ""
    private: bool = False
    shown: bool = False
    """Whether private turns are shown on the page on which it was asked."""
    session: str = ""
    key: str = ""

    @classmethod
    def of(cls, fields: Mapping[str, str]) -> "Asked":
        """Return what a form says."""
        return cls(
            question=fields.get("question", ""),
            stance=fields.get("stance", Stance.SYNTHESIZE.value),
            topic=fields.get("topic", ""),
            when=fields.get("when", ""),
            scope=fields.get("scope", ""),
            private=is_set(fields, "private"),
            shown=is_set(fields, "shown"),
            session=fields.get("session", ""),
            key=fields.get("key", ""),
        )

    def request(self, surroundings: Scope) -> AskRequest:
        """Return the question as the asking service takes it.

        Args:
            surroundings: what the page reads of a scoped memory where no scope is filled in.

        Raises:
            InvalidParams: there is no such stance, or the scope is written as none is.
        """
        topic = self.topic.strip() or topic_of(self.question, include_private=self.private)
        return AskRequest(
            question=self.question,
            session_id=self.session or None,
            new_topic=None if self.session else topic,
            create=True,
            stance=_stance(self.stance),
            when=self.when.strip() or None,
            include_private=self.private,
            scope=parse_scope(self.scope.split()),
            surroundings=surroundings,
            idempotency_key=self._key,
        )

    @property
    def _key(self) -> str | None:
        """The form's key with what was filled in: another question in the same form is another call."""
        said = "\x00".join((self.key, self.question, self.stance, self.topic, self.when, self.scope, str(self.private)))
        return sha256(said.encode("utf-8", "surrogatepass")).hexdigest() if self.key else None


def _stance(said: str) -> Stance:
    if said not in set(Stance):
        raise InvalidParams(f"there is no such stance; there are: {', '.join(Stance)}")
    return Stance(said)


@dataclass(frozen=True, slots=True)
class Chat:
    """The pages on which one asks."""

    memory: Voice
    templates: Templates
    beside: Beside

    @property
    def routes(self) -> list[Route]:
        """Where they are."""
        return [
            Route("/", with_problems(self.templates, self.new, PRIVATE), methods=["GET"], name="new"),
            Route("/chat/{session}", with_problems(self.templates, self.go_on, PRIVATE), methods=["GET"], name="chat"),
            Route("/ask", with_problems(self.templates, self.ask), methods=["POST"], name="ask"),
        ]

    async def new(self, request: Request) -> Response:
        """Show where a new conversation begins."""
        return await self._page(request, Asked())

    async def go_on(self, request: Request) -> Response:
        """Show a conversation and where it goes on."""
        return await self._page(request, Asked(session=str(request.path_params["session"])))

    async def ask(self, request: Request) -> Response:
        """Ask, and lead to the page with the answer; where nobody could be asked, give back what was typed."""
        asked = Asked.of(await fields_of(request))
        try:
            self.memory.settings.gate.require()
            turn = await self.memory.services.ask(asked.request(self.memory.settings.scope.surroundings()))
        except VoiceError as error:
            return await self._again(request, asked, error)
        told = self.beside.hear(turn, include_private=asked.private)
        is_private = asked.shown or turn.exchange.is_withheld or told.is_private
        url = chat_url(turn.session.id, turn.exchange.index, private=is_private)
        return RedirectResponse(url, 303)

    async def _again(self, request: Request, asked: Asked, error: VoiceError) -> Response:
        """Give back what was typed, also where nothing can be read: neither its conversation nor what there is."""
        try:
            return await self._page(request, asked, error)
        except VoiceError:
            return self._made(request, asked, error)

    async def _page(self, request: Request, asked: Asked, error: VoiceError | None = None) -> Response:
        services = self.memory.services
        is_private = asked.private or asked.shown or is_set(request.query_params, "private")
        life, name = services.life, asked.session
        session = await life.named(name, include_private=is_private) if name else None
        turns = await self._newest(session) if session else []
        locations = await locations_of(turns, services.source_locations, include_private=is_private)
        return self._made(
            request,
            asked,
            error,
            session=session,
            turns=turn_views(turns, self.beside, include_private=is_private, locations=locations),
            earlier=session.total_exchanges - len(turns) if session else 0,
            recent=[] if session else await life.listed(limit=_RECENT, include_private=is_private),
            is_empty=not await services.store.changes(0, 1),
            include_private=is_private,
        )

    def _made(
        self, request: Request, asked: Asked, error: VoiceError | None, session: object = None, **read: object
    ) -> Response:
        """Return the page; what could not be read is left out of it, and it begins a conversation then."""
        failed = problem_of(error) if error else None
        values = {"turns": (), "earlier": 0, "recent": (), "is_empty": False, "include_private": False, **read}
        if session and request.method != "GET":
            values["address"] = chat_url(asked.session)
        key = self.memory.services.ids.new_id("k")
        status = failed.status if failed else 200
        return self.templates.page(
            request, "chat.html", status, session=session, asked=asked, key=key, failed=failed, **values
        )

    async def _newest(self, session: InnerVoiceSession) -> list[DialogueExchange]:
        after = session.total_exchanges - SHOWN - 1
        return await self.memory.services.sessions.exchanges(
            session_id=session.id, after_index=max(after, -1), limit=SHOWN
        )
