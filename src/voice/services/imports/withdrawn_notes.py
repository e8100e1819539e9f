"""Withdraw imported notes: undo an import, and forget or keep notes that were deleted from their folder.

Law: what goes leaves retrieval and answers at once, with what rests on it alone and what waits for review; what rests
on something else as well stays, and what somebody decided stays decided. Doing it again does nothing.

An undo deletes nothing: the thoughts are marked for removal, so it is taken back like any other mark. What was
corrected, redacted or forgotten since stays, and nothing else goes than what was shown before.

Deleted notes are kept, and found as of before, or forgotten, as the owner set it. What another note says in the same
words stays, and a note that comes back says them again: the folder is the truth of its notes.

Source: rulings F, H, I4; docs/import.md, "Keeping a folder in step".
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from voice.core.errors import InvalidParams
from voice.core.graph.removal.forget_cascade import ForgetRequest
from voice.core.graph.review.candidates import CandidateStatus
from voice.core.recall.forgetting import candidate_without
from voice.core.records import RowStatus, Thought
from voice.core.session.forgetting import ForgottenContent
from voice.core.settings.values import Gone
from voice.core.text.leakage import LeakMarkers
from voice.ports.review_stores import CandidateFilter, CandidateStore
from voice.services.graph.correction_consequences import settle_candidates
from voice.services.graph.extraction import Extracting
from voice.services.removal.forget import Forget
from voice.services.removal.removals import Removals
from voice.services.retrieval.row_lookups import fetch_thoughts


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletedNotes:
    """The removal of deleted notes from one memory."""

    removals: Removals
    candidates: CandidateStore
    forget: Callable[[], Forget]
    become: Gone

    async def leave(self, thought_ids: Sequence[str]) -> None:
        """Take thoughts out of retrieval. Raises StoreError, SessionConflict: not all have left; ask again."""
        if thought_ids:
            await self.removals.mark(thought_ids, are_gone=True)  # from answers first, then from review
            await self.take_out(thought_ids)

    async def take_out(self, thought_ids: Sequence[str]) -> None:
        """Let nothing wait for review that rests on these thoughts alone; raises as `leave` does."""
        gone = ForgottenContent(ids=frozenset(thought_ids), giveaway=LeakMarkers(), keeps_hashes=True)
        for thought_id in thought_ids:
            where = CandidateFilter(status=CandidateStatus.PENDING, thought_id=thought_id)
            unsettled = "candidates kept changing; sync again"
            await settle_candidates(
                self.candidates, where, lambda each: candidate_without(each, gone), unsettled=unsettled
            )

    async def end(self, thought_ids: Sequence[str]) -> None:
        """Keep or forget thoughts that have left, as set. Raises StoreError, SessionConflict: ask for it again."""
        if thought_ids and self.become == "forget":
            await self.forget()(ForgetRequest(ids=frozenset(thought_ids), others_stay=True), "forget")


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoneImport:
    """The rows that an undo takes, or would take, out of use."""

    thoughts: tuple[Thought, ...]
    along: tuple[str, ...]
    stay: int
    """How many thoughts of the import stay, because they changed since."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportUndo:
    """Undoes imports."""

    gone: DeletedNotes
    extracting: Extracting

    async def foresee(self, thought_ids: Sequence[str]) -> UndoneImport:
        """Return what would be taken out of use, and change nothing."""
        thoughts = [each for each in await self._thoughts(thought_ids) if each.status is RowStatus.ACTIVE]
        marking = await self.gone.removals.mark([each.id for each in thoughts], dry_run=True) if thoughts else None
        return UndoneImport(
            thoughts=tuple(thoughts), along=marking.along if marking else (), stay=len(thought_ids) - len(thoughts)
        )

    async def __call__(self, thought_ids: Sequence[str], *, shown: Collection[str]) -> UndoneImport:
        """Take out of use what the import stored, if that is what was `shown`. Raises InvalidParams: others would go
        than were shown; nothing was done; StoreError, SessionConflict: not all of it is done; ask for the same again.
        """
        found = await self.foresee(thought_ids)
        ids = [each.id for each in found.thoughts]
        if set(ids) != set(shown):  # the person agreed to these alone
            raise InvalidParams("your memory has changed since you looked, so nothing was undone; look again")
        if ids:
            await self.gone.removals.mark(ids)
            await self.gone.take_out(ids)
        return found

    async def back(self, thought_ids: Sequence[str]) -> int:
        """Restore what an undo took out; return how many thoughts. Raises StoreError: not all of it; ask again."""
        away = [each.id for each in await self._thoughts(thought_ids) if each.status is RowStatus.REMOVAL]
        if away:
            await self.gone.removals.unmark(away)
            await self.extracting.arrived(away)  # its candidates left with it
        return len(away)

    async def _thoughts(self, thought_ids: Sequence[str]) -> list[Thought]:
        found = await fetch_thoughts(self.gone.removals.store, thought_ids)
        return [found[row_id] for row_id in thought_ids if row_id in found]
