"""Whether what is said of two entities bears out that they are one, or tells them apart.

Law: what is said is compared by its words and by where its vectors point. A context's vectors are those that are
stored, never new ones, and those of one encoder alone: others have another number of places, or mean another thing by
them. Each counts alike whatever its length, in whatever order they come, and a row without one changes no direction.
All that is said of two who are called alike points one way, that of the name, so the vectors of entities of which the
graph has the bare name are taken out of both. Where there is no such vector, or nothing said has one, or the encoder
was never measured, words decide alone.

    bears out    the cosine reaches `bears_out`; by words alone: a word in common
    tells apart  the cosine is below `tells_apart`, or below `bears_out` and there is no word in common

Means of many statements are more alike than those of few, whoever they are of. So a bound is the cosine of two single
statements, and holds for means of more by what these would have (Spearman and Brown's law of longer tests). Nothing
here is about names; it is asked of pairs whose names are alike (`voice.core.graph.duplicates`). The bounds are chosen
by `python -m bench.same_entity`; `docs/corrections.md` says what they give.

Source: rulings C4, F; DESIGN 4.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from math import fsum, hypot, isfinite, sqrt
from struct import unpack
from typing import Final

from voice.core.records import VectorRow

Vector = tuple[float, ...]
NOWHERE: Final[Vector] = ()
"""Of what has no vector."""
_NOTHING_LEFT: Final = 1e-6
"""The length below which what is left of a unit vector is the error of counting."""


class Telling(Enum):
    """What is said of two, taken together."""

    BEARS_OUT = "bears out that they are one"
    NOTHING = "says nothing"
    APART = "tells them apart"


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What tells of an entity."""

    words: frozenset[str] = frozenset()
    """The words that tell of it (`voice.core.graph.duplicates.telling_words`)."""
    mean: Vector = NOWHERE
    """Of the vectors of what is said of it, each at length 1."""
    count: int = 0
    """Of how many."""
    name: Vector = NOWHERE
    """The vector of its bare name, at length 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The cosines of single statements that decide, for one encoder (ruling C4); from 0 to 1."""

    tells_apart: float
    bears_out: float


MEASURED: Final[dict[str, Bounds]] = {"all-MiniLM-L6-v2-int8": Bounds(tells_apart=0.15, bears_out=0.42)}


def context_of(
    words: frozenset[str], said: Iterable[VectorRow], name: VectorRow | None, *, model: str, dim: int
) -> Context:
    """Return what tells of an entity.

    Args:
        words: those that tell of it.
        said: the vectors of what is said of it, in any order; those of another encoder are passed over.
        name: the vector of the entity itself, where nothing but its name stands in it.
        model: the encoder's name.
        dim: how many places its vectors have.
    """
    ours = _units(said, model, dim)
    mean = tuple(fsum(places) / len(ours) for places in zip(*ours, strict=True))
    names = _units([name] if name else [], model, dim)
    return Context(words=words, mean=mean, count=len(ours), name=names[0] if names else NOWHERE)


def likeness(one: Context, other: Context) -> float | None:
    """Return the cosine of two contexts beside their names, -1 to 1, the same whichever comes first.

    None where one has no vector, or neither has one of its bare name, or nothing is left beside the name.
    """
    names = _basis(sorted((one.name, other.name)))
    if not (names and one.mean and other.mean):
        return None
    ours, theirs = _unit(_without(names, one.mean)), _unit(_without(names, other.mean))
    return max(-1.0, min(1.0, _dot(ours, theirs))) if ours and theirs else None


def bound_for(bound: float, one: int, other: int) -> float:
    """Return the cosine that means of so many statements have whose single ones have the cosine `bound`."""
    if bound <= 0:
        return bound
    return bound / sqrt((bound + (1 - bound) / one) * (bound + (1 - bound) / other))


def telling(one: Context, other: Context, bounds: Bounds | None) -> Telling:
    """Return what is said of two entities by what is said of each; the same whichever comes first.

    Args:
        one: what tells of the one.
        other: what tells of the other.
        bounds: of the encoder of their vectors; None compares words alone.
    """
    by_words = _by_words(one.words, other.words)
    cosine = None if bounds is None else likeness(one, other)
    if bounds is None or cosine is None:
        return by_words
    if cosine >= bound_for(bounds.bears_out, one.count, other.count):
        return Telling.BEARS_OUT
    is_apart = by_words is Telling.APART or cosine < bound_for(bounds.tells_apart, one.count, other.count)
    return Telling.APART if is_apart else Telling.NOTHING


def _by_words(one: frozenset[str], other: frozenset[str]) -> Telling:
    if one & other:
        return Telling.BEARS_OUT
    return Telling.APART if one and other else Telling.NOTHING


def _units(vectors: Iterable[VectorRow], model: str, dim: int) -> list[Vector]:
    found = (unpack(f"<{dim}f", each.data) for each in vectors if (each.model, each.dim) == (model, dim))
    return [unit for each in found if (unit := _unit(each))]


def _basis(names: Iterable[Vector]) -> list[Vector]:
    """Return directions at right angles that the names lie in; a name that is another's adds none."""
    found: list[Vector] = []
    for name in names:
        if unit := _unit(_without(found, name)):
            found.append(unit)
    return found


def _without(basis: Iterable[Vector], vector: Vector) -> Vector:
    for direction in basis if vector else ():
        along = _dot(vector, direction)
        vector = tuple(place - along * step for place, step in zip(vector, direction, strict=True))
    return vector


def _dot(one: Vector, other: Vector) -> float:
    return fsum(ours * theirs for ours, theirs in zip(one, other, strict=True))


def _unit(vector: Vector) -> Vector:
    length = hypot(*vector)
    return tuple(place / length for place in vector) if isfinite(length) and length > _NOTHING_LEFT else NOWHERE
