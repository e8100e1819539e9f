"""The chat page, and the answer as a stream of pieces of it.

Law: a question is one call of the asking service, sent once: the form bears a key, so that sending it again, or going
back and forth in the browser, asks nobody twice. What was typed comes back with whatever went wrong. Questions are in
no address. Nothing of an answer is sent before the verdict on the whole of it; until then a line says how far it is.
The events are those of every door; here each becomes a piece that the page puts in its place. Who leaves before the end
withdraws the question.
Source: DESIGN 8 Web; rulings D9, D21, D25; `voice.core.session.turn_events`.
"""

import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Protocol, cast

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from voice.core.errors import InvalidParams, VoiceError
from voice.core.grounding.values import Stance
from voice.core.recall.params import EVERYTHING, parse_scope
from voice.core.records import Scope
from voice.core.session.lifecycle import topic_of
from voice.core.session.turn_events import Asked as ModelAsked
from voice.core.session.turn_events import Drafting, EventListener, Judged, Retrieved, Understood
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.core.text.display import counted, printable
from voice.entrypoints.web.pages.addresses import chat_url, fields_of, is_set, once_key, require_known
from voice.entrypoints.web.pages.rendering import PRIVATE, PageGroup
from voice.entrypoints.web.pages.turn_view import RecentNotices, TurnNotices, TurnView, locations_of, turn_views
from voice.entrypoints.web.responses import problem_of
from voice.services.runtime.turn import AskRequest, Turn, stream_turn

SHOWN = 12
"""Turns of a conversation that stand above the question; the earlier ones are in its transcript."""
_RECENT = 5  # sessions on the first page


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionForm:
    """What a person filled in, word for word."""

    question: str = ""
    stance: str = Stance.SYNTHESIZE.value
    topic: str = ""
    when: str = ""
    scope: str = ""
    private: bool = False
    shown: bool = False
    session: str = ""
    key: str = ""

    @classmethod
    def of(cls, fields: Mapping[str, str]) -> "QuestionForm":
        """Return what a form says."""
        names = ("question", "stance", "topic", "when", "scope", "session", "key")  # a missing field keeps its default
        said = {name: fields[name] for name in names if name in fields}
        return cls(**said, private=is_set(fields, "private"), shown=is_set(fields, "shown"))

    def request(self, surroundings: Scope) -> AskRequest:
        """Return the question as the asking service takes it; `surroundings` count where no scope is filled in.

        Raises:
            InvalidParams: there is no such stance, or the scope is written as none is.
        """
        if self.stance not in set(Stance):
            raise InvalidParams(f"unknown stance; use one of {', '.join(Stance)}")
        topic = self.topic.strip() or topic_of(self.question, include_private=self.private)
        return AskRequest(
            question=self.question,
            session_id=self.session or None,
            new_topic=None if self.session else topic,  # the topic of a session is changed elsewhere
            create=True,
            stance=Stance(self.stance),
            when=self.when.strip() or None,
            include_private=self.private,
            scope=parse_scope(self.scope.split(), names=[EVERYTHING]),
            surroundings=surroundings,
            idempotency_key=self._key,
        )

    @property
    def _key(self) -> str | None:
        """The form's key with what was filled in: another question in the same form is another call."""
        return once_key(self.key, self.question, self.stance, self.topic, self.when, self.scope, str(self.private))


