"""`POST /v1/chat/completions` and `GET /v1/models`: the memory for clients of OpenAI's interface.

Law: the token is the key that a client sends; a browser's cookie opens nothing here. Nothing of an answer leaves before
the turn is kept, streamed or not: until then a stream tells who will speak. What goes wrong before that has its own
status, what goes wrong later ends the stream with an error in the place of `[DONE]`. Who goes away from a stream
withdraws the question.

Source: OpenAI API reference, "Chat completions"; promises 1, 3; rulings A18, D9, D25.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route, Router

from voice.core.errors import InvalidParams, VoiceError
from voice.core.grounding.values import Stance
from voice.core.recall.scopes import parse_scope
from voice.core.records import Scope
from voice.core.session.turn_events import Event, EventListener
from voice.entrypoints.forms.advice import OVER_COMPLETIONS
from voice.entrypoints.library import Voice
from voice.entrypoints.web.api.routes import body_of
from voice.entrypoints.web.completions.client_tasks import UNDONE, asked_in
from voice.entrypoints.web.completions.content import Locations, Piece, pieces_of, usage_of, voice_of
from voice.entrypoints.web.completions.conversations import Conversations
from voice.entrypoints.web.completions.objects import NOTHING_USED, Head, model_form, models_form
from voice.entrypoints.web.completions.request import (
    MODELS,
    Completion,
    Message,
    no_model,
    question_at,
    require_answerable,
    stance_of,
    text_of,
)
from voice.entrypoints.web.edge import ForPrograms
from voice.entrypoints.web.event_stream import MEDIA_TYPE
from voice.entrypoints.web.json_text import json_bytes
from voice.entrypoints.web.openai_errors import OPENAI_PATH, openai_error
from voice.entrypoints.web.problems import Stopped, problem_of
from voice.services.runtime.event_stream import stream_turn
from voice.services.runtime.turn import AskRequest, Turn

SESSION_HEADER = "X-Voice-Session"
SCOPE_HEADER = "X-Voice-Scope"
_JSON = "application/json"
_DONE = b"data: [DONE]\n\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, by which history, and where."""

    words: str = field(repr=False)
    said: str = field(repr=False)
    """The whole message that it stands in: the history that comes with the next question has it."""
    before: tuple[Message, ...] = field(repr=False)
    stance: Stance
    scope: Scope
    session: str | None
    user: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answered:
    """A turn, as it is told."""

    turn: Turn
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Completions:
    """Answers clients of chat completions from one memory."""

    memory: Voice
    conversations: Conversations

    async def models(self, _request: Request) -> Response:
        """List the models."""
        return _json(models_form())

    async def model(self, request: Request) -> Response:
        """Tell one model."""
        name = str(request.path_params["model"])
        if name not in MODELS:
            raise Stopped(no_model())
        return _json(model_form(name))

    async def complete(self, request: Request) -> Response:
        """Ask the person's last question; a refusal is a message."""
        asked = body_of(Completion, request, await request.body())
        stance = stance_of(asked)
        require_answerable(asked)
        head = self._head(asked)
        try:
            self.memory.settings.gate.require()
            question = _question(asked, request, stance)
            if question is None:
                return _undone(head, asked)
            if asked.stream:
                return await self._streamed(head, asked, question)
            answered = await self._answered(question)
        except VoiceError as error:
            raise Stopped(problem_of(error, OVER_COMPLETIONS)) from None
        kept = answered.turn.exchange
        return _json(head.whole(answered.pieces, usage_of(kept), voice_of(kept)))

    def _head(self, asked: Completion) -> Head:
        services = self.memory.services
        name = services.ids.new_id("k").partition(":")[2]
        return Head(id=f"chatcmpl-{name}", created=int(services.clock.now().timestamp()), model=asked.model)

    async def _answered(self, question: Question, tell: EventListener | None = None) -> _Answered:
        """Ask, and return what leaves; the turn is kept then."""
        services = self.memory.services
        place = self.conversations.place(question.words, question.before, session=question.session, user=question.user)
        async with place as (session_id, new_topic):
            request = AskRequest(
                question=question.words,
                session_id=session_id,
                new_topic=new_topic,
                create=True,
                stance=question.stance,
                scope=question.scope,
            )
            turn = await (services.ask(request) if tell is None else services.ask(request, tell))
        exchange = turn.exchange
        cited = (*exchange.sources, *exchange.evidence_found)
        locations: Locations = await services.source_locations.cited(cited) if cited else {}
        pieces = pieces_of(exchange, locations)
        content = "".join(piece.text for piece in pieces)
        self.conversations.answered(question.said, question.before, content, turn.session.id)
        return _Answered(turn=turn, pieces=pieces)

    async def _streamed(self, head: Head, asked: Completion, question: Question) -> Response:
        """Return a stream, once the question was understood."""
        heard: list[_Answered] = []

        async def ask(tell: EventListener) -> None:
            heard.append(await self._answered(question, tell))

        events = stream_turn(ask)
        await anext(events)
        chunks = _told(head, events, heard, with_usage=asked.wants_usage)
        return StreamingResponse(chunks, media_type=MEDIA_TYPE)


