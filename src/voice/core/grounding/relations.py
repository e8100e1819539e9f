"""Who is whose what: "Marta's husband is Jan", "Jan is married to Marta", "my wife Marta".

Law: a relation of two people has a direction. Told from the other side with the word that belongs there ("Marta is
Jan's wife") it is the same statement; with the same word ("Marta is Jan's husband"), or with the other side's word in
the same place, it is a false one. Another relation of the same two is not what the source says. Whose deed is told of
somebody's relative is no deed of theirs. Decided only where both people stand beside the noun, by name or as "I" and
"you"; what else they are to one another nobody decides.

Source: DESIGN 6 stage 4 (who did what to whom); ruling D1.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from voice.core.grounding.findings import Finding
from voice.core.grounding.parties import party_findings
from voice.core.grounding.passages import Passage
from voice.core.grounding.possessors import ADJECTIVES, MINE, OF, is_possessive
from voice.core.grounding.qualified import kinds_at
from voice.core.grounding.who import same_name
from voice.core.text.first_names import MEN, WOMEN
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, words

_TABLE = """
parent child: mother mom mum mama/ father dad papa/ parent / daughter/ son/ child kid
grandparent grandchild: grandmother grandma granny/ grandfather grandpa/ grandparent / granddaughter/ grandson
elder younger: aunt/ uncle/ / niece/ nephew/
spouse spouse: wife/ husband hubby/ spouse
sibling sibling: sister/ brother/ sibling
cousin cousin: / / cousin
boss employee: / / boss manager supervisor/ / / employee
landlord tenant: landlady/ landlord/ / / / tenant
teacher student: / / teacher tutor mentor/ / / student pupil
doctor patient: / / doctor dentist therapist/ / / patient
"""
"""What one is to the other and the other to the one, and the nouns for either: hers, his, anybody's."""
_BE = word_set("is was are am were")
_CALLED = word_set("called named")
_MARRIED = word_set("married marries wed")
_I = word_set("i i'm you you're")
_YOUR = word_set("your")
_THEM = word_set("he she him her his hers they them their")


class _Role(NamedTuple):
    """What a noun says of its bearer."""

    kind: str
    other: str
    """What the other one is to the bearer."""
    gender: Literal["she", "he"] | None


class Relation(NamedTuple):
    """The bearer is the owner's something; both by their keys, "i" for who asks."""

    bearer: tuple[str, ...]
    role: _Role
    owner: tuple[str, ...]


@lru_cache(maxsize=1)
def _roles() -> dict[str, _Role]:
    roles: dict[str, _Role] = {}
    for line in _TABLE.strip().splitlines():
        kinds, _, nouns = line.partition(":")
        one, other = kinds.split()
        for place, group in enumerate(nouns.split("/")):
            gender: tuple[Literal["she", "he"] | None, ...] = ("she", "he", None)
            kind, back = (one, other) if place < len(gender) else (other, one)
            roles |= dict.fromkeys(group.split(), _Role(kind, back, gender[place % len(gender)]))
    return roles


def relation_findings(text: str, found: Sequence[Word], passages: Sequence[Passage]) -> list[Finding]:
    """Return a finding when a claim turns around, or replaces, what two people are to one another in the evidence.

    Args:
        text: the claim.
        found: its words.
        passages: all evidence; what one of its sentences tells as the claim does is told.
    """
    claimed = list(_relations(text, found, "i"))
    stated = _stated(passages) if claimed else []
    for one in claimed:
        beside = [other for other in stated if _is_of_the_two(one, other)]
        if not beside and any(_is_of_another(other, one) for other in stated):
            reason = "the source says this of somebody else's relative"
            return [Finding(flag="person", text=reason, effect="unsupported")]
        if not beside or any(_entails(other, one) for other in beside):
            continue
        if any(_excludes(other, one) for other in beside):
            reason = "the source has the two people the other way round"
            return [Finding(flag="person", text=reason, effect="contradicted")]
        if not _is_told_otherwise(found, one, passages):
            reason = "the source tells of another relation of the two people"
            return [Finding(flag="person", text=reason, effect="unsupported")]
    telling = [passage for passage in passages if _tells_all(found, passage)]
    if telling and all(_is_the_relatives(found, passage) for passage in telling):
        reason = "the source says this of somebody's relative, the answer of themselves"
        return [Finding(flag="person", text=reason, effect="unsupported")]
    return party_findings(text, found, passages)


def tells_the_same_relation(text: str, found: Sequence[Word], passages: Sequence[Passage]) -> bool:
    """Return whether every relation that a claim tells is told by the evidence, from whichever side."""
    claimed = list(_relations(text, found, "i"))
    stated = _stated(passages) if claimed else []
    return bool(claimed) and all(any(_entails(other, one) for other in stated) for one in claimed)


def _stated(passages: Sequence[Passage]) -> list[Relation]:
    return [
        relation
        for passage in passages
        if not passage.text.rstrip().endswith("?")
        for relation in _relations(passage.text, passage.words, passage.speaker)
    ]


