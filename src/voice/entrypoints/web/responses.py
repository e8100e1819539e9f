"""Responses over HTTP: security headers, JSON and event streams.

Law: what goes wrong before the first event is a problem with its own status, like any other; what goes wrong later ends
the stream with an event `error` in the place of `done`. Who goes away withdraws the question.

JSON as it leaves over HTTP. What a memory says stays data wherever it lands: in a page that somebody puts it into, in a
terminal that shows it. The characters that could end a script or steer a terminal, or turn the reading direction, are
written as escapes; a reader of JSON gets back exactly what is stored.

What every answer over HTTP tells the browser, pages and data alike. A page may load from this server only, run no
script and no style that stands inside it, be shown in no other page and send its forms nowhere else; nothing of a
memory is kept in a cache, no address is told to anybody. So what a memory says can neither run nor fetch, even where a
template should fail to escape it. The page of who is not let in shows nothing of a memory and has a policy of its own
(`doorstep`).

Source: the HTML standard, Server-sent events; docs/streaming.md; DESIGN 8; ruling D22 (what a memory says is data);
DESIGN 8 Web (strict CSP, no third party).
"""

import json
import re
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing

from starlette.responses import Response, StreamingResponse

from voice.core.errors import VoiceError
from voice.core.render.turn_json import error_json, event_json
from voice.core.session.turn_events import Event
from voice.core.text.escaping import escape_json
from voice.entrypoints.shared.advice import OVER_HTTP, message_with_advice

EVENT_STREAM = "text/event-stream"
_NEVER = re.compile(r"q=0(\.0{0,3})?")


def wants_events(accepts: Iterable[str]) -> bool:
    """Return whether somebody asks for events by name, and does not say that they are the last thing they want."""
    for part in (part for line in accepts for part in line.split(",")):
        kind, *parameters = (piece.strip().lower() for piece in part.split(";"))
        if kind == EVENT_STREAM:
            return not any(_NEVER.fullmatch(parameter) for parameter in parameters)
    return False


async def event_stream_response(events: AsyncGenerator[Event]) -> Response:
    """Return an answer that tells events as they happen.

    Args:
        events: of one turn; the stream is closed when the answer is.

    Raises:
        VoiceError: it failed before anything had happened.
    """
    first = await anext(events)
    return StreamingResponse(_lines(first, events), media_type=EVENT_STREAM)


async def _lines(first: Event, events: AsyncGenerator[Event]) -> AsyncGenerator[bytes]:
    async with aclosing(events):
        yield _line(event_json(first))
        try:
            async for event in events:
                yield _line(event_json(event))
        except VoiceError as error:
            yield _line(error_json(error.code, message_with_advice(error, OVER_HTTP)))


def _line(told: Mapping[str, object]) -> bytes:
    """Return an event as a block of the stream; JSON has no line breaks of its own."""
    return f"event: {told['event']}\ndata: ".encode() + json_bytes(told) + b"\n\n"


_MARKUP = re.compile("[<>&]")


def json_bytes(document: object) -> bytes:
    """Return one JSON document in UTF-8.

    Raises:
        ValueError: a number in it is not finite.
    """
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return escape_json(_MARKUP.sub(lambda found: f"\\u{ord(found[0]):04x}", text)).encode()


_SOURCES = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "connect-src": "'self'",
    "font-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
CONTENT_SECURITY_POLICY = "; ".join(f"{what} {whence}" for what, whence in _SOURCES.items())
_UNUSED = (
    "accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer", "microphone", "midi",
    "payment", "usb",
)  # fmt: skip
FOR_EVER = "private, max-age=31536000, immutable"
ASK_AGAIN = "private, no-cache"
MAY_BE_KEPT = frozenset({FOR_EVER, ASK_AGAIN})
"""What the files of the pages say of themselves: they are the same for everybody and hold no word of a memory."""
SECURITY_HEADERS: tuple[tuple[str, str], ...] = (
    ("content-security-policy", CONTENT_SECURITY_POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    # Not `no-referrer`: under it a browser sends `Origin: null` with every form, and the guard could not tell its own.
    ("referrer-policy", "same-origin"),
    ("cache-control", "no-store"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-embedder-policy", "require-corp"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", ", ".join(f"{what}=()" for what in _UNUSED)),
)
