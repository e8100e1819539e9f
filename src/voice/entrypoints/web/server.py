"""The HTTP server and its application, until it is told to stop.

Law: it listens before anybody is told where, so that an address that is printed works. What the library does not bound
is bounded here: a connection that does not finish the head of a request in time is closed, so that slow senders cannot
hold the places of everybody else. What is answered before the application is asked is a problem under the same policy
as every other answer. Nothing is served that has not passed `middleware`; the routes of the pages and other doors
(`extra`) come first.
Source: DESIGN 8 Web (loopback only); the threats of SECURITY.md.
"""

import asyncio
import errno
import logging
import signal
import socket
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from ipaddress import ip_address
from typing import ClassVar, Final, cast

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Lifespan, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from voice.core.errors import ConfigurationError, VoiceError
from voice.entrypoints.library import Voice
from voice.entrypoints.shared.advice import OVER_HTTP
from voice.entrypoints.web.access import Guard, Limits
from voice.entrypoints.web.api.routes import api_routes
from voice.entrypoints.web.completions.routes import completion_routes
from voice.entrypoints.web.middleware import (
    AccessGate,
    CatchUnforeseen,
    CloseUnread,
    OnLinkUsed,
    SecurityHeaders,
    no_next_link,
    oversized_head,
)
from voice.entrypoints.web.request_bodies import BodyLimits
from voice.entrypoints.web.responses import SECURITY_HEADERS, Problem, problem_of
from voice.entrypoints.web.sign_in_page import problem_response, program_response, wants_page

_HTTP_PORT = 80  # browsers leave it out of `Host`
_LOGGERS = ("uvicorn", "mcp", "sse_starlette", "python_multipart")  # libraries whose lines would hold addresses
_SIGNALS = (signal.SIGINT, signal.SIGTERM)  # Ctrl+C, and what a service manager sends
_HOST_ADVICE: Final = (
    "leave out --host to listen only on this machine (127.0.0.1), or give an address that this machine has"
)


def is_loopback_host(host: str) -> bool:
    """Return whether a host is this machine and nobody else's way to it."""
    if host == "localhost":
        return True
    with suppress(ValueError):
        return ip_address(host.strip("[]")).is_loopback  # "[::1]"
    return False


def is_wildcard(host: str) -> bool:
    """Return whether a host is every address of this machine, and so the name of none."""
    with suppress(ValueError):
        return ip_address(host.strip("[]")).is_unspecified
    return False


def authorities_of(host: str, port: int) -> frozenset[str]:
    """Return what `Host` may say to a server at `host` and `port`; on this machine also its other names."""
    names = {host, "localhost", "127.0.0.1", "::1"} if is_loopback_host(host) else {host}  # a browser may say any
    ports = (f":{port}", "") if port == _HTTP_PORT else (f":{port}",)  # of its own port a browser says nothing
    return frozenset(f"{_bracketed(name)}{end}".lower() for name in names for end in ports)


