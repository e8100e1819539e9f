"""Open, fill, summarise and close capsules, and find the summary that is current.

Law: whoever changes a capsule says which revision was read; of two writers one is told `session_conflict` and nothing
is lost (ruling D21). A thought is in a capsule when its `thread` is the capsule's id and its scope the capsule's own.
What a summary rests on is looked up when it is written and again when it is read; it names `MAX_EVIDENCE` rows at most,
and is private with any thought of the capsule, named or not, unless what it rests on was said.

For the current summary, capsules and live sessions are one kind of thing (ruling G.3). What is asked for first is
loaded first, and nothing after it was found. What is out of scope is left out before anything is counted off. Of a
session's summary, what only turns said that are withheld is told where private rows are asked for alone (promise 6).

Source: spec retrieval-contract, Tier 2; DESIGN 10 (capsule); rulings A6, D16, D21, G, H; promise 6.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Literal

from voice.core.errors import InvalidParams, UnknownId
from voice.core.recall.capsules import (
    MAX_EVIDENCE,
    MAX_EXCHANGES,
    MAX_THOUGHTS,
    NewSummary,
    OpenUnit,
    capsule_summary,
    close_capsule,
    digest_summary,
    live_summary,
    newest_first,
    open_capsule,
    require_open,
    require_rows,
    summarise,
    summary_of_session,
    visible_summary,
)
from voice.core.recall.disclosure import tells_private
from voice.core.recall.values import Capsule, RecalledEntity, RecallParams, Summary
from voice.core.records import Row, Scope, Thought
from voice.core.retrieval.candidates import is_live
from voice.core.session.lifecycle import is_live as is_session_live
from voice.core.session.values import InnerVoiceSession
from voice.core.text.display import strip_ellipsis
from voice.ports.recall_stores import CapsuleFilter, CapsuleStore
from voice.ports.stores import MemoryStore, SessionStore
from voice.ports.system import Clock, IdSource
from voice.services.memory.ingest_values import NewThought
from voice.services.retrieval.row_lookups import NO_SCOPE, Scoping, fetch_with_source_thoughts
from voice.services.sessions.lookup import shown_summary

_LEAST_PREFIX = 6  # characters; of fewer, too many ids begin so
_MEANT = 10  # capsules listed where several are meant


@dataclass(frozen=True, slots=True, kw_only=True)
class CapsuleView:
    """A capsule with what is in it."""

    capsule: Capsule
    thoughts: tuple[Thought, ...]
    """The newest `MAX_EVIDENCE` at most, oldest first; private ones only when asked for."""
    summary: Summary | None
    """As it stands now; None when there is none, when it may not be seen, or when what it rests on is gone."""
    is_outdated: bool
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
        """Open a capsule; recall shows a scope's newest. Raises InvalidParams: bad intent, or scope is everything."""
        opened = open_capsule(intent, scope, capsule_id=self.ids.new_id("c"), now=self.clock.now())
        return await self.capsules.save_capsule(opened, expected=0)  # 0: it is new

    async def close(self, name: str, summary: NewSummary | None = None) -> Capsule:
        """Close a capsule, perhaps with a summary; raises as `summarise` does, CapsuleClosed only with a summary."""
        capsule = await self.load(name)
        changed = capsule if summary is None else await self._with_summary(capsule, summary)
        closed = close_capsule(changed, now=self.clock.now())
        return capsule if closed == capsule else await self._save(closed)  # closed before

    async def summarise(self, name: str, summary: NewSummary) -> Capsule:
        """Write the summary of an open capsule, in place of the one it has. Raises UnknownId: there is no such capsule,
        or no row that it rests on; CapsuleClosed; InvalidParams: as `voice.core.recall.capsules.summarise`;
        SessionConflict: somebody else changed the capsule meanwhile; nothing was written."""
        return await self._save(await self._with_summary(await self.load(name), summary))

    async def listed(
        self,
        *,
        scope: Scope,
        surroundings: Scope = NO_SCOPE,
        status: Literal["open", "closed", "all"] = "all",
        limit: int = 50,
    ) -> list[Capsule]:
        """Return a scope's capsules, newest first. Raises ScopeRequired: none named in a scoped memory (ruling A18)."""
        wanted = await self.scoping(scope, surroundings)
        return await self.capsules.capsules(limit=limit, where=CapsuleFilter(status=status, scope=wanted))

    async def show(self, name: str, *, include_private: bool = False) -> CapsuleView:
        """Return a capsule with what is in it. Raises UnknownId, InvalidParams: there is none, or several are meant."""
        capsule = await self.load(name)
        thoughts = await self.capsules.thoughts(capsule, limit=MAX_EVIDENCE)
        shown = [thought for thought in reversed(thoughts) if include_private or not thought.is_private]
        written = capsule.summary
        refs = written.evidence_refs if written else ()
        stands = written and live_summary(written, await fetch_with_source_thoughts(self.store, refs))  # rulings D16, H
        return CapsuleView(
            capsule=capsule,
            thoughts=tuple(shown),
            summary=stands if include_private or not (stands and stands.is_private) else None,
            is_outdated=written is not None and stands is None,
            hidden=0 if include_private else await self.capsules.private_thoughts(capsule),
        )

    async def placed(self, thought: NewThought, capsule: str) -> NewThought:
        """Return the thought as it goes into a capsule: its thread, and its scope. Whether that is open is asked when
        it is stored: one stored before under its idempotency key is known again in a closed one, too. Raises UnknownId:
        there is no such capsule; InvalidParams: the thought has a thread or a scope of its own."""
        if thought.thread is not None or not thought.scope.is_empty:
            raise InvalidParams("a capsule brings its own thread and scope; leave those out")
        loaded = await self.load(capsule)
        return replace(thought, thread=loaded.id, scope=loaded.scope)

    async def load(self, name: str) -> Capsule:
        """Return the one capsule meant by (the start of) its id. Raises UnknownId: none. InvalidParams: several."""
        exact = await self.capsules.capsule(name)
        if exact is not None:
            return exact
        found: list[Capsule] = []
        if len(start := strip_ellipsis(name)) >= _LEAST_PREFIX:  # "c:01jx…", as lists show it
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
        is_private = await self.capsules.private_thoughts(capsule) > 0  # of all in it: the summary may retell any
        if summary.evidence_refs is not None:  # (): it rests on nothing; None: on what the capsule holds
            return (), is_private
        thoughts = await self.capsules.thoughts(capsule, limit=MAX_EVIDENCE)
        return [thought for thought in reversed(thoughts) if is_live(thought)], is_private

    async def _save(self, changed: Capsule) -> Capsule:
        """Save what was made of a loaded capsule, whose revision it still bears."""
        revision = changed.revision
        return await self.capsules.save_capsule(replace(changed, revision=revision + 1), expected=revision)


