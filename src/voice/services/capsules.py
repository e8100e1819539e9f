"""Capsules: opened, worked in, summed up, closed.

Law: whoever changes a capsule says which revision was read; of two writers one is told `session_conflict` and nothing
is lost (ruling D21). A thought is in a capsule when its `thread` is the capsule's id, and then it has its scope. What a
summary rests on is looked up when it is written and again when it is read.

Source: spec retrieval-contract, Tier 2; DESIGN 10 (capsule); rulings D16, D21, G, H.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from voice.core.errors import InvalidParams, UnknownId
from voice.core.recall.capsules import (
    MAX_EVIDENCE,
    NewSummary,
    as_it_stands,
    close_capsule,
    open_capsule,
    require_open,
    require_rows,
    summarise,
)
from voice.core.recall.scoping import scope_of_list
from voice.core.recall.values import Capsule, Summary
from voice.core.records import Row, Scope, Thought
from voice.core.retrieval.visibility import is_live
from voice.ports.recall_stores import CapsuleStore
from voice.ports.stores import MemoryStore, SessionStore
from voice.ports.system import Clock, IdSource
from voice.services.ingest import NewThought

MAX_LISTED = 1000
NO_SCOPE = Scope()
_LEAST_PREFIX = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class CapsuleView:
    """A capsule with what is in it."""

    capsule: Capsule
    thoughts: tuple[Thought, ...]
    """The newest `MAX_EVIDENCE` at most, oldest first; private ones only when asked for."""
    summary: Summary | None
    """As it stands now; None when there is none, when it may not be seen, or when what it rests on is gone."""
    is_outdated: bool
    """Whether a summary was written that no longer stands."""
    hidden: int
    """How many private thoughts were left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capsules:
    """Opens, fills, sums up, closes and shows capsules."""

    capsules: CapsuleStore
    sessions: SessionStore
    store: MemoryStore
    clock: Clock
    ids: IdSource

    async def open(self, intent: str, scope: Scope = NO_SCOPE) -> Capsule:
        """Open a capsule; several may be open, and the newest of a scope is the one that recall shows.

        Raises:
            InvalidParams: the intent is empty or too long, or the scope is everything.
        """
        opened = open_capsule(intent, scope, capsule_id=self.ids.new_id("c"), now=self.clock.now())
        return await self.capsules.save_capsule(opened, expected=0)

    async def close(self, name: str, said: NewSummary | None = None) -> Capsule:
        """Close a capsule, with its summary if one is given; closing it again changes nothing.

        Raises:
            UnknownId, InvalidParams, SessionConflict: as `summarise`.
            CapsuleClosed: it is closed and a summary was given.
        """
        loaded = await self.load(name)
        changed = loaded if said is None else await self._with_summary(loaded, said)
        closed = close_capsule(changed, now=self.clock.now())
        return loaded if closed == loaded else await self._save(closed)

    async def summarise(self, name: str, said: NewSummary) -> Capsule:
        """Write the summary of an open capsule, in place of the one it has.

        Raises:
            UnknownId: there is no such capsule, or a row it rests on is not stored.
            CapsuleClosed: it is closed.
            InvalidParams: the summary cannot be one (`voice.core.recall.capsules.summarise`).
            SessionConflict: somebody else changed the capsule meanwhile; nothing was written.
        """
        return await self._save(await self._with_summary(await self.load(name), said))

    async def listed(
        self,
        *,
        scope: Scope,
        surroundings: Scope = NO_SCOPE,
        status: Literal["open", "closed", "all"] = "all",
        limit: int = 50,
    ) -> list[Capsule]:
        """Return the capsules of a scope, newest first, of the `MAX_LISTED` newest.

        Args:
            scope: whose capsules; an empty one names none.
            surroundings: where the entrance stands: the scope where one is needed and none was named.
            status: which.
            limit: how many.

        Raises:
            ScopeRequired: no scope was named and some are scoped (ruling A18).
        """
        found = await self.capsules.capsules(limit=MAX_LISTED, status=status)
        wanted = scope_of_list(scope, surroundings, (capsule.scope for capsule in found))
        return [capsule for capsule in found if wanted.admits(capsule.scope)][: max(limit, 0)]

    async def show(self, name: str, *, include_private: bool = False) -> CapsuleView:
        """Return a capsule with what is in it.

        Raises:
            UnknownId: there is no such capsule, or several are meant.
        """
        capsule = await self.load(name)
        inside = await self.capsules.thoughts(capsule.id, limit=MAX_EVIDENCE)
        shown = [thought for thought in reversed(inside) if include_private or not thought.is_private]
        stands = await self.standing([capsule.summary] if capsule.summary else [])
        summary = stands[0] if stands and (include_private or not stands[0].is_private) else None
        return CapsuleView(
            capsule=capsule,
            thoughts=tuple(shown),
            summary=summary,
            is_outdated=capsule.summary is not None and not stands,
            hidden=len(inside) - len(shown),
        )

    async def placed(self, thought: NewThought, capsule: str) -> NewThought:
        """Return the thought as it goes into an open capsule: its thread, and its scope.

        Raises:
            UnknownId: there is no such capsule.
            CapsuleClosed: it is closed.
            InvalidParams: the thought has a thread or a scope of its own.
        """
        if thought.thread is not None or not thought.scope.is_empty:
            raise InvalidParams("a capsule brings its own thread and scope; leave those out")
        loaded = await self.load(capsule)
        require_open(loaded)
        return replace(thought, thread=loaded.id, scope=loaded.scope)

    async def standing(self, summaries: Sequence[Summary]) -> list[Summary]:
        """Return those summaries whose rows are all still live, private where one of them is now (rulings D16, H)."""
        rows = await self.store.fetch([row_id for summary in summaries for row_id in summary.evidence_refs])
        stands = (as_it_stands(summary, rows) for summary in summaries)
        return [summary for summary in stands if summary is not None]

    async def load(self, name: str) -> Capsule:
        """Return the one capsule that `name` means: its id, or the start of one.

        Raises:
            UnknownId: none or several are meant; the message lists the candidates.
        """
        exact = await self.capsules.capsule(name)
        if exact is not None:
            return exact
        found: list[Capsule] = []
        if len(name) >= _LEAST_PREFIX:
            listed = await self.capsules.capsules(limit=MAX_LISTED)
            found = [capsule for capsule in listed if capsule.id.startswith(name)]
        if len(found) == 1:
            return found[0]
        if not found:
            raise UnknownId(f"there is no capsule {name!r}; `voice capsules list` shows them")
        candidates = ", ".join(capsule.id for capsule in found[:10])
        raise UnknownId(f"{name!r} could mean several capsules: {candidates}; use more of the id")

    async def _with_summary(self, capsule: Capsule, said: NewSummary) -> Capsule:
        require_open(capsule)
        return summarise(capsule, said, await self._evidence(capsule, said), now=self.clock.now())

    async def _evidence(self, capsule: Capsule, said: NewSummary) -> Sequence[Row]:
        if said.evidence_refs is not None:
            return require_rows(said.evidence_refs, await self.store.fetch(said.evidence_refs))
        inside = await self.capsules.thoughts(capsule.id, limit=MAX_EVIDENCE)
        return [thought for thought in reversed(inside) if is_live(thought) and capsule.scope.admits(thought.scope)]

    async def _save(self, changed: Capsule) -> Capsule:
        """Save what was made of a loaded capsule, whose revision it still bears."""
        return await self.capsules.save_capsule(
            replace(changed, revision=changed.revision + 1), expected=changed.revision
        )