async def _told(
    head: Head, events: AsyncGenerator[Event], heard: list[_Answered], *, with_usage: bool
) -> AsyncGenerator[bytes]:
    """Yield the chunks of an answer; of what happens on the way nothing is told."""
    async with aclosing(events):
        yield _line(head.begun(with_usage=with_usage))
        try:
            async for _ in events:
                pass
        except VoiceError as error:
            yield _line(openai_error(problem_of(error, OVER_COMPLETIONS)))
            return
    for answered in heard:
        kept = answered.turn.exchange
        for piece in answered.pieces:
            yield _line(head.said(piece, with_usage=with_usage))
        yield _line(head.ended(voice_of(kept), with_usage=with_usage))
        if with_usage:
            yield _line(head.used(usage_of(kept)))
    yield _DONE


def _question(asked: Completion, request: Request, stance: Stance) -> Question | None:
    """Return what is asked; None where the client asks for itself.

    Raises:
        InvalidParams: a header cannot be read, or the scope in it.
        Stopped: no message is the person's, or theirs is not of words.
    """
    at = question_at(asked.messages)
    said, before = text_of(asked.messages[at].content, at), asked.messages[:at]
    words = asked_in(said, before)
    if words is None:
        return None
    scope = _header(request, SCOPE_HEADER)
    return Question(
        words=words,
        said=said,
        before=before,
        stance=stance,
        scope=Scope() if scope is None else parse_scope([each.strip() for each in scope.split(",")]),
        session=_header(request, SESSION_HEADER),
        user=(asked.user or "").strip() or None,
    )


def _header(request: Request, name: str) -> str | None:
    """Return what a header says; None where it says nothing.

    Raises:
        InvalidParams: it stands there twice.
    """
    said = request.headers.getlist(name)
    if len(said) > 1:
        raise InvalidParams(f"{name} is sent once")
    return said[0].encode("latin-1").decode("utf-8", "replace").strip() or None if said else None


def _undone(head: Head, asked: Completion) -> Response:
    """Return the answer to a chore of the client's: nothing was asked, and nothing is kept."""
    pieces = (Piece(text=UNDONE),)
    if not asked.stream:
        return _json(head.whole(pieces, NOTHING_USED, None))
    chunks = [head.begun(with_usage=asked.wants_usage), head.said(pieces[0], with_usage=asked.wants_usage)]
    chunks.append(head.ended(None, with_usage=asked.wants_usage))
    used = [head.used(NOTHING_USED)] if asked.wants_usage else []
    return Response(b"".join([*map(_line, [*chunks, *used]), _DONE]), media_type=MEDIA_TYPE)


def _json(document: Mapping[str, object]) -> Response:
    return Response(json_bytes(document), media_type=_JSON)


def _line(document: Mapping[str, object]) -> bytes:
    return b"data: " + json_bytes(document) + b"\n\n"


def completion_routes(memory: Voice) -> list[BaseRoute]:
    """Return the routes for clients of chat completions.

    Args:
        memory: an open memory.
    """
    answers = Completions(memory, Conversations(memory.services.life))
    routes = [
        Route("/chat/completions", answers.complete, methods=["POST"]),
        Route("/models", answers.models, methods=["GET"]),
        Route("/models/{model:path}", answers.model, methods=["GET"]),
    ]
    return [Mount(OPENAI_PATH, ForPrograms(Router(routes, redirect_slashes=False)))]
