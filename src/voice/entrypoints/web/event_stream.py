"""A turn's events over HTTP, as they happen (`text/event-stream`).

Law: what goes wrong before the first event is a problem with its own status, like any other; what goes wrong later ends
the stream with an event `error` in the place of `done`. Who goes away withdraws the question.

Source: the HTML standard, Server-sent events; docs/streaming.md.
"""

import re
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing

from starlette.responses import Response, StreamingResponse

from voice.core.errors import VoiceError
from voice.core.render.turn_json import error_json, event_json
from voice.core.session.turn_events import Event
from voice.entrypoints.forms.advice import OVER_HTTP, advised
from voice.entrypoints.web.json_text import json_bytes

MEDIA_TYPE = "text/event-stream"
_NEVER = re.compile(r"q=0(\.0{0,3})?")


def wants_events(accepts: Iterable[str]) -> bool:
    """Return whether somebody asks for events by name, and does not say that they are the last thing they want."""
    for part in (part for line in accepts for part in line.split(",")):
        kind, *parameters = (piece.strip().lower() for piece in part.split(";"))
        if kind == MEDIA_TYPE:
            return not any(_NEVER.fullmatch(parameter) for parameter in parameters)
    return False


async def streamed(events: AsyncGenerator[Event]) -> Response:
    """Return an answer that tells events as they happen.

    Args:
        events: of one turn; the stream is closed when the answer is.

    Raises:
        VoiceError: it failed before anything had happened.
    """
    first = await anext(events)
    return StreamingResponse(_lines(first, events), media_type=MEDIA_TYPE)


async def _lines(first: Event, events: AsyncGenerator[Event]) -> AsyncGenerator[bytes]:
    async with aclosing(events):
        yield _line(event_json(first))
        try:
            async for event in events:
                yield _line(event_json(event))
        except VoiceError as error:
            yield _line(error_json(error.code, advised(error, OVER_HTTP)))


def _line(told: Mapping[str, object]) -> bytes:
    """Return an event as a block of the stream; JSON has no line breaks of its own."""
    return f"event: {told['event']}\ndata: ".encode() + json_bytes(told) + b"\n\n"
