"""The table of all operations: it routes, validates and documents.

Law: an operation is here or it does not exist. What it takes are the models of `said`, what it answers a published
schema; which errors it can end with stands beside it. The OpenAPI document follows from this table (`openapi`), and so
do the routes (`routes`).

Source: DESIGN 8 Web; OpenAPI 3.1.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from voice.entrypoints.web.api import request_models, response_schemas, rows, sessions
from voice.entrypoints.web.api.call import Handler, Streamer
from voice.entrypoints.web.api.request_models import Body, Query
from voice.entrypoints.web.api.response_schemas import page_of, ref
from voice.entrypoints.web.responses import API_PATH

PREFIX: Final = API_PATH
WARNINGS_HEADER: Final = "Voice-Warnings"
"""What is to be known beside a document whose shape has no place for it: a JSON list of texts."""
Method = Literal["GET", "POST", "PATCH", "DELETE"]
Once = Literal["no", "kept", "stored"]
_COMMON: Final = (
    "unauthorized", "wrong_host", "wrong_origin", "wrong_site", "forged", "rate_limited", "timeout", "bad_request",
    "head_too_large", "method_not_allowed", "busy",
)  # fmt: skip
_STORE: Final = ("internal_error", "db_error", "store_unavailable", "store_damaged")
_PROVIDERS: Final = (
    "provider_error", "provider_unavailable", "deadline", "embedder_unavailable", "reranker_unavailable",
    "configuration_error",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One thing that can be done."""

    id: str
    method: Method
    path: str
    """Below `PREFIX`; what stands in braces is text without a slash."""
    summary: str
    handler: Handler
    answer: Mapping[str, object]
    """The schema of what is answered."""
    status: int = 200
    body: type[Body] | None = None
    query: type[Query] | None = None
    errors: tuple[str, ...] = ()
    """Codes beyond those of every operation."""
    warns: bool = False
    """Whether `WARNINGS_HEADER` may stand beside the answer."""
    once: Once = "no"
    """What an Idempotency-Key does: nothing; the answer is kept while the server runs; it is stored with the turn."""
    stream: Streamer | None = None
    """Answers event by event who accepts `text/event-stream`."""
    needs: Mapping[str, str] = field(default_factory=dict[str, str])
    """What the parts of the path in braces mean."""

    @property
    def codes(self) -> tuple[str, ...]:
        """Return every code it can end with."""
        takes = ("too_large", "unsupported_media_type") if self.body else ()
        key = {"no": (), "stored": ("key_reused",), "kept": ("in_progress", "key_reused")}[self.once]
        wants = ("invalid_params",) if self.body or self.query or self.needs else ()
        found = ("unknown_id",) if self.needs else ()
        writes = () if self.method == "GET" else ("outcome_unknown",)
        return tuple(dict.fromkeys((*_COMMON, *takes, *key, *wants, *found, *self.errors, *_STORE, *writes)))


_SESSION: Final = {"session": "The session's id, the start of one, or its topic."}
_GATED: Final = ("feature_disabled",)
_ASKED: Final = (
    *_GATED,
    "scope_required",
    "unknown_id",
    "no_session",
    "session_conflict",
    "already_asked",
    "budget",
    *_PROVIDERS,
)
_FOUND: Final = (
    *(*_GATED, "scope_required"),
    *("embedder_unavailable", "reranker_unavailable", "retrieval_provider_error", "deadline", "unknown_id"),
)

