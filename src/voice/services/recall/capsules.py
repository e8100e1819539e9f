"""Open, fill, summarise and close capsules.

Law: whoever changes a capsule says which revision was read; of two writers one is told `session_conflict` and nothing
is lost (ruling D21). A thought is in a capsule when its `thread` is the capsule's id and its scope the capsule's own.
What a summary rests on is looked up when it is written and again when it is read; it names `MAX_EVIDENCE` rows at most,
and is private with any thought of the capsule, named or not, unless what it rests on was said.

Source: spec retrieval-contract, Tier 2; DESIGN 10 (capsule); rulings D16, D21, G, H.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from voice.core.errors import InvalidParams, UnknownId
from voice.core.recall.capsules import (
    MAX_EVIDENCE,
    NewSummary,
    close_capsule,
    live_summary,
    open_capsule,
    require_open,
    require_rows,
    summarise,
)
from voice.core.recall.disclosure import tells_private
from voice.core.recall.values import Capsule, Summary
from voice.core.records import Row, Scope, Thought
from voice.core.retrieval.candidates import is_live
from voice.core.text.display import strip_ellipsis
from voice.ports.recall_stores import CapsuleFilter, CapsuleStore
from voice.ports.stores import MemoryStore
from voice.ports.system import Clock, IdSource
from voice.services.memory.ingest_values import NewThought
from voice.services.retrieval.row_lookups import fetch_with_source_thoughts
from voice.services.retrieval.scoping import NO_SCOPE, Scoping

_LEAST_PREFIX = 6
_MEANT = 10
"""Capsules that a message lists where several are meant."""


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
    """How many private thoughts were left out, of all that are in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capsules:
    """Opens, fills, summarises, closes and shows capsules."""

    capsules: CapsuleStore
    store: MemoryStore
    scoping: Scoping
    clock: Clock
    ids: IdSource

    async def open(self, intent: str, scope: Scope = NO_SCOPE) -> Capsule:
        """Open a capsule; several may be open, and the newest of a scope is the one that recall shows.

        Raises:
            InvalidParams: the intent is empty or too long, or the scope is everything.
        """
        opened = open_capsule(intent, scope, capsule_id=self.ids.new_id("c"), now=self.clock.now())
        return await self.capsules.save_capsule(opened, expected=0)

    async def close(self, name: str, summary: NewSummary | None = None) -> Capsule:
        """Close a capsule, with its summary if one is given; closing it again changes nothing.

        Raises:
            UnknownId, InvalidParams, SessionConflict: as `summarise`.
            CapsuleClosed: it is closed and a summary was given.
        """
        capsule = await self.load(name)
        changed = capsule if summary is None else await self._with_summary(capsule, summary)
        closed = close_capsule(changed, now=self.clock.now())
        return capsule if closed == capsule else await self._save(closed)

    async def summarise(self, name: str, summary: NewSummary) -> Capsule:
        """Write the summary of an open capsule, in place of the one it has.

        Raises:
            UnknownId: there is no such capsule, or a row it rests on is not stored.
            CapsuleClosed: it is closed.
            InvalidParams: the summary cannot be one (`voice.core.recall.capsules.summarise`).
            SessionConflict: somebody else changed the capsule meanwhile; nothing was written.
        """
        return await self._save(await self._with_summary(await self.load(name), summary))

    async def listed(
        self,
        *,
        scope: Scope,
        surroundings: Scope = NO_SCOPE,
        status: Literal["open", "closed", "all"] = "all",
        limit: int = 50,
    ) -> list[Capsule]:
        """Return the capsules of a scope, newest first; see `Scoping` for what an empty one means.

        Raises:
            ScopeRequired: no scope was named, and something in the memory is scoped (ruling A18).
        """
        wanted = await self.scoping(scope, surroundings)
        return await self.capsules.capsules(limit=limit, where=CapsuleFilter(status=status, scope=wanted))

    async def show(self, name: str, *, include_private: bool = False) -> CapsuleView:
        """Return a capsule with what is in it.

        Raises:
            UnknownId, InvalidParams: there is no such capsule, or several are meant.
        """
        capsule = await self.load(name)
        thoughts = await self.capsules.thoughts(capsule, limit=MAX_EVIDENCE)
        shown = [thought for thought in reversed(thoughts) if include_private or not thought.is_private]
        stands = await self.standing([capsule.summary] if capsule.summary else [])
        summary = stands[0] if stands and (include_private or not stands[0].is_private) else None
        return CapsuleView(
            capsule=capsule,
            thoughts=tuple(shown),
            summary=summary,
            is_outdated=capsule.summary is not None and not stands,
            hidden=0 if include_private else await self.capsules.private_thoughts(capsule),
        )

    async def placed(self, thought: NewThought, capsule: str) -> NewThought:
        """Return the thought as it goes into a capsule: its thread, and its scope.

        Whether the capsule is open is asked when the thought is stored (`Ingest.remember`): one that was stored before
        under its idempotency key is known again in a closed one, too.

        Raises:
            UnknownId: there is no such capsule.
            InvalidParams: the thought has a thread or a scope of its own.
        """
        if thought.thread is not None or not thought.scope.is_empty:
            raise InvalidParams("a capsule brings its own thread and scope; leave those out")
        loaded = await self.load(capsule)
        return replace(thought, thread=loaded.id, scope=loaded.scope)

    async def standing(self, summaries: Sequence[Summary]) -> list[Summary]:
        """Return those summaries whose rows are all still live, private where one of them is now (rulings D16, H)."""
        rows = await fetch_with_source_thoughts(self.store, [each for one in summaries for each in one.evidence_refs])
        stands = (live_summary(summary, rows) for summary in summaries)
        return [summary for summary in stands if summary is not None]

    async def load(self, name: str) -> Capsule:
        """Return the one capsule that `name` means: its id, or the start of one.

        Raises:
            UnknownId: none is meant.
            InvalidParams: several are meant; the message lists the candidates.
        """
        exact = await self.capsules.capsule(name)
        if exact is not None:
            return exact
        found: list[Capsule] = []
        if len(start := strip_ellipsis(name)) >= _LEAST_PREFIX:
            found = await self.capsules.capsules(limit=_MEANT, where=CapsuleFilter(id_prefix=start))
        if len(found) == 1:
            return found[0]
        if not found:
            raise UnknownId(f"there is no capsule {name!r}; `voice capsules list` shows them")
        candidates = ", ".join(capsule.id for capsule in found)
        raise InvalidParams(f"{name!r} could mean several capsules: {candidates}; use more of the id")

    async def _with_summary(self, capsule: Capsule, summary: NewSummary) -> Capsule:
        require_open(capsule)
        evidence, is_private = await self._evidence(capsule, summary)
        tainted = replace(summary, is_private=summary.is_private or is_private)
        return summarise(capsule, tainted, evidence, now=self.clock.now())

    async def _evidence(self, capsule: Capsule, summary: NewSummary) -> tuple[Sequence[Row], bool]:
        """Return what the summary names, and whether anything private is behind it."""
        if summary.evidence_refs:
            rows = await fetch_with_source_thoughts(self.store, summary.evidence_refs)
            named = require_rows(summary.evidence_refs, rows)
            return named, any(tells_private(row, rows) for row in named)
        is_private = await self.capsules.private_thoughts(capsule) > 0
        if summary.evidence_refs is not None:
            return (), is_private
        thoughts = await self.capsules.thoughts(capsule, limit=MAX_EVIDENCE)
        return [thought for thought in reversed(thoughts) if is_live(thought)], is_private

    async def _save(self, changed: Capsule) -> Capsule:
        """Save what was made of a loaded capsule, whose revision it still bears."""
        revision = changed.revision
        return await self.capsules.save_capsule(replace(changed, revision=revision + 1), expected=revision)
