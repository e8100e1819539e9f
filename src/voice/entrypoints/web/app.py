"""The web application: what every request passes, and the routes behind it.

Law: nothing is served that has not passed `edge`. The pages and other doors hand in their routes (`extra`); what is
said here about them is only that they come first.

Source: DESIGN 8 Web.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.types import Lifespan

from voice.core.errors import VoiceError
from voice.entrypoints.library import Voice
from voice.entrypoints.shared.advice import OVER_HTTP
from voice.entrypoints.web.access import Guard
from voice.entrypoints.web.api.routes import api_routes
from voice.entrypoints.web.completions.routes import completion_routes
from voice.entrypoints.web.middleware import (
    AccessGate,
    CatchUnforeseen,
    CloseUnread,
    OnLinkUsed,
    SecurityHeaders,
    no_next_link,
)
from voice.entrypoints.web.problems import Problem, problem_of
from voice.entrypoints.web.request_bodies import BodyLimits
from voice.entrypoints.web.sign_in_page import program_response, wants_page

FaultPage = Callable[[Request, Problem], Response]
"""What makes a page of what is wrong with an address."""
_CODES = {
    400: "bad_request",
    404: "not_found",
    405: "method_not_allowed",
    413: "too_large",
    415: "unsupported_media_type",
}
_DETAILS = {
    "not_found": "there is no page at this address",
    "method_not_allowed": "this address is asked in another way; `Allow` says which",
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
    """Return the application that serves a memory.

    Args:
        memory: an open memory; it stays open for as long as the application is served.
        guard: what is let in.
        extra: the routes of the pages and of other doors.
        hooks: what whoever serves it does in its place.
        lifespan: what runs for as long as the application does.
        debug: whether a failure that nobody foresaw is traced on stderr.
    """
    layers = [
        Middleware(SecurityHeaders),
        Middleware(CloseUnread, guard.limits),
        Middleware(CatchUnforeseen, memory.services.observed.log, debug=debug),
        Middleware(AccessGate, guard, memory.services.clock, hooks.renewed),
        Middleware(BodyLimits, guard),
    ]
    app = Starlette(
        routes=[*extra, *api_routes(memory), *completion_routes(memory)],
        middleware=layers,
        exception_handlers={HTTPException: partial(_http_fault, hooks.fault_page), VoiceError: _fault},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False  # an address is right or it is not there
    return app


def _http_fault(fault_page: FaultPage | None, request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = _CODES.get(error.status_code, "bad_request")
    problem = Problem(code=code, detail=_DETAILS.get(code, error.detail), headers=dict(error.headers or {}))
    if fault_page is None or not wants_page(request.scope):
        return program_response(problem, request.scope)
    answer = fault_page(request, problem)
    answer.headers.update(problem.headers)
    return answer


def _fault(_request: Request, error: Exception) -> Response:
    assert isinstance(error, VoiceError)
    return problem_of(error, OVER_HTTP).response()
