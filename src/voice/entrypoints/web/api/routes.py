"""From HTTP to an operation and back.

Law: it reads what the table says an operation takes, refuses what does not fit, calls it, and writes what it returns;
it knows no operation by name. What was wrong is told by where it stands and what it should be, never by what stood
there.

Source: RFC 9457; draft-ietf-httpapi-idempotency-key-header; `voice.entrypoints.web.api.operations`.
"""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TypeVar

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from voice.core.errors import InvalidParams
from voice.entrypoints.library import Voice
from voice.entrypoints.web.api.call import Call, Reply
from voice.entrypoints.web.api.faults import told
from voice.entrypoints.web.api.idempotency import (
    KEY_HEADER,
    MAX_KEY_CHARS,
    REPLAYED_HEADER,
    Ledger,
    fingerprint_of,
    standing,
)
from voice.entrypoints.web.api.kinds import Body, Query
from voice.entrypoints.web.api.operations import OPERATIONS, PREFIX, WARNINGS_HEADER, Operation
from voice.entrypoints.web.event_stream import streamed, wants_events
from voice.entrypoints.web.json_text import json_bytes
from voice.entrypoints.web.problems import Problem, Stopped

_JSON = "application/json"
_Said = TypeVar("_Said", bound=Body)


def api_routes(memory: Voice, operations: Sequence[Operation] = OPERATIONS) -> list[BaseRoute]:
    """Return the routes of the interface for programs.

    Args:
        memory: an open memory.
        operations: the table.
    """
    ledger = Ledger()
    paths = dict.fromkeys(operation.path for operation in operations)
    return [_route(memory, ledger, [each for each in operations if each.path == path]) for path in paths]


def _route(memory: Voice, ledger: Ledger, operations: Sequence[Operation]) -> Route:
    by_method: Mapping[str, Operation] = {operation.method: operation for operation in operations}

    async def answer(request: Request) -> Response:
        operation = by_method["GET" if request.method == "HEAD" else request.method]
        return await _answered(memory, ledger, operation, request)

    return Route(f"{PREFIX}{operations[0].path}", answer, methods=[*by_method])


async def _answered(memory: Voice, ledger: Ledger, operation: Operation, request: Request) -> Response:
    raw = await request.body()
    key = _key_of(request) if operation.once != "no" else None
    call = Call(
        memory=memory,
        path={name: str(value) for name, value in request.path_params.items()},
        query=None if operation.query is None else _query(operation.query, request),
        body=None if operation.body is None else body_of(operation.body, request, raw),
        idempotency_key=key,
    )

    if operation.stream is not None and wants_events(request.headers.getlist("accept")):
        return await streamed(operation.stream(call))

    if key is None or operation.once == "stored":
        reply = await operation.handler(call)
        return _response(*_written(reply), warnings=reply.warnings)
    fingerprint = fingerprint_of(operation.method, request.url.path, request.url.query, raw)
    return await _once(ledger, key, fingerprint, memory.services.clock.monotonic_ms, partial(operation.handler, call))


async def _once(
    ledger: Ledger,
    key: str,
    fingerprint: str,
    now_ms: Callable[[], float],
    carried_out: Callable[[], Awaitable[Reply]],
) -> Response:
    """Return the first answer under a key; what fails lets go of it."""
    held = ledger.held(key)
    match standing(held, fingerprint, now_ms() / 1000):
        case "other":
            what = "this Idempotency-Key was sent with another request; take a new key for a new request"
            raise Stopped(Problem(code="key_reused", detail=what))
        case "under_way":
            what = "a request under this Idempotency-Key is being answered; ask again in a moment"
            raise Stopped(Problem(code="in_progress", detail=what, headers={"Retry-After": "1"}))
        case "kept":
            assert held is not None
            return _response(held.status, held.body, is_replayed=True)
        case _:
            ledger.begin(key, fingerprint, now_ms() / 1000)
    try:
        status, body, is_replayed = _written(await carried_out())
    except BaseException:
        ledger.drop(key)
        raise
    ledger.keep(key, status, body, now_ms() / 1000)
    return _response(status, body, is_replayed)


def _written(reply: Reply) -> tuple[int, bytes, bool]:
    return reply.status, json_bytes(reply.document), reply.is_replayed


def _response(
    status: int,
    body: bytes | None,
    is_replayed: bool,  # noqa: FBT001 - what `_written` returns
    warnings: Sequence[str] = (),
) -> Response:
    headers = {REPLAYED_HEADER: "true"} if is_replayed else {}
    if warnings:
        headers[WARNINGS_HEADER] = json.dumps(warnings)  # in ASCII, as headers are
    return Response(body, status, media_type=_JSON, headers=headers)


def _key_of(request: Request) -> str | None:
    """Return the idempotency key of a request.

    Raises:
        InvalidParams: there are several, or it is empty or too long.
    """
    keys = request.headers.getlist(KEY_HEADER)
    if not keys:
        return None
    if len(keys) > 1 or not keys[0].strip() or len(keys[0]) > MAX_KEY_CHARS:
        raise InvalidParams(f"Idempotency-Key is sent once and has 1 to {MAX_KEY_CHARS} characters")
    return keys[0]


def _query(model: type[Query], request: Request) -> Query:
    """Return what stands behind the question mark.

    Raises:
        Stopped: something in it is unknown, twice there or of another kind.
    """
    pairs = request.query_params.multi_items()
    said = dict(pairs)
    if len(said) < len(pairs):
        raise InvalidParams("a parameter stands twice in the address; say it once")
    try:
        return model.model_validate(said)
    except ValidationError as fault:
        raise Stopped(told(fault, [*model.model_fields])) from None


def body_of(model: type[_Said], request: Request, raw: bytes) -> _Said:
    """Return what stands in a body.

    Args:
        model: what it is read as.
        request: whose it is.
        raw: its bytes.

    Raises:
        Stopped: it is of another kind than JSON, no JSON, or something in it is unknown, missing, twice there or of
            another kind.
    """
    kind, _, parameters = request.headers.get("content-type", "").partition(";")
    is_utf8 = parameters.strip().lower().replace('"', "") in ("", "charset=utf-8")
    if kind.strip().lower() != _JSON or not is_utf8:
        raise Stopped(Problem(code="unsupported_media_type", detail=f"send {_JSON} in UTF-8"))
    try:
        body = model.model_validate_json(raw)
    except ValidationError as fault:
        faults = fault.errors(include_input=False, include_url=False, include_context=False)
        if any(each["type"] == "json_invalid" for each in faults):
            raise Stopped(Problem(code="bad_request", detail="the body is no JSON document")) from None
        raise Stopped(told(fault, [*model.model_fields])) from None
    # What fits the model is as flat as it, and so can be read once more for what the first reading lets pass.
    json.loads(raw, object_pairs_hook=_each_once, parse_int=str, parse_float=str)
    return body


def _each_once(members: list[tuple[str, object]]) -> None:
    """Refuse an object that says something twice: readers differ in which of the two they take.

    Raises:
        Stopped: a name stands twice.
    """
    names = [name for name, _ in members]
    for twice in (name for name in names if names.count(name) > 1):
        faults = [{"at": twice, "what": "it stands twice; say it once"}]
        raise Stopped(
            Problem(code="invalid_params", detail=f"{twice}: it stands twice; say it once", more={"faults": faults})
        )
