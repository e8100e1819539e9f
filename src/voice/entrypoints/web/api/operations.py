"""The table of all operations: it routes, validates and documents.

Law: an operation is here or it does not exist. What it takes are models of `request_models`, what it answers is a
published schema, and the errors it can end with stand beside it. The OpenAPI document (`tools/openapi_document.py`) and
the routes (`routes`) follow from this table. Schemas here are of answers that only HTTP gives; what another door gives,
too, is published and referred to (`ref`).
Source: DESIGN 8 Web; OpenAPI 3.1; JSON Schema 2020-12.
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Final, Literal

from voice.entrypoints.web.api import request_models, rows, sessions
from voice.entrypoints.web.api.call import Handler, Streamer
from voice.entrypoints.web.api.request_models import Body, Query

Schema = Mapping[str, object]


def ref(name: str) -> Schema:
    """Return a reference to a published schema, by its file's name; what follows a `/` is a place inside it."""
    return {"$ref": f"#/components/schemas/{name}"}


def _object_of(members: Mapping[str, Schema]) -> Schema:
    return {"type": "object", "additionalProperties": False, "required": [*members], "properties": members}


def _list_of(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _page_of(items: Schema, **more: Schema) -> Schema:
    cursor = {"type": ["string", "null"], "description": "The cursor of the next page; null on the last page."}
    return _object_of({"items": _list_of(items), **more, "next": cursor})


_TEXT: Final[Schema] = {"type": "string"}
_MAYBE_TEXT: Final[Schema] = {"type": ["string", "null"]}
_COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
_FLAG: Final[Schema] = {"type": "boolean"}
_ROW: Final[Schema] = {
    "anyOf": [ref(f"memory/$defs/{kind}") for kind in ("thought", "entity", "observation", "relation")]
}
_SOURCE: Final = _object_of({"row": _ROW, "text": _TEXT})
_DOSSIER: Final = _object_of(
    {
        "id": _TEXT,
        "row": {"anyOf": [_ROW, {"type": "null"}], "description": "Null if its words were redacted."},
        "text": _MAYBE_TEXT,
        "content_hash": _MAYBE_TEXT,
        "private": _FLAG,
        "withheld": _FLAG,
        "grounds": _list_of(_object_of({"thought": _TEXT, "start": _COUNT, "end": _COUNT, "text": _MAYBE_TEXT})),
        "derived": _list_of(_ROW),
        "entities": _list_of(ref("memory/$defs/entity")),
        "successor": _MAYBE_TEXT,
        "replaced": _list_of(_TEXT),
        "pins": ref("pins-list"),
    }
)
_SETTINGS: Final = _object_of(
    {
        "settings": _list_of(
            _object_of({"name": _TEXT, "env": _TEXT, "value": _TEXT, "unit": _MAYBE_TEXT, "about": _TEXT})
        )
    }
)
_DOCTOR: Final = _object_of({"healthy": _FLAG, "findings": ref("doctor/properties/findings")})
_ERRORS: Final = _object_of({"errors": _list_of(ref("error"))})

WARNINGS_HEADER: Final = "Voice-Warnings"
"""What is to be known beside a document whose shape has no place for it: a JSON list of texts."""
Method = Literal["GET", "POST", "PATCH", "DELETE"]
Once = Literal["no", "kept", "stored"]
_COMMON: Final = (  # what the rim refuses before any operation
    "unauthorized", "wrong_host", "wrong_origin", "wrong_site", "forged", "rate_limited", "timeout", "bad_request",
    "head_too_large", "method_not_allowed", "busy",
)  # fmt: skip
_STORE: Final = ("internal_error", "db_error", "store_unavailable", "store_damaged")  # any read may find it failing
_PROVIDERS: Final = (
    "provider_error", "provider_unavailable", "deadline", "embedder_unavailable", "reranker_unavailable",
    "configuration_error",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that can be done."""

    id: str
    method: Method
    path: str
    """Below `API_PATH`; what stands in braces is text without a slash."""
    handler: Handler
    _: KW_ONLY  # what follows is said by name
    summary: str
    answer: Mapping[str, object]
    status: int = 200
    body: type[Body] | None = None
    query: type[Query] | None = None
    errors: tuple[str, ...] = ()
    warns: bool = False
    """Whether `WARNINGS_HEADER` may stand beside the answer."""
    once: Once = "no"
    """What an Idempotency-Key does: nothing; the answer is kept while the server runs; it is stored with the turn."""
    stream: Streamer | None = None
    """Answers event by event who accepts `text/event-stream`."""
    needs: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def codes(self) -> tuple[str, ...]:
        """Return every error code that it can end with."""
        # What an operation can end with follows from what it takes; its own codes are those beyond.
        of_body = ("too_large", "unsupported_media_type") if self.body else ()
        of_key = {"no": (), "stored": ("key_reused",), "kept": ("in_progress", "key_reused")}[self.once]
        of_input = ("invalid_params",) if self.body or self.query or self.needs else ()
        of_path = ("unknown_id",) if self.needs else ()
        of_writing = () if self.method == "GET" else ("outcome_unknown",)  # a read has no outcome to lose
        own = (*of_body, *of_key, *of_input, *of_path, *self.errors)
        return tuple(dict.fromkeys((*_COMMON, *own, *_STORE, *of_writing)))  # each once, in one order, for the document


_SESSION: Final = {"session": "The session's id, the start of its id, or its topic."}
_ASKING_ERRORS: Final = (
    "feature_disabled", "scope_required", "unknown_id", "no_session", "session_conflict", "already_asked", "budget",
    *_PROVIDERS,
)  # fmt: skip
_FINDING_ERRORS: Final = (
    "feature_disabled", "scope_required", "embedder_unavailable", "reranker_unavailable", "retrieval_provider_error",
    "deadline", "unknown_id",
)  # fmt: skip

# A row begins with the id, method, path and handler of its operation.
# fmt: off
OPERATIONS: Final[tuple[Operation, ...]] = (
    Operation("ask", "POST", "/ask", sessions.ask,
        summary="Ask a question; get a proven answer or a refusal, which also has the status 200.",
        body=request_models.Ask, stream=sessions.stream,
        answer={"anyOf": [ref("ask"), ref("ask-nlq"), ref("ask-reading")]},
        errors=_ASKING_ERRORS, warns=True, once="stored"),
    Operation("foresee", "POST", "/ask/dry-run", sessions.foresee,
        summary="Preview what a question would send and cost, without a model call.", body=request_models.Ask,
        answer=ref("ask-dry-run"), errors=_ASKING_ERRORS),
    Operation("retrieve", "POST", "/retrieve", sessions.retrieve,
        summary="Search for passages with their sources, without a model call.", body=request_models.Retrieve,
        answer={"anyOf": [ref("retrieve"), ref("retrieve-explain")]}, errors=_FINDING_ERRORS, warns=True),
    Operation("recall", "POST", "/recall", sessions.recall,
        summary="Get pins, current summary and candidates for an agent, within a budget.", body=request_models.Recall,
        answer=ref("recall"), errors=_FINDING_ERRORS),
    Operation("check", "POST", "/check", sessions.check,
        summary="Check any answer against any facts, claim by claim, without the memory.",
        body=request_models.Check, answer=ref("check")),
    Operation("remember", "POST", "/thoughts", rows.remember,
        summary="Store a thought; answers cite it only after a review, because it came over HTTP.",
        body=request_models.Remember, answer=ref("remember"), status=201, errors=("unknown_id", "capsule_closed"),
        once="kept"),
    Operation("correct", "POST", "/corrections", rows.correct,
        summary="Correct a row; the old words stay as the past.", body=request_models.Correct,
        answer=ref("correct"), errors=("unknown_id", "session_conflict"), once="kept"),
    Operation("sources", "GET", "/sources", rows.sources,
        summary="List the rows of the memory, latest changes first; `retrieve` searches them.",
        query=request_models.Sources, answer=_page_of(_SOURCE)),
    Operation("source", "GET", "/sources/{source}", rows.source,
        summary="Get one row: its words, provenance and history.",
        query=request_models.Private, needs={"source": "The row's id."}, answer=_DOSSIER),
    Operation("pins", "GET", "/pins", rows.pins,
        summary="List the pins, newest first.", query=request_models.Pins, answer=ref("pins-list")),
    Operation("pin", "POST", "/pins", rows.pin,
        summary="Pin a row or summary, or renew its pin.", body=request_models.Pin, answer=ref("pins-add"),
        status=201, errors=("unknown_id",), once="kept"),
    Operation("unpin", "DELETE", "/pins/{pin}", rows.unpin,
        summary="Remove a pin, or every pin of a target.", query=request_models.Private,
        needs={"pin": "The id of the pin or of its target."}, answer=ref("pins-remove"), once="kept"),
    Operation("sessions", "GET", "/sessions", sessions.sessions,
        summary="List sessions, most recent first.", query=request_models.SessionsPage,
        answer=_page_of(ref("sessions-list/items"))),
    Operation("session", "GET", "/sessions/{session}", sessions.session,
        summary="Show a session with its turns.", query=request_models.Private, needs=_SESSION,
        answer=ref("sessions-show")),
    Operation("change_session", "PATCH", "/sessions/{session}", sessions.change,
        summary="Rename, open or close a session, or set the status of its topic.", body=request_models.Change,
        needs=_SESSION, answer=ref("sessions-change"), errors=("session_conflict",), once="kept"),
    Operation("delete_session", "DELETE", "/sessions/{session}", sessions.delete,
        summary="Delete a session for good; only the figures of its turns stay.", query=request_models.Deletion,
        needs=_SESSION, answer=ref("sessions-delete"), errors=("session_conflict",), once="kept"),
    Operation("fork_session", "POST", "/sessions/{session}/forks", sessions.fork,
        summary="Continue from a turn of a session in a new session.", body=request_models.Fork, needs=_SESSION,
        answer=ref("sessions-change"), status=201, errors=("session_conflict",), once="kept"),
    Operation("export_session", "GET", "/sessions/{session}/export", sessions.export,
        summary="Export a session, sealed, to import it elsewhere.", query=request_models.Private,
        needs=_SESSION, answer=ref("session")),
    Operation("audit_session", "GET", "/sessions/{session}/audit", sessions.audit,
        summary="Check a session's stored answers against today's memory, without a model call.",
        query=request_models.Private, needs=_SESSION, answer=ref("sessions-audit")),
    Operation("replay_session", "GET", "/sessions/{session}/replay", sessions.replay,
        summary="Rebuild a session's prompts and prove that they match what was sent, without returning their words.",
        needs=_SESSION, answer=ref("sessions-replay")),
    Operation("entities", "GET", "/kg/entities", rows.entities,
        summary="List the entities of the knowledge graph by name.", query=request_models.Entities,
        answer=_page_of(ref("memory/$defs/entity"))),
    Operation("neighbourhood", "GET", "/kg/entities/{entity}", rows.neighbourhood,
        summary="Get an entity with everything the graph says about it.", query=request_models.Neighbourhood,
        needs={"entity": "The entity's id, name or another name."}, answer=ref("kg-show")),
    Operation("candidates", "GET", "/kg/candidates", rows.candidates,
        summary="List candidates, each with the words it was found in.", query=request_models.Candidates,
        answer=_page_of(ref("kg-candidates/properties/candidates/items"), total={
            "type": "integer", "minimum": 0, "description": "How many candidates match in total."})),
    Operation("moderate", "POST", "/kg/candidates/verdicts", rows.moderate,
        summary="Decide on candidates, all or none; an approval here counts as a tool's, not a person's.",
        body=request_models.Moderate, answer=ref("kg-moderate"), errors=("unknown_id", "session_conflict"),
        once="kept"),
    Operation("report", "GET", "/report", sessions.report,
        summary="Sum up past turns: cost, tokens, refusals, coverage.", query=request_models.Report,
        answer=ref("report")),
    Operation("settings", "GET", "/settings", sessions.settings,
        summary='List every setting with its current value; a secret is "set" or "not set".',
        answer=_SETTINGS),
    Operation("doctor", "GET", "/doctor", sessions.doctor,
        summary="Check store, index, pins, encoder, clock and retrieval; a missing store is also a finding.",
        answer=_DOCTOR),
    Operation("errors", "GET", "/errors", sessions.errors,
        summary="List every error.", answer=_ERRORS),
    Operation("error", "GET", "/errors/{code}", sessions.error,
        summary="Get an error by its code.", needs={"code": "The error's code."}, answer=ref("error")),
    Operation("openapi", "GET", "/openapi.json", sessions.openapi,
        summary="Return this document.", answer={"type": "object", "required": ["openapi", "paths"]}),
)
# fmt: on