def _is_of_the_two(one: Relation, other: Relation) -> bool:
    straight = _same(one.bearer, other.bearer) and _same(one.owner, other.owner)
    return straight or (_same(one.bearer, other.owner) and _same(one.owner, other.bearer))


def _same(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    return same_name(ours[0], theirs[0]) or ours[-1] == theirs[-1]


def _entails(stated: Relation, claimed: Relation) -> bool:
    """Return whether what is stated of two people says what is claimed, of its gender as far as that is known."""
    if _same(stated.bearer, claimed.bearer) and _same(stated.owner, claimed.owner):
        same_gender = claimed.role.gender in (None, stated.role.gender, _gender(claimed.bearer))
        return stated.role.kind == claimed.role.kind and same_gender
    if not _is_of_the_two(stated, claimed) or stated.role.other != claimed.role.kind:
        return False
    if claimed.role.kind == "spouse" and None not in (stated.role.gender, claimed.role.gender):
        return stated.role.gender != claimed.role.gender
    return claimed.role.gender in (None, _gender(claimed.bearer)) or (
        claimed.bearer == ("i",) or _gender(claimed.bearer) is None
    )


def _excludes(stated: Relation, claimed: Relation) -> bool:
    """Return whether what is claimed of two people cannot be, where what is stated is."""
    if _same(stated.bearer, claimed.bearer) and _same(stated.owner, claimed.owner):
        is_turned = claimed.role.kind == stated.role.other != stated.role.kind
        return is_turned or (claimed.role.kind == stated.role.kind)
    return claimed.role.kind in (stated.role.kind, stated.role.other)


def _is_of_another(stated: Relation, claimed: Relation) -> bool:
    """Return whether the same one is the same to somebody's relative ("my sister's husband Raul"), not to themselves.

    Not where who is the one's is mostly the other's, too: my sister's mother, my wife's son.
    """
    if not _same(stated.bearer, claimed.bearer) or stated.role.kind != claimed.role.kind:
        return False
    one, _, relative = max(stated.owner[0], claimed.owner[0], key=len).partition(" ")
    if not relative or one != min(stated.owner[0], claimed.owner[0], key=len):
        return False
    return claimed.role.kind not in _SHARED.get(_roles()[relative].kind, frozenset())


_SHARED = {
    "sibling": word_set("parent grandparent elder cousin sibling"),
    "spouse": word_set("child grandchild younger landlord"),
    "cousin": word_set("cousin grandparent elder"),
}
"""What somebody's relatives and they themselves have in common."""


def _gender(name: Sequence[str]) -> Literal["she", "he"] | None:
    if name[0] in WOMEN:
        return "she"
    return "he" if name[0] in MEN else None


def _is_told_otherwise(found: Sequence[Word], claimed: Relation, passages: Sequence[Passage]) -> bool:
    """Return whether the evidence has the noun of a claim's relation, in whatever sentence."""
    nouns = {word.key for word in found if _roles().get(word.key) == claimed.role} | (
        _MARRIED if claimed.role.kind == "spouse" else frozenset[str]()
    )
    return any(word.key in nouns for passage in passages for word in passage.words)


def _relations(text: str, found: Sequence[Word], speaker: str | None) -> Iterator[Relation]:
    """Yield what a sentence tells two people to be to one another.

    Args:
        text: the sentence.
        found: its words.
        speaker: whom "I" means: "i" who asks, which in an answer "you" does, too; None who asks; else a name.
    """
    me = tuple(word.key for word in words(speaker)) if speaker else ("i",)
    yours = me if speaker == "i" else None
    for index, word in enumerate(found):
        role = _roles().get(word.key)
        if word.key in _MARRIED:
            yield from _married(text, found, index, me, yours)
        elif role is not None and not is_possessive(text, word) and not kinds_at(text, found, index):
            owned = _owner(text, found, index, me, yours)
            bearer = _bearer(text, found, owned, me, yours) if owned else None
            if owned and bearer:
                yield Relation(bearer, role, owned.owner)


class _Owned(NamedTuple):
    """A noun with its owner; the words `first:last` are the phrase."""

    owner: tuple[str, ...]
    first: int
    last: int


def _owner(
    text: str, found: Sequence[Word], index: int, me: tuple[str, ...], yours: tuple[str, ...] | None
) -> _Owned | None:
    """Return whose a noun is, by what stands right before it or behind an "of"."""
    for at in range(index - 1, max(-1, index - 1 - ADJECTIVES), -1):
        if text[found[at].end : found[at + 1].start].strip(" '’"):
            break
        if found[at].key in MINE or (found[at].key in _YOUR and yours):
            return _Owned(me, at, index)
        if is_possessive(text, found[at]):
            relative = _relative(found, at, me, yours)
            name = relative or tuple(one.key for one in _name_before(text, found, at))
            return _Owned(name, at - 1 if relative else at + 1 - len(name), index) if name else None
        if found[at].is_capital or (found[at].is_stop and found[at].key != "the"):
            break
    if index + 2 < len(found) and found[index + 1].key in OF:
        name = _name_after(text, found, index + 2)
        first = index - 1 if index and found[index - 1].key in ("the", "a") else index
        if name and not is_possessive(text, name[-1]):
            return _Owned(tuple(one.key for one in name), first, index + 1 + len(name))
    return None


def _relative(found: Sequence[Word], at: int, me: tuple[str, ...], yours: tuple[str, ...] | None) -> tuple[str, ...]:
    """Return whom "my sister's" names; nobody where it is no relative's."""
    before = found[at - 1].key if at else ""
    is_mine = before in MINE or (before in _YOUR and yours is not None)
    return (f"{me[0]} {found[at].key}",) if is_mine and found[at].key in _roles() else ()


def _bearer(
    text: str, found: Sequence[Word], owned: _Owned, me: tuple[str, ...], yours: tuple[str, ...] | None
) -> tuple[str, ...] | None:
    """Return who is somebody's noun: named right behind it, after "is", or before it."""
    after = owned.last + 1
    while after < len(found) and found[after].key in _BE | _CALLED:
        after += 1
    name = _name_after(text, found, after) if after < len(found) else ()
    gap = text[found[owned.last].end : name[0].start] if name else "-"
    if name and after == owned.last + 1:
        name = name if gap in (" ", ", ") else ()
    if name and not is_possessive(text, name[-1]):
        return tuple(one.key for one in name)
    if not owned.first:
        return None
    before = found[owned.first - 1]
    between = text[before.end : found[owned.first].start]
    if before.key in _BE and owned.first > 1:
        return _actor(text, found, owned.first - 2, me, yours)
    if before.key in ("i'm", "you're"):
        return me
    name = _name_before(text, found, owned.first - 1) if between == ", " else ()
    return tuple(one.key for one in name) or None


def _actor(
    text: str, found: Sequence[Word], at: int, me: tuple[str, ...], yours: tuple[str, ...] | None
) -> tuple[str, ...] | None:
    if found[at].key in _I:
        return me if found[at].key == "i" or yours else None
    name = () if at and found[at - 1].key in OF | {"and", "or"} else _name_before(text, found, at)
    is_owner = any(is_possessive(text, one) for one in name)
    return None if is_owner else tuple(one.key for one in name) or None


def _married(
    text: str, found: Sequence[Word], index: int, me: tuple[str, ...], yours: tuple[str, ...] | None
) -> Iterator[Relation]:
    """Yield who is married to whom: "Jan is married to Marta", "Jan married Marta"."""
    after = index + 2 if index + 1 < len(found) and found[index + 1].key == "to" else index + 1
    before = index - 2 if index > 1 and found[index - 1].key in _BE | {"got"} else index - 1
    bearer = _actor(text, found, before, me, yours) if before >= 0 else None
    name = _name_after(text, found, after) if after < len(found) else ()
    owner = tuple(one.key for one in name)
    if after < len(found) and found[after].key in ("me", "you"):
        owner = me
    if bearer and owner:
        yield Relation(bearer, _roles()["spouse"], owner)


def _name_before(text: str, found: Sequence[Word], at: int) -> Sequence[Word]:
    """Return the name that ends at `at`; nothing where none does."""
    start = at + 1
    while (
        start and _is_name(found[start - 1]) and (start > at or text[found[start - 1].end : found[start].start] == " ")
    ):
        start -= 1
    return found[start : at + 1]


def _name_after(text: str, found: Sequence[Word], at: int) -> Sequence[Word]:
    """Return the name that begins at `at`; nothing where none does."""
    end = at
    while (
        end < len(found) and _is_name(found[end]) and (end == at or text[found[end - 1].end : found[end].start] == " ")
    ):
        end += 1
    return found[at:end]


def _is_name(word: Word) -> bool:
    return word.is_capital and not word.is_stop and word.key not in _roles()


def _tells_all(found: Sequence[Word], passage: Passage) -> bool:
    return all(word.is_stop or word.stem in passage.stems for word in found[1:])


def _is_the_relatives(found: Sequence[Word], passage: Passage) -> bool:
    """Return whether a claim tells of somebody what its sentence tells of their relative, and of nobody else."""
    theirs = passage.words
    roles = [index for index, word in enumerate(theirs[: ADJECTIVES + 2]) if word.key in _roles()]
    if not roles or len(found) < 2 or any(word.key in _roles() for word in found):
        return False
    owned = _owner(passage.text, theirs, roles[0], ("i",), None)
    rest = theirs[owned.last + 1 :] if owned else ()
    if owned is None or owned.first or any(word.key in _THEM | _I | MINE for word in rest):
        return False
    subject = ("i",) if found[0].key in _I else (found[0].key,)
    if not _same(subject, owned.owner) or any(_same((word.key,), owned.owner) for word in rest):
        return False
    stems = {word.stem for word in rest}
    return all(word.stem in stems for word in found[1:] if not word.is_stop)
