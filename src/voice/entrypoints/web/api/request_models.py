"""The models of request bodies and queries, and the types of their fields.

Law: a rim, so types are checked here and once (DESIGN 3). A body is strict: what is of another kind is refused, and so
is a member that does not exist; what stands in an address is text and is read as what it says, or refused. What a value
may be beyond its kind is the services' to say. The bodies of requests that other doors have, too, are made from their
declarations. These models are also the schemas of the OpenAPI document.
Source: DESIGN 3 (pydantic at the rims only); DESIGN 8 Web; rulings A18, A22, C16.
"""

import re
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from voice.core.recall.params import EVERYTHING
from voice.core.records import OUT_OF_RANGE, YEARS, Scope
from voice.core.report.values import Dimension
from voice.entrypoints.library_options import model_of
from voice.requests import Parameter, Request, questions, rows

# Python reads more as an instant: "2024", "2024-W01" and times without an offset are refused.
_INSTANT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?([Zz]|[+-][0-9]{2}:?[0-9]{2})"
)
_INSTANT_ADVICE = "use ISO 8601 with an offset, such as 2024-01-01T09:00:00+01:00"
_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,17})")  # 18 digits fit what a store holds; no "+1", no "01"
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([Ee][+-]?[0-9]+)?")  # no "1_000", no "inf", which float() takes
Tags = Annotated[tuple[str, ...], Field(max_length=100)]
Text = Annotated[str, Field(min_length=1)]


class Body(BaseModel):
    """What stands in a body."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)  # "1" is no number


class Query(BaseModel):
    """What stands behind the question mark of an address, where everything is text."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)  # not strict: the types below read text


def _flag(value: object) -> object:
    return {"true": True, "false": False}.get(value, "neither") if isinstance(value, str) else value  # refused below


def _integer(value: object) -> object:
    """Return digits as their number, written as in a body; anything else is refused behind this."""
    return int(value) if isinstance(value, str) and _INTEGER.fullmatch(value) else value


def _decimal(value: object) -> object:
    """Return a number as it is written in a body; anything else is refused behind this."""
    return float(value) if isinstance(value, str) and _DECIMAL.fullmatch(value) else value


QueryFlag = Annotated[bool, BeforeValidator(_flag), Field(strict=True)]
"""True or false in an address: `true` or `false`, and no other word."""


QueryInteger = Annotated[int, BeforeValidator(_integer), Field(strict=True)]
"""A whole number in an address."""
QueryShare = Annotated[float, Field(strict=True, ge=0, le=1), BeforeValidator(_decimal)]
"""A number from 0 to 1 in an address."""


def _instant(value: object) -> object:
    """Return an instant that is written out; a bare number of seconds is none (ValueError)."""
    if not isinstance(value, str) or not _INSTANT.fullmatch(value):
        raise ValueError(_INSTANT_ADVICE)
    try:
        return datetime.fromisoformat(value.upper())  # it knows no lower-case z
    except ValueError:  # a thirteenth month, an offset of days
        raise ValueError(_INSTANT_ADVICE) from None


def _query_instant(value: object) -> object:
    """Return the same, and say how its offset is sent: a plus there is a space."""
    try:
        return _instant(value)
    except ValueError as fault:
        raise ValueError(f"{fault}; in an address, write + as %2B") from None


def turn_named(value: object) -> object:
    """Return what can mean a turn: a number from 1 on, a text, or None; anything else is a ValueError."""
    is_number = isinstance(value, int) and not isinstance(value, bool) and value >= 1  # True is an int
    if value is None or is_number or (isinstance(value, str) and value):
        return value
    raise ValueError("use the turn's number, from 1, or its id")


def _in_range(moment: datetime) -> datetime:
    if moment.year not in YEARS:
        raise ValueError(f"it {OUT_OF_RANGE}")
    return moment.astimezone(UTC)  # in UTC, as rows are compared


BodyInstant = Annotated[AwareDatetime, BeforeValidator(_instant), AfterValidator(_in_range)]
QueryInstant = Annotated[AwareDatetime, BeforeValidator(_query_instant), AfterValidator(_in_range)]
"""An instant in an address."""


class Dimensions(Body):
    """Where a row belongs; every dimension given must match."""

    session_id: Text | None = None
    repo_id: Text | None = None
    agent_id: Text | None = None
    user_id: Text | None = None

    def to_scope(self) -> Scope:
        """Return it as a scope."""
        return Scope(session_id=self.session_id, repo_id=self.repo_id, agent_id=self.agent_id, user_id=self.user_id)


class _Everything(Dimensions):
    """What "all" means."""

    def to_scope(self) -> Scope:
        """Return everything as a scope."""
        return Scope.ALL


def _or_all(value: object, read: ValidatorFunctionWrapHandler) -> object:
    return _Everything() if value == EVERYTHING else read(value)  # the word "all", or the dimensions


def _add_all_to_schema(schema: dict[str, Any]) -> None:
    schema["anyOf"].insert(1, {"const": EVERYTHING, "type": "string"})  # behind the object, before null


ReadScope = Annotated[Dimensions | None, WrapValidator(_or_all), Field(json_schema_extra=_add_all_to_schema)]


class FactSaid(Body):
    """A fact that the answer may use."""

    text: str = Field(description="The text.")
    id: Text | None = Field(None, description="The name that citations use; default: its place, from 1.")
    date: Text | None = Field(None, description="The day it was said, such as 2024-03-05.")
    speaker: Text | None = Field(None, description="Who said it.")


