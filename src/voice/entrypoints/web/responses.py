"""Responses over HTTP: security headers, JSON, event streams, and errors as problems (RFC 9457).

Law: what goes wrong before the first event is a problem with its own status, like any other; what goes wrong later ends
the stream with an event `error` in the place of `done`. Who goes away withdraws the question.

What a memory says stays data wherever it lands: in a page that somebody puts it into, in a terminal that shows it. In
JSON the characters that could end a script, steer a terminal or turn the reading direction are written as escapes; a
reader gets back exactly what is stored. A page may load from this server only, run no script and no style that stands
inside it, be shown in no other page and send its forms nowhere else; nothing of a memory is kept in a cache, no address
is told to anybody. The page of who is not let in has a policy of its own (`sign_in_page`).

One table leads from the codes of the one error tree, and of what only HTTP knows, to a status and a title; `detail` is
the error's own message, which holds no text of a row. Clients of OpenAI's interface get the same problems in the one
shape they know: they show `message` and decide by `type`, `code` and `param`. Whether to try again is said by us: they
would otherwise ask, and pay, a second time for what was answered with a conflict.
Source: the HTML standard, Server-sent events; docs/streaming.md; DESIGN 8 Web (strict CSP, no third party); ruling D22;
RFC 9457; STYLE 9; `voice.core.errors`; OpenAI API reference, "Errors".
"""

import json
import re
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from math import ceil
from typing import Final, cast

from starlette.responses import Response, StreamingResponse
from starlette.types import Scope

from voice.core.errors import ProviderUnavailable, SessionConflict, VoiceError
from voice.core.render.turn_json import error_json, event_json
from voice.core.session.turn_events import Event
from voice.core.text.display import escape_json
from voice.entrypoints.shared.advice import NO_WORDS, OVER_HTTP, Words, message_with_advice
from voice.entrypoints.web.access import MOST_COOKIES, Refused

EVENT_STREAM = "text/event-stream"
_ZERO_QUALITY = re.compile(r"q=0(\.0{0,3})?")  # "text/event-stream;q=0" refuses it


def wants_events(accepts: Iterable[str]) -> bool:
    """Return whether somebody asks for events by name, and does not say that they are the last thing they want."""
    for part in (part for line in accepts for part in line.split(",")):
        kind, *parameters = (piece.strip().lower() for piece in part.split(";"))
        if kind == EVENT_STREAM:
            return not any(_ZERO_QUALITY.fullmatch(parameter) for parameter in parameters)
    return False


async def event_stream_response(events: AsyncGenerator[Event]) -> Response:
    """Return an answer that tells the events of one turn as they happen; it closes the stream.

    Raises:
        VoiceError: it failed before anything had happened.
    """
    first = await anext(events)  # awaited here: what fails before the first event still has a status
    return StreamingResponse(_sse_events(first, events), media_type=EVENT_STREAM)


async def _sse_events(first: Event, events: AsyncGenerator[Event]) -> AsyncGenerator[bytes]:
    async with aclosing(events):  # a client that goes away ends the turn
        yield _sse_event(event_json(first))
        try:
            async for event in events:
                yield _sse_event(event_json(event))
        except VoiceError as error:
            yield _sse_event(error_json(error.code, message_with_advice(error, OVER_HTTP)))


def _sse_event(event: Mapping[str, object]) -> bytes:  # "data" is one line: JSON escapes line breaks
    return f"event: {event['event']}\ndata: ".encode() + json_bytes(event) + b"\n\n"


_MARKUP = re.compile("[<>&]")  # what could end a script or begin a tag


