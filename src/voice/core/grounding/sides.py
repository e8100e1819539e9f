"""From which side a deed of two is told: who bought from Yusuf was sold to by him.

Law: of one and the same doer the opposite deed is the opposite. Of the other party, where the source names it as such
("from Yusuf", "to Ole", "me"), it is the same deed; of anybody else the source does not tell it.

Source: DESIGN 6 stage 4 (opposites, who did what to whom); ruling D1.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from voice.core.grounding.findings import Finding
from voice.core.text.stems import stem_of
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word

_OF_TWO = frozenset(map(stem_of, ("buy", "bought", "purchase", "sell", "sold", "gekauft", "verkauft")))
"""Deeds that one does and the other has done to them."""
_PARTY = word_set("from to off of von an")
_ME = word_set("me us you mir dir uns")
_SELF = _ME | word_set("i we i've i'd you've you'd ich wir du")
OF_ANOTHER = Finding(flag="person", text="the source does not tell this of whom the answer names", effect="unsupported")


def told_from(
    ours: Word, found: Sequence[Word], theirs: Word, source: Sequence[Word]
) -> Literal["the same", "the other", "nowhere"]:
    """Return from which side a claim tells a deed of two: who bought from Yusuf was sold to by him.

    A note that begins with its verb ("Bought the lathe from Yusuf") leaves its writer out.

    Args:
        ours: the claim's verb.
        found: its words.
        theirs: the source's verb, an opposite of it.
        source: its words.

    Returns:
        "nowhere" where somebody else does it whom the source does not name as the other party.
    """
    if not {ours.stem, theirs.stem} <= _OF_TWO:
        return "the same"
    doer, other = _doer(found, ours), _doer(source, theirs) or ("i" if theirs == source[0] else None)
    if None in (doer, other) or doer == other:
        return "the same"
    behind = [word for word in source if word.start > theirs.start]
    is_party = any(
        _who(two) == doer and (one.key in _PARTY or two.key in _ME) for one, two in pairwise([theirs, *behind])
    )
    return "the other" if is_party else "nowhere"


def _doer(found: Sequence[Word], verb: Word) -> str | None:
    """Return who stands nearest before a verb."""
    before = (_who(word) for word in reversed(found) if word.start < verb.start)
    return next(filter(None, before), None)


def _who(word: Word) -> str | None:
    """Return whom a word names; who asks and who is told are one."""
    if word.key in _SELF:
        return "i"
    return word.key if word.is_capital and not word.is_stop else None
