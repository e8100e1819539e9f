"""The entry of links between notes into the graph, without review.

Law: they are the person's own words, so they are approved in the person's name where the person wrote the notes, and
wait like everything else where somebody else did (rulings C10, H, I5). One that cannot enter, because its end could be
two things, waits for review and keeps no other one out.

Source: rulings C10, H, I5.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final

from voice.core.graph.candidates import Candidate
from voice.core.graph.verdicts import Approve
from voice.core.records import Origin, Thought
from voice.services.batches import decide_many
from voice.services.moderation import Moderation

_OWN: Final = (Origin.HUMAN, Origin.LOGGED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """The entry of links into one graph."""

    moderation: Moderation

    async def enter(
        self, ids: Collection[str], *, progress: Callable[[int, int], None] | None = None
    ) -> frozenset[str]:
        """Approve candidates, entities before relations, and return the ids of those now in the graph.

        Args:
            ids: candidates of links and of their ends.
            progress: told how many of them are decided, and of how many.

        Raises:
            SessionConflict, StoreError: not all of them entered; entering again finishes it.
        """
        held = await self.moderation.candidates.fetch(sorted(ids))
        written = await self._origins(held.values())
        done, decided = set[str](), 0
        total = sum(origin in _OWN for origin in written.values())

        def advance(more: int) -> None:
            nonlocal decided
            decided += more
            if progress:
                progress(decided, total)

        for origin in _OWN:
            said = [Approve(candidate_id=each) for each in held if written[each] is origin]
            came = await decide_many(self.moderation, said, by=origin, progress=advance)
            done |= {step.candidate_id for step in came.steps}
        return frozenset(done)

    async def _origins(self, candidates: Collection[Candidate]) -> dict[str, Origin]:
        """Return who wrote what each candidate rests on: the least of them."""
        behind = sorted({span.thought_id for each in candidates for span in each.provenance})
        rows = await self.moderation.ingest.store.fetch(behind)
        origins = {row_id: row.origin for row_id, row in rows.items() if isinstance(row, Thought)}
        return {each.id: _least({origins.get(span.thought_id) for span in each.provenance}) for each in candidates}


def _least(origins: Collection[Origin | None]) -> Origin:
    """Return the one origin that all of it has at least; a model's where something else wrote some of it."""
    if not set(origins) <= set(_OWN):
        return Origin.MODEL
    return Origin.HUMAN if set(origins) == {Origin.HUMAN} else Origin.LOGGED
