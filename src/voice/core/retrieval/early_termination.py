"""Which rows must still be fetched before the choice is final.

Law: choosing among the rows looked at so far gives what choosing among all rows would give, or more are named here
(a property test shows it). Ranks are known before any row is fetched, and of a row that says its own words alone also
what it says, by a key, and its trust; what an entity or a relation says, and whether a row may still be seen, only
after. So the rows to be shown are fetched first, and the choice is final when nothing that still waits could

    fill a place         every place is taken, each source has what it is entitled to, all that waits of it ranks below
                         or says what is said already
    take a place away    no row that waits says the same and is preferred (ruling C8); where what it says is not known,
                         it ranks below all that is chosen, which has the highest trust
    move a floor         a source with a row above the asked floor keeps that floor (ruling C3)

Source: rulings C3, C5-C9; spec inner_voice.retrieve, Performance Notes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, Self

from voice.core.records import TRUST_RANK, Table, TrustTier
from voice.core.retrieval.ranking import SortKey, by_rank, sort_key
from voice.core.retrieval.selection import Choice, effective_provider
from voice.core.retrieval.selection_rules import passes, preference, slots, text_key
from voice.core.retrieval.values import LOCAL_PROVIDERS, Candidate, Found, RetrieveParams

_SPARE: Final = 2
"""Rows looked at beyond the places, for those that turn out to be doubles or bare names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnseenRows:
    """One source's rows that were found and not yet looked at, best rank first."""

    rows: tuple[Found, ...]
    places: int
    """Places it is entitled to."""
    is_wanting: bool = True
    """Whether it has less to show than its places, or its floor may still fall."""


def may_stop_early(params: RetrieveParams) -> bool:
    """Return whether a choice may be made before every row was looked at.

    An account names everything; a quoted phrase, what was superseded and a re-ranker's order are decided by texts; and
    what is not a local provider is not believed about what may be seen.
    """
    provider = effective_provider(params)
    return provider in LOCAL_PROVIDERS and not (params.explain or params.superseded or params.phrases or params.rerank)


def first_looks(params: RetrieveParams, found: Iterable[Found]) -> tuple[Found, ...]:
    """Return the rows to look at first: those that get the places, as far as is known, or as many and a few more.

    What the floor leaves out is not looked at: where all of a source is below it, the nearest decides how far it falls.
    A row whose text is not known ranks with all that say something else, so it is looked at where it would come before
    the last one that gets a place.
    """
    provider = effective_provider(params)
    sources = _sources(params, found)
    passing = [
        tuple(one for one in each.rows if passes(provider, one.hit, params.floor)) or _nearest(each.rows)
        for each in sources
    ]
    kept = _without_doubles(chain.from_iterable(passing))
    rows = [tuple(one for one in each if one.hit.row_id in kept) for each in passing]
    taken = [each[: source.places] for each, source in zip(rows, sources, strict=True)]
    spare = params.top_k - sum(map(len, taken))
    last = max((_key(each[-1]) for each in taken if each), default=None)
    return tuple(
        one
        for each, source in zip(rows, sources, strict=True)
        for place, one in enumerate(each)
        if place < (source.places + spare if one.hit.says else _portion(source.places))
        or (last is not None and not one.hit.says and _key(one) < last)
    )


