"""Which rows must still be fetched before the choice is final.

Law: the choice equals the choice among all rows, or more rows are requested (a property test shows it). Unfetched rows
have known ranks; they matter while one could fill a place, replace a chosen duplicate (ruling C8), or keep a source's
asked floor (ruling C3).
Source: rulings C3, C5-C9; spec inner_voice.retrieve, Performance Notes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final, Self

from voice.core.records import TRUST_RANK, Table, TrustTier
from voice.core.retrieval.ranking import SortKey, by_rank, sort_key
from voice.core.retrieval.selection import Choice, effective_provider
from voice.core.retrieval.selection_rules import passes, preference, slots, text_key
from voice.core.retrieval.values import LOCAL_PROVIDERS, Found, RetrieveParams

_SPARE: Final = 2  # extra rows fetched per source, in case some are duplicates or bare names


@dataclass(frozen=True, slots=True, kw_only=True)
class UnseenRows:
    """One source's hits not fetched yet, best rank first."""

    rows: tuple[Found, ...]
    places: int
    is_short: bool = True
    """Whether it has fewer rows than places, or its floor may still fall."""


def may_stop_early(params: RetrieveParams) -> bool:
    """Return whether fetching may stop early.

    Not if every drop must be reported (`explain`), if texts decide (phrases, superseded rows, re-ranking), or if the
    provider is not local and its visibility check not trusted.
    """
    provider = effective_provider(params)
    return provider in LOCAL_PROVIDERS and not (params.explain or params.superseded or params.phrases or params.rerank)


def first_looks(params: RetrieveParams, found: Iterable[Found]) -> tuple[Found, ...]:
    """Return the hits to fetch first: those expected to get places, with some spare.

    Hits below the floor are skipped, except the nearest if a whole source is below. A hit with unknown text counts as
    distinct, so it is fetched if it ranks before the last expected place.
    """
    provider = effective_provider(params)
    passing = [
        replace(each, rows=_passing(each.rows, provider, params.floor) or _nearest(each.rows))
        for each in _sources(params, found)
    ]
    kept = _without_duplicates(one for each in passing for one in each.rows)
    sources = [replace(each, rows=tuple(one for one in each.rows if one.hit.row_id in kept)) for each in passing]
    expected = [each.rows[: each.places] for each in sources]
    spare = params.top_k - sum(map(len, expected))  # places that the other source leaves free
    last = max((_key(each[-1]) for each in expected if each), default=None)
    return tuple(
        one
        for each in sources
        for place, one in enumerate(each.rows)
        # A hit of unknown text may turn out a duplicate, so some more are fetched.
        if place < (each.places + spare if one.hit.says else _portion(each.places))
        or (last is not None and not one.hit.says and _key(one) < last)
    )


