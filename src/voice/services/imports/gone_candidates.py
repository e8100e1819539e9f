"""What waits for review, after a note it rests on left its folder.

Law: what rests on such notes alone waits no more; what rests on others, too, rests on those. What somebody decided
stays decided. Decided over the candidate as it is stored, so that doing it again does nothing; a note that is back is
read again.

Source: rulings I4, F.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from voice.core.errors import SessionConflict
from voice.core.graph.review.candidates import Candidate, CandidateStatus, Cursor
from voice.core.recall.forgetting import candidate_without
from voice.core.session.forgetting import ForgottenContent
from voice.core.text.leakage import LeakMarkers
from voice.ports.review_stores import CandidateFilter, CandidateStore

_PAGE: Final = 500
_MOST_TRIES: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletedNoteCandidates:
    """Takes what rests on gone notes alone out of what waits."""

    store: CandidateStore

    async def take_out(self, thought_ids: Sequence[str]) -> None:
        """Let nothing wait that rests on these thoughts alone.

        Raises:
            SessionConflict: candidates were decided again and again meanwhile; ask for the same again.
            StoreError: the store failed; ask for the same again.
        """
        gone = ForgottenContent(ids=frozenset(thought_ids), giveaway=LeakMarkers(), keeps_hashes=True)
        for thought_id in thought_ids:
            await self._without(thought_id, gone)

    async def _without(self, thought_id: str, gone: ForgottenContent) -> None:
        for _ in range(_MOST_TRIES):
            left = [(each, candidate_without(each, gone)) for each in await self._resting_on(thought_id)]
            changed = [now for each, now in left if now is not None and now is not each]
            try:
                await self.store.save(changed, removed=[each.id for each, now in left if now is None])
            except SessionConflict:
                continue
            return
        raise SessionConflict("candidates were decided again and again meanwhile; sync again")

    async def _resting_on(self, thought_id: str) -> list[Candidate]:
        found: list[Candidate] = []
        where, after = CandidateFilter(status=CandidateStatus.PENDING, thought_id=thought_id), None
        while page := await self.store.candidates(where, limit=_PAGE, after=after):
            found += page
            after = Cursor.behind(page[-1])
        return found
