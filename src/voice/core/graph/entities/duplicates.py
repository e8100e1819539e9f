"""Suggest duplicate entities by name and context.

Law: suggestions only, never merged automatically. Names must be alike (equal, same spelling, one typo, part of a
person's name); contexts that differ exclude a pair; types must match, or one be `concept`. Contexts are compared by
words and by the mean of stored vectors of one encoder, with the names' directions projected out. Bounds are cosines of
single statements, scaled to the numbers of statements (Spearman-Brown); chosen by `python -m bench.same_entity`
(`docs/corrections.md`).
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
NO_VECTOR: Final[Vector] = ()
_ROUNDING_ERROR: Final = 1e-6  # a unit vector's residual below this length is rounding error


class ContextVerdict(Enum):
    """Outcome of comparing two contexts."""

    BEARS_OUT = "bears_out"
    NOTHING = "nothing"
    APART = "apart"


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What is said of an entity, prepared for comparison."""

    words: frozenset[str] = frozenset()
    """Its content words (`telling_words`)."""
    mean: Vector = NO_VECTOR
    """Mean of its statements' unit vectors."""
    count: int = 0
    """Number of vectors in the mean."""
    name: Vector = NO_VECTOR
    """Unit vector of its bare name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Cosine bounds for single statements, per encoder (ruling C4); 0 to 1."""

    tells_apart: float
    bears_out: float


MEASURED: Final[dict[str, Bounds]] = {"all-MiniLM-L6-v2-int8": Bounds(tells_apart=0.15, bears_out=0.42)}


def context_of(
    words: frozenset[str], said: Iterable[VectorRow], name: VectorRow | None, *, model: str, dim: int
) -> Context:
    """Build an entity's context.

    Args:
        said: vectors of its statements, in any order; other encoders' are skipped.
    """
    ours = _units(said, model, dim)
    mean = tuple(fsum(places) / len(ours) for places in zip(*ours, strict=True))  # `fsum`: the same in any order
    names = _units([name] if name else [], model, dim)
    return Context(words=words, mean=mean, count=len(ours), name=names[0] if names else NO_VECTOR)


def context_cosine(one: Context, other: Context) -> float | None:
    """Return the symmetric cosine without the names' directions, -1 to 1; None where a vector lacks or is all name."""
    names = _basis(sorted((one.name, other.name)))  # sorted: symmetric to the last bit
    if not (names and one.mean and other.mean):
        return None
    ours, theirs = _unit(_without(names, one.mean)), _unit(_without(names, other.mean))
    return max(-1.0, min(1.0, _dot(ours, theirs))) if ours and theirs else None


def bound_for(bound: float, one: int, other: int) -> float:
    """Return the expected cosine of means of so many statements, given that of single ones."""
    if bound <= 0:  # the formula needs a positive correlation
        return bound
    # A mean of n unit vectors of pairwise cosine `bound` has the squared length bound + (1 - bound) / n.
    return bound / sqrt((bound + (1 - bound) / one) * (bound + (1 - bound) / other))


def compare_contexts(one: Context, other: Context, bounds: Bounds | None) -> ContextVerdict:
    """Compare two contexts, symmetrically; `bounds` None compares words only."""
    by_words = ContextVerdict.APART if one.words and other.words else ContextVerdict.NOTHING
    if one.words & other.words:
        by_words = ContextVerdict.BEARS_OUT
    cosine = None if bounds is None else context_cosine(one, other)
    if bounds is None or cosine is None:
        return by_words
    if cosine >= bound_for(bounds.bears_out, one.count, other.count):
        return ContextVerdict.BEARS_OUT
    is_apart = by_words is ContextVerdict.APART or cosine < bound_for(bounds.tells_apart, one.count, other.count)
    return ContextVerdict.APART if is_apart else ContextVerdict.NOTHING


def _units(vectors: Iterable[VectorRow], model: str, dim: int) -> list[Vector]:
    found = (unpack(f"<{dim}f", each.data) for each in vectors if (each.model, each.dim) == (model, dim))
    return [unit for each in found if (unit := _unit(each))]


def _basis(names: Iterable[Vector]) -> list[Vector]:
    """Return an orthonormal basis of the names' vectors."""
    found: list[Vector] = []
    for name in names:
        if unit := _unit(_without(found, name)):  # names in one direction span it once
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
    return tuple(place / length for place in vector) if isfinite(length) and length > _ROUNDING_ERROR else NO_VECTOR


