"""What could not be done, as a page.

Law: an error of the one tree is shown with its own message, which holds no text of a row, and with the status and
title that it has at every door over HTTP; whoever typed something finds it again where the page that failed keeps it.
Of an address that says what its page does not read nothing is answered but that, with the way to the page without it.
What nobody foresaw is not caught here.

Source: DESIGN 8 Web; `voice.core.errors`; `voice.entrypoints.web.problems`.
"""

from collections.abc import Awaitable, Callable, Collection
from functools import wraps
from typing import Final
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from voice.core.errors import VoiceError
from voice.entrypoints.web.pages.fields import OddParameter, require_known
from voice.entrypoints.web.pages.rendering import Templates
from voice.entrypoints.web.problems import Problem, problem_of

Handler = Callable[[Request], Awaitable[Response]]
PRIVATE: Final = ("private",)
"""The one parameter of many addresses: whether what is private is shown."""


def with_problems(templates: Templates, handler: Handler, takes: Collection[str] = ()) -> Handler:
    """Return a handler whose errors are shown as a page.

    Args:
        templates: what pages are made of.
        handler: what answers a request.
        takes: the names of the parameters that it reads from the address.
    """

    @wraps(handler)
    async def answered(request: Request) -> Response:
        try:
            require_known(request.query_params, takes)
            return await handler(request)
        except VoiceError as error:
            return problem_page(templates, request, problem_of(error), is_of_query=isinstance(error, OddParameter))

    return answered


def problem_page(templates: Templates, request: Request, problem: Problem, *, is_of_query: bool = False) -> Response:
    """Return the page of what went wrong.

    Args:
        templates: what pages are made of.
        request: what could not be done.
        problem: why.
        is_of_query: whether what stands behind the question mark is why; what a form says is not in its address.
    """
    is_of_address = is_of_query and request.method != "POST"
    bare = quote(str(request.scope["path"]), safe="/:") if is_of_address else ""
    return templates.page(request, "problem.html", problem.status, problem=problem, bare=bare)
