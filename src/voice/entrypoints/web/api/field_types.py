"""The types of fields in request bodies and queries.

Law: a body is strict; what stands in an address is text and is read as what it says, or refused.

Source: DESIGN 3 (pydantic at the rims only); DESIGN 8 Web; rulings A18, C16.
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

from voice.core.recall.scopes import EVERYTHING
from voice.core.records import OUT_OF_RANGE, YEARS, Scope

_INSTANT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?([Zz]|[+-][0-9]{2}:?[0-9]{2})"
)
_INSTANTS = "an instant is ISO 8601 with an offset, such as 2024-01-01T09:00:00+01:00"
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([Ee][+-]?[0-9]+)?")
Order = Literal["created_at_desc", "created_at_asc"]
Tags = Annotated[tuple[str, ...], Field(max_length=100)]
Text = Annotated[str, Field(min_length=1)]


class Body(BaseModel):
    """What stands in a body."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


class Query(BaseModel):
    """What stands behind the question mark of an address, where everything is text."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def _flag(value: object) -> object:
    """Return a word as what it says; any other is refused behind this."""
    return {"true": True, "false": False}.get(value, "neither") if isinstance(value, str) else value


def _whole(value: object) -> object:
    """Return digits as their number, written as in a body; anything else is refused behind this."""
    return int(value) if isinstance(value, str) and _WHOLE.fullmatch(value) else value


def _decimal(value: object) -> object:
    """Return a number as it is written in a body; anything else is refused behind this."""
    return float(value) if isinstance(value, str) and _DECIMAL.fullmatch(value) else value


QueryFlag = Annotated[bool, BeforeValidator(_flag), Field(strict=True)]
"""True or false in an address: `true` or `false`, and no other word."""


QueryInteger = Annotated[int, BeforeValidator(_whole), Field(strict=True)]
"""A whole number in an address."""
QueryShare = Annotated[float, Field(strict=True, ge=0, le=1), BeforeValidator(_decimal)]
"""A number from 0 to 1 in an address."""


def _written(value: object) -> object:
    """Return an instant that is written out; a bare number of seconds is none.

    Raises:
        ValueError: it is none, or has no offset.
    """
    if not isinstance(value, str) or not _INSTANT.fullmatch(value):
        raise ValueError(_INSTANTS)
    try:
        return datetime.fromisoformat(value.upper())
    except ValueError:  # a thirteenth month, an offset of days
        raise ValueError(_INSTANTS) from None


def _in_an_address(value: object) -> object:
    """Return the same, and say how its offset is sent: a plus there is a space.

    Raises:
        ValueError: it is none, or has no offset.
    """
    try:
        return _written(value)
    except ValueError as fault:
        raise ValueError(f"{fault}; in an address + is written %2B") from None


def turn_named(value: object) -> object:
    """Return what can mean a turn; None names none.

    Raises:
        ValueError: it is neither a number from 1 on nor a text.
    """
    is_number = isinstance(value, int) and not isinstance(value, bool) and value >= 1
    if value is None or is_number or (isinstance(value, str) and value):
        return value
    raise ValueError("a turn is named by its number, from 1 on, or by its id")


def _bounded(moment: datetime) -> datetime:
    """Return an instant in UTC, where it can be shown in every zone."""
    if moment.year not in YEARS:
        raise ValueError(f"it {OUT_OF_RANGE}")
    return moment.astimezone(UTC)


BodyInstant = Annotated[AwareDatetime, BeforeValidator(_written), AfterValidator(_bounded)]
"""An instant in a body."""
QueryInstant = Annotated[AwareDatetime, BeforeValidator(_in_an_address), AfterValidator(_bounded)]
"""An instant in an address."""


class Dimensions(Body):
    """Where a row belongs; every dimension that is named must match."""

    session_id: Text | None = None
    repo_id: Text | None = None
    agent_id: Text | None = None
    user_id: Text | None = None

    def meant(self) -> Scope:
        """Return it as a scope."""
        return Scope(session_id=self.session_id, repo_id=self.repo_id, agent_id=self.agent_id, user_id=self.user_id)


class _Everything(Dimensions):
    """What "all" means."""

    def meant(self) -> Scope:
        """Return everything as a scope."""
        return Scope.ALL


def _or_all(value: object, read: ValidatorFunctionWrapHandler) -> object:
    return _Everything() if value == EVERYTHING else read(value)


def _told_all(schema: dict[str, Any]) -> None:
    schema["anyOf"].insert(1, {"const": EVERYTHING, "type": "string"})


ReadScope = Annotated[
    Dimensions | None,
    WrapValidator(_or_all),
    Field(
        description='Only rows of this scope, or "all"; a memory in which something is scoped is not read without one.',
        json_schema_extra=_told_all,
    ),
]
