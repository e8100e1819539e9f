"""The middleware that every request passes before anything of the memory is touched.

Law: they only carry: `access` decides what may pass and how often, `responses` what is told. From the outside in: the
headers that every answer carries; the last catch, which turns an unforeseen failure into a 500 that says nothing; the
checks and the rates; the body (`request_bodies`).
Source: DESIGN 8 Web; ASGI 3.
"""

import sys
import traceback
from collections import OrderedDict
from collections.abc import Callable
from urllib.parse import parse_qs

import anyio
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from voice.entrypoints.web.access import (
    LINK_PARAMETER,
    LINK_PATH,
    Admitted,
    Bucket,
    FailedCookies,
    Guard,
    Limits,
    Rate,
    Refused,
    RequestClaims,
    cookies_tried,
    judge,
    take_token,
)
from voice.entrypoints.web.request_bodies import CLOSE
from voice.entrypoints.web.responses import (
    MAY_BE_KEPT,
    SECURITY_HEADERS,
    Problem,
    ProblemError,
    rate_limit_problem,
    refused_problem,
)
from voice.entrypoints.web.sign_in_page import policy_of, problem_response, redirect_page
from voice.ports.system import Clock, EventLog

_ADDRESSES = 1_024  # callers whose buckets are remembered; the longest unseen goes first, and is full by then
_NO_MORE: Message = {"type": "http.response.body", "body": b"", "more_body": False}  # ends an answer already sent


OnLinkUsed = Callable[[str], str | None]
"""Told that a code was used; says which one opens the page next, where one does."""


def no_next_link(_code: str) -> None:
    """Take note of a code that was used, and offer no other."""


class SecurityHeaders:
    """Puts `SECURITY_HEADERS` on every answer, in the place of any that stand there; files may be kept."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as the application does, with the headers."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                cache_control = headers.get("cache-control", "")
                for name, value in SECURITY_HEADERS:
                    headers[name] = value
                if cache_control in MAY_BE_KEPT:  # files of the pages, which are the same for everybody
                    headers["cache-control"] = cache_control
                headers["content-security-policy"] = policy_of(scope)
            await send(message)

        await self._app(scope, receive, with_headers)


class CloseUnread:
    """Ends a connection whose request was answered before its body came, rather than wait for what nobody wants.

    What is on its way is taken from the wire for a moment: a connection that is closed over it is reset, and who asked
    might never see the answer.
    """

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app = app
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as the application does, and say that the connection ends where a body is left."""
        headers = Headers(scope=scope) if scope["type"] == "http" else Headers()
        is_unread = "transfer-encoding" in headers or headers.get("content-length", "0") != "0"  # a body is to come

        async def reading() -> Message:
            nonlocal is_unread
            message = await receive()
            is_unread = is_unread and bool(message.get("more_body", False))  # whole once nothing more is to come
            return message

        async def answering(message: Message) -> None:
            if message["type"] == "http.response.start" and is_unread:
                MutableHeaders(scope=message)["connection"] = "close"  # in the head: no second request comes here
            if message["type"] == "http.response.body" and is_unread and not message.get("more_body", False):
                await send({**message, "more_body": True})  # the whole answer first, but not yet its end
                await self._drain(reading)
                message = _NO_MORE
            await send(message)

        await self._app(scope, reading, answering)

    async def _drain(self, receive: Receive) -> None:
        """Take what is still sent of a body, for so long and so much of it, and keep nothing of it."""
        left = self._limits.body_bytes  # no more than a body may have
        with anyio.move_on_after(self._limits.linger_s):  # nor for long
            while left > 0:
                message = await receive()
                left -= len(message.get("body", b""))
                if not message.get("more_body", False):
                    return


