"""`POST /v1/chat/completions` and `GET /v1/models`: the memory for clients of OpenAI's interface.

Law: the token is the key that a client sends; a browser's cookie opens nothing here. Nothing of an answer leaves before
the turn is kept, streamed or not: until then a stream tells who will speak. What goes wrong before that has its own
status, what goes wrong later ends the stream with an error in the place of `[DONE]`. Who goes away from a stream
withdraws the question.

Which conversation a request goes on in. One that is named is gone on with: by the header, as every door names a
session, or by `user`, whose name is then its topic. A request that names none has its history with it: where that ends
with an answer of ours, the conversation that was answered in goes on; any other begins one of its own and never goes on
in the person's. What was answered is known by hashes, for as long as the server runs, the newest thousand of them.
Source: OpenAI API reference, "Chat completions"; promises 1, 3; rulings A18, D9, D25; rulings D21, A6.
"""

from collections import OrderedDict
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field
from weakref import WeakValueDictionary

import anyio
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route, Router

from voice.core.errors import InvalidParams, NoSession, UnknownId, VoiceError
from voice.core.grounding.values import Stance
from voice.core.recall.params import EVERYTHING, parse_scope
from voice.core.records import Scope
from voice.core.session.lifecycle import PRIVATE_TOPIC, clean_topic, topic_of
from voice.core.session.turn_events import Event, EventListener, ignore_event
from voice.core.text.normalise import norm_v1
from voice.entrypoints.library import Voice
from voice.entrypoints.shared.advice import OVER_COMPLETIONS
from voice.entrypoints.web.api.call import digest_of
from voice.entrypoints.web.api.routes import body_of
from voice.entrypoints.web.completions.request import (
    EMPTY_TASK_ANSWER,
    Completion,
    Message,
    person_question,
    question_index,
    require_answerable,
    stance_of,
    text_of,
    words_of,
)
from voice.entrypoints.web.completions.response import (
    NOTHING_USED,
    CompletionObjects,
    Locations,
    Piece,
    model_json,
    models_json,
    pieces_of,
    usage_of,
    voice_of,
)
from voice.entrypoints.web.middleware import RequireBearer
from voice.entrypoints.web.responses import (
    EVENT_STREAM,
    OPENAI_PATH,
    ProblemError,
    json_bytes,
    openai_error,
    problem_of,
)
from voice.services.runtime.turn import AskRequest, Turn, stream_turn
from voice.services.sessions.lifecycle import SessionFilter, SessionLife

_MOST_REMEMBERED = 1_000  # answers; older conversations begin anew
_MOST_ALIKE = 100  # open sessions whose topics hold a name, among which the one of that name is looked for
_ID_PREFIX = "s:"  # how a session's id begins
_ROLES = frozenset({"user", "assistant"})  # what a client says of itself changes from call to call
Place = tuple[str | None, str | None]
"""The session to go on in, or else the topic of a new one."""


class Conversations:
    """The conversations that clients of one server are in."""

    def __init__(self, life: SessionLife) -> None:
        self._life = life
        self._answered: OrderedDict[str, str] = OrderedDict()  # the digest of a history, and its session
        self._beginning: WeakValueDictionary[str, anyio.Lock] = WeakValueDictionary()  # kept while somebody waits

    @asynccontextmanager
    async def place(
        self, question: str, history: Sequence[Message], *, session: str | None, user: str | None
    ) -> AsyncGenerator[Place]:
        """Tell where a question is asked; questions under one name are asked one after the other.

        Raises:
            UnknownId: the header has the form of an id, and there is no such session.
            InvalidParams: what the header names could mean several.
        """
        name = session or user
        if name is None:
            yield await self._place_by_history(question, history)
            return
        lock = self._beginning.setdefault(name, anyio.Lock())  # two first questions must not begin two sessions
        async with lock:
            yield await (self._place_by_name(name) if session else self._place_of_user(name))

    def answered(self, question: str, history: Sequence[Message], answer: str, session_id: str) -> None:
        """Take note of what was answered where, so that the next request of the same history goes on there."""
        # As the client sends it next time.
        key = _digest((*_history(history), ("user", question), ("assistant", answer)))
        self._answered[key] = session_id
        self._answered.move_to_end(key)
        if len(self._answered) > _MOST_REMEMBERED:  # one was added, so one too many at most
            self._answered.popitem(last=False)

    async def _place_by_name(self, name: str) -> Place:
        try:
            found = await self._life.named(name)
        except UnknownId:
            if name.startswith(_ID_PREFIX):
                raise  # an id is meant, not a topic: it must exist
            return None, name
        return found.id, None

    async def _place_of_user(self, user: str) -> Place:
        """Return the live conversation of that name, the one that was last gone on with."""
        topic = clean_topic(user)
        sessions = await self._life.listed(limit=_MOST_ALIKE, wanted=SessionFilter(status="open", about=topic))
        names = {norm_v1(topic)} - {norm_v1(PRIVATE_TOPIC)}  # no name leads to a private conversation
        session_ids = [each.id for each in sessions if norm_v1(each.thread_topic) in names]
        return (session_ids[0], None) if session_ids else (None, topic)  # listed the most recent first

    async def _place_by_history(self, question: str, history: Sequence[Message]) -> Place:
        new_topic = topic_of(question, include_private=False)  # nothing private is asked for here
        session_id = self._answered.get(_digest(_history(history)))
        if session_id is not None:
            with suppress(UnknownId, NoSession):  # closed or deleted since, it ends
                if (await self._life.named(session_id)).status != "closed":
                    return session_id, None
        return None, new_topic