class NameLikeness(StrEnum):
    """How two names are alike, strongest first."""

    NAME = "called alike"
    SPELLING = "spelled alike"
    SLIP = "a letter apart"
    PART = "part of the name"


_SCORE: Final = {NameLikeness.NAME: 0.9, NameLikeness.SPELLING: 0.85, NameLikeness.SLIP: 0.7, NameLikeness.PART: 0.5}
_CONTEXT_BONUS: Final = 0.05
_ANY_TYPE: Final = "concept"
_SHORTEST_NEAR: Final = 3  # letters: "Jon" Smith may be "John" Smith; "Mark II" is not "Mark III"
_LONGEST: Final = 20  # words; a longer text is not a name
_Tokens = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicate:
    """A suspected duplicate, ids in order."""

    one: str
    other: str
    likeness: NameLikeness
    score: float
    """Likeness, 0 to 1; not a probability."""


def find_duplicates(nodes: Iterable[EntityName]) -> tuple[Duplicate, ...]:
    """Return the pairs with similar names, by score and ids; each once, by its strongest likeness."""
    known = {node.id: node for node in nodes}
    names = {row_id: _names(node) for row_id, node in known.items()}
    found: list[Duplicate] = []
    for one, other in sorted(_neighbours(names)):  # in order: sets have none
        types = {norm_v1(known[each].entity_type) for each in (one, other)}
        likeness = _likeness(names[one], names[other], are_people="person" in types)
        if likeness is not None and (len(types) == 1 or _ANY_TYPE in types):
            found.append(Duplicate(one=one, other=other, likeness=likeness, score=_SCORE[likeness]))
    return _in_order(found)


def with_contexts(
    pairs: Iterable[Duplicate], said: Mapping[str, Context], bounds: Bounds | None = None
) -> tuple[Duplicate, ...]:
    """Drop pairs whose contexts differ, and rank supported ones higher; without `bounds`, compare words only."""
    kept: list[Duplicate] = []
    for pair in pairs:
        verdict = compare_contexts(said.get(pair.one, Context()), said.get(pair.other, Context()), bounds)
        if verdict is ContextVerdict.BEARS_OUT:
            kept.append(replace(pair, score=round(pair.score + _CONTEXT_BONUS, 2)))
        elif verdict is ContextVerdict.NOTHING:
            kept.append(pair)
    return _in_order(kept)


def telling_words(texts: Iterable[str], node: EntityName) -> frozenset[str]:
    """Return the content words of `texts` without the entity's own names."""
    own = {token for tokens in _names(node) for token in tokens}
    return frozenset(word.stem for text in texts for word in content_words(text) if word.key not in own)


def _in_order(pairs: Iterable[Duplicate]) -> tuple[Duplicate, ...]:
    return tuple(sorted(pairs, key=lambda pair: (-pair.score, pair.one, pair.other)))


def _names(node: EntityName) -> frozenset[_Tokens]:
    named = (tuple(word.key for word in words(name)) for name in (node.name, *node.aliases))
    return frozenset(tokens for tokens in named if 0 < len(tokens) <= _LONGEST)  # a name of signs alone has no words


def _neighbours(names: Mapping[str, frozenset[_Tokens]]) -> set[tuple[str, str]]:
    """Return the pairs to compare: shared handles, or one name part of the other, looked up as a whole name."""
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
    for length in range(1, len(tokens)):  # "Anna" and "Smith" of "Anna Lee Smith"
        yield tokens[:length]
        yield tokens[-length:]


def _handles(tokens: _Tokens) -> Iterator[tuple[object, ...]]:
    """Yield blocking keys of a name; two overlapping length buckets cover lengths up to two apart."""
    yield ("spelling", "".join(tokens))
    for place, token in enumerate(tokens):
        around = (*tokens[:place], None, *tokens[place + 1 :])  # this word may differ, the others are equal
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
    """Return whether the words are one edit apart, including short words in a longer name."""
    if min(len(ours), len(theirs)) < _SHORTEST_NEAR or is_number_or_date_word(ours) or is_number_or_date_word(theirs):
        return False
    return OSA.distance(ours, theirs) == 1  # a swap is one edit


def _is_part(shorter: _Tokens, longer: _Tokens) -> bool:
    length = len(shorter)
    return length < len(longer) and shorter in (longer[:length], longer[-length:])