def next_looks(params: RetrieveParams, choice: Choice, unseen: Iterable[Found]) -> tuple[Found, ...]:
    """Return the rows that must be looked at next; none means that the choice is final.

    Args:
        choice: the choice among the rows looked at so far.
        unseen: the rows found and not looked at, in any order.
    """
    standing = CurrentChoice.of(params, choice)
    return tuple(
        one
        for source, is_kg in zip(_sources(params, unseen), (True, False), strict=True)
        for one in standing.rivals(_relevant(params, choice, source, is_kg=is_kg), is_kg=is_kg)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentChoice:
    """The choice so far, as what waits would have to beat it."""

    is_full: bool
    is_green: bool
    """Whether all that is chosen has the highest trust."""
    worst: SortKey | None
    """Of all that is chosen."""
    worst_of: Mapping[bool, SortKey | None]
    """Of what is chosen of the graph, and of the thoughts."""
    chosen: Mapping[int, tuple[int, SortKey]]
    """By what they say: what another row must be preferred to, to be kept instead."""

    @classmethod
    def of(cls, params: RetrieveParams, choice: Choice) -> Self:
        """Return how the choice stands."""
        chosen = choice.allocation.chosen
        keys: dict[bool, list[SortKey]] = {True: [], False: []}
        for candidate in chosen:
            keys[candidate.table is not Table.THOUGHTS].append(sort_key(by_rank, candidate))
        worst = max(chain.from_iterable(keys.values()), default=None)
        return cls(
            is_full=len(chosen) == params.top_k,
            is_green=all(candidate.row.trust is TrustTier.GREEN for candidate in chosen),
            worst=worst,
            # A single place goes to the best of all.
            worst_of={is_kg: max(each, default=None) if params.top_k > 1 else worst for is_kg, each in keys.items()},
            chosen={text_key(each.content_hash): preference(by_rank, each) for each in chosen},
        )

    def rivals(self, source: UnseenRows, *, is_kg: bool) -> Iterator[Found]:
        """Yield what of a source could still change the choice."""
        wanted = _portion(source.places) if source.is_wanting or not self.is_full else 0
        for place, one in enumerate(source.rows):
            if place < wanted or self._is_beaten_by(one, is_kg=is_kg):
                yield one

    def _is_beaten_by(self, one: Found, *, is_kg: bool) -> bool:
        key = _key(one)
        if not one.hit.says:
            return not self.is_green or (self.worst is not None and key < self.worst)
        worst, double = self.worst_of[is_kg], self.chosen.get(one.hit.says)
        return (worst is not None and key < worst) or (double is not None and _preference(one) < double)


def _sources(params: RetrieveParams, found: Iterable[Found]) -> tuple[UnseenRows, UnseenRows]:
    """Return what waits of the graph and of the thoughts, of the sources that were asked."""
    ranked = sorted(found, key=_key)
    kg_places, thought_places = slots(params.top_k, params.mix, both=True)
    kg = tuple(one for one in ranked if one.hit.table is not Table.THOUGHTS and params.mix > 0.0)
    thoughts = tuple(one for one in ranked if one.hit.table is Table.THOUGHTS and params.mix < 1.0)
    return UnseenRows(rows=kg, places=kg_places), UnseenRows(rows=thoughts, places=thought_places)


def _relevant(params: RetrieveParams, choice: Choice, source: UnseenRows, *, is_kg: bool) -> UnseenRows:
    """Return what of the source could still matter: what passes its floor, or the nearest while that may still fall."""
    provider = effective_provider(params)
    floored = choice.kg if is_kg else choice.thoughts
    passing = tuple(one for one in source.rows if passes(provider, one.hit, params.floor))
    has_its_floor = any(passes(provider, candidate, params.floor) for candidate in floored.kept)
    if not passing and not has_its_floor:
        is_seen = bool(floored.kept or floored.excluded)
        lower = tuple(one for one in source.rows if passes(provider, one.hit, floored.floor))
        passing = lower if is_seen else _nearest(source.rows)
    kept = sum(1 for one in choice.unique.kept if (one.table is not Table.THOUGHTS) is is_kg)
    return UnseenRows(
        rows=_without_doubles_of(choice.unique.kept, passing) if has_its_floor else passing,
        places=source.places,
        is_wanting=not has_its_floor or kept < source.places,
    )


def _nearest(rows: Sequence[Found]) -> tuple[Found, ...]:
    """Return the rows of the greatest cosine."""
    best = max((one.hit.cosine or 0.0 for one in rows), default=0.0)
    return tuple(one for one in rows if (one.hit.cosine or 0.0) >= best)


def _without_doubles(found: Iterable[Found]) -> frozenset[str]:
    """Return the ids of what is found without what says the same as another row that is preferred to it."""
    best: dict[object, Found] = {}
    for one in found:
        says = one.hit.says or one.hit.row_id
        if says not in best or _preference(one) < _preference(best[says]):
            best[says] = one
    return frozenset(one.hit.row_id for one in best.values())


def _without_doubles_of(kept: Iterable[Candidate], rows: Iterable[Found]) -> tuple[Found, ...]:
    """Return the rows without those that say the same as one that is kept and preferred to them."""
    known = {text_key(candidate.content_hash): preference(by_rank, candidate) for candidate in kept}
    return tuple(one for one in rows if one.hit.says not in known or _preference(one) < known[one.hit.says])


def _preference(one: Found) -> tuple[int, SortKey]:
    """Return the key of `dedupe.preference` of a row whose trust is known."""
    return -TRUST_RANK[one.hit.trust or TrustTier.RED], _key(one)


def _portion(places: int) -> int:
    return places + max(_SPARE, places // 10)


def _key(one: Found) -> SortKey:
    return (-one.rank_score, one.hit.table, one.hit.row_id)