OPERATIONS: Final[tuple[Operation, ...]] = (
    Operation(
        id="ask",
        method="POST",
        path="/ask",
        summary="Ask one question; the answer is proven or refused, and a refusal is an answer.",
        handler=sessions.ask,
        stream=sessions.stream,
        body=request_models.Ask,
        answer={"anyOf": [ref("ask"), ref("ask-nlq"), ref("ask-reading")]},
        errors=_ASKED,
        warns=True,
        once="stored",
    ),
    Operation(
        id="foresee",
        method="POST",
        path="/ask/dry-run",
        summary="Tell what a question would send and cost; nobody is asked.",
        handler=sessions.foresee,
        body=request_models.Ask,
        answer=ref("ask-dry-run"),
        errors=_ASKED,
    ),
    Operation(
        id="retrieve",
        method="POST",
        path="/retrieve",
        summary="Search for passages with their sources; asks no model.",
        handler=sessions.retrieve,
        body=request_models.Retrieve,
        answer={"anyOf": [ref("retrieve"), ref("retrieve-explain")]},
        errors=_FOUND,
        warns=True,
    ),
    Operation(
        id="recall",
        method="POST",
        path="/recall",
        summary="Give an agent pins, the current summary and candidates, within a budget.",
        handler=sessions.recall,
        body=request_models.Recall,
        answer=ref("recall"),
        errors=_FOUND,
    ),
    Operation(
        id="check",
        method="POST",
        path="/check",
        summary="Hold any answer against any facts, claim by claim; the memory is not asked.",
        handler=sessions.check,
        body=request_models.Check,
        answer=ref("check"),
    ),
    Operation(
        id="remember",
        method="POST",
        path="/thoughts",
        summary="Store a thought; what it says waits for review, because it came over HTTP.",
        handler=rows.remember,
        body=request_models.Remember,
        answer=ref("remember"),
        status=201,
        errors=("unknown_id", "capsule_closed"),
        once="kept",
    ),
    Operation(
        id="correct",
        method="POST",
        path="/corrections",
        summary="Put other words in the place of a row; the old ones stay, superseded.",
        handler=rows.correct,
        body=request_models.Correct,
        answer=ref("correct"),
        errors=("unknown_id", "session_conflict"),
        once="kept",
    ),
    Operation(
        id="sources",
        method="GET",
        path="/sources",
        summary="List the rows of the memory, the latest written first; `retrieve` searches them.",
        handler=rows.sources,
        query=request_models.Sources,
        answer=page_of(
            response_schemas.SOURCE,
            private={**response_schemas.COUNT, "description": "Private rows that were passed over on this page."},
        ),
    ),
    Operation(
        id="source",
        method="GET",
        path="/sources/{source}",
        summary="Tell everything of one row: what it says, where that comes from, what became of it.",
        handler=rows.source,
        query=request_models.Private,
        answer=response_schemas.DOSSIER,
        needs={"source": "The row's id."},
    ),
    Operation(
        id="pins",
        method="GET",
        path="/pins",
        summary="List the pins, the newest first.",
        handler=rows.pins,
        query=request_models.Pins,
        answer=ref("pins-list"),
    ),
    Operation(
        id="pin",
        method="POST",
        path="/pins",
        summary="Pin a row or a summary, or renew its pin.",
        handler=rows.pin,
        body=request_models.Pin,
        answer=ref("pins-add"),
        status=201,
        errors=("unknown_id",),
        once="kept",
    ),
    Operation(
        id="unpin",
        method="DELETE",
        path="/pins/{pin}",
        summary="Take a pin away, or every pin of a target.",
        handler=rows.unpin,
        answer=ref("pins-remove"),
        needs={"pin": "The pin's id, or its target's."},
        once="kept",
    ),
    Operation(
        id="sessions",
        method="GET",
        path="/sessions",
        summary="List sessions, the most recent first.",
        handler=sessions.sessions,
        query=request_models.SessionsPage,
        answer=page_of({"$ref": "#/components/schemas/sessions-list/items"}),
    ),
    Operation(
        id="session",
        method="GET",
        path="/sessions/{session}",
        summary="Show a session with its turns.",
        handler=sessions.session,
        query=request_models.Private,
        answer=ref("sessions-show"),
        needs=_SESSION,
    ),
    Operation(
        id="change_session",
        method="PATCH",
        path="/sessions/{session}",
        summary="Rename a session, say what became of its topic, open or close it.",
        handler=sessions.change,
        body=request_models.Change,
        answer=ref("sessions-change"),
        errors=("session_conflict",),
        needs=_SESSION,
        once="kept",
    ),
    Operation(
        id="delete_session",
        method="DELETE",
        path="/sessions/{session}",
        summary="Delete a session for good, but for the figures of its turns.",
        handler=sessions.delete,
        query=request_models.Deletion,
        answer=ref("sessions-delete"),
        errors=("session_conflict",),
        needs=_SESSION,
        once="kept",
    ),
    Operation(
        id="fork_session",
        method="POST",
        path="/sessions/{session}/forks",
        summary="Go on from a turn of a session in a new one.",
        handler=sessions.fork,
        body=request_models.Fork,
        answer=ref("sessions-change"),
        status=201,
        errors=("session_conflict",),
        needs=_SESSION,
        once="kept",
    ),
    Operation(
        id="export_session",
        method="GET",
        path="/sessions/{session}/export",
        summary="Return a session as it may leave, sealed, for an import elsewhere.",
        handler=sessions.export,
        query=request_models.Private,
        answer=ref("session"),
        needs=_SESSION,
    ),
    Operation(
        id="audit_session",
        method="GET",
        path="/sessions/{session}/audit",
        summary="Verify a session's stored answers against today's memory; no model is asked.",
        handler=sessions.audit,
        query=request_models.Private,
        answer=ref("sessions-audit"),
        needs=_SESSION,
    ),
    Operation(
        id="replay_session",
        method="GET",
        path="/sessions/{session}/replay",
        summary="Rebuild a session's prompts and prove that they are what was sent; their words are not told.",
        handler=sessions.replay,
        answer=ref("sessions-replay"),
        needs=_SESSION,
    ),
    Operation(
        id="entities",
        method="GET",
        path="/kg/entities",
        summary="List the entities of the knowledge graph by name.",
        handler=rows.entities,
        query=request_models.Entities,
        answer=page_of({"$ref": "#/components/schemas/memory/$defs/entity"}),
    ),
    Operation(
        id="neighbourhood",
        method="GET",
        path="/kg/entities/{entity}",
        summary="Show an entity with everything the graph says about it.",
        handler=rows.neighbourhood,
        query=request_models.Neighbourhood,
        answer=ref("kg-show"),
        needs={"entity": "Its id, name or another name of it."},
    ),
    Operation(
        id="candidates",
        method="GET",
        path="/kg/candidates",
        summary="List what was found and waits for a verdict, each beside the words it rests on.",
        handler=rows.candidates,
        query=request_models.Candidates,
        answer=page_of(
            {"$ref": "#/components/schemas/kg-candidates/properties/candidates/items"},
            total={"type": "integer", "minimum": 0, "description": "How many are wanted altogether."},
        ),
    ),
    Operation(
        id="moderate",
        method="POST",
        path="/kg/candidates/verdicts",
        summary="Carry out verdicts on candidates, all of them or none; what is approved here a tool approved.",
        handler=rows.moderate,
        body=request_models.Moderate,
        answer=ref("kg-moderate"),
        errors=("unknown_id", "session_conflict"),
        once="kept",
    ),
    Operation(
        id="report",
        method="GET",
        path="/report",
        summary="Add up what past turns used: cost, tokens, refusals, coverage.",
        handler=sessions.report,
        query=request_models.Report,
        answer=ref("report"),
    ),
    Operation(
        id="settings",
        method="GET",
        path="/settings",
        summary='Tell every setting with its value in force; a secret is "set" or "not set".',
        handler=sessions.settings,
        answer=response_schemas.SETTINGS,
    ),
    Operation(
        id="doctor",
        method="GET",
        path="/doctor",
        summary="Check store, index, pins, encoder, clock and retrieval; a store that is gone is a finding, too.",
        handler=sessions.doctor,
        answer=response_schemas.DOCTOR,
    ),
    Operation(
        id="errors",
        method="GET",
        path="/errors",
        summary="List every error there is.",
        handler=sessions.errors,
        answer=response_schemas.ERRORS,
    ),
    Operation(
        id="error",
        method="GET",
        path="/errors/{code}",
        summary="Tell one error, by its code.",
        handler=sessions.error,
        answer=ref("error"),
        needs={"code": "The error's code."},
    ),
    Operation(
        id="openapi",
        method="GET",
        path="/openapi.json",
        summary="Return this document.",
        handler=sessions.openapi,
        answer={"type": "object", "required": ["openapi", "paths"]},
    ),
)
