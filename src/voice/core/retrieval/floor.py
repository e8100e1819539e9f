"""The least similarity that counts, per source.

Law: scores first, floors after. A source keeps the asked-for floor unless that would leave it empty; then its floor
falls once, to its best score but never under `min_floor`, so the best row is shown and weaker ones are not let in
behind it (ruling C3). Only the vector arm has a floor: what the words found, or a provider of somebody else's, is not
measured by an angle (ruling C20).

Source: spec inner_voice.retrieve, Behavior 4; rulings C3, C20.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from voice.core.retrieval.values import LOCAL_HYBRID, LOCAL_VECTOR, Candidate, Selection


class Armed(Protocol):
    """What was scored by both arms: a hit or a candidate."""

    @property
    def cosine(self) -> float | None:
        """The vector arm; None without a comparable vector."""
        ...

    @property
    def lexical(self) -> float:
        """The lexical arm; 0.0 when no term matches."""
        ...


Passes = Callable[[Armed, float], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Floored:
    """One source above its floor."""

    kept: tuple[Candidate, ...]
    excluded: tuple[Candidate, ...]
    floor: float


def _vector(scored: Armed, floor: float) -> bool:
    return scored.cosine is not None and scored.cosine >= floor


def _either_arm(scored: Armed, floor: float) -> bool:
    return scored.lexical > 0.0 or _vector(scored, floor)


_PASSES: dict[str, Passes] = {LOCAL_VECTOR: _vector, LOCAL_HYBRID: _either_arm}


def passes(provider: str, scored: Armed, floor: float) -> bool:
    """Return whether something that a provider found is above a floor of that provider."""
    rule = _PASSES.get(provider)
    return rule is None or rule(scored, floor)


def apply_floor(candidates: Sequence[Candidate], provider: str, *, floor: float, min_floor: float) -> Floored:
    """Return one source's candidates above its floor, lowered once if the source would be empty.

    Args:
        candidates: one source's candidates, in any order; the order is kept.
        provider: says which arms have a floor; one that compares no vectors has none, and its floor is 0.
        floor: the asked-for minimum cosine.
        min_floor: how far it may fall.
    """
    rule = _PASSES.get(provider)
    if rule is None:
        return Floored(kept=tuple(candidates), excluded=(), floor=0.0)
    asked = _split(candidates, rule, floor)
    if asked.kept or not candidates:
        return asked
    return _split(candidates, rule, max(min_floor, _best(candidates)))


def telling_floors(found: Selection, *, asked: float) -> Selection:
    """Return the selection with a warning for each source whose floor was lowered from the one somebody asked for.

    Args:
        found: what was chosen.
        asked: the floor that was said, as it was taken.
    """
    facts = found.diagnostics
    sources = (("the knowledge graph", facts.floor_kg), ("the thoughts", facts.floor_thoughts))
    said = tuple(
        f"no result from {source} reaches the floor {asked:g}, so voice lowered it to {used:.3f}"
        for source, used in sources
        if 0.0 < used < asked and facts.k_ret
    )
    return replace(found, diagnostics=replace(facts, warnings=(*facts.warnings, *said))) if said else found


def _split(candidates: Sequence[Candidate], rule: Passes, floor: float) -> Floored:
    return Floored(
        kept=tuple(candidate for candidate in candidates if rule(candidate, floor)),
        excluded=tuple(candidate for candidate in candidates if not rule(candidate, floor)),
        floor=floor,
    )


def _best(candidates: Iterable[Candidate]) -> float:
    return max(candidate.score for candidate in candidates)
