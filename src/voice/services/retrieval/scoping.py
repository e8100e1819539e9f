"""Resolve the scope in which a memory is read, and ids that were begun.

Law: one answer for every read and every list, through every door: a row, a capsule or a pin that is scoped makes the
memory a scoped one, of which nothing is read without a scope (ruling A18). A session does not: it says only what rows
say, and where one of those is scoped the memory is.

Source: spec retrieval-contract, Scoping; ruling A18.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from voice.core.recall.params import scope_of_read
from voice.core.records import Scope
from voice.core.text.display import MOST_LISTED, id_prefix_of, resolve_id_prefix
from voice.ports.recall_stores import CapsuleFilter, CapsuleStore, PinStore
from voice.ports.row_queries import IdPrefixes
from voice.ports.stores import MemoryStore

NO_SCOPE = Scope()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoping:
    """Decides for one memory which part of it a read may see."""

    store: MemoryStore
    capsules: CapsuleStore
    pins: PinStore

    async def __call__(self, scope: Scope, surroundings: Scope = NO_SCOPE) -> Scope:
        """Return the scope that is read in; `Scope.ALL` where nothing was named and nothing is scoped.

        Args:
            scope: what was named; an empty one names nothing.
            surroundings: what the entrance reads where nothing is named.

        Raises:
            ScopeRequired: nothing was named nor is read by default, and something is scoped (ruling A18).
        """
        if not scope.is_empty:
            return scope
        return scope_of_read(scope, surroundings, is_scoped=not surroundings.everything and await self._holds_scoped())

    async def _holds_scoped(self) -> bool:
        """Return whether a row, a capsule or a pin belongs to a scope."""
        if (await self.store.head()).has_scoped_rows:
            return True
        if await self.capsules.capsules(limit=1, where=CapsuleFilter(is_scoped=True)):
            return True
        return any(not pin.scope.is_empty for pin in await self.pins.pins())


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolveIds:
    """Finds ids by their beginnings."""

    beginnings: IdPrefixes

    async def __call__(self, said: Iterable[str]) -> tuple[str, ...]:
        """Return the ids that are meant, in order; see `one`."""
        return tuple([await self.one(each) for each in said])

    async def one(self, said: str) -> str:
        """Return the id that is meant; what is no id and no beginning of one comes back as it is.

        Raises:
            UnknownId: it ends in `…`, and no id begins with it.
            InvalidParams: it could mean several, or ends in `…` and is too short.
        """
        if (start := id_prefix_of(said)) is None:
            return said
        return resolve_id_prefix(said, await self.beginnings.ids_from(start, limit=MOST_LISTED + 1))
