"""Decide many candidates at once, and enter links between notes without review.

Law: they are the person's own words, so they are approved in the person's name where the person wrote the notes, and
wait like everything else where somebody else did (rulings C10, H, I5). One that cannot enter, because its end could be
two things, waits for review and keeps no other one out.

Many verdicts at once. They are carried out some hundred at a time, those on entities before those on relations. One
that cannot be carried out keeps no other one out: it is told with its reason, and what it was said of still waits.
Whoever is interrupted decides the same again.

Source: rulings C10, H, I5; ruling I5; spec rag-organize 6.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final

from voice.core.errors import InvalidParams
from voice.core.graph.review.candidates import Candidate
from voice.core.graph.review.decisions import Approve, Decision
from voice.core.records import Origin, Thought
from voice.services.graph.moderation import Moderated, Moderation

_OWN: Final = (Origin.HUMAN, Origin.LOGGED)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteLinks:
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


_AT_ONCE: Final = 400


async def decide_many(
    moderation: Moderation,
    verdicts: Sequence[Decision],
    *,
    by: Origin,
    with_ends: bool = False,
    dry_run: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Moderated:
    """Carry out the verdicts, however many, and return what came of them.

    Args:
        moderation: what carries them out.
        verdicts: what was said; each of another candidate.
        by: who said it.
        with_ends: approve the entities that wait and that an approved relation needs, too.
        dry_run: decide, and write nothing; ends that only the batch would bring are then missing.
        progress: told how many more were decided.

    Raises:
        UnknownId: a candidate is not there.
        SessionConflict, StoreError: what was decided before stays.
    """
    held = await moderation.candidates.fetch([each.candidate_id for each in verdicts])
    ordered = sorted(verdicts, key=lambda each: held[each.candidate_id].kind if each.candidate_id in held else "")
    done = Moderated(steps=(), dry_run=dry_run)
    for start in range(0, len(ordered), _AT_ONCE):
        part = ordered[start : start + _AT_ONCE]
        done += await _decided(moderation, part, by=by, with_ends=with_ends, dry_run=dry_run)
        if progress:
            progress(len(part))
    return done


async def _decided(
    moderation: Moderation, verdicts: Sequence[Decision], *, by: Origin, with_ends: bool, dry_run: bool
) -> Moderated:
    """Carry out a part; where one of it cannot be, each half by itself."""
    try:
        return await moderation.decide(verdicts, by=by, with_ends=with_ends, dry_run=dry_run)
    except InvalidParams as fault:
        if len(verdicts) == 1:
            return Moderated(steps=(), dry_run=dry_run, refused=((verdicts[0].candidate_id, fault.message),))
    half = len(verdicts) // 2
    first = await _decided(moderation, verdicts[:half], by=by, with_ends=with_ends, dry_run=dry_run)
    return first + await _decided(moderation, verdicts[half:], by=by, with_ends=with_ends, dry_run=dry_run)
