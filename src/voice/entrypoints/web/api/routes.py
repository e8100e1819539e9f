"""The routes of the API: a request validated, its operation called, the reply written.

Law: it reads what the table says an operation takes, refuses what does not fit, calls it, and writes what it returns;
it knows no operation by name. What was wrong is told by where it stands and what it should be, in the words of every
other door; never by what stood there, and never in the words of whatever checks it. What is of a kind that no sentence
is here for is told so plainly.
Source: RFC 9457; draft-ietf-httpapi-idempotency-key-header; `voice.entrypoints.web.api.operations`; promise 6.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from voice.core.errors import InvalidParams
from voice.entrypoints.library import Voice
from voice.entrypoints.web.api.call import (
    KEY_HEADER,
    MAX_KEY_CHARS,
    REPLAYED_HEADER,
    Call,
    IdempotencyStore,
    fingerprint_of,
    key_status,
)
from voice.entrypoints.web.api.operations import OPERATIONS, WARNINGS_HEADER, Operation
from voice.entrypoints.web.api.request_models import Body, Query
from voice.entrypoints.web.responses import (
    API_PATH,
    Problem,
    ProblemError,
    event_stream_response,
    fault_problem,
    json_bytes,
    wants_events,
)

_JSON = "application/json"
_PROGRAM: Final = re.compile(r"[/\s]")  # what ends a program's name in `User-Agent`: "curl/8.5", "Mozilla 5"
_BodyModel = TypeVar("_BodyModel", bound=Body)


def api_routes(memory: Voice, operations: Sequence[Operation] = OPERATIONS) -> list[BaseRoute]:
    """Return the routes of the interface for programs."""
    store = IdempotencyStore()  # one for all operations: a key is used once
    paths = dict.fromkeys(operation.path for operation in operations)
    return [_route(memory, store, [each for each in operations if each.path == path]) for path in paths]


def _route(memory: Voice, store: IdempotencyStore, operations: Sequence[Operation]) -> Route:
    by_method: Mapping[str, Operation] = {operation.method: operation for operation in operations}

    async def answer(request: Request) -> Response:
        operation = by_method["GET" if request.method == "HEAD" else request.method]  # Starlette adds HEAD to GET
        return await _respond(memory, store, operation, request)

    return Route(f"{API_PATH}{operations[0].path}", answer, methods=[*by_method])


async def _respond(memory: Voice, store: IdempotencyStore, operation: Operation, request: Request) -> Response:
    raw = await request.body()  # read before it is judged: its fingerprint covers it whole
    key = _idempotency_key(request) if operation.once != "no" else None  # what changes nothing ignores the header
    call = Call(
        memory=memory,
        path={name: str(value) for name, value in request.path_params.items()},
        query=None if operation.query is None else _validated_query(operation.query, request),
        body=None if operation.body is None else body_of(operation.body, request, raw),
        idempotency_key=key,
        program=_PROGRAM.split(request.headers.get("user-agent", ""), 1)[0] or None,
    )

    if operation.stream is not None and wants_events(request.headers.getlist("accept")):  # a stream is not kept
        return await event_stream_response(operation.stream(call))

    if key is None or operation.once == "stored":  # "stored": the turn itself is found again by its key
        reply = await operation.handler(call)
        body = json_bytes(reply.document)
        return _response(reply.status, body, is_replayed=reply.is_replayed, warnings=reply.warnings)
    fingerprint = fingerprint_of(operation.method, request.url.path, request.url.query, raw)
    return await _answer_once(store, key, fingerprint, operation, call)


async def _answer_once(
    store: IdempotencyStore, key: str, fingerprint: str, operation: Operation, call: Call
) -> Response:
    stored, now_ms = store.get(key), call.services.clock.monotonic_ms
    match key_status(stored, fingerprint, now_ms() / 1000):
        case "other":
            detail = "this Idempotency-Key was sent with another request; use a new key for a new request"
            raise ProblemError(Problem(code="key_reused", detail=detail))
        case "under_way":
            detail = "a request with this Idempotency-Key is still running; try again in a moment"
            raise ProblemError(Problem(code="in_progress", detail=detail, headers={"Retry-After": "1"}))
        case "kept":
            assert stored is not None  # for the type checker: "kept" has one
            return _response(stored.status, stored.body, is_replayed=True)
        case _:
            store.begin(key, fingerprint, now_ms() / 1000)
    try:
        reply = await operation.handler(call)
        body = json_bytes(reply.document)
    except BaseException:  # also where the client went away: the next try must not wait for ever
        store.drop(key)
        raise
    store.keep(key, reply.status, body, now_ms() / 1000)
    return _response(reply.status, body, is_replayed=reply.is_replayed)


def _response(status: int, body: bytes | None, *, is_replayed: bool, warnings: Sequence[str] = ()) -> Response:
    headers = {REPLAYED_HEADER: "true"} if is_replayed else {}
    if warnings:
        headers[WARNINGS_HEADER] = json.dumps(warnings)  # in ASCII, as headers are
    return Response(body, status, media_type=_JSON, headers=headers)


def _idempotency_key(request: Request) -> str | None:
    """Return the idempotency key of a request; several, an empty or a too long one are refused (InvalidParams)."""
    keys = request.headers.getlist(KEY_HEADER)
    if not keys:
        return None
    if len(keys) > 1 or not keys[0].strip() or len(keys[0]) > MAX_KEY_CHARS:
        raise InvalidParams(f"send Idempotency-Key once, with 1 to {MAX_KEY_CHARS} characters")
    return keys[0]


def _validated_query(model: type[Query], request: Request) -> Query:
    """Return the query of an address; what is unknown, twice there or of another kind is refused."""
    pairs = request.query_params.multi_items()
    values = dict(pairs)  # the last of each name
    if len(values) < len(pairs):
        raise InvalidParams("the address contains a parameter twice; give it once")
    try:
        return model.model_validate(values)
    except ValidationError as fault:  # in our own words, below
        raise ProblemError(validation_problem(fault, [*model.model_fields])) from None


def body_of(model: type[_BodyModel], request: Request, raw: bytes) -> _BodyModel:
    """Return what stands in a body, read as `model`.

    Raises:
        ProblemError: it is no JSON in UTF-8, or something in it is unknown, missing, twice there or of another kind.
    """
    kind, _, parameters = request.headers.get("content-type", "").partition(";")
    is_utf8 = parameters.strip().lower().replace('"', "") in ("", "charset=utf-8")
    if kind.strip().lower() != _JSON or not is_utf8:
        raise ProblemError(Problem(code="unsupported_media_type", detail=f"send {_JSON} in UTF-8"))
    try:
        body = model.model_validate_json(raw)
    except ValidationError as fault:
        faults = fault.errors(include_input=False, include_url=False, include_context=False)  # words may be private
        if any(each["type"] == "json_invalid" for each in faults):
            raise ProblemError(Problem(code="bad_request", detail="the body is not valid JSON")) from None
        raise ProblemError(validation_problem(fault, [*model.model_fields])) from None
    # What fits the model is as flat as it, and so can be read once more for what the first reading lets pass.
    # Numbers as text, because int() raises at thousands of digits.
    json.loads(raw, object_pairs_hook=_refuse_repeats, parse_int=str, parse_float=str)
    return body


def _refuse_repeats(members: list[tuple[str, object]]) -> None:
    """Refuse an object that says something twice: readers differ in which of the two they take."""
    names = [name for name, _ in members]
    for name in (name for name in names if names.count(name) > 1):
        raise ProblemError(fault_problem(name, "it is there twice; give it once"))


_Context = Mapping[str, object]
_OF_ANOTHER_KIND: Final = "it has the wrong type"  # for what no sentence is here for
_WHOLE: Final = "it should be a whole number"
_NUMBER: Final = "it should be a number"
_LIST: Final = "it should be a list"
_OBJECT: Final = "it should be an object"
_SENTENCES: Final[Mapping[str, str]] = {
    "missing": "it is required", "string_type": "it should be a text", "string_too_short": "it must not be empty",
    "int_type": _WHOLE, "int_parsing": _WHOLE, "int_parsing_size": _WHOLE, "int_from_float": _WHOLE,
    "float_type": _NUMBER, "float_parsing": _NUMBER, "finite_number": _NUMBER,
    "bool_type": "it should be true or false", "tuple_type": _LIST, "list_type": _LIST, "model_type": _OBJECT,
    "model_attributes_type": _OBJECT, "dict_type": _OBJECT,
}  # fmt: skip
_BOUND_SENTENCES: Final[Mapping[str, Callable[[_Context], str]]] = {
    "literal_error": lambda more: f"it should be {more['expected']}",
    "greater_than_equal": lambda more: f"it should be {_bound_in_words(more['ge'])} or more",
    "less_than_equal": lambda more: f"it should be {_bound_in_words(more['le'])} or less",
    "too_short": lambda more: _too_few(more["min_length"]),
    "too_long": lambda more: f"the list is too long; it should have {more['max_length']} or fewer",
    "union_tag_not_found": lambda more: f"it needs a {_bare(more['discriminator'])}",
    "union_tag_invalid": lambda more: f"its {_bare(more['discriminator'])} should be one of {more['expected_tags']}",
    "value_error": lambda more: str(more["error"]),  # one of our own checks, in our own words
}  # fmt: skip


def _too_few(least: object) -> str:
    return "it must contain at least one entry" if least == 1 else f"it must contain at least {least} entries"


def validation_problem(fault: ValidationError, known: Sequence[str]) -> Problem:
    """Return where something is wrong and what it should be; `known` are the names that the model has."""
    found = fault.errors(include_input=False, include_url=False)
    places = [each["loc"] for each in found]
    faults = [
        {"at": _pointer(each["loc"]), "what": _sentence(each["type"], each.get("ctx", {}), each["loc"], known)}
        for each in found
        if each["type"] != "too_short" or not _is_item_wrong(each["loc"], places)  # an item's fault counts instead
    ]
    first = faults[0]
    where = f"{first['at']}: " if first["at"] else ""
    return Problem(code="invalid_params", detail=f"{where}{first['what']}", more={"faults": faults})


def _sentence(kind: str, more: _Context, loc: Sequence[int | str], known: Sequence[str]) -> str:
    if kind == "extra_forbidden":
        return "unknown parameter" + (f"; use one of {', '.join(known)}" if len(loc) == 1 else "")
    if kind in _BOUND_SENTENCES:
        return _BOUND_SENTENCES[kind](more)
    return _SENTENCES.get(kind, _OF_ANOTHER_KIND)


def _pointer(loc: Sequence[int | str]) -> str:
    """Return the place of a fault as the client wrote it, without the kind that an item of a list was read as."""
    # Behind an index pydantic names the model that was tried: "verdicts/0/approve/reason" is "verdicts/0/reason".
    parts = [part for place, part in enumerate(loc) if place == 0 or not isinstance(loc[place - 1], int)]
    return "/".join(map(str, parts))


def _is_item_wrong(loc: Sequence[int | str], places: Sequence[Sequence[int | str]]) -> bool:
    """Return whether an item of the list is wrong, too: then it counts as not there, and only the item is told."""
    return any(len(place) > len(loc) and list(place[: len(loc)]) == list(loc) for place in places)


def _bare(name: object) -> str:
    return str(name).strip("'")  # pydantic quotes the discriminator: "'verdict'"


def _bound_in_words(bound: object) -> str:
    """Return a bound as somebody writes it: 1, whether a share is bounded by it or a count."""
    return f"{bound:g}" if isinstance(bound, float) else str(bound)  # 1.0 is "1"