@dataclass(frozen=True, slots=True)
class ChatPages(PageGroup):
    """The pages on which one asks."""

    beside: RecentNotices

    @property
    def routes(self) -> list[Route]:
        """Where they are."""
        return [
            self.route("GET", "/", self.new, PRIVATE),
            self.route("GET", "/chat/{session}", self.go_on, PRIVATE),
            self.route("POST", "/ask", self.ask),
        ]

    async def new(self, request: Request) -> Response:
        """Show where a new conversation begins."""
        return await self._page(request, QuestionForm())

    async def go_on(self, request: Request) -> Response:
        """Show a conversation and where it goes on."""
        return await self._page(request, QuestionForm(session=str(request.path_params["session"])))

    async def ask(self, request: Request) -> Response:
        """Ask, and lead to the page with the answer; where nobody could be asked, give back what was typed."""
        form = QuestionForm.of(await fields_of(request))  # the form is read first, so that it can be given back
        try:
            self.memory.settings.gate.require()
            turn = await self.memory.services.ask(form.request(self.memory.settings.scope.surroundings()))
        except VoiceError as error:
            return await self._page_or_form(request, form, error)
        notices = self.beside.hear(turn, include_private=form.private)
        is_private = form.shown or turn.exchange.is_withheld or notices.is_private  # once private, it stays shown
        url = chat_url(turn.session.id, turn.exchange.index, private=is_private)
        return RedirectResponse(url, 303)

    async def _page_or_form(self, request: Request, form: QuestionForm, error: VoiceError) -> Response:
        """Give back what was typed, also where nothing can be read: neither its conversation nor what there is."""
        try:
            return await self._page(request, form, error)
        except VoiceError:  # the reason may be that nothing can be read
            return self._render(request, form, error)

    async def _page(self, request: Request, form: QuestionForm, error: VoiceError | None = None) -> Response:
        services = self.memory.services
        is_private = form.private or form.shown or is_set(request.query_params, "private")
        life, name = services.life, form.session
        session = await life.named(name, include_private=is_private) if name else None
        turns = await self._latest_turns(session) if session else []
        locations = await locations_of(turns, services.source_locations, include_private=is_private)
        replaced = await services.audit.today.replacements(turns, include_private=is_private)
        return self._render(
            request,
            form,
            error,
            session=session,
            turns=turn_views(turns, self.beside, include_private=is_private, locations=locations, replaced=replaced),
            earlier=session.total_exchanges - len(turns) if session else 0,
            recent=[] if session else await life.listed(limit=_RECENT, include_private=is_private),
            is_empty=not await services.store.changes(0, 1),  # the first change is enough
            include_private=is_private,
        )

    def _render(
        self, request: Request, form: QuestionForm, error: VoiceError | None, session: object = None, **values: object
    ) -> Response:
        """Return the page; what could not be read is left out of it, and it begins a conversation then."""
        context = {"turns": (), "earlier": 0, "recent": (), "is_empty": False, "include_private": False, **values}
        if session and request.method != "GET":  # a POST has no address to come back to
            context["address"] = chat_url(form.session)
        key = self.memory.services.ids.new_id("k")  # a new key: the next question is another call
        return self.templates.form_page(request, "chat.html", error, session=session, asked=form, key=key, **context)

    async def _latest_turns(self, session: InnerVoiceSession) -> list[DialogueExchange]:
        after = session.total_exchanges - SHOWN - 1  # the turn before the first that is shown
        return await self.memory.services.sessions.exchanges(
            session_id=session.id, after_index=max(after, -1), limit=SHOWN
        )


DONE_EVENT = "voice:answered"
FAILED_EVENT = "voice:failed"
"""What the script is told at the end: the address of the conversation, or nothing."""
OnTheWay = Understood | Retrieved | ModelAsked | Drafting | Judged
"""What is told while one waits; what comes after it is told once the turn is known, with what stands beside it."""
_LINE_BREAK = re.compile(r"\r\n|\r|\n")  # as Server-sent events end lines


class _Macros(Protocol):
    """The pieces of `stream.html`."""

    def began(self, place: str, question: str) -> str: ...
    def told(self, place: str, text: str) -> str: ...
    def sentence(self, place: str, item: object) -> str: ...
    def refused(self, place: str, view: TurnView) -> str: ...
    def done(self, place: str, view: TurnView, session: InnerVoiceSession, key: str, *, private: bool) -> str: ...
    def failed(self, place: str, title: str, detail: str, key: str, session_id: str, *, private: bool) -> str: ...


