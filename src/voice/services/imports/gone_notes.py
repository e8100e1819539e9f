"""Forget or keep notes that were deleted from their folder.

Law: they leave retrieval and answers at once, with what rests on them alone and what waits for review. After that they
are kept, and found as of before, or forgotten, as the owner set it. What another note says in the same words stays, and
a note that comes back says them again: the folder is the truth of its notes, also where it changes its mind. A folder
in which no note is left may be a disk that is not there: then nothing is forgotten.

Source: rulings I4, F, H; docs/import.md, "Keeping a folder in step".
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from voice.core.graph.removal.forget_cascade import ForgetRequest
from voice.core.settings.values import Gone
from voice.services.imports.gone_candidates import DeletedNoteCandidates
from voice.services.removal.forget import Forget
from voice.services.removal.removals import Removals


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletedNotes:
    """The removal of deleted notes from one memory."""

    removals: Removals
    waiting: DeletedNoteCandidates
    forget: Callable[[], Forget]
    become: Gone

    def of_folder(self, *, is_empty: bool) -> "DeletedNotes":
        """Return the removal for the notes of one folder."""
        return replace(self, become="keep") if is_empty else self

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