def _body_kind(parameter: Parameter, *, writes: bool) -> Any:  # noqa: ANN401 - an annotation
    match parameter.kind:
        case "text" if parameter.is_instant:
            return BodyInstant
        case "text":
            return str if parameter.may_be_empty else Text
        case "integer":
            return Annotated[int, Field(ge=parameter.least, le=parameter.most)]
        case "texts":
            return Tags
        case "facts":
            return Annotated[tuple[Text | FactSaid, ...], Field(min_length=1)]
        case "scope":
            return Dimensions | None if writes else ReadScope
        case kind:
            return {"number": float, "flag": bool}[kind]  # an unknown kind fails at the start, not at a request


def _model(request: Request) -> type[Body]:
    return model_of(request, "http", Body, lambda each: _body_kind(each, writes=request.writes))


Ask = _model(questions.ASK)
Retrieve = _model(questions.RETRIEVE)
Recall = _model(questions.RECALL)
Check = _model(questions.CHECK)
Remember = _model(rows.REMEMBER)
Correct = _model(rows.CORRECT)


class Pin(Body):
    """A row or summary that recall always shows first."""

    target: Text = Field(description="The id of a row or summary.")
    reason: Text = Field(description="Why it matters.")
    until: BodyInstant | None = Field(None, description="When it ends; default: never.")
    scope: Dimensions | None = Field(None, description="Where it applies; default: the scope of its target.")
    allow_private: bool = Field(False, description="Pin it even if it is private.")


class Fork(Body):
    """Where a fork starts."""

    at: Annotated[Annotated[int, Field(ge=1)] | Text | None, BeforeValidator(turn_named)] = Field(
        None, description="The last shared turn: its number, from 1, or its id; default: the newest."
    )
    thread_topic: Text | None = Field(None, description="The topic of the fork.")


class Change(Body):
    """Changes of a session; all of them are made, or none."""

    thread_topic: Text | None = Field(None, description="A new topic.")
    topic_status: Literal["open", "resolved", "abandoned"] | None = Field(None, description="The status of its topic.")
    status: Literal["open", "closed"] | None = Field(None, description="Open or close it.")


class Approve(Body):
    """Approve a candidate: it becomes a row of the graph."""

    verdict: Literal["approve"]
    candidate: Text


class Reject(Body):
    """Reject a candidate: voice does not suggest it again."""

    verdict: Literal["reject"]
    candidate: Text
    reason: str = ""


class Alias(Body):
    """Merge a candidate into an existing entity, as another name."""

    verdict: Literal["alias"]
    candidate: Text
    entity: Text = Field(description="The entity's id, name or another name.")


class Edit(Body):
    """Edit a candidate; it still waits for review."""

    verdict: Literal["edit"]
    candidate: Text
    name: Text | None = None
    entity_type: Text | None = None
    aliases: Tags | None = None
    source: Text | None = None
    rel_type: Text | None = None
    target: Text | None = None
    description: str | None = None


class Moderate(Body):
    """Verdicts on candidates; all of them are carried out, or none."""

    verdicts: Annotated[
        tuple[Annotated[Approve | Reject | Alias | Edit, Field(discriminator="verdict")], ...],
        Field(min_length=1, max_length=500),
    ]
    with_ends: bool = Field(False, description="Also approve waiting entities that a relation needs.")
    dry_run: bool = Field(False, description="Show the outcome, and change nothing.")


class Page(Query):
    """A part of a list."""

    limit: QueryInteger = Field(50, ge=1, le=200, description="Return at most this many.")
    cursor: str | None = Field(None, description="The `next` of the previous page, unchanged.")


class Private(Query):
    """Whether private rows show."""

    include_private: QueryFlag = Field(False, description="Include private rows.")


class Sources(Page, Private):
    """Rows as they were last written, the latest first."""

    table: Literal["thoughts", "kg_entities", "kg_observations", "kg_relations"] | None = Field(
        None, description="Only rows of this kind."
    )
    tag: str | None = Field(None, description="Only rows with this tag.")
    superseded: QueryFlag = Field(False, description="Include superseded rows.")


class SessionsPage(Page, Private):
    """Some of the sessions, the most recent first."""

    status: Literal["open", "closed", "expired", "all"] = Field("all", description="Only this status.")
    topic_status: Literal["open", "resolved", "abandoned", "all"] = Field("all", description="Only this topic status.")


class Pins(Private):
    """Pins, the newest first."""

    include_expired: QueryFlag = Field(False, description="Include expired pins.")


class Entities(Page, Private):
    """Entities by name."""

    type: str | None = Field(None, description="Only entities of this type.")


class Neighbourhood(Private):
    """An entity and what is around it."""

    as_of: QueryInstant | None = Field(None, description="What the memory held at that moment.")


def _query_kind(parameter: Parameter) -> Any:  # noqa: ANN401 - an annotation
    if parameter.is_instant:
        return QueryInstant
    bounded = Field(strict=True, ge=parameter.least, le=parameter.most)
    # `strict`: what the validators before leave as text is refused, not converted.
    kinds = {"integer": Annotated[int, bounded, BeforeValidator(_integer)], "number": QueryShare, "flag": QueryFlag}
    return kinds.get(parameter.kind, str)


Candidates = model_of(rows.CANDIDATES, "http", Query, _query_kind)


class Report(Private):
    """A period, and how its turns are grouped."""

    since: str | None = Field(None, description="A time phrase, a date or an instant: from its start.")
    until: str | None = Field(None, description="A time phrase, a date or an instant: until its end.")
    by: Dimension = Field("session", description="How to group turns.")


class Deletion(Query):
    """How a session is deleted."""

    with_forks: QueryFlag = Field(False, description="Also delete the sessions that share its turns.")
    dry_run: QueryFlag = Field(False, description="Show what would be deleted, and delete nothing.")
