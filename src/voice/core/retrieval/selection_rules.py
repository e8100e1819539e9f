"""The rules of selection: similarity floors, deduplication, places for graph and thoughts.

Law: a source keeps the asked floor unless it would be empty; then the floor falls once, to its best score, at least
`min_floor` (ruling C3). Only the vector arm has a floor (ruling C20), calibrated per encoder (`bench.calibrate
--floors`, ruling C4). `kg_slots = floor(mix * top_k + 0.5)`; mixed sources get at least one place, free places go to
the other (C5-C7). Of equal texts the most trusted, then best scoring row stays, before allocation (rulings C8, A11).
Source: spec inner_voice.retrieve, Behavior 4 to 6 and Config; rulings A11, C3 to C9, C20.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from voice.core.messages import asking as messages
from voice.core.records import TRUST_RANK
from voice.core.retrieval.ranking import Measure, SortKey, ranked, sort_key
from voice.core.retrieval.values import LOCAL_HYBRID, LOCAL_VECTOR, Candidate, Selection


class ScoredByBothArms(Protocol):
    """A hit or candidate with scores of both arms."""

    @property
    def cosine(self) -> float | None:
        """The vector arm; None without a comparable vector."""
        ...

    @property
    def lexical(self) -> float:
        """The lexical arm; 0.0 without a common term."""
        ...


Passes = Callable[[ScoredByBothArms, float], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Floored:
    """One source split at its floor."""

    kept: tuple[Candidate, ...]
    excluded: tuple[Candidate, ...]
    floor: float


def _vector(scored: ScoredByBothArms, floor: float) -> bool:
    return scored.cosine is not None and scored.cosine >= floor


def _either_arm(scored: ScoredByBothArms, floor: float) -> bool:
    return scored.lexical > 0.0 or _vector(scored, floor)  # a shared word needs no near vector (ruling C20)


_PASSES: dict[str, Passes] = {LOCAL_VECTOR: _vector, LOCAL_HYBRID: _either_arm}


def passes(provider: str, scored: ScoredByBothArms, floor: float) -> bool:
    """Return whether a provider's hit is above that provider's floor."""
    rule = _PASSES.get(provider)
    return rule is None or rule(scored, floor)  # a provider without vectors has no floor


def apply_floor(candidates: Sequence[Candidate], provider: str, *, floor: float, min_floor: float) -> Floored:
    """Split one source's candidates at its floor, lowered once if the source would be empty.

    Args:
        candidates: in any order, which is kept.
        provider: without vectors there is no floor; it is reported as 0.
        min_floor: how far the floor may fall.
    """
    rule = _PASSES.get(provider)
    if rule is None:
        return Floored(kept=tuple(candidates), excluded=(), floor=0.0)
    split = _split(candidates, rule, floor)
    if split.kept or not candidates:
        return split
    return _split(candidates, rule, max(min_floor, *(candidate.score for candidate in candidates)))


def telling_floors(found: Selection, *, asked: float) -> Selection:
    """Add a warning for each source whose floor was lowered from the `asked` one."""
    facts = found.diagnostics
    sources = ((messages.THE_GRAPH, facts.floor_kg), (messages.THE_THOUGHTS, facts.floor_thoughts))
    lowered = tuple(
        messages.floor_lowered(source, asked, used) for source, used in sources if 0.0 < used < asked and facts.k_ret
    )
    return replace(found, diagnostics=replace(facts, warnings=(*facts.warnings, *lowered))) if lowered else found


def _split(candidates: Sequence[Candidate], rule: Passes, floor: float) -> Floored:
    return Floored(
        kept=tuple(candidate for candidate in candidates if rule(candidate, floor)),
        excluded=tuple(candidate for candidate in candidates if not rule(candidate, floor)),
        floor=floor,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorProfile:
    """The two floors of an encoder (ruling C3)."""

    floor: float = 0.25
    """Minimum cosine of a snippet."""
    min_floor: float = 0.15
    """Lowest floor for a source that would be empty."""


SPEC_FLOORS: Final = FloorProfile()
CALIBRATED: Final[dict[str, FloorProfile]] = {
    "all-MiniLM-L6-v2-int8": SPEC_FLOORS,
    "hashed-ngrams-v1": FloorProfile(floor=0.17, min_floor=0.09),
}


def floors_of(model: str) -> FloorProfile:
    """Return the floors of an embedding model; the specs' own if not calibrated."""
    return CALIBRATED.get(model, SPEC_FLOORS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """Who got the places."""

    chosen: tuple[Candidate, ...]
    """Best first, at most `top_k`."""
    left_out: tuple[Candidate, ...]
    """Best first."""
    kg_slots: int
    thought_slots: int
    """Reserved places per source; both 0 if a single place goes to the best of all."""
    backfilled: int
    """Places that one source took from the other."""


def slots(top_k: int, mix: float, *, both: bool) -> tuple[int, int]:
    """Return the places for graph and thoughts.

    Args:
        top_k: at least 1.
        both: whether both sources have candidates; each then gets at least one of several places.
    """
    kg = math.floor(mix * top_k + 0.5)  # `round` is half-even: 2.5 would be 2 (ruling C5)
    if both and top_k > 1 and 0.0 < mix < 1.0:
        kg = min(max(kg, 1), top_k - 1)
    return kg, top_k - kg


def allocate(
    kg: Sequence[Candidate], thoughts: Sequence[Candidate], measure: Measure, *, top_k: int, mix: float
) -> Allocation:
    """Allocate the `top_k` places.

    Args:
        kg: graph candidates without duplicates, in any order.
        thoughts: likewise.
        top_k: at least 1.
        mix: the graph's share; 0 or 1 excludes the other source entirely.
    """
    kg_slots, thought_slots = slots(top_k, mix, both=bool(kg and thoughts))
    if mix in (0.0, 1.0):  # strict: no places for the other source, even free ones (ruling C6)
        only = ranked(kg if mix else thoughts, measure)
        left = (*only[top_k:], *ranked(thoughts if mix else kg, measure))
        return Allocation(
            chosen=only[:top_k], left_out=left, kg_slots=kg_slots, thought_slots=thought_slots, backfilled=0
        )
    pool = ranked((*kg, *thoughts), measure)
    if top_k == 1:  # the best of all (ruling C6)
        return Allocation(chosen=pool[:1], left_out=pool[1:], kg_slots=0, thought_slots=0, backfilled=0)
    entitled = {
        candidate.row.id for candidate in (*ranked(kg, measure)[:kg_slots], *ranked(thoughts, measure)[:thought_slots])
    }
    spare = [candidate.row.id for candidate in pool if candidate.row.id not in entitled]
    placed = entitled.union(spare[: top_k - len(entitled)])
    chosen = tuple(candidate for candidate in pool if candidate.row.id in placed)
    left = tuple(candidate for candidate in pool if candidate.row.id not in placed)
    return Allocation(
        chosen=chosen,
        left_out=left,
        kg_slots=kg_slots,
        thought_slots=thought_slots,
        backfilled=len(chosen) - len(entitled),
    )


_KEY_DIGITS: Final = 16  # hex digits


def text_key(content_hash: str) -> int:
    """Return the first 64 bits of a content hash, never 0; the index stores it to detect duplicates."""
    return int(content_hash[:_KEY_DIGITS], 16) or 1  # 0 means unknown in an index


def preference(measure: Measure, candidate: Candidate) -> tuple[int, SortKey]:
    """Return the key that picks one of several equal rows: the least."""
    return -TRUST_RANK[candidate.row.trust], sort_key(measure, candidate)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deduped:
    """Candidates without duplicates."""

    kept: tuple[Candidate, ...]
    also_in: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """By kept id: the ids of other rows with the same text, sorted."""
    duplicates: tuple[tuple[Candidate, str], ...] = ()
    """Dropped candidates with the id kept instead."""


def dedupe(candidates: Iterable[Candidate], measure: Measure) -> Deduped:
    """Keep one row per text; `kept` is sorted by preference: trust, `measure`, table, id."""
    preferred = sorted(candidates, key=lambda candidate: preference(measure, candidate))
    kept: dict[str, Candidate] = {}
    seen: set[str] = set()
    duplicates: list[tuple[Candidate, str]] = []
    others: dict[str, list[str]] = {}
    for candidate in preferred:
        if candidate.row.id in seen:  # the same row twice is no duplicate of itself
            continue
        seen.add(candidate.row.id)
        first = kept.setdefault(candidate.content_hash, candidate)
        if first is not candidate:
            duplicates.append((candidate, first.row.id))
            others.setdefault(first.row.id, []).append(candidate.row.id)
    also_in = {kept_id: tuple(sorted(ids)) for kept_id, ids in others.items()}
    return Deduped(kept=tuple(kept.values()), also_in=also_in, duplicates=tuple(duplicates))
