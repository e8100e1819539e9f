"""Says in a refusal that a program noted something about the question which nobody vouched for yet.

Law: what may not be seen is not told of, and nothing is looked up for a question that was answered.

Source: ruling J2; promise 6.
"""

from dataclasses import dataclass

from voice.core.answering.waiting_notes import WANT_OF_GROUND, about, telling_of
from voice.core.graph.vouching import is_noted
from voice.core.grounding.values import GroundedResponse
from voice.core.records import Table, Thought
from voice.core.retrieval.values import RowFilter, Window
from voice.core.retrieval.visibility import admits
from voice.core.vouch import Vouch
from voice.ports.noted_rows import NotedRows
from voice.ports.stores import MemoryStore
from voice.services.turn import AskRequest

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
        seen = RowFilter(
            tables=frozenset({Table.THOUGHTS}),
            scope=request.scope,
            include_private=request.include_private,
            include_tags=request.include_tags,
            exclude_tags=request.exclude_tags,
            window=window,
        )
        waiting = [row for row in rows.values() if isinstance(row, Thought) and is_noted(row) and admits(seen, row)]
        return telling_of(response, about(question, waiting))