class CatchUnforeseen:
    """Answers what nobody foresaw with a 500 that tells nothing but that; its kind goes to the log."""

    def __init__(self, app: ASGIApp, log: EventLog, *, debug: bool = False) -> None:
        self._app = app
        self._log = log
        self._debug = debug

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as the application does, or say that it failed."""
        has_started = False

        async def send_noting(message: Message) -> None:
            nonlocal has_started  # once the head is out, no other answer can be sent
            has_started = has_started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, send_noting)
        except ProblemError as error:
            if not has_started:
                await problem_response(error.problem, scope)(scope, receive, send)
        except Exception as error:  # the one place where a request ends, whatever happened in it
            self._log.warning("request_failed", {"kind": type(error).__name__})  # the kind alone: no word of a memory
            if self._debug:
                traceback.print_exception(error, file=sys.stderr)
            if has_started:
                raise  # the connection breaks off: an answer that looks whole would lie
            detail = f"something went wrong inside voice ({type(error).__name__}); VOICE_DEBUG=1 shows where"
            await problem_response(Problem(code="internal_error", detail=detail), scope)(scope, receive, send)


class AccessGate:
    """Lets in what passes the checks of `access`, as often as its rates allow.

    What is refused has a rate of its own: anybody can send that, a page of another site, too, and would otherwise use
    up what the owner may ask.
    """

    def __init__(self, app: ASGIApp, guard: Guard, clock: Clock, renewed: OnLinkUsed = no_next_link) -> None:
        self._app = app
        self._guard = guard
        self._clock = clock
        self._renewed = renewed
        limits = guard.limits
        self._admitted = _AddressBuckets(Rate(burst=limits.burst, per_second=limits.per_second))  # of what passes
        self._refused = _AddressBuckets(Rate(burst=limits.burst, per_second=limits.per_second))  # of what does not
        self._wrong = _AddressBuckets(Rate(burst=limits.wrong_burst, per_second=limits.wrong_per_second))  # of guesses
        self._tried = FailedCookies()
        self._codes = guard.codes
        self._spent: frozenset[str] = frozenset()  # codes that opened the page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that may pass; refuse any other, and every connection that is no request."""
        if scope["type"] == "lifespan":  # starting and stopping are no requests
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            raise ProblemError(Problem(code="bad_request", detail="this server speaks only plain HTTP"))
        answer = self._answer(scope)
        await (answer or self._app)(scope, receive, send)

    def _answer(self, scope: Scope) -> ASGIApp | None:
        """Return what a request is answered without asking the application; None: it may pass."""
        address, now = _client_address(scope), self._clock.monotonic_ms() / 1000
        headers = Headers(scope=scope)
        claims = request_claims(scope, headers)
        verdict = judge(claims, self._guard, self._codes, self._spent)
        is_out = isinstance(verdict, Refused) and verdict.reason == "unauthorized"
        rates = self._refused if isinstance(verdict, Refused) else self._admitted
        if wait := rates.take(address, now):  # first: refusing is bounded as well
            return problem_response(
                rate_limit_problem(wait, "too many requests from this address"), scope, is_out=is_out
            )
        if _head_bytes(scope) > self._guard.limits.header_bytes:
            return problem_response(oversized_head(self._guard.limits), scope)
        if isinstance(verdict, Refused):
            # The right token always gets in: it cannot be guessed at any rate, and whoever could shut the owner out
            # with wrong ones (a program with yesterday's token, trying again and again) would.
            if verdict.guessed and (
                wait := self._guess_wait(cookies_tried(claims, self._guard, verdict), address, now)
            ):
                return problem_response(rate_limit_problem(wait, "too many wrong tokens"), scope, is_out=True)
            return problem_response(refused_problem(verdict), scope, verdict=verdict)
        scope["voice.by"] = verdict.by  # by what it came in: some doors take the token alone
        return self._signed_in(verdict, scope) if verdict.by == "link" else None

    def _signed_in(self, verdict: Admitted, scope: Scope) -> Response:
        """Return the cookie, and the address without the code; that is spent first, whatever comes of telling so."""
        if verdict.code is not None:
            self._spent |= {verdict.code}
            self._codes -= {verdict.code}
            next_code = self._renewed(verdict.code)
            reopened = frozenset({next_code} if next_code else ())
            self._codes |= reopened
            self._spent -= reopened  # a code that is given out anew is as good as it was
        response = redirect_page(scope) if verdict.from_elsewhere else RedirectResponse(LINK_PATH, status_code=303)
        response.set_cookie(self._guard.cookie_name, self._guard.cookie, path="/", httponly=True, samesite="strict")
        return response

    def _guess_wait(self, cookies: tuple[str, ...], address: str, now: float) -> float:
        """Return how long a client that guessed has to wait.

        A browser sends the cookie of an earlier run with every request; sending it again is no new guess.
        """
        if self._tried.has_all(address, cookies):  # no new guess
            return 0.0
        if wait := self._wrong.take(address, now):
            return wait
        self._tried.add(address, cookies)  # a guess that had to wait stays unknown
        return 0.0


class RequireBearer:
    """Lets in who brings the token itself, and no browser that has its cookie."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a program, and refuse anybody else."""
        if scope["voice.by"] != "bearer":  # set by `AccessGate`, which every request passes before
            raise ProblemError(refused_problem(Refused("unauthorized")))
        await self._app(scope, receive, send)


def oversized_head(limits: Limits) -> Problem:
    """Return what to tell whose request has a head beyond its bound."""
    return Problem(code="head_too_large", detail=f"headers have at most {limits.header_bytes:,} bytes", headers=CLOSE)


class _AddressBuckets:
    """One bucket for each address."""

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, address: str, now: float) -> float:
        """Take one from the bucket of an address; return how many seconds it has to wait."""
        left, wait = take_token(self._buckets.pop(address, None), self._rate, now)  # so the longest unseen is first
        self._buckets[address] = left
        if len(self._buckets) > _ADDRESSES:
            self._buckets.popitem(last=False)
        return wait


def request_claims(scope: Scope, headers: Headers) -> RequestClaims:
    """Return what a request says of itself."""
    return RequestClaims(
        method=scope["method"],
        path=scope["path"],
        hosts=tuple(headers.getlist("host")),
        origins=tuple(headers.getlist("origin")),
        sites=tuple(headers.getlist("sec-fetch-site")),
        authorization=tuple(headers.getlist("authorization")),
        cookies=tuple(pair for line in headers.getlist("cookie") for pair in _cookies(line)),  # several may come
        link=next(iter(parse_qs(scope["query_string"].decode("latin-1")).get(LINK_PARAMETER, ())), None),
    )


def _cookies(line: str) -> list[tuple[str, str]]:
    """Return the cookies of a line; what others of this machine set there, and how they write it, harms no other."""
    pairs = [part.partition("=") for part in line.split(";")]
    return [(name.strip(), value.strip()) for name, _, value in pairs]


def _head_bytes(scope: Scope) -> int:
    """Return how large the head of a request is; one that comes whole passes the server's own bound."""
    lines = sum(len(name) + len(value) + 4 for name, value in scope["headers"])  # 4: ": " and the line break
    return lines + len(scope["path"]) + len(scope["query_string"])


def _client_address(scope: Scope) -> str:
    client = scope.get("client")
    return str(client[0]) if client else ""  # a Unix socket has no address
