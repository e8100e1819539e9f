"""What waits for review, after the note it rests on was corrected.

Law: decided by `voice.core.graph.following.candidate_after` over the candidate as it is stored, so that doing it again
does nothing, and whoever was interrupted goes on.

Source: rulings C10, F, H.
"""

from dataclasses import dataclass
from typing import Final

from voice.core.graph.candidates import Candidate, Cursor
from voice.core.graph.following import candidate_after
from voice.core.records import Thought
from voice.ports.candidate_store import CandidateFilter, CandidateRemoval, CandidateStore

_PAGE: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedCandidates:
    """Lets candidates follow a corrected thought."""

    store: CandidateStore
    removal: CandidateRemoval

    async def follow(self, old: Thought, new: Thought) -> None:
        """Let every candidate that rests on `old` rest on the same words of `new`, or go with the words.

        Raises:
            SessionConflict: a candidate was decided meanwhile; the same correction again goes on from there.
            StoreError: likewise.
        """
        where = CandidateFilter(thought_id=old.id)
        after: Cursor | None = None
        while page := await self.store.candidates(where, limit=_PAGE, after=after):
            after = Cursor.behind(page[-1])
            left = [(each, candidate_after(each, old, new)) for each in page]
            await self.removal.remove([each.id for each, now in left if now is None])
            changed: list[Candidate] = [now for each, now in left if now is not None and now is not each]
            await self.store.save(changed)
