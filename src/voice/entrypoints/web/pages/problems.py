"""What could not be done, as a page.

Law: an error of the one tree is shown with its own message, which holds no text of a memory, and with a status; whoever
typed something finds it again where the page that failed keeps it. What nobody foresaw is not caught here.

Source: DESIGN 8 Web; `voice.core.errors`.
"""

from collections.abc import Awaitable, Callable
from functools import wraps

from starlette.requests import Request
from starlette.responses import Response

from voice.core.errors import (
    BudgetExceeded,
    CapsuleClosed,
    InvalidParams,
    NoSession,
    ProviderError,
    SessionConflict,
    UnknownId,
    VoiceError,
)
from voice.entrypoints.web.pages.rendering import Templates

Handler = Callable[[Request], Awaitable[Response]]
_KINDS: tuple[tuple[type[VoiceError], int, str], ...] = (
    (UnknownId, 404, "There is no such thing here"),
    (NoSession, 404, "There is no conversation to go on with"),
    (CapsuleClosed, 409, "The capsule is closed"),
    (SessionConflict, 409, "Somebody else changed it first"),
    (InvalidParams, 422, "That cannot be meant"),
    (BudgetExceeded, 402, "The spending cap is reached"),
    (ProviderError, 502, "The model gave no usable reply"),
    (VoiceError, 503, "This does not work just now"),
)
"""The most specific first: which status and which title an error has."""


def title_of(error: VoiceError) -> str:
    """Return what kind of error it is, in words."""
    return _kind(error)[1]


def status_of(error: VoiceError) -> int:
    """Return the HTTP status of the page that shows an error."""
    return _kind(error)[0]


def _kind(error: VoiceError) -> tuple[int, str]:
    return next((status, title) for kind, status, title in _KINDS if isinstance(error, kind))


def with_problems(templates: Templates, handler: Handler) -> Handler:
    """Return a handler whose errors are shown as a page.

    Args:
        templates: what pages are made of.
        handler: what answers a request.
    """

    @wraps(handler)
    async def answered(request: Request) -> Response:
        try:
            return await handler(request)
        except VoiceError as error:
            title = title_of(error)
            return templates.page(request, "problem.html", status=status_of(error), title=title, detail=error.message)

    return answered
