"""A request that was understood, and what is answered.

Law: between the rim, which reads HTTP, and the operations, which call one service each, there is nothing but these.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from voice.bootstrap import Services
from voice.core.records import Scope
from voice.core.session.turn_events import Event
from voice.core.settings.values import Settings
from voice.entrypoints.library import Voice
from voice.entrypoints.web.api.kinds import Body, Dimensions, Query

_Said = TypeVar("_Said", bound=Body | Query)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request, checked."""

    memory: Voice
    path: Mapping[str, str] = field(default_factory=dict[str, str])
    query: Query | None = None
    body: Body | None = None
    idempotency_key: str | None = None

    @property
    def services(self) -> Services:
        """Return what can be done with the memory."""
        return self.memory.services

    @property
    def settings(self) -> Settings:
        """Return the settings in force."""
        return self.memory.settings

    def said(self, kind: type[_Said]) -> _Said:
        """Return the body or the query, which the operation has as `kind`."""
        for found in (self.body, self.query):
            if isinstance(found, kind):
                return found
        raise AssertionError("the table of operations names another kind")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What is answered: JSON values."""

    document: object
    status: int = 200
    is_replayed: bool = False
    """It is the first answer under its key, given again."""
    warnings: tuple[str, ...] = ()
    """What is to be known beside a document that has no place for it."""


Handler = Callable[[Call], Awaitable[Reply]]
Streamer = Callable[[Call], AsyncGenerator[Event]]


def reading_scope(named: Dimensions | None) -> Scope:
    """Return the scope that was named for a read; an empty one where none was."""
    return Scope() if named is None else named.meant()
