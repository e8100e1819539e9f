"""What makes a relation another one: "mother-in-law", "former boss", "husband-to-be", "stepfather".

Law: a noun for a person with such a word before it, behind it or grown together with it does not stand for the plain
noun: who tells of a mother-in-law tells of no mother. The plain noun stands for neither.

Source: ruling D5 ("evidence about another does not count"); ruling D1.
"""

from collections.abc import Iterator, Sequence

from voice.core.grounding.answerability.passages import Passage
from voice.core.grounding.answerability.possessors import (
    ADJECTIVES,
    OF_PEOPLE,
    OF_ROLES,
    VERBS,
    is_possessive,
)
from voice.core.text.patterns import late_pattern
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word

_BEFORE = {
    **dict.fromkeys(("step", "stief"), "step"),
    **dict.fromkeys(("half", "halb"), "half"),
    **dict.fromkeys(("foster", "pflege"), "foster"),
    **dict.fromkeys(("god", "paten"), "god"),
    "ex": "former",
    "schwieger": "in-law",
}
"""What stands right before a noun or grows together with it."""
_ADJECTIVES = late_pattern(
    r"(?P<former>former|previous|ehemalige[rnms]?|fr[uü]here[rnms]?)"
    r"|(?P<future>next|future|zuk[uü]nftige[rnms]?|n[aä]chste[rnms]?)"
    r"|(?P<late>late|deceased|verstorbene[rnms]?)"
)
OF_KIN = frozenset(("step", "half", "foster", "god", "in-law"))
"""Kinds that the noun alone never means; "my boss until May" may be a former one."""
_PERSONS = word_set("friend friends colleague colleagues freund freundin kollege kollegin amigo amiga")


def kinds_at(text: str, found: Sequence[Word], index: int) -> frozenset[str]:
    """Return what makes another relation of the noun at `index` of a text's words; nothing where it is plain."""
    if not _is_person(found[index]):
        return frozenset()
    kinds = set(_before(text, found, index))
    if is_possessive(text, found[index]) or _is_part(found, index):
        kinds -= {"late", "future"}
    if last_at(text, found, index) is not found[index]:
        kinds.add("in-law" if found[index + 2].key == "law" else "future")
    return frozenset(kinds)


def last_at(text: str, found: Sequence[Word], index: int) -> Word:
    """Return the last word of the noun at `index`: "law" of "mother-in-law"."""
    behind = found[index + 1 : index + 3]
    if not behind or tuple(word.key for word in behind) not in (("in", "law"), ("to", "be")):
        return found[index]
    is_one = text[found[index].end : behind[0].start] == "-" or (
        behind[1].key == "law" and found[index].key in OF_PEOPLE
    )
    return behind[1] if is_one else found[index]


def is_of_a_friend(passage: Passage, word: Word) -> bool:
    """Return whether a name only says whose friend or relative somebody is: "Marta's friend"."""
    if not is_possessive(passage.text, word):
        return False
    at = passage.words.index(word)
    behind = passage.words[at + 1 : at + 2 + ADJECTIVES]
    return any(_is_person(one) or one.key in _PERSONS for one in behind)


def _is_person(word: Word) -> bool:
    return word.key not in VERBS and (word.key in OF_PEOPLE or word.key in OF_ROLES)


def _is_part(found: Sequence[Word], index: int) -> bool:
    """Return whether a noun stands before what it belongs to: "my next dentist appointment"."""
    following = found[index + 1] if index + 1 < len(found) else None
    return following is not None and following.key in ("appointment", "visit", "meeting", "termin", "cita")


def _before(text: str, found: Sequence[Word], index: int) -> Iterator[str]:
    end = found[index].start
    for at in range(index - 1, max(-1, index - 1 - ADJECTIVES), -1):
        word, between = found[at], text[found[at].end : end]
        if between.strip(" -") or word.is_stop or is_possessive(text, word):
            return
        if at == index - 1 and word.key in _BEFORE and (word.key != "god" or between == "-"):
            yield _BEFORE[word.key]
        adjective = _ADJECTIVES.fullmatch(word.key)
        if adjective and adjective.lastgroup and found[at + 1].key != "door":
            yield adjective.lastgroup
        end = word.start
