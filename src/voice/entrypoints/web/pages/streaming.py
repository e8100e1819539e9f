"""The answer as it comes: events of a turn as pieces of a page.

Law: nothing of an answer is sent before the verdict on the whole of it; until then a line says how far it is. The
events are those of every door; here each becomes a piece of the page that the asking page puts in its place. Who leaves
before the end withdraws the question.

Source: DESIGN 8 Web; rulings D9, D25; `voice.core.session.turn_events`.
"""

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Protocol, cast

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from voice.core.errors import VoiceError
from voice.core.session.turn_events import Asked as ModelAsked
from voice.core.session.turn_events import Drafting, EventListener, Judged, Retrieved, Understood
from voice.core.session.values import InnerVoiceSession
from voice.core.text.display import counted
from voice.core.text.escaping import printable
from voice.entrypoints.library import Voice
from voice.entrypoints.web.pages.beside import Beside, Told
from voice.entrypoints.web.pages.chat import Asked
from voice.entrypoints.web.pages.fields import fields_of
from voice.entrypoints.web.pages.links import chat_url
from voice.entrypoints.web.pages.rendering import Templates
from voice.entrypoints.web.pages.turns import TurnView, locations_of
from voice.entrypoints.web.problems import problem_of
from voice.services.runtime.event_stream import stream_turn
from voice.services.runtime.turn import Turn

DONE_EVENT = "voice:answered"
FAILED_EVENT = "voice:failed"
"""What the script is told at the end: the address of the conversation, or nothing."""
OnTheWay = Understood | Retrieved | ModelAsked | Drafting | Judged
"""What is told while one waits; what comes after it is told once the turn is known, with what stands beside it."""
_LINE_BREAK = re.compile(r"\r\n|\r|\n")


class _Macros(Protocol):
    """The pieces of `stream.html`."""

    def began(self, place: str, question: str) -> str: ...
    def told(self, place: str, text: str) -> str: ...
    def sentence(self, place: str, item: object) -> str: ...
    def refused(self, place: str, view: TurnView) -> str: ...
    def done(self, place: str, view: TurnView, session: InnerVoiceSession, key: str, *, private: bool) -> str: ...
    def failed(self, place: str, title: str, detail: str, key: str, session: object, *, private: bool) -> str: ...


@dataclass(frozen=True, slots=True)
class _Named:
    """A conversation as far as the form has to name it."""

    id: str


@dataclass(frozen=True, slots=True)
class Streaming:
    """Asks, and sends what happens."""

    memory: Voice
    templates: Templates
    beside: Beside

    @property
    def routes(self) -> list[Route]:
        """Where one asks with a script."""
        return [Route("/ask/stream", self.ask, methods=["POST"], name="ask-stream")]

    async def ask(self, request: Request) -> Response:
        """Ask, and answer with the stream of what happens."""
        asked = Asked.of(await fields_of(request))
        return StreamingResponse(self._messages(asked), media_type="text/event-stream")

    async def _messages(self, asked: Asked) -> AsyncGenerator[str]:
        place = f"asking-{self.memory.services.ids.new_id('k').partition(':')[2]}"
        macros = cast("_Macros", self.templates.environment.get_template("stream.html").module)
        yield message(macros.began(place, asked.question))
        heard: list[tuple[Turn, Told]] = []
        try:
            self.memory.settings.gate.require()
            async with aclosing(stream_turn(partial(self._ask, asked, heard))) as events:
                async for event in events:
                    if isinstance(event, OnTheWay):
                        yield message(macros.told(place, in_words(event)))
            for turn, told in heard:
                locations = await locations_of(
                    [turn.exchange], self.memory.services.source_locations, include_private=True
                )
                view = TurnView(exchange=turn.exchange, beside=told, locations=locations)
                for each in await self._done(macros, place, view, shown=asked.shown):
                    yield each
        except VoiceError as error:
            session = _Named(asked.session) if asked.session else None
            title = problem_of(error).title
            yield message(macros.failed(place, title, error.message, self._key(), session, private=asked.shown))
            yield message("", FAILED_EVENT)

    async def _ask(self, asked: Asked, heard: list[tuple[Turn, Told]], tell: EventListener) -> None:
        request = asked.request(self.memory.settings.scope.surroundings())
        turn = await self.memory.services.ask(request, tell)
        heard.append((turn, self.beside.hear(turn, include_private=asked.private)))

    async def _done(self, macros: _Macros, place: str, view: TurnView, *, shown: bool) -> list[str]:
        exchange = view.exchange
        if exchange.refused:
            said = [macros.refused(place, view)]
        else:
            said = [macros.sentence(place, sentence) for sentence in view.sentences]
        is_private = shown or exchange.is_withheld or view.beside.is_private
        session = await self.memory.services.life.named(exchange.session_id, include_private=is_private)
        ended = macros.done(place, view, session, self._key(), private=is_private)
        url = chat_url(exchange.session_id, private=is_private)
        return [*map(message, said), message(ended), message(url, DONE_EVENT)]

    def _key(self) -> str:
        return self.memory.services.ids.new_id("k")


def in_words(event: OnTheWay) -> str:
    """Return how far an answer is, for who waits."""
    match event:
        case Understood():
            return f"Understood: {printable(event.time)}" if event.time else "Understood; looking through your memory"
        case Retrieved():
            return f"Found {counted(len(event.ids), 'note')}; {len(event.shown)} may answer it"
        case ModelAsked():
            again = f", try {event.attempt}" if event.attempt > 1 else ""
            return f"Asking {printable(event.provider)}/{printable(event.model)}{again}"
        case Drafting():
            return f"Drafting: {counted(event.tokens, 'token')} so far; nothing is shown before it is checked"
        case Judged(refused=True):
            return "Checked: your memory does not carry an answer"
        case Judged():
            return f"Checked: {event.coverage_ratio:.0%} proven by {counted(event.source_count, 'source')}"


def message(data: str, event: str = "") -> str:
    """Return one message of a stream of events.

    Args:
        data: what it holds; every kind of line break in it is one of the message's lines.
        event: its name; a message without one is put into the page.
    """
    lines = "".join(f"data: {line}\n" for line in _LINE_BREAK.split(data))
    return f"event: {event}\n{lines}\n" if event else f"{lines}\n"
