"""The options of the library's methods, checked where they come in.

Law: a rim, so types are checked here and once (DESIGN 3): what is of another kind is an `InvalidParams` that names the
parameter and never what stood in it.
"""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Annotated, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from voice.core.errors import InvalidParams
from voice.core.grounding.values import Stance
from voice.core.organise.contract import OrganiseRequest
from voice.core.recall.params import RecallRequest
from voice.core.records import Scope, require_instant
from voice.core.retrieval.params import RetrieveRequest
from voice.core.retrieval.values import Selection
from voice.services.runtime.turn import AskRequest


class _Options(BaseModel):
    """What a program may say to `retrieve`."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    query: str
    top_k: int | None = None
    floor: float | None = None
    mix: float | None = None
    include_private: bool = False
    include_tags: tuple[str, ...] = ()
    exclude_tags: tuple[str, ...] = ()
    provider: str | None = None
    scope: Scope = Scope()
    surroundings: Scope = Scope()
    when: str | None = None
    limit: int | None = None
    order: str | None = None
    now: datetime | None = None
    as_of: datetime | None = None
    lexical_only: bool = False
    rerank: bool = False


class _RecallOptions(BaseModel):
    """The same for `recall`."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    query: str
    scope: Scope = Scope()
    surroundings: Scope = Scope()
    token_budget: int | None = None
    max_candidates: int | None = None
    limit: int | None = None
    order: str | None = None
    when: str | None = None
    provider: str | None = None
    include_private: bool = False
    include_redacted: bool = False
    now: datetime | None = None
    rerank: bool = False


class _OrganiseOptions(BaseModel):
    """The same for `organise`."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    content: str
    top_k: int | None = None
    sim_thresh: float | None = None
    stage_kg: bool = False
    confidence_min: float | None = None
    max_nodes: int | None = None
    max_edges: int | None = None
    save: bool = True
    auto_mark_removal: bool | None = None
    scope: Scope = Scope()
    surroundings: Scope = Scope()
    include_private: bool = False
    dry_run: bool = False


class PinOptions(BaseModel):
    """The same for `pin`."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    target: str
    reason: str
    lifetime: timedelta | None
    scope: Scope | None
    allow_private: bool


class CorrectOptions(BaseModel):
    """The same for `correct`."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    row_id: str
    text: str | None
    reason: str | None
    since: datetime | None
    until: datetime | None
    target: str | None
    dry_run: bool


class AskOptions(BaseModel):
    """The same for `ask`."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    question: str
    session: str | None = None
    new_topic: str | None = None
    stance: Annotated[Stance, Field(strict=False)] = Stance.SYNTHESIZE
    when: str | None = None
    limit: int | None = None
    order: str | None = None
    include_private: bool = False
    scope: Scope = Scope()
    surroundings: Scope = Scope()
    idempotency_key: str | None = None
    as_of: datetime | None = None


class RememberOptions(BaseModel):
    """The same for `remember`."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    content: str
    at: datetime | None
    tags: tuple[str, ...]
    is_private: bool
    kind: str
    logged: bool
    scope: Scope | None
    capsule: str | None


def ask_request(options: Mapping[str, object]) -> AskRequest:
    """Return what `ask` and `stream` ask; a session is begun where there is none to go on with.

    Raises:
        InvalidParams: an option is unknown or of another kind.
    """
    said = checked(AskOptions, "ask", options)
    session = cast("str | None", said.pop("session", None))
    return replace(AskRequest(question="", session_id=session, create=True), **said)


def retrieve_request(query: str, options: Mapping[str, object]) -> RetrieveRequest:
    """Return what `retrieve` asks for.

    Raises:
        InvalidParams: an option is unknown or of another kind.
    """
    tags = {name: tags_of(name, value) for name, value in options.items() if name in ("include_tags", "exclude_tags")}
    return replace(RetrieveRequest(query=query), **checked(_Options, "retrieve", {**options, **tags, "query": query}))


def recall_request(query: str, options: Mapping[str, object]) -> RecallRequest:
    """Return what `recall` asks for.

    Raises:
        InvalidParams: an option is unknown or of another kind.
    """
    return replace(RecallRequest(query=query), **checked(_RecallOptions, "recall", {**options, "query": query}))


def organise_request(content: str, options: Mapping[str, object]) -> OrganiseRequest:
    """Return what `organise` asks for.

    Raises:
        InvalidParams: an option is unknown or of another kind.
    """
    said = checked(_OrganiseOptions, "organise", {**options, "content": content})
    return replace(OrganiseRequest(content=content), **said)


def checked(model: type[BaseModel], what: str, options: Mapping[str, object]) -> dict[str, object]:
    """Return the options that were said, each of the kind that `model` asks for.

    Raises:
        InvalidParams: one is unknown, of another kind, or an instant that cannot be shown in every zone.
    """
    unknown = sorted(options.keys() - model.model_fields.keys())
    if unknown:
        known = ", ".join(sorted(model.model_fields))
        raise InvalidParams(f"{what} has no parameter {unknown[0]!r}; there are {known}")
    try:
        said = model.model_validate(dict(options))
    except ValidationError as fault:
        first = fault.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        wanted = first["msg"].removeprefix("Input ")
        raise InvalidParams(f"{where} is not of the kind that {what} takes: it {wanted}") from None
    values: dict[str, object] = {name: getattr(said, name) for name in said.model_fields_set}
    for name, value in values.items():
        if isinstance(value, datetime):
            require_instant(value, name)
    return values


def tags_of(name: str, value: object) -> tuple[object, ...]:
    """Return the tags of a list of them.

    Raises:
        InvalidParams: it is a single text, or no list.
    """
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InvalidParams(f"{name} must be a list of tags, such as ['garden']")
    return tuple(cast("Iterable[object]", value))


def warned(selection: Selection) -> Selection:
    """Return the selection, after a Python warning of each thing that S0's form has no place for."""
    for told in selection.diagnostics.warnings:
        warnings.warn(told, stacklevel=3)
    return selection
