"""The current summary of a capsule or session.

Law: what is asked for first is loaded first, and nothing is loaded after it was found. Capsules and live sessions are
one kind of thing here (ruling G.3). What is out of scope is left out before anything is counted off. Of a session's
summary, what only turns said that are withheld is told where private rows are asked for alone (promise 6).

Source: spec retrieval-contract, Tier 2; rulings A6, D16, G; promise 6.
"""

from dataclasses import dataclass, replace
from datetime import timedelta

from voice.core.recall.capsules import (
    MAX_EXCHANGES,
    MAX_THOUGHTS,
    OpenUnit,
    capsule_summary,
    digest_summary,
    newest_first,
    summary_of_session,
    visible_summary,
)
from voice.core.recall.values import Capsule, RecalledEntity, RecallParams
from voice.core.records import Scope
from voice.core.session.lifecycle import is_live
from voice.core.session.values import InnerVoiceSession
from voice.ports.recall_stores import CapsuleFilter, CapsuleStore
from voice.ports.stores import MemoryStore, SessionStore
from voice.services.retrieval.row_lookups import fetch_with_source_thoughts
from voice.services.sessions.lookup import shown_summary

OPEN_UNITS = 20
"""Of the open capsules in scope, and of the live sessions, so many, the newest, are asked for a summary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryOf:
    """A capsule or session that was named, and its summary."""

    exists: bool
    scope: Scope = Scope()
    """Where the capsule or session belongs."""
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
        session = await self.sessions.load(session_id, window=0)
        if session is None or not is_live(session, now=params.now, timeout_hours=self.timeout_hours):
            return []
        return [OpenUnit(id=session.id, opened_at=session.created_at)]
