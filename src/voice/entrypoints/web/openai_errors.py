"""What went wrong, as clients of OpenAI's interface read it.

Law: the same problems as everywhere (`problems`), in the one shape those clients know: their programs show `message`
to a person and decide by `type`, `code` and `param`. Whether to try again is said by us, because those clients would
otherwise ask, and pay, a second time for what was answered with a conflict.

Source: OpenAI API reference, "Errors"; `voice.entrypoints.web.problems`.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, cast

from starlette.responses import Response
from starlette.types import Scope

from voice.entrypoints.web.json_text import json_bytes
from voice.entrypoints.web.problems import MAY_SAY_WHEN, Problem

OPENAI_PATH: Final = "/v1"
_TYPES: Final[Mapping[int, str]] = MappingProxyType(
    {
        401: "authentication_error",
        402: "insufficient_quota",
        403: "permission_error",
        421: "permission_error",
        429: "rate_limit_error",
    }
)
_UNPROCESSABLE: Final = 422
"""What these clients know as 400."""


def speaks_openai(scope: Scope) -> bool:
    """Return whether a request was sent to the addresses that OpenAI's clients know."""
    return scope["type"] == "http" and str(scope["path"]).startswith(f"{OPENAI_PATH}/")


def openai_error(problem: Problem) -> Mapping[str, object]:
    """Return a problem as the JSON object that OpenAI's clients read."""
    faults = cast("list[Mapping[str, str]]", problem.more.get("faults", []))
    param = faults[0]["at"] if faults else None
    code = "model_not_found" if (problem.code, param) == ("not_found", "model") else problem.code
    kind = _TYPES.get(problem.status, "invalid_request_error" if problem.status < 500 else "server_error")
    message = problem.detail if faults else f"{problem.title}: {problem.detail}"
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def openai_answer(problem: Problem) -> Response:
    """Return a problem as an answer to one of these clients."""
    again = "true" if problem.code in MAY_SAY_WHEN else "false"
    return Response(
        json_bytes(openai_error(problem)),
        status_code=400 if problem.status == _UNPROCESSABLE else problem.status,
        media_type="application/json",
        headers={**problem.headers, "x-should-retry": again},
    )