def _history(messages: Sequence[Message]) -> tuple[tuple[str, str], ...]:
    """Return what both sides said, of a history that ends with an answer; spaces may have been lost on the way."""
    return tuple((each.role, words_of(each.content)) for each in messages if each.role in _ROLES)  # no system, no tool


def _digest(messages: Sequence[tuple[str, str]]) -> str:
    said = (f"{role} {' '.join(words.split())}" for role, words in messages)  # clients change white space
    return digest_of(each.encode("utf-8", "surrogatepass") for each in said)


SESSION_HEADER = "X-Voice-Session"
SCOPE_HEADER = "X-Voice-Scope"
_JSON = "application/json"
_DONE = b"data: [DONE]\n\n"  # ends a stream, as OpenAI's does


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, by which history, and where."""

    words: str = field(repr=False)
    said: str = field(repr=False)  # with the documents around it, if any
    """The whole message that it stands in: the history that comes with the next question has it."""
    before: tuple[Message, ...] = field(repr=False)
    stance: Stance
    scope: Scope
    session: str | None
    user: str | None
    origin: str
    """The address of the server, as the client called it; the guard let no other name in."""


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
    has_pages: bool

    async def models(self, _request: Request) -> Response:
        """List the models."""
        return _json(models_json())

    async def model(self, request: Request) -> Response:
        """Tell one model."""
        name = str(request.path_params["model"])
        stance_of(name)  # one that is not there is refused
        return _json(model_json(name))

    async def complete(self, request: Request) -> Response:
        """Ask the person's last question; a refusal is a message."""
        completion = body_of(Completion, request, await request.body())
        stance = stance_of(completion.model)
        require_answerable(completion)
        objects = self._objects(completion)
        try:
            self.memory.settings.gate.require()  # inside: its refusal has the words for these clients
            question = _parse_question(completion, request, stance)
            if question is None:
                return _task_answer(objects, completion)  # before any spending: a chore is no turn
            if completion.stream:
                return await self._streamed(objects, question)
            answered = await self._answered(question)
        except VoiceError as error:
            raise ProblemError(problem_of(error, OVER_COMPLETIONS)) from None
        exchange = answered.turn.exchange
        return _json(objects.completion(answered.pieces, usage_of(exchange), voice_of(exchange)))

    def _objects(self, completion: Completion) -> CompletionObjects:
        services = self.memory.services
        name = services.ids.new_id("k").partition(":")[2]  # ids of ours are "k:…"
        return CompletionObjects(
            id=f"chatcmpl-{name}",
            created=int(services.clock.now().timestamp()),
            model=completion.model,
            with_usage=completion.wants_usage,
        )

    async def _answered(self, question: Question, tell: EventListener = ignore_event) -> _Answered:
        """Ask, and return what leaves; the turn is kept then. A provider's failure is raised."""
        services = self.memory.services
        place = self.conversations.place(question.words, question.before, session=question.session, user=question.user)
        async with place as (session_id, new_topic):  # until the turn is stored, so that the next one finds it
            request = AskRequest(
                question=question.words,
                session_id=session_id,
                new_topic=new_topic,
                create=True,
                stance=question.stance,
                scope=question.scope,
            )
            turn = await services.ask(request, tell)
        if turn.failure is not None:  # a kept turn whose provider failed: to a client an error
            raise turn.failure
        exchange = turn.exchange
        cited = (*exchange.sources, *exchange.evidence_found)
        notes = await services.source_locations.cited(cited) if cited else {}
        origin = question.origin if self.has_pages else None
        pieces = pieces_of(exchange, Locations(notes=notes, origin=origin))
        content = "".join(piece.text for piece in pieces)
        self.conversations.answered(question.said, question.before, content, turn.session.id)  # what left, not judged
        return _Answered(turn=turn, pieces=pieces)

    async def _streamed(self, objects: CompletionObjects, question: Question) -> Response:
        answers: list[_Answered] = []

        async def ask(tell: EventListener) -> None:
            answers.append(await self._answered(question, tell))

        events = stream_turn(ask)
        await anext(events)  # until the question is taken: a refusal has its own status
        return StreamingResponse(_chunks(objects, events, answers), media_type=EVENT_STREAM)


