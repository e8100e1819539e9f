"""Bodies of requests, within their bounds of size and time.

Law: a body is read whole before anything acts on it, but for that of a form that brings files: it passes as it comes,
counted and timed, to the one page that writes it to the disk.

Source: DESIGN 8 Web; ASGI 3.
"""

from collections.abc import Mapping
from typing import Final

import anyio
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from voice.entrypoints.web.guard import UPLOAD_PATH, Guard
from voice.entrypoints.web.problems import Problem, Stopped

CLOSE: Final[Mapping[str, str]] = {"Connection": "close"}


class Bodies:
    """Reads a body whole before anything acts on it, within its bounds of size and time; files pass as they come."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self._app = app
        self._limits = guard.limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on with its body, or refuse a body that is too large or too slow."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if scope["method"] == "POST" and scope["path"] == UPLOAD_PATH:
            await self._app(scope, self._as_it_comes(scope, receive), send)
            return
        most = self._limits.body_bytes
        length = Headers(scope=scope).get("content-length", "0")
        if length.isdecimal() and int(length) > most:
            raise Stopped(_too_large(most))
        try:
            with anyio.fail_after(self._limits.body_s):
                body = await _whole(receive, most)
        except TimeoutError:
            raise Stopped(_too_slow(self._limits.body_s)) from None
        if body:
            _require_plain(Headers(scope=scope))
        if body is not None:
            await self._app(scope, _again(body, receive), send)

    def _as_it_comes(self, scope: Scope, receive: Receive) -> Receive:
        """Return a `receive` that tells a body of files while it comes, and ends it beyond its bounds.

        Raises:
            Stopped: it announces more than may be, or would have to be unpacked.
        """
        most, headers = self._limits.upload_bytes, Headers(scope=scope)
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length) > most:
            raise Stopped(_too_large(most))
        _require_plain(headers)
        ends, size = anyio.current_time() + self._limits.upload_s, 0

        async def receive_some() -> Message:
            nonlocal size
            try:
                with anyio.fail_at(ends):
                    message = await receive()
            except TimeoutError:
                raise Stopped(_too_slow(self._limits.upload_s)) from None
            size += len(message.get("body", b""))
            if size > most:
                raise Stopped(_too_large(most))
            return message

        return receive_some


def _too_large(most: int) -> Problem:
    return Problem(code="too_large", detail=f"a body has at most {most:,} bytes", headers=CLOSE)


def _too_slow(seconds: float) -> Problem:
    return Problem(code="timeout", detail=f"a body must come within {seconds:g} s", headers=CLOSE)


def _require_plain(headers: Headers) -> None:
    """Refuse a body that says two things about itself, or that would have to be unpacked before it can be read.

    Raises:
        Stopped: it does.
    """
    codings = {coding.strip().lower() for line in headers.getlist("content-encoding") for coding in line.split(",")}
    if not codings <= {"identity"} or len(headers.getlist("content-type")) > 1:
        what = "a body has one Content-Type and is sent as it is, without a Content-Encoding"
        raise Stopped(Problem(code="unsupported_media_type", detail=what))


async def _whole(receive: Receive, most: int) -> bytes | None:
    """Return a body, or None where the caller went away before its end."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > most:
            raise Stopped(_too_large(most))
        if not message.get("more_body", False):
            return b"".join(parts)


def _again(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that tells a body that was read, and then what comes after it."""
    told = False

    async def receive_again() -> Message:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_again