OPEN_UNITS = 20
"""Of the open capsules in scope, and of the live sessions, so many, the newest, are asked for a summary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryOf:
    """A capsule or session that was named, and its summary."""

    exists: bool
    scope: Scope = Scope()
    shown: RecalledEntity | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentSummary:
    """Reads summaries for one reader."""

    store: MemoryStore
    capsules: CapsuleStore
    sessions: SessionStore
    timezone: str
    timeout_hours: float
    """After so many idle hours a session is no longer open (ruling A6)."""

    async def __call__(self, params: RecallParams) -> RecalledEntity | None:
        """Return the summary of the most recently opened open unit that has one the reader may see."""
        where = CapsuleFilter(status="open", scope=params.scope)
        capsules = [
            OpenUnit(id=capsule.id, opened_at=capsule.opened_at, capsule=capsule)
            for capsule in await self.capsules.capsules(limit=OPEN_UNITS, where=where)
        ]
        for unit in newest_first([*capsules, *await self._sessions(params)]):
            if unit.capsule is None:
                shown = (await self.of(unit.id, params)).shown
            else:
                shown = await self._of_capsule(unit.capsule, params)
            if shown is not None:
                return shown
        return None

    async def of(self, owner: str, params: RecallParams) -> SummaryOf:
        """Return the summary of the capsule or session with that id, as the reader may see it."""
        capsule = await self.capsules.capsule(owner)
        if capsule is not None:
            return SummaryOf(exists=True, scope=capsule.scope, shown=await self._of_capsule(capsule, params))
        session = await self.sessions.load(owner, window=MAX_EXCHANGES)
        if session is None:
            return SummaryOf(exists=False)
        shown = await self._of_session(session, params)
        return SummaryOf(exists=True, scope=Scope(session_id=session.id), shown=shown)

    async def _of_capsule(self, capsule: Capsule, params: RecallParams) -> RecalledEntity | None:
        if capsule.summary is not None:
            rows = await fetch_with_source_thoughts(self.store, capsule.summary.evidence_refs)
            shown = visible_summary(capsule.summary, rows, params)
            if shown is not None:
                return shown
        return capsule_summary(capsule, await self.capsules.thoughts(capsule, limit=MAX_THOUGHTS), params)

    async def _of_session(self, session: InnerVoiceSession, params: RecallParams) -> RecalledEntity | None:
        # Whoever may see private rows reads the summary as it is.
        if session.rolling_summary is not None and session.rolling_summary.text and not params.include_private:
            session = replace(session, rolling_summary=await shown_summary(self.sessions, session))
            if session.rolling_summary is None or not session.rolling_summary.text:
                return None
        written = summary_of_session(session)
        if written is not None:
            return visible_summary(written, await fetch_with_source_thoughts(self.store, written.evidence_refs), params)
        sources = [source.source_id for each in session.context_window for source in each.sources]
        rows = await fetch_with_source_thoughts(self.store, sources)
        return digest_summary(session, rows, params, timezone=self.timezone)

    async def _sessions(self, params: RecallParams) -> list[OpenUnit]:
        if params.scope.session_id is not None:
            return await self._live_session(params.scope.session_id, params)
        if not (params.scope.is_empty or params.scope.everything):
            return []  # a session lies in no repository and belongs to no agent or user
        if params.current == "caller":
            return [] if params.conversation is None else await self._live_session(params.conversation, params)
        idle = timedelta(hours=self.timeout_hours)
        return [
            OpenUnit(id=item.id, opened_at=item.created_at)
            for item in await self.sessions.sessions(limit=OPEN_UNITS, status="open")
            if item.begun_by is None and abs(params.now - item.last_interaction) < idle
        ]

    async def _live_session(self, session_id: str, params: RecallParams) -> list[OpenUnit]:
        session = await self.sessions.load(session_id, window=0)  # its turns are not needed
        if session is None or not is_session_live(session, now=params.now, timeout_hours=self.timeout_hours):
            return []
        return [OpenUnit(id=session.id, opened_at=session.created_at)]