def address_of(host: str, port: int) -> str:
    """Return the address of a server, as a browser takes it."""
    return f"http://{_bracketed(host)}:{port}"


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 lets the system choose one.

    Raises:
        ConfigurationError: the port is taken, or the address is none, or not this machine's.
    """
    listening = _bound_socket(host, port)
    try:
        listening.listen(128)  # connections that wait while others are taken
    except OSError as error:
        listening.close()
        raise ConfigurationError(_listen_error(error, host, port)) from None
    listening.setblocking(False)  # the event loop waits, not a call
    return listening


def require_own(host: str) -> None:
    """Check that a host is an address of this machine, or a name of one; nothing listens there yet.

    Raises:
        ConfigurationError: it is not, or nothing is named, which a socket takes for every address.
    """
    if not host.strip():
        raise ConfigurationError(f"--host is empty; {_HOST_ADVICE}")
    _bound_socket(host, 0).close()  # 0: any port, for the moment


def _bound_socket(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # else the port stays taken for a minute after a stop
    try:
        bound.bind((host.strip("[]"), port))
    except (OSError, UnicodeError) as error:  # a name with an empty or too long part is no OSError
        bound.close()
        raise ConfigurationError(_listen_error(error, host, port)) from None
    return bound


def make_server(app: ASGIApp, limits: Limits, *, ready: Callable[[], object]) -> "Server":
    """Return a server for an application and its lifespan; `ready` is called once answers are given."""
    return Server(_config(app, limits), ready)


class Server(uvicorn.Server):
    """The library's server, which says when it has started and leaves the process to its caller.

    It answers until SIGINT or SIGTERM; what is under way then has a moment to end, or is withdrawn. The library would
    send the process that signal once more, and the store would not be closed.
    """

    def __init__(self, config: uvicorn.Config, ready: Callable[[], object]) -> None:
        super().__init__(config)
        self._ready = ready
        self.stopped_by: signal.Signals | None = None
        """The signal that it was told to stop with."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Stop at the first signal, and at a second without waiting for anybody."""
        loop = asyncio.get_running_loop()
        for number in _SIGNALS:
            with suppress(NotImplementedError, RuntimeError, ValueError):  # no signals here: another thread
                loop.add_signal_handler(number, self.stop, number)
        try:
            yield
        finally:
            for number in _SIGNALS:
                with suppress(NotImplementedError, RuntimeError, ValueError):
                    loop.remove_signal_handler(number)

    def stop(self, number: signal.Signals | None = None) -> None:
        """End, gently the first time."""
        self.stopped_by = self.stopped_by or number  # the first signal is told
        self.force_exit = self.should_exit  # a second signal ends at once
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and tell who waits for it."""
        await super().startup(sockets)
        self._ready()  # now answers are given: who waits may print the address


def _config(app: ASGIApp, limits: Limits) -> uvicorn.Config:
    for name in _LOGGERS:
        log = logging.getLogger(name)
        log.addHandler(logging.NullHandler())  # none of their lines reaches the root logger by chance
        log.propagate = False  # whoever asks chooses what would be in its lines
    return uvicorn.Config(
        app,
        # The library makes protocols itself, so the limits have to be in their class.
        http=type("Bounded", (_BoundedProtocol,), {"limits": limits}),
        ws="none",  # no WebSockets
        loop="asyncio",
        lifespan="on",  # an application that cannot start is an error
        log_config=None,
        access_log=False,  # a line would hold an address, which may hold a code
        proxy_headers=False,  # a header could pass for another address and its rate
        server_header=False,
        timeout_keep_alive=limits.idle_s,
        timeout_graceful_shutdown=limits.graceful_s,
        h11_max_incomplete_event_size=limits.header_bytes,  # h11 answers beyond it through `send_400_response`
    )


class _BoundedProtocol(H11Protocol):
    """Closes a connection on which a request has begun and its head is not there in time; refuses one too many."""

    limits: ClassVar[Limits]
    _deadline: asyncio.TimerHandle | None = None

    def handle_events(self) -> None:
        """Let the application answer, where there is a place for one more."""
        most = self.limits.connections
        is_busy = len(self.connections) > most or len(self.tasks) >= most
        usual = cast("ASGIApp", self.config.loaded_app)  # pyright: ignore[reportUnknownMemberType]
        self.app = _BUSY if is_busy else usual  # pyright: ignore[reportUnknownMemberType]  # too many: not asked
        super().handle_events()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no request, or one whose head is too long, and end the connection."""
        is_too_long = getattr(sys.exception(), "error_status_hint", 0) == _HEAD_TOO_LARGE  # h11 hints at the status
        problem = oversized_head(self.limits) if is_too_long else Problem(code="bad_request", detail=msg)
        self.transport.write(_http_bytes(problem))
        self.transport.close()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)  # before the first byte: silence is bounded as well
        self._start_deadline()

    def data_received(self, data: bytes) -> None:
        cycle = cast("RequestResponseCycle | None", self.cycle)  # none before the first request
        if cycle is None or cycle.response_complete:  # between two requests: the next head has its time
            self._start_deadline()
        super().data_received(data)
        if self.cycle is not cycle or self.transport.is_closing():  # a head came whole, or the connection ends
            self._cancel_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_deadline()
        super().connection_lost(exc)

    def _start_deadline(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(self.limits.header_s, self._close)

    def _cancel_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _close(self) -> None:
        self._deadline = None  # it has fired: nothing to cancel
        self.transport.close()


_BUSY_PROBLEM: Final = Problem(
    code="busy",
    detail="this server has too many connections; try again in a moment",
    headers={"Retry-After": "1", "Connection": "close"},
)


async def _busy(scope: Scope, receive: Receive, send: Send) -> None:
    await problem_response(_BUSY_PROBLEM, scope)(scope, receive, send)


_BUSY: Final = SecurityHeaders(_busy)
_HEAD_TOO_LARGE: Final = 431  # "Request Header Fields Too Large"


def _http_bytes(problem: Problem) -> bytes:
    """Return a problem as it is on the wire, for what the library never makes a request of."""
    answer = problem.response()
    own = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in answer.raw_headers]
    lines = [f"HTTP/1.1 {problem.status} {HTTPStatus(problem.status).phrase}", "connection: close"]
    lines += [f"{name}: {value}" for name, value in (*own, *SECURITY_HEADERS) if name != "connection"]
    return "\r\n".join((*lines, "", "")).encode("latin-1") + bytes(answer.body)