@dataclass(frozen=True, slots=True)
class AnswerStream(PageGroup):
    """Asks, and sends what happens."""

    beside: RecentNotices

    @property
    def routes(self) -> list[Route]:
        """Where one asks with a script."""
        return [Route("/ask/stream", self.ask, methods=["POST"])]

    async def ask(self, request: Request) -> Response:
        """Ask, and answer with the stream of what happens; what is wrong before it begins is told as programs are."""
        require_known(request.query_params, ())
        form = QuestionForm.of(await fields_of(request))
        return StreamingResponse(self._messages(form), media_type="text/event-stream")

    async def _messages(self, form: QuestionForm) -> AsyncGenerator[str]:
        place = f"asking-{self.memory.services.ids.new_id('k').partition(':')[2]}"  # where this page puts the answer
        macros = cast("_Macros", self.templates.environment.get_template("stream.html").module)
        yield sse_message(macros.began(place, form.question))  # at once: the question stands there already
        answers: list[tuple[Turn, TurnNotices]] = []
        try:
            self.memory.settings.gate.require()
            async with aclosing(stream_turn(partial(self._ask, form, answers))) as events:  # who leaves withdraws it
                async for event in events:
                    if isinstance(event, OnTheWay):  # the rest is told below, with what stands beside it
                        yield sse_message(macros.told(place, progress_in_words(event)))
            for turn, notices in answers:
                locations = await locations_of(
                    [turn.exchange], self.memory.services.source_locations, include_private=True
                )
                view = TurnView(exchange=turn.exchange, beside=notices, locations=locations)
                for each in await self._done(macros, place, view, shown=form.shown):
                    yield each
        except VoiceError as error:
            title, key = problem_of(error).title, self._key()
            yield sse_message(macros.failed(place, title, error.message, key, form.session, private=form.shown))
            yield sse_message("", FAILED_EVENT)

    async def _ask(self, form: QuestionForm, answers: list[tuple[Turn, TurnNotices]], tell: EventListener) -> None:
        request = form.request(self.memory.settings.scope.surroundings())
        turn = await self.memory.services.ask(request, tell)
        answers.append((turn, self.beside.hear(turn, include_private=form.private)))

    async def _done(self, macros: _Macros, place: str, view: TurnView, *, shown: bool) -> list[str]:
        exchange = view.exchange
        if exchange.refused:
            pieces = [macros.refused(place, view)]
        else:
            pieces = [macros.sentence(place, sentence) for sentence in view.sentences]
        is_private = shown or exchange.is_withheld or view.beside.is_private
        session = await self.memory.services.life.named(exchange.session_id, include_private=is_private)
        last = macros.done(place, view, session, self._key(), private=is_private)
        url = chat_url(exchange.session_id, private=is_private)
        return [*map(sse_message, pieces), sse_message(last), sse_message(url, DONE_EVENT)]  # the address comes last

    def _key(self) -> str:
        return self.memory.services.ids.new_id("k")


def progress_in_words(event: OnTheWay) -> str:
    """Return how far an answer is, for who waits."""
    match event:
        case Understood():
            return f"Understood: {printable(event.time)}" if event.time else "Understood; searching your memory"
        case Retrieved():
            return f"Found {counted(len(event.ids), 'note')}; {len(event.shown)} may answer it"
        case ModelAsked():
            again = f", try {event.attempt}" if event.attempt > 1 else ""
            return f"Asking {printable(event.provider)}/{printable(event.model)}{again}"
        case Drafting():
            return f"Drafting: {counted(event.tokens, 'token')} so far; voice checks the draft before it shows it"
        case Judged(refused=True):
            return "Checked: your memory does not support an answer"
        case Judged():
            return f"Checked: {event.coverage_ratio:.0%} proven by {counted(event.source_count, 'source')}"


def sse_message(data: str, event: str = "") -> str:
    """Return one message of a stream, line for line whatever the breaks; without an `event` it goes into the page."""
    lines = "".join(f"data: {line}\n" for line in _LINE_BREAK.split(data))  # a line break inside would end the field
    return f"event: {event}\n{lines}\n" if event else f"{lines}\n"
