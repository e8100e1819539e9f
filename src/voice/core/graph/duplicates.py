"""Which entities are perhaps one.

Law: a suggestion and no more: nothing is merged on account of it. It begins with the names (one is called as the other,
spelled as the other but for spaces and signs, one slip away, or a person's name is part of the other's) and ends with
what is said of them (`voice.core.graph.contexts`): two who are told apart by it are two ("Beth", who buys, and "Beth",
who sells). Things of two kinds are two things; only a plain concept may be anything.

Source: rulings C10, F; STYLE 1.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations
from typing import Final

from rapidfuzz.distance import OSA

from voice.core.graph.contexts import Bounds, Context, Telling, telling
from voice.core.records import EntityName
from voice.core.text.normalise import norm_v1
from voice.core.text.typos import is_number_or_date_word, is_typo
from voice.core.text.words import content_words, words


class Likeness(StrEnum):
    """In what two names are alike, the surest first."""

    NAME = "called alike"
    SPELLING = "spelled alike"
    SLIP = "a letter apart"
    PART = "part of the name"


_SCORE: Final = {Likeness.NAME: 0.9, Likeness.SPELLING: 0.85, Likeness.SLIP: 0.7, Likeness.PART: 0.5}
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
    likeness: Likeness
    score: float
    """How alike, 0 to 1; no probability."""


def alike(nodes: Iterable[EntityName]) -> tuple[Duplicate, ...]:
    """Return the pairs whose names are alike, by score and ids; each pair once, by its surest likeness."""
    known = {node.id: node for node in nodes}
    names = {row_id: _names(node) for row_id, node in known.items()}
    found: list[Duplicate] = []
    for one, other in sorted(_neighbours(names)):
        likeness = _likeness(names[one], names[other], are_people=_are_people(known[one], known[other]))
        if likeness is not None and _may_be_one(known[one], known[other]):
            found.append(Duplicate(one=one, other=other, likeness=likeness, score=_SCORE[likeness]))
    return _in_order(found)


def borne_out(
    pairs: Iterable[Duplicate], said: Mapping[str, Context], bounds: Bounds | None = None
) -> tuple[Duplicate, ...]:
    """Return the pairs that what is said of them does not tell apart, those first that it bears out.

    Args:
        pairs: what `alike` found.
        said: what tells of each entity, by id.
        bounds: of the encoder of their vectors; None compares words alone.
    """
    kept: list[Duplicate] = []
    for pair in pairs:
        told = telling(said.get(pair.one, Context()), said.get(pair.other, Context()), bounds)
        if told is Telling.BEARS_OUT:
            kept.append(replace(pair, score=round(pair.score + _BORNE_OUT, 2)))
        elif told is Telling.NOTHING:
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


def _likeness(ours: frozenset[_Tokens], theirs: frozenset[_Tokens], *, are_people: bool) -> Likeness | None:
    if ours & theirs:
        return Likeness.NAME
    if {"".join(tokens) for tokens in ours} & {"".join(tokens) for tokens in theirs}:
        return Likeness.SPELLING
    pairs = [(one, other) for one in ours for other in theirs]
    if any(_is_a_slip(one, other) for one, other in pairs):
        return Likeness.SLIP
    is_part = are_people and any(_is_part(one, other) or _is_part(other, one) for one, other in pairs)
    return Likeness.PART if is_part else None


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
