"""Suggest entities that are perhaps one, by their names and by what is said of them.

Law: a suggestion and no more: nothing is merged on account of it. It begins with the names (one is called as the other,
spelled as the other but for spaces and signs, one slip away, or a person's name is part of the other's) and ends with
what is said of them: two who are told apart by it are two ("Beth", who buys, and "Beth", who sells). Things of two
kinds are two things; only a plain concept may be anything.

What is said is compared by its words and by where its vectors point. A context's vectors are those that are stored,
never new ones, and those of one encoder alone: others have another number of places, or mean another thing by them.
Each counts alike whatever its length, in whatever order they come, and a row without one changes no direction. All that
is said of two who are called alike points one way, that of the name, so the vectors of entities of which the graph has
the bare name are taken out of both. Where there is no such vector, or nothing said has one, or the encoder was never
measured, words decide alone.

    bears out    the cosine reaches `bears_out`; by words alone: a word in common
    tells apart  the cosine is below `tells_apart`, or below `bears_out` and there is no word in common

Means of many statements are more alike than those of few, whoever they are of. So a bound is the cosine of two single
statements, and holds for means of more by what these would have (Spearman and Brown's law of longer tests). The bounds
are chosen by `python -m bench.same_entity` (`docs/corrections.md`).

Source: rulings C4, C10, F; STYLE 1; DESIGN 4.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from itertools import combinations
from math import fsum, hypot, isfinite, sqrt
from struct import unpack
from typing import Final

from rapidfuzz.distance import OSA

from voice.core.records import EntityName, VectorRow
from voice.core.text.normalise import norm_v1
from voice.core.text.typos import is_number_or_date_word, is_typo
from voice.core.text.words import content_words, words

Vector = tuple[float, ...]
NOWHERE: Final[Vector] = ()
"""Of what has no vector."""
_NOTHING_LEFT: Final = 1e-6
"""The length below which what is left of a unit vector is the error of counting."""


class ContextVerdict(Enum):
    """What is said of two, taken together."""

    BEARS_OUT = "bears_out"
    NOTHING = "nothing"
    APART = "apart"


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What tells of an entity."""

    words: frozenset[str] = frozenset()
    """The words that tell of it (`voice.core.graph.entities.duplicates.telling_words`)."""
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
        said: the vectors of what is said of it, in any order; those of another encoder are passed over.
        name: the vector of the entity itself, where nothing but its name stands in it.
        model: the encoder's name.
        dim: how many places its vectors have.
    """
    ours = _units(said, model, dim)
    mean = tuple(fsum(places) / len(ours) for places in zip(*ours, strict=True))
    names = _units([name] if name else [], model, dim)
    return Context(words=words, mean=mean, count=len(ours), name=names[0] if names else NOWHERE)


def context_cosine(one: Context, other: Context) -> float | None:
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


def compare_contexts(one: Context, other: Context, bounds: Bounds | None) -> ContextVerdict:
    """Return what is said of two entities by what is said of each; the same whichever comes first.

    Args:
        one: what tells of the one.
        other: what tells of the other.
        bounds: of the encoder of their vectors; None compares words alone.
    """
    by_words = _by_words(one.words, other.words)
    cosine = None if bounds is None else context_cosine(one, other)
    if bounds is None or cosine is None:
        return by_words
    if cosine >= bound_for(bounds.bears_out, one.count, other.count):
        return ContextVerdict.BEARS_OUT
    is_apart = by_words is ContextVerdict.APART or cosine < bound_for(bounds.tells_apart, one.count, other.count)
    return ContextVerdict.APART if is_apart else ContextVerdict.NOTHING


def _by_words(one: frozenset[str], other: frozenset[str]) -> ContextVerdict:
    if one & other:
        return ContextVerdict.BEARS_OUT
    return ContextVerdict.APART if one and other else ContextVerdict.NOTHING


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


class NameLikeness(StrEnum):
    """In what two names are alike, the surest first."""

    NAME = "called alike"
    SPELLING = "spelled alike"
    SLIP = "a letter apart"
    PART = "part of the name"


_SCORE: Final = {NameLikeness.NAME: 0.9, NameLikeness.SPELLING: 0.85, NameLikeness.SLIP: 0.7, NameLikeness.PART: 0.5}
_BORNE_OUT: Final = 0.05
_ANYTHING: Final = "concept"
_LEAST_NEAR: Final = 3
"""Letters: "Jon" Smith is perhaps "John" Smith; "Mark II" is not "Mark III"."""
_LONGEST: Final = 20
"""Words; what is longer is a text and no name."""
_Tokens = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicate:
    """Two entities that are perhaps one, by their ids in order."""

    one: str
    other: str
    likeness: NameLikeness
    score: float
    """How alike, 0 to 1; no probability."""


def find_duplicates(nodes: Iterable[EntityName]) -> tuple[Duplicate, ...]:
    """Return the pairs whose names are alike, by score and ids; each pair once, by its surest likeness."""
    known = {node.id: node for node in nodes}
    names = {row_id: _names(node) for row_id, node in known.items()}
    found: list[Duplicate] = []
    for one, other in sorted(_neighbours(names)):
        likeness = _likeness(names[one], names[other], are_people=_are_people(known[one], known[other]))
        if likeness is not None and _may_be_one(known[one], known[other]):
            found.append(Duplicate(one=one, other=other, likeness=likeness, score=_SCORE[likeness]))
    return _in_order(found)


def with_contexts(
    pairs: Iterable[Duplicate], said: Mapping[str, Context], bounds: Bounds | None = None
) -> tuple[Duplicate, ...]:
    """Return the pairs that what is said of them does not tell apart, those first that it bears out.

    Args:
        pairs: what `find_duplicates` found.
        said: what tells of each entity, by id.
        bounds: of the encoder of their vectors; None compares words alone.
    """
    kept: list[Duplicate] = []
    for pair in pairs:
        told = compare_contexts(said.get(pair.one, Context()), said.get(pair.other, Context()), bounds)
        if told is ContextVerdict.BEARS_OUT:
            kept.append(replace(pair, score=round(pair.score + _BORNE_OUT, 2)))
        elif told is ContextVerdict.NOTHING:
            kept.append(pair)
    return _in_order(kept)


def telling_words(texts: Iterable[str], node: EntityName) -> frozenset[str]:
    """Return the words of `texts` that tell of an entity; its own names tell nothing."""
    own = {token for tokens in _names(node) for token in tokens}
    return frozenset(word.stem for text in texts for word in content_words(text) if word.key not in own)


def _in_order(pairs: Iterable[Duplicate]) -> tuple[Duplicate, ...]:
    return tuple(sorted(pairs, key=lambda pair: (-pair.score, pair.one, pair.other)))


def _names(node: EntityName) -> frozenset[_Tokens]:
    named = (tuple(word.key for word in words(name)) for name in (node.name, *node.aliases))
    return frozenset(tokens for tokens in named if 0 < len(tokens) <= _LONGEST)


def _may_be_one(one: EntityName, other: EntityName) -> bool:
    kinds = {norm_v1(one.entity_type), norm_v1(other.entity_type)}
    return len(kinds) == 1 or _ANYTHING in kinds


def _are_people(one: EntityName, other: EntityName) -> bool:
    return "person" in {norm_v1(one.entity_type), norm_v1(other.entity_type)}


def _neighbours(names: Mapping[str, frozenset[_Tokens]]) -> set[tuple[str, str]]:
    """Return the pairs worth comparing: those that share a handle of one of their names, or of which one is a part.

    A part is looked up as a whole name: of the many who begin alike no two are a pair on that account.
    """
    holders: dict[tuple[object, ...], set[str]] = {}
    whole: dict[_Tokens, set[str]] = {}
    for row_id, own in names.items():
        for tokens in own:
            whole.setdefault(tokens, set()).add(row_id)
        for handle in {handle for tokens in own for handle in _handles(tokens)}:
            holders.setdefault(handle, set()).add(row_id)
    found = {pair for held in holders.values() for pair in combinations(sorted(held), 2)}
    for row_id, own in names.items():
        others = {other for tokens in own for part in _parts(tokens) for other in whole.get(part, ())} - {row_id}
        found.update((min(row_id, other), max(row_id, other)) for other in others)
    return found


def _parts(tokens: _Tokens) -> Iterator[_Tokens]:
    for length in range(1, len(tokens)):
        yield tokens[:length]
        yield tokens[-length:]


def _handles(tokens: _Tokens) -> Iterator[tuple[object, ...]]:
    """Yield what two names share that may be alike; lengths two apart lie in one of two rows of overlapping fours."""
    yield ("spelling", "".join(tokens))
    for place, token in enumerate(tokens):
        around = (*tokens[:place], None, *tokens[place + 1 :])
        yield ("slip", token[0], len(token) // 4, *around)
        yield ("slip, too", token[0], (len(token) + 2) // 4, *around)


def _likeness(ours: frozenset[_Tokens], theirs: frozenset[_Tokens], *, are_people: bool) -> NameLikeness | None:
    if ours & theirs:
        return NameLikeness.NAME
    if {"".join(tokens) for tokens in ours} & {"".join(tokens) for tokens in theirs}:
        return NameLikeness.SPELLING
    pairs = [(one, other) for one in ours for other in theirs]
    if any(_is_a_slip(one, other) for one, other in pairs):
        return NameLikeness.SLIP
    is_part = are_people and any(_is_part(one, other) or _is_part(other, one) for one, other in pairs)
    return NameLikeness.PART if is_part else None


def _is_a_slip(one: _Tokens, other: _Tokens) -> bool:
    if len(one) != len(other):
        return False
    differing = [(ours, theirs) for ours, theirs in zip(one, other, strict=True) if ours != theirs]
    return len(differing) == 1 and (is_typo(*differing[0]) or (len(one) > 1 and _is_near(*differing[0])))


def _is_near(ours: str, theirs: str) -> bool:
    """Return whether one edit makes one word the other; short ones, too, for the rest of the name is alike."""
    if min(len(ours), len(theirs)) < _LEAST_NEAR or is_number_or_date_word(ours) or is_number_or_date_word(theirs):
        return False
    return OSA.distance(ours, theirs) == 1


def _is_part(shorter: _Tokens, longer: _Tokens) -> bool:
    length = len(shorter)
    return length < len(longer) and shorter in (longer[:length], longer[-length:])