async def _chunks(
    objects: CompletionObjects, events: AsyncGenerator[Event], answers: list[_Answered]
) -> AsyncGenerator[bytes]:
    """Yield the chunks of an answer; of what happens on the way nothing is told."""
    async with aclosing(events):
        yield _sse_data(objects.first_chunk())
        try:
            async for _ in events:  # what happens on the way is not told, but it keeps the turn running
                pass
        except VoiceError as error:
            yield _sse_data(openai_error(problem_of(error, OVER_COMPLETIONS)))
            return
    for answered in answers:
        exchange = answered.turn.exchange
        for piece in answered.pieces:
            yield _sse_data(objects.said(piece))  # the turn is kept by now
        for chunk in objects.last_chunks(usage_of(exchange), voice_of(exchange)):
            yield _sse_data(chunk)
    yield _DONE


def _parse_question(completion: Completion, request: Request, stance: Stance) -> Question | None:
    """Return what is asked, None where the client asks for itself; what cannot be read is refused."""
    at = question_index(completion.messages)
    message, history = text_of(completion.messages[at].content, at), completion.messages[:at]
    question = person_question(message, history)
    if question is None:
        return None
    scope = _single_header(request, SCOPE_HEADER)
    dimensions = [] if scope is None else [each.strip() for each in scope.split(",")]
    return Question(
        words=question,
        said=message,
        before=history,
        stance=stance,
        scope=parse_scope(dimensions, names=[EVERYTHING]),
        session=_single_header(request, SESSION_HEADER),
        user=(completion.user or "").strip() or None,
        origin=f"{request.url.scheme}://{request.url.netloc}",
    )


def _single_header(request: Request, name: str) -> str | None:
    """Return what a header says, None where it says nothing; one that is sent twice is refused (InvalidParams)."""
    values = request.headers.getlist(name)
    if len(values) > 1:
        raise InvalidParams(f"send {name} once")
    # Headers come as latin-1; a topic may be UTF-8.
    return values[0].encode("latin-1").decode("utf-8", "replace").strip() or None if values else None


def _task_answer(objects: CompletionObjects, completion: Completion) -> Response:
    """Return the answer to a chore of the client's: nothing was asked, and nothing is kept."""
    answer = Piece(text=EMPTY_TASK_ANSWER)
    if not completion.stream:
        return _json(objects.completion([answer], NOTHING_USED, None))
    chunks = [objects.first_chunk(), objects.said(answer), *objects.last_chunks(NOTHING_USED, None)]
    return Response(b"".join([*map(_sse_data, chunks), _DONE]), media_type=EVENT_STREAM)


def _json(document: Mapping[str, object]) -> Response:
    return Response(json_bytes(document), media_type=_JSON)


def _sse_data(document: Mapping[str, object]) -> bytes:
    return b"data: " + json_bytes(document) + b"\n\n"


def completion_routes(memory: Voice, *, has_pages: bool) -> list[BaseRoute]:
    """Return the routes for clients of chat completions; `has_pages`: whether sources have a page on this server."""
    answers = Completions(memory, Conversations(memory.services.life), has_pages)
    routes = [
        Route("/chat/completions", answers.complete, methods=["POST"]),
        Route("/models", answers.models, methods=["GET"]),
        Route("/models/{model:path}", answers.model, methods=["GET"]),  # "voice/question" has a slash
    ]
    return [Mount(OPENAI_PATH, RequireBearer(Router(routes, redirect_slashes=False)))]  # no browser's cookie opens it