def json_bytes(document: object) -> bytes:
    """Return one JSON document in UTF-8; a number in it that is not finite is a ValueError."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))  # NaN is not JSON
    return escape_json(_MARKUP.sub(lambda found: f"\\u{ord(found[0]):04x}", text)).encode()


# No source of scripts or styles but this server, and none inside a page.
_POLICY_SOURCES = {
    "default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "img-src": "'self'",
    "connect-src": "'self'", "font-src": "'self'", "form-action": "'self'", "base-uri": "'none'",
    "frame-ancestors": "'none'",
}  # fmt: skip
CONTENT_SECURITY_POLICY = "; ".join(f"{what} {whence}" for what, whence in _POLICY_SOURCES.items())
_FEATURES_OFF = (  # what no page here uses
    "accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer", "microphone", "midi",
    "payment", "usb",
)  # fmt: skip
FOR_EVER = "private, max-age=31536000, immutable"  # named with a hash of its bytes
ASK_AGAIN = "private, no-cache"  # named without one
MAY_BE_KEPT = frozenset({FOR_EVER, ASK_AGAIN})
"""What the files of the pages say of themselves: they are the same for everybody and hold no word of a memory."""
SECURITY_HEADERS: tuple[tuple[str, str], ...] = (
    ("content-security-policy", CONTENT_SECURITY_POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    # Not `no-referrer`: under it a browser sends `Origin: null` with every form, and the guard could not tell its own.
    ("referrer-policy", "same-origin"),
    ("cache-control", "no-store"),  # a page holds words of a memory
    ("cross-origin-opener-policy", "same-origin"),  # a page that opened one of these has no hold on it
    ("cross-origin-embedder-policy", "require-corp"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", ", ".join(f"{what}=()" for what in _FEATURES_OFF)),
)


MEDIA_TYPE = "application/problem+json"
API_PATH = "/api/v1"
ERRORS_PATH = f"{API_PATH}/errors"

TITLES: Mapping[str, tuple[int, str]] = {
    # what only HTTP knows
    "bad_request": (400, "The request is unreadable"),
    "unauthorized": (401, "A token is required"),
    "wrong_host": (421, "This server does not have that name"),  # misdirected: another server may have it
    "wrong_origin": (403, "A request from another site"),
    "wrong_site": (403, "A request from another site"),
    "forged": (403, "Not from a page of this server"),
    "not_found": (404, "This address does not exist"),
    "method_not_allowed": (405, "This address does not accept that method"),
    "timeout": (408, "The request was too slow"),
    "in_progress": (409, "The same request is still running"),
    "too_large": (413, "The request is too large"),
    "unsupported_media_type": (415, "The body has the wrong type"),
    "head_too_large": (431, "The headers of the request are too large"),
    "rate_limited": (429, "Too many requests"),
    "busy": (503, "Too many connections"),
    # the one error tree
    "internal_error": (500, "Something went wrong inside voice"),
    "feature_disabled": (403, "The inner voice is switched off"),
    "invalid_params": (422, "The request is not valid"),
    "unknown_id": (404, "Not found"),
    "scope_required": (422, "A scope is required"),
    "capsule_closed": (409, "The capsule is closed"),
    "key_reused": (422, "The key belongs to another request"),
    "configuration_error": (500, "A setting is missing or wrong"),
    "db_error": (500, "The store failed"),
    "store_held": (503, "Another process holds the store"),
    "store_unavailable": (503, "The store is not available now"),
    "outcome_unknown": (500, "The outcome is unknown"),
    "schema_drift": (500, "The store has another version"),
    "store_damaged": (500, "The store is damaged"),
    "session_conflict": (409, "Another process changed it first"),
    "already_asked": (409, "This key was used before"),
    "no_session": (404, "There is no live session"),
    "embedder_unavailable": (503, "The encoder is not available now"),
    "reranker_unavailable": (503, "The re-ranker is not available now"),
    "retrieval_provider_error": (502, "A retrieval provider failed"),
    "verifier_failed": (502, "A verifier failed"),
    "opinion_malformed": (502, "A verifier's answer has the wrong shape"),
    "provider_error": (502, "The provider sent no usable reply"),
    "provider_unavailable": (503, "The provider is not available now"),
    "provider_rejected": (502, "The provider rejected the request"),
    "deadline": (504, "The time limit was reached"),
    "budget": (402, "The spending cap is reached"),
    "data_file_error": (422, "A file cannot be used"),
}

MAY_SAY_WHEN = frozenset({"rate_limited", "in_progress", "busy", "store_unavailable", "provider_unavailable"})
"""The codes that say when to try again, where that is known."""

_REFUSAL_DETAILS: Mapping[str, str] = {
    "wrong_host": "use the address that `voice serve` printed",
    "wrong_origin": "a page of another site sent this request",
    "wrong_site": "a page of another site sent this request; open the address yourself, not a link to it",
    "unauthorized": "send `Authorization: Bearer` with the token that `voice serve` printed, or open its link",
    "crowded": (
        f"a request has at most {MOST_COOKIES} cookies of this server (`voice_` and its port); delete "
        "the cookies of this address in the browser, and open the link of `voice serve`"
    ),
    "forged": "a request that changes something must come from a page of this server",  # a cookie comes unasked
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What went wrong, for who asked."""

    code: str
    detail: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])  # beside those that every answer has
    more: Mapping[str, object] = field(default_factory=dict[str, object])
    """Members beside the five."""

    @property
    def status(self) -> int:
        """Return the HTTP status."""
        return TITLES[self.code][0]

    @property
    def title(self) -> str:
        """Return what kind of problem it is, in words."""
        return TITLES[self.code][1]

    def form(self) -> dict[str, object]:
        """Return it as a JSON object."""
        members = {"type": f"{ERRORS_PATH}/{self.code}", "title": self.title, "status": self.status}
        return {**members, "detail": self.detail, "code": self.code, **self.more}

    def response(self) -> Response:
        """Return it as an answer."""
        return Response(
            json_bytes(self.form()), status_code=self.status, media_type=MEDIA_TYPE, headers=dict(self.headers)
        )


