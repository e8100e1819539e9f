"""What waits for review, after the note it rests on was corrected.

Law: decided by `voice.core.graph.following.candidate_after` over the candidate as it is stored, so that doing it again
does nothing. A correction and what becomes of the candidates that rest on it are one transaction (ruling I8).

Source: rulings C10, F, H, I8.
"""

from dataclasses import dataclass
from typing import Final

from voice.core.errors import SessionConflict
from voice.core.graph.candidates import Candidate, Cursor
from voice.core.graph.following import candidate_after
from voice.core.records import Thought
from voice.ports.candidate_store import NO_ROWS, CandidateFilter, CandidateStore
from voice.ports.stores import WriteBatch

_PAGE: Final = 500
_MOST_TRIES: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedCandidates:
    """Lets candidates follow a corrected thought."""

    store: CandidateStore

    async def follow(self, old: Thought, new: Thought, *, rows: WriteBatch = NO_ROWS) -> None:
        """Let every candidate that rests on `old` rest on the same words of `new`, or go with the words.

        Args:
            old: the thought that was corrected.
            new: what took its place.
            rows: what else is written in the same transaction.

        Raises:
            SessionConflict: candidates were decided again and again meanwhile; nothing was written.
            StoreError: nothing was written.
        """
        for _ in range(_MOST_TRIES):
            left = [(each, candidate_after(each, old, new)) for each in await self._resting_on(old)]
            changed = [now for each, now in left if now is not None and now is not each]
            gone = [each.id for each, now in left if now is None]
            try:
                await self.store.save(changed, rows=rows, removed=gone)
            except SessionConflict:
                continue
            return
        raise SessionConflict("candidates were decided again and again meanwhile; nothing was corrected; try again")

    async def _resting_on(self, thought: Thought) -> list[Candidate]:
        found: list[Candidate] = []
        where, after = CandidateFilter(thought_id=thought.id), None
        while page := await self.store.candidates(where, limit=_PAGE, after=after):
            found += page
            after = Cursor.behind(page[-1])
        return found
