"""Rolling summaries that heal, and the status of the rows they rest on.

Law: a summary is made again of the folded exchanges that still stand, as soon as a turn of its session finds that a row
behind it fell, or that it was stored before its grounds were. The turn is kept by then: nothing of it waits for this
(ruling D26). What is read is bounded: pages of exchanges from the newest folded one back, until they fill the summary.
It is judged with nobody's eyes in particular: what only one reader may not see stays for the others.

How the rows behind a conversation stand when it goes on. They are read once for a turn, only those that its window and
summary name, never the history (ruling D16); a conversation that has said nothing yet costs nothing.

Source: spec stateful-design-v2, 5 RollingSummary; rulings D16, D17, D26, H; rulings D16, D22, H.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final

from voice.core.errors import SessionConflict, StoreError
from voice.core.recall.row_states import row_states
from voice.core.records import Table
from voice.core.retrieval.values import RowFilter
from voice.core.session.history import OF_ONE_READER, SkippedPart, SourceStatus, grounds_of, is_repeatable, rows_behind
from voice.core.session.rolling_summary import FoldedHistory, rebuild
from voice.core.session.values import DialogueExchange, InnerVoiceSession, PromptView
from voice.ports.stores import MemoryStore, SessionStore
from voice.ports.system import Clock
from voice.services.retrieval.fetched_rows import fetch_with_source_thoughts

MOST_TURNS: Final = 400
"""So many folded exchanges are looked at, however little they said."""
_PAGE: Final = 40
_EVERYBODY: Final = PromptView(include_private=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class SummarySettings:
    """What shapes a summary."""

    max_tokens: int
    """What it may take."""
    timezone: str
    """The zone whose days date its lines."""
    quarantine: bool
    """Whether what reads like instructions to the model is kept out of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summaries:
    """Makes summaries again."""

    sessions: SessionStore
    store: MemoryStore
    clock: Clock
    count: Callable[[str], int] = field(repr=False)
    settings: SummarySettings

    async def heal(self, session: InnerVoiceSession, skipped: Iterable[SkippedPart]) -> InnerVoiceSession:
        """Return the session, its summary made again where one of its lines fell for everybody, or is of old.

        Nothing is raised: what could not be read or written now is found again at the next turn.

        Args:
            session: as it is stored.
            skipped: what was left out of the last prompt, and why.
        """
        fallen = any(each.part == "summary" and each.reason not in OF_ONE_READER for each in skipped)
        summary = session.rolling_summary
        if summary is not None and (fallen or summary.is_of_old):
            with suppress(StoreError, SessionConflict):
                return await self(session)
        return session

    async def __call__(self, session: InnerVoiceSession) -> InnerVoiceSession:
        """Return the session with its summary made again of what stands, stored; itself where that changes nothing.

        Raises:
            StoreError: something cannot be read, or not be written.
            SessionConflict: the session has gone on meanwhile.
        """
        if session.rolling_summary is None:
            return session
        stood = await self._stood(session.id, session.rolling_summary.through_index)
        made = rebuild(session, stood, now=self.clock.now(), count=self.count, max_tokens=self.settings.max_tokens)
        if made is session:
            return session
        return await self.sessions.save(made, (), expected=session.revision)

    async def _stood(self, session_id: str, through: int) -> FoldedHistory:
        """Return the folded exchanges from the newest back, as many as a summary can hold the lines of."""
        limits = self.settings
        stood = FoldedHistory(exchanges=(), standings={}, quarantine=limits.quarantine, timezone=limits.timezone)
        first = through + 1
        while first > 0 and through - first < MOST_TURNS - 1 and not stood.fills(limits.max_tokens, self.count):
            start = max(0, first - _PAGE)
            page = await self.sessions.exchanges(session_id=session_id, after_index=start - 1, limit=first - start)
            standings = {**stood.standings, **await self._standings(page)}
            stood = replace(stood, exchanges=(*page, *stood.exchanges), standings=standings)
            first = start
        return stood

    async def _standings(self, exchanges: Sequence[DialogueExchange]) -> dict[str, SourceStatus]:
        told = (each for each in exchanges if is_repeatable(each))
        row_ids = tuple(dict.fromkeys(row_id for each in told for row_id, _ in grounds_of(each)))
        found = await standing_today(
            self.store, row_ids, _EVERYBODY, superseded=False, quarantine=self.settings.quarantine
        )
        return dict(found)


async def fetch_standing(
    store: MemoryStore, session: InnerVoiceSession, view: PromptView, *, superseded: bool, quarantine: bool
) -> Mapping[str, SourceStatus]:
    """Return how the rows behind the session's past stand, by id.

    Args:
        store: where they are.
        session: with its window loaded.
        view: whose eyes they are read with.
        superseded: whether what was replaced may be said again.
        quarantine: whether a row that reads like instructions to the model is a fault.

    Raises:
        StoreError: they cannot be read.
    """
    row_ids = rows_behind(session, include_private=view.include_private)
    return await standing_today(store, row_ids, view, superseded=superseded, quarantine=quarantine)


async def standing_today(
    store: MemoryStore, row_ids: Sequence[str], view: PromptView, *, superseded: bool, quarantine: bool
) -> Mapping[str, SourceStatus]:
    """Return how rows stand, by id; see `fetch_standing`.

    Raises:
        StoreError: they cannot be read.
    """
    reader = RowFilter(
        tables=frozenset(Table),
        scope=view.scope,
        include_private=view.include_private,
        exclude_tags=view.exclude_tags,
        include_superseded=superseded,
    )
    return row_states(row_ids, await fetch_with_source_thoughts(store, row_ids), reader, quarantine=quarantine)
