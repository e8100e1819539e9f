"""Forget or keep notes that were deleted from their folder, and what of them waits for review.

Law: they leave retrieval and answers at once, with what rests on them alone and what waits for review. After that they
are kept, and found as of before, or forgotten, as the owner set it. What another note says in the same words stays, and
a note that comes back says them again: the folder is the truth of its notes, also where it changes its mind.

What waits for review, after a note it rests on left its folder. What rests on such notes alone waits no more; what
rests on others, too, rests on those. What somebody decided stays decided. Decided over the candidate as it is stored,
so that doing it again does nothing; a note that is back is read again.

Source: rulings I4, F, H; docs/import.md, "Keeping a folder in step"; rulings I4, F.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from voice.core.errors import SessionConflict
from voice.core.graph.removal.forget_cascade import ForgetRequest
from voice.core.graph.review.candidates import Candidate, CandidateStatus, Cursor
from voice.core.recall.forgetting import candidate_without
from voice.core.session.forgetting import ForgottenContent
from voice.core.settings.values import Gone
from voice.core.text.leakage import LeakMarkers
from voice.ports.review_stores import CandidateFilter, CandidateStore
from voice.services.removal.forget import Forget
from voice.services.removal.removals import Removals

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


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletedNotes:
    """The removal of deleted notes from one memory."""

    removals: Removals
    waiting: DeletedNoteCandidates
    forget: Callable[[], Forget]
    become: Gone

    async def leave(self, thought_ids: Sequence[str]) -> None:
        """Take thoughts out of retrieval.

        Raises:
            StoreError, SessionConflict: not all of them have left; ask for the same again.
        """
        if thought_ids:
            await self.removals.mark(thought_ids, are_gone=True)
            await self.waiting.take_out(thought_ids)

    async def end(self, thought_ids: Sequence[str]) -> None:
        """Keep or forget thoughts that have left, as the owner's settings say.

        Raises:
            StoreError, SessionConflict: not all of it is done; ask for the same again.
        """
        if thought_ids and self.become == "forget":
            await self.forget()(ForgetRequest(ids=frozenset(thought_ids), others_stay=True), "forget")
