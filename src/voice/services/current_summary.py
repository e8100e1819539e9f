"""The summaries of what is open, and of anything that has one.

Law: what is asked for first is loaded first, and nothing is loaded after it was found. Capsules and live sessions are
one kind of thing here (ruling G.3).

Source: spec retrieval-contract, Tier 2; rulings A6, D16, G.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from voice.core.recall.capsules import summary_of_session
from voice.core.recall.current import (
    MAX_EXCHANGES,
    MAX_THOUGHTS,
    OpenUnit,
    digest_summary,
    made_summary,
    newest_first,
    visible_summary,
)
from voice.core.recall.values import Capsule, Recalled, RecallParams
from voice.core.records import Row, Scope
from voice.core.session.lifecycle import is_live
from voice.core.session.values import InnerVoiceSession
from voice.ports.recall_stores import CapsuleStore
from voice.ports.stores import MemoryStore, SessionStore

OPEN_UNITS = 20
"""Of the open capsules, and of the live sessions, so many, the newest, are asked for a summary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryOf:
    """What became of a capsule or session that was named."""

    exists: bool
    shown: Recalled | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentSummary:
    """Reads summaries for one reader."""

    store: MemoryStore
    capsules: CapsuleStore
    sessions: SessionStore
    timezone: str
    timeout_hours: float
    """After so many idle hours a session is no longer open (ruling A6)."""

    async def __call__(self, params: RecallParams) -> Recalled | None:
        """Return the summary of the most recently opened open unit that has one the reader may see.

        Raises:
            StoreError: something cannot be read.
        """
        capsules = [
            OpenUnit(id=capsule.id, opened_at=capsule.opened_at, capsule=capsule)
            for capsule in await self.capsules.capsules(limit=OPEN_UNITS, status="open")
            if params.scope.admits(capsule.scope)
        ]
        for unit in newest_first([*capsules, *await self._sessions(params)]):
            shown = (
                (await self.of(unit.id, params)).shown if unit.capsule is None else await self._of(unit.capsule, params)
            )
            if shown is not None:
                return shown
        return None

    async def of(self, owner: str, params: RecallParams) -> SummaryOf:
        """Return the summary of the capsule or session with that id, as the reader may see it.

        Raises:
            StoreError: something cannot be read.
        """
        capsule = await self.capsules.capsule(owner)
        if capsule is not None:
            return SummaryOf(exists=True, shown=await self._of(capsule, params))
        session = await self.sessions.load(owner, window=MAX_EXCHANGES)
        if session is None:
            return SummaryOf(exists=False)
        return SummaryOf(exists=True, shown=await self._of_session(session, params))

    async def _of(self, capsule: Capsule, params: RecallParams) -> Recalled | None:
        if capsule.summary is not None:
            rows = await self._rows(capsule.summary.evidence_refs)
            shown = visible_summary(capsule.summary, rows, params)
            if shown is not None:
                return shown
        return made_summary(capsule, await self.capsules.thoughts(capsule.id, limit=MAX_THOUGHTS), params)

    async def _of_session(self, session: InnerVoiceSession, params: RecallParams) -> Recalled | None:
        written = summary_of_session(session)
        if written is not None:
            return visible_summary(written, await self._rows(written.evidence_refs), params)
        sources = (source.source_id for each in session.context_window for source in each.sources)
        return digest_summary(session, await self._rows(sources), params, timezone=self.timezone)

    async def _sessions(self, params: RecallParams) -> list[OpenUnit]:
        if params.scope.session_id is not None:
            named = await self.sessions.load(params.scope.session_id, window=0)
            is_open = named is not None and is_live(named, now=params.now, timeout_hours=self.timeout_hours)
            return [OpenUnit(id=named.id, opened_at=named.created_at)] if named is not None and is_open else []
        oldest = params.now - timedelta(hours=self.timeout_hours)
        return [
            OpenUnit(id=item.id, opened_at=item.created_at)
            for item in await self.sessions.sessions(limit=OPEN_UNITS, status="open")
            if item.last_interaction > oldest and params.scope.admits(Scope(session_id=item.id))
        ]

    async def _rows(self, ids: Iterable[str]) -> dict[str, Row]:
        wanted = sorted(set(ids))
        return await self.store.fetch(wanted) if wanted else {}