def next_looks(params: RetrieveParams, choice: Choice, unseen: Iterable[Found]) -> tuple[Found, ...]:
    """Return the hits to fetch next of `unseen`; empty means the choice, among the rows fetched so far, is final."""
    current = CurrentChoice.of(params, choice)
    kg, thoughts = _sources(params, unseen)
    return tuple(
        one
        for source, is_kg in ((kg, True), (thoughts, False))
        for one in current.rivals(_relevant(params, choice, source, is_kg=is_kg), is_kg=is_kg)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentChoice:
    """What an unfetched row must beat."""

    is_full: bool
    is_green: bool
    """Whether every chosen row has the highest trust."""
    worst: SortKey | None
    """Worst key of all chosen rows."""
    worst_of: Mapping[bool, SortKey | None]
    """Worst key of the chosen graph rows (True) and thoughts (False)."""
    chosen: Mapping[int, tuple[int, SortKey]]
    """Preference of the chosen rows by text key; a duplicate must beat it."""

    @classmethod
    def of(cls, params: RetrieveParams, choice: Choice) -> Self:
        """Summarise a choice."""
        chosen = choice.allocation.chosen
        keys: dict[bool, list[SortKey]] = {True: [], False: []}
        for candidate in chosen:
            keys[candidate.table is not Table.THOUGHTS].append(sort_key(by_rank, candidate))
        worst = max(chain.from_iterable(keys.values()), default=None)  # keys sort best first
        return cls(
            is_full=len(chosen) == params.top_k,
            is_green=all(candidate.row.trust is TrustTier.GREEN for candidate in chosen),
            worst=worst,
            # A single place goes to the best of all.
            worst_of={is_kg: max(each, default=None) if params.top_k > 1 else worst for is_kg, each in keys.items()},
            chosen={text_key(each.content_hash): preference(by_rank, each) for each in chosen},
        )

    def rivals(self, source: UnseenRows, *, is_kg: bool) -> Iterator[Found]:
        """Yield the hits of a source that could still change the choice."""
        wanted = _portion(source.places) if source.is_short or not self.is_full else 0
        for place, one in enumerate(source.rows):
            if place < wanted or self._is_beaten_by(one, is_kg=is_kg):
                yield one

    def _is_beaten_by(self, one: Found, *, is_kg: bool) -> bool:
        key = _key(one)
        # Of unknown text it may equal any chosen row and replace it, unless all have the highest trust already.
        if not one.hit.says:
            return not self.is_green or (self.worst is not None and key < self.worst)
        worst, duplicate = self.worst_of[is_kg], self.chosen.get(one.hit.says)
        return (worst is not None and key < worst) or (duplicate is not None and _preference(one) < duplicate)


def _sources(params: RetrieveParams, found: Iterable[Found]) -> tuple[UnseenRows, UnseenRows]:
    """Split unfetched hits into graph and thoughts, for the requested sources."""
    # Mix 0 and 1 are strict: the other source gives nothing, not even for free places (ruling C6).
    ranked = sorted(found, key=_key)
    kg_places, thought_places = slots(params.top_k, params.mix, both=True)
    kg = tuple(one for one in ranked if one.hit.table is not Table.THOUGHTS and params.mix > 0.0)
    thoughts = tuple(one for one in ranked if one.hit.table is Table.THOUGHTS and params.mix < 1.0)
    return UnseenRows(rows=kg, places=kg_places), UnseenRows(rows=thoughts, places=thought_places)


def _relevant(params: RetrieveParams, choice: Choice, source: UnseenRows, *, is_kg: bool) -> UnseenRows:
    """Return a source's hits above its floor, or the nearest while the floor may still fall."""
    provider = effective_provider(params)
    floored = choice.kg if is_kg else choice.thoughts
    passing = _passing(source.rows, provider, params.floor)
    has_its_floor = any(passes(provider, candidate, params.floor) for candidate in floored.kept)
    if not passing and not has_its_floor:
        is_seen = bool(floored.kept or floored.excluded)  # else its floor is not known yet
        passing = _passing(source.rows, provider, floored.floor) if is_seen else _nearest(source.rows)
    kept = sum(1 for one in choice.unique.kept if (one.table is not Table.THOUGHTS) is is_kg)
    if has_its_floor:  # drop hits that duplicate a preferred kept row
        known = {text_key(each.content_hash): preference(by_rank, each) for each in choice.unique.kept}
        passing = tuple(one for one in passing if one.hit.says not in known or _preference(one) < known[one.hit.says])
    return UnseenRows(rows=passing, places=source.places, is_short=not has_its_floor or kept < source.places)


def _passing(rows: Sequence[Found], provider: str, floor: float) -> tuple[Found, ...]:
    return tuple(one for one in rows if passes(provider, one.hit, floor))


def _nearest(rows: Sequence[Found]) -> tuple[Found, ...]:
    best = max((one.hit.cosine or 0.0 for one in rows), default=0.0)
    return tuple(one for one in rows if (one.hit.cosine or 0.0) >= best)


def _without_duplicates(found: Iterable[Found]) -> frozenset[str]:
    best: dict[object, Found] = {}
    for one in found:
        says = one.hit.says or one.hit.row_id  # unknown text: equal to no other
        if says not in best or _preference(one) < _preference(best[says]):
            best[says] = one
    return frozenset(one.hit.row_id for one in best.values())


def _preference(one: Found) -> tuple[int, SortKey]:
    """Return `preference` for an unfetched hit; unknown trust counts as lowest."""
    return -TRUST_RANK[one.hit.trust or TrustTier.RED], _key(one)


def _portion(places: int) -> int:
    return places + max(_SPARE, places // 10)  # a tenth more for long lists


def _key(one: Found) -> SortKey:
    return (-one.rank_score, one.hit.table, one.hit.row_id)