class ProblemError(Exception):
    """A problem that ends what is under way; raised by the door itself, and caught where the answer is made."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.code)
        self.problem = problem


def problem_of(error: VoiceError, words: Words = NO_WORDS) -> Problem:
    """Return what to tell of an error; `words` say how its advice is done, which a page does by buttons."""
    headers: dict[str, str] = {}
    more: dict[str, object] = {}
    if isinstance(error, ProviderUnavailable) and error.retry_after_s is not None:
        headers["Retry-After"] = str(ceil(error.retry_after_s))  # whole seconds, never too early
    elif error.retryable and TITLES[error.code][0] == 503:  # a server that is busy now may answer in a second
        headers["Retry-After"] = "1"
    if isinstance(error, SessionConflict) and error.exchange_id is not None:
        more["exchange_id"] = error.exchange_id  # the turn that was paid for and kept behind the winner
    return Problem(code=error.code, detail=message_with_advice(error, words), headers=headers, more=more)


def fault_problem(at: str, what: str) -> Problem:
    """Return what to tell of one thing that was sent: where it stands, and what it should be."""
    return Problem(code="invalid_params", detail=f"{at}: {what}", more={"faults": [{"at": at, "what": what}]})


def refused_problem(verdict: Refused) -> Problem:
    """Return what to tell a request that was not let in."""
    headers = {"WWW-Authenticate": 'Bearer realm="voice"'} if verdict.reason == "unauthorized" else {}
    code = "head_too_large" if verdict.reason == "crowded" else verdict.reason  # many cookies are a large head
    detail = _REFUSAL_DETAILS[verdict.reason]
    if headers and verdict.guessed:
        detail = f"what was sent does not open this server; {detail}"
    return Problem(code=code, detail=detail, headers=headers)


def rate_limit_problem(wait_s: float, what: str) -> Problem:
    """Return what to tell who has to wait."""
    seconds = max(1, ceil(wait_s))  # 0 would mean: at once
    return Problem(code="rate_limited", detail=f"{what}; wait {seconds} s", headers={"Retry-After": str(seconds)})


OPENAI_PATH: Final = "/v1"
_OPENAI_TYPES: Final[Mapping[int, str]] = {
    401: "authentication_error",
    402: "insufficient_quota",
    403: "permission_error",
    421: "permission_error",
    429: "rate_limit_error",
}
_UNPROCESSABLE: Final = 422  # what these clients know as 400


def speaks_openai(scope: Scope) -> bool:
    """Return whether a request was sent to the addresses that OpenAI's clients know."""
    return scope["type"] == "http" and str(scope["path"]).startswith(f"{OPENAI_PATH}/")


def openai_error(problem: Problem) -> Mapping[str, object]:
    """Return a problem as the JSON object that OpenAI's clients read."""
    faults = cast("list[Mapping[str, str]]", problem.more.get("faults", []))
    param = faults[0]["at"] if faults else None
    code = "model_not_found" if (problem.code, param) == ("not_found", "model") else problem.code  # as OpenAI says it
    kind = _OPENAI_TYPES.get(problem.status, "invalid_request_error" if problem.status < 500 else "server_error")
    message = problem.detail if faults else f"{problem.title}: {problem.detail}"  # a fault says its place
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def openai_answer(problem: Problem) -> Response:
    """Return a problem as an answer to one of these clients."""
    should_retry = "true" if problem.code in MAY_SAY_WHEN else "false"  # else they would ask, and pay, again
    return Response(
        json_bytes(openai_error(problem)),
        status_code=400 if problem.status == _UNPROCESSABLE else problem.status,
        media_type="application/json",
        headers={**problem.headers, "x-should-retry": should_retry},
    )
