"""Which rows must still be looked at before the choice is final.

Law: choosing among the rows looked at so far gives what choosing among all rows would give, or more are named here
(property: `test_settling_laws`). Ranks are known before any row is fetched; texts, trust and visibility only after. So
the best-ranked rows are fetched first, and the choice is final when nothing that still waits could

    fill a place         every place is taken, each source has what it is entitled to, all that waits ranks below
    take a place away    what is chosen has the highest trust, so no lower-ranked double is kept instead (ruling C8)
    move a floor         a source with a row above the asked floor keeps that floor (ruling C3)

Source: rulings C3, C5-C9; spec inner_voice.retrieve, Performance Notes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from voice.core.records import Table, TrustTier
from voice.core.retrieval.floor import passes
from voice.core.retrieval.mix import slots
from voice.core.retrieval.order import SortKey, by_rank, sort_key
from voice.core.retrieval.select import Choice, effective_provider
from voice.core.retrieval.values import LOCAL_PROVIDERS, Found, RetrieveParams

_SPARE: Final = 2
"""Rows looked at beyond the places, for those that turn out to be doubles or bare names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """One source's rows that were found and not yet looked at, best rank first."""

    rows: tuple[Found, ...]
    places: int
    """Places it is entitled to."""
    is_wanting: bool = True
    """Whether it has less to show than its places, or its floor may still fall."""


def may_settle_early(params: RetrieveParams) -> bool:
    """Return whether a choice may be made before every row was looked at.

    An account names everything; a quoted phrase and what was superseded are decided by texts; and what is not a local
    provider is not believed about what may be seen.
    """
    provider = effective_provider(params)
    return provider in LOCAL_PROVIDERS and not (params.explain or params.superseded or params.phrases)


def first_looks(params: RetrieveParams, found: Iterable[Found]) -> tuple[Found, ...]:
    """Return the rows to look at first: the best of each source, as many as it has places and a few more.

    What the floor leaves out is not looked at: where all of a source is below it, the nearest decides how far it falls.
    What ranks above the last one that will be chosen has to be looked at in any case, so it is now.
    """
    provider = effective_provider(params)
    sources = _sources(params, found)
    passing = (tuple(one for one in each.rows if passes(provider, one.hit, params.floor)) for each in sources)
    pairs = [(above or _nearest(each.rows), each.places) for each, above in zip(sources, passing, strict=True)]
    last = max((_key(rows[:places][-1]) for rows, places in pairs if rows and places), default=None)
    return tuple(
        one
        for rows, places in pairs
        for place, one in enumerate(rows)
        if place < _portion(places) or (last is not None and _key(one) < last)
    )


def next_looks(params: RetrieveParams, choice: Choice, unseen: Iterable[Found]) -> tuple[Found, ...]:
    """Return the rows that must be looked at next; none means that the choice is final.

    Args:
        params: what was asked.
        choice: the choice among the rows looked at so far.
        unseen: the rows found and not looked at, in any order.
    """
    sources = tuple(
        _relevant(params, choice, source, is_kg=is_kg)
        for source, is_kg in zip(_sources(params, unseen), (True, False), strict=True)
    )
    chosen = choice.allocation.chosen
    if any(candidate.row.trust is not TrustTier.GREEN for candidate in chosen):
        return tuple(one for source in sources for one in source.rows)
    worst = max((sort_key(by_rank, candidate) for candidate in chosen), default=None)
    is_full = len(chosen) == params.top_k
    return tuple(
        one
        for source in sources
        for place, one in enumerate(source.rows)
        if (worst is not None and _key(one) < worst)
        or (place < _portion(source.places) and (source.is_wanting or not is_full))
    )


def _sources(params: RetrieveParams, found: Iterable[Found]) -> tuple[Waiting, Waiting]:
    """Return what waits of the graph and of the thoughts, of the sources that were asked."""
    ranked = sorted(found, key=_key)
    kg_places, thought_places = slots(params.top_k, params.mix, both=True)
    kg = tuple(one for one in ranked if one.hit.table is not Table.THOUGHTS and params.mix > 0.0)
    thoughts = tuple(one for one in ranked if one.hit.table is Table.THOUGHTS and params.mix < 1.0)
    return Waiting(rows=kg, places=kg_places), Waiting(rows=thoughts, places=thought_places)


def _relevant(params: RetrieveParams, choice: Choice, source: Waiting, *, is_kg: bool) -> Waiting:
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
    return Waiting(
        rows=passing,
        places=source.places,
        is_wanting=not has_its_floor or kept < source.places,
    )


def _nearest(rows: Sequence[Found]) -> tuple[Found, ...]:
    """Return the rows of the greatest cosine."""
    best = max((one.hit.cosine or 0.0 for one in rows), default=0.0)
    return tuple(one for one in rows if (one.hit.cosine or 0.0) >= best)


def _portion(places: int) -> int:
    return places + max(_SPARE, places // 10)


def _key(one: Found) -> SortKey:
    return (-one.rank_score, one.hit.table, one.hit.row_id)
