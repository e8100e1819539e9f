"""Staged candidates, as forgetting reaches them; implements `DerivedElsewhere`.

Law: what becomes of each is decided by `voice.core.recall.forgotten_candidates` over the candidate as it is stored, so
doing it again does nothing.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from voice.core.graph.candidates import Candidate, Cursor
from voice.core.recall.forgotten_candidates import candidate_without
from voice.core.session.forgetting import Gone
from voice.ports.candidate_store import CandidateRemoval, CandidateStore

_PAGE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenCandidates:
    """`DerivedElsewhere` over the store of candidates."""

    store: CandidateStore
    removal: CandidateRemoval
    kind: str = "candidates"

    async def reached(self, gone: Gone) -> list[str]:
        """Return the ids of the candidates that hold something of what goes; see the port."""
        found = [each.id async for each in self._all() if candidate_without(each, gone) is not each]
        return sorted(found)

    async def take_away(self, ids: Sequence[str], gone: Gone) -> None:
        """Remove candidates, or what they hold of what goes; see the port."""
        for start in range(0, len(ids), _PAGE):
            held = await self.store.fetch(ids[start : start + _PAGE])
            left = {row_id: candidate_without(each, gone) for row_id, each in held.items()}
            await self.removal.remove([row_id for row_id, each in left.items() if each is None])
            await self.store.save([each for row_id, each in left.items() if each and each is not held[row_id]])

    async def _all(self) -> AsyncIterator[Candidate]:
        after: Cursor | None = None
        while page := await self.store.candidates(limit=_PAGE, after=after):
            for each in page:
                yield each
            after = Cursor.behind(page[-1])
