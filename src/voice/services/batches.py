"""Many verdicts at once.

Law: they are carried out some hundred at a time, those on entities before those on relations. One that cannot be
carried out keeps no other one out: it is told with its reason, and what it was said of still waits. Whoever is
interrupted decides the same again.

Source: ruling I5; spec rag-organize 6.
"""

from collections.abc import Callable, Sequence
from typing import Final

from voice.core.errors import InvalidParams
from voice.core.graph.verdicts import Verdict
from voice.core.records import Origin
from voice.services.moderation import Moderated, Moderation

_AT_ONCE: Final = 400


async def decide_many(
    moderation: Moderation,
    verdicts: Sequence[Verdict],
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
    moderation: Moderation, verdicts: Sequence[Verdict], *, by: Origin, with_ends: bool, dry_run: bool
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
