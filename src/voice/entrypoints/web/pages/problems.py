"""What could not be done, as a page.

Law: an error of the one tree is shown with its own message, which holds no text of a row, and with the status and
title that it has at every door over HTTP; whoever typed something finds it again where the page that failed keeps it.
What nobody foresaw is not caught here.

Source: DESIGN 8 Web; `voice.core.errors`; `voice.entrypoints.web.problems`.
"""

from collections.abc import Awaitable, Callable
from functools import wraps

from starlette.requests import Request
from starlette.responses import Response

from voice.core.errors import VoiceError
from voice.entrypoints.web.pages.rendering import Templates
from voice.entrypoints.web.problems import Problem, problem_of

Handler = Callable[[Request], Awaitable[Response]]


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
            return problem_page(templates, request, problem_of(error))

    return answered


def problem_page(templates: Templates, request: Request, problem: Problem) -> Response:
    """Return the page of what went wrong.

    Args:
        templates: what pages are made of.
        request: what could not be done.
        problem: why.
    """
    return templates.page(request, "problem.html", problem.status, problem=problem)