def _bracketed(host: str) -> str:
    return f"[{host.strip('[]')}]" if ":" in host else host


def _listen_error(error: OSError | UnicodeError, host: str, port: int) -> str:
    if isinstance(error, UnicodeError | socket.gaierror):  # a name that does not resolve
        return f"{host} is not an address, and does not resolve to one of this machine; {_HOST_ADVICE}"
    if error.errno == errno.EADDRNOTAVAIL:
        return f"{host} is not an address of this machine; {_HOST_ADVICE}"
    if error.errno == errno.EADDRINUSE:
        return f"port {port} of {host} is in use; another `voice serve` may be running: choose another port with --port"
    if error.errno == errno.EACCES:  # low ports need rights
        return f"your user may not listen on port {port}; choose a port above 1023 with --port"
    return f"cannot listen on {host} port {port} ({error.strerror or type(error).__name__}); choose another --host"


FaultPage = Callable[[Request, Problem], Response]
"""What makes a page of what is wrong with an address."""
_CODES = {  # what Starlette raises, by its status
    400: "bad_request",  # also any status that is not here
    404: "not_found",
    405: "method_not_allowed",
    413: "too_large",
    415: "unsupported_media_type",
}
_DETAILS = {
    "not_found": "there is no page at this address",
    "method_not_allowed": "use a method that the header `Allow` lists",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AppHooks:
    """What whoever serves an application does in its place."""

    renewed: OnLinkUsed = no_next_link
    """Told when a link was used; makes the next one."""
    fault_page: FaultPage | None = None
    """Shows a browser what is wrong with an address; None: it is told as programs are."""


_NO_HOOKS = AppHooks()


def make_app(
    memory: Voice,
    *,
    guard: Guard,
    extra: Sequence[BaseRoute] = (),
    hooks: AppHooks = _NO_HOOKS,
    lifespan: Lifespan[Starlette] | None = None,
    debug: bool = False,
) -> Starlette:
    """Return the application that serves an open memory.

    Args:
        extra: the routes of the pages and of other doors.
        hooks: what whoever serves it does in its place.
        debug: whether a failure that nobody foresaw is traced on stderr.
    """
    layers = [
        Middleware(SecurityHeaders),  # outermost: also what a lower layer answers has the headers
        Middleware(CloseUnread, guard.limits),
        Middleware(CatchUnforeseen, memory.services.observed.log, debug=debug),  # a fault in the checks is told, too
        Middleware(AccessGate, guard, memory.services.clock, hooks.renewed),
        Middleware(BodyLimits, guard),
    ]
    completions = completion_routes(memory, has_pages=hooks.fault_page is not None)  # pages show their own faults
    app = Starlette(
        routes=[*extra, *api_routes(memory), *completions],
        middleware=layers,
        exception_handlers={HTTPException: partial(_http_fault, hooks.fault_page), VoiceError: _voice_fault},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False  # an address is right or it is not there
    return app


def _http_fault(fault_page: FaultPage | None, request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # the table of handlers names no other
    code = _CODES.get(error.status_code, "bad_request")
    problem = Problem(code=code, detail=_DETAILS.get(code, error.detail), headers=dict(error.headers or {}))
    if fault_page is None or not wants_page(request.scope):
        return program_response(problem, request.scope)
    answer = fault_page(request, problem)
    answer.headers.update(problem.headers)  # `Allow` of a 405
    return answer


def _voice_fault(_request: Request, error: Exception) -> Response:
    assert isinstance(error, VoiceError)
    return problem_of(error, OVER_HTTP).response()
