"""Add to a refusal the words that no searched note holds, and the notes that wait for approval.

Law: what is said is what the index holds at that moment, of the rows that the question may see; nothing is looked up
for a question that was answered.

Source: rulings D5, J2; promise 6.
"""

from dataclasses import dataclass, replace

from voice.core.answering.refusal_remarks import (
    WANT_OF_GROUND,
    can_list_unmentioned,
    notes_about,
    with_unmentioned_words,
    with_waiting_notes,
    words_to_look_up,
)
from voice.core.graph.thoughts.vouching import is_noted
from voice.core.grounding.values import GroundedResponse
from voice.core.records import Table, Thought
from voice.core.retrieval.row_filters import admits
from voice.core.retrieval.values import LOCAL_FTS, RowFilter, Window
from voice.core.vouch import Vouch
from voice.ports.retrieval_provider import ProviderQuery, RetrievalProviders
from voice.ports.review_stores import NotedRows
from voice.ports.stores import MemoryStore
from voice.ports.system import Clock
from voice.services.runtime.turn import AskRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmentioned:
    """Looks up the words of a question."""

    providers: RetrievalProviders
    clock: Clock

    async def told(self, response: GroundedResponse, question: str, request: AskRequest) -> GroundedResponse:
        """Return a response, and where it is a refusal for want of sources, with what no note it searched mentions.

        Args:
            response: what a question ends in.
            question: without its time.
            request: whose rows may be seen.

        Raises:
            StoreError: the index cannot be read.
        """
        wanted = words_to_look_up(question) if can_list_unmentioned(response) else ()
        seen = replace(_seen_by(request), include_superseded=True)
        lacking = [word for word in wanted if not await self._is_held(word, seen)]
        return with_unmentioned_words(response, lacking)

    async def _is_held(self, word: str, row_filter: RowFilter) -> bool:
        provider = self.providers.named(LOCAL_FTS)
        answer = await provider.search(ProviderQuery(text=word, filter=row_filter, limit=1, now=self.clock.now()))
        return any(answer.matched.values())


_READ = 500
"""Of the notes that wait so many, the newest, are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingNotes:
    """Looks for notes about a question among those that wait."""

    noted: NotedRows
    store: MemoryStore

    async def told(
        self, response: GroundedResponse, question: str, request: AskRequest, window: Window
    ) -> GroundedResponse:
        """Return a response, and where it is a refusal for want of ground, with what waits about its question.

        Args:
            response: what a question ends in.
            question: without its time.
            request: whose rows may be seen.
            window: the time that was asked about.

        Raises:
            StoreError: the notes cannot be read.
        """
        if not response.refused or response.reason not in WANT_OF_GROUND or request.as_of is not None:
            return response
        ids = await self.noted.noted((Vouch.WAITING,))
        rows = await self.store.fetch(ids[-_READ:]) if ids else {}
        seen = replace(_seen_by(request), tables=frozenset({Table.THOUGHTS}), window=window)
        waiting = [row for row in rows.values() if isinstance(row, Thought) and is_noted(row) and admits(seen, row)]
        return with_waiting_notes(response, notes_about(question, waiting))


def _seen_by(request: AskRequest) -> RowFilter:
    return RowFilter(
        tables=frozenset(Table),
        scope=request.scope,
        include_private=request.include_private,
        include_tags=request.include_tags,
        exclude_tags=request.exclude_tags,
    )
