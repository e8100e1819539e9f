"""What stands beside what: "Leon, 14, and Nora, 9", "Gym: 29. Rent: 890.", "Julia is my boss and Kim is my sister".

Law: pairs written one after the other are a table without lines: what one of them gives to its name is not another's.
Read as such are short lines or sentences that begin with a name and a colon, lists of a name and a number, ages behind
names, items under one of several headings, and clauses of one sentence that begin with different names. Where a
sentence is not of such pairs alone, or speaks of them together ("both", "they"), nothing is decided.

Source: DESIGN 6 stage 4 (numbers, who did what to whom); ruling D1.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, takewhile
from typing import NamedTuple

import regex

from voice.core.grounding.clauses import is_finite
from voice.core.grounding.findings import Finding
from voice.core.grounding.passages import Passage
from voice.core.text.checklists import heading_above, item_of
from voice.core.text.negation import is_negator
from voice.core.text.patterns import late_pattern
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, words

_COLON = late_pattern(r"^\W*(?P<name>\p{L}[^:.!?\n\d]{0,40}): (?P<said>\S.*)$", regex.DOTALL)
_NAMED = r"(?P<name>\p{L}[\p{L}-]+(?: \p{L}[\p{L}-]+)?)"
_LISTED = late_pattern(rf"{_NAMED} (?P<said>\d[\d.,:/]*(?: ?[\p{{L}}%°/]{{1,6}})?)")
_AGED = late_pattern(r"(?P<name>\p{Lu}\p{Ll}+) ?(?:, (?P<said>\d{1,3})(?=,|\.?$| and\b)|\((?P<said>\d{1,3})\))")
_BETWEEN = late_pattern(r"[,;]\s*(?:(?:and|but|while|whereas|und|aber)\s)?|\s(?:and|but|while|whereas|und|aber)\s")
_HEAD = late_pattern(
    r"(?P<name>(?:[Rr]oom|[Tt]able|[Gg]roup|[Tt]eam|[Cc]lass|[Bb]ox|[Kk]ey|[Dd]oor|[Ff]lat|[Gg]ate|[Rr]ow|[Ss]eat|[Pp]lan)"
    r" (?:\p{Lu}|\d{1,3})|(?!(?:I|He|She|It|We|You|They|The|My|Our|This|That|There|Both)\b)\p{Lu}[\p{L}-]+"
    r"(?: \p{Lu}[\p{L}-]+)?|(?!I)\p{Lu})(?!['’]) (?P<said>\S.*)",
    regex.DOTALL,
)
_PIECE_END = late_pattern(r",(?!\d)|;|\band\b")
_DIGIT = late_pattern(r"\d")
_TOGETHER = word_set("both they them their together each respectively he she his her him it beide sie er ihr sein")
_PART_END = late_pattern(r"[,;.!?()—–](?!\d)|\b(?:and|but|while|whereas|und|aber|y|pero)\b", regex.IGNORECASE)
_BOTH = word_set("both beide")
_COMPARES = word_set(
    "than other others all every everything each else except besides total sum still yet instead unlike alle "
    "andere noch statt"
)
_SHORT = 8
"""Words that may stand behind a colon: what is longer is prose, and of no name alone."""
_WAY = word_set("for to in on at with by from für mit in auf bei")
"""What a clause may begin with that leaves out the verb of the one before it: "room B for Mats"."""


class _Pair(NamedTuple):
    """What something is called, what is said of it, and where."""

    name: frozenset[str]
    said: frozenset[str]
    passage: Passage


def pair_findings(text: str, found: Sequence[Word], passages: Sequence[Passage]) -> list[Finding]:
    """Return a finding for a claim that gives one name of a group of pairs what another has, and nothing of its own.

    Args:
        text: the claim.
        found: its words.
        passages: the cited sentences.
    """
    if any(word.key in _COMPARES or is_negator(word) for word in found):
        return []
    parts = [_told(part) for part in parts_by_marks(text, found)]
    is_of_both = any(word.key in _BOTH for word in found) and ":" not in text
    every = frozenset[str]().union(*parts)
    for group in [_alone(passages)] if is_of_both else _groups(passages, every):
        beside = frozenset[str]().union(*(one.stems for one in passages if all(one is not it.passage for it in group)))
        exchanged = _is_not_of_both if is_of_both else _is_exchanged
        if exchanged(parts, group, beside):
            return [Finding(flag="person", text="the source says this of something else", effect="unsupported")]
    return []


def parts_by_marks(text: str, found: Sequence[Word]) -> list[list[Word]]:
    """Return the words of each part of a claim, cut at its marks and at "and" and "but"."""
    ends = [*(match.start() for match in _PART_END.finditer(text)), len(text)]
    starts = [0, *ends]
    return [[word for word in found if start <= word.start < end] for start, end in zip(starts, ends, strict=False)]


def _is_exchanged(parts: Sequence[frozenset[str]], group: Sequence[_Pair], beside: frozenset[str]) -> bool:
    """Return whether a part of a claim names pairs and tells what others have, but nothing that only these have."""
    by_part = [[pair for pair in group if pair.name <= told] for told in parts]
    every = _all_said(group) - beside - frozenset[str]().union(*(pair.name for pair in group))
    if all(told & every for told, named in zip(parts, by_part, strict=True) if named):
        return any(_is_anothers(told & every, named, group) for told, named in zip(parts, by_part, strict=True))
    named = [pair for pair in group if any(pair in here for here in by_part)]
    return _is_anothers(frozenset[str]().union(*parts) & every, named, group)


def _is_anothers(told: frozenset[str], named: Sequence[_Pair], group: Sequence[_Pair]) -> bool:
    own, others = _all_said(named), _all_said([pair for pair in group if pair not in named])
    return bool(named) and bool(told - own) and not told & (own - others)


def _is_not_of_both(parts: Sequence[frozenset[str]], group: Sequence[_Pair], beside: frozenset[str]) -> bool:
    """Return whether what a claim says of two together is said of one of them, who has it beside what both have."""
    told = frozenset[str]().union(*parts) - beside
    names = {pair.name for pair in group if pair.name <= told}
    said = [_all_said([pair for pair in group if pair.name == name]) & told for name in names]
    shared = frozenset[str]().union(*said).intersection(*said)
    return len(said) > 1 and bool(shared) and any(one != shared for one in said)


def _all_said(pairs: Sequence[_Pair]) -> frozenset[str]:
    return frozenset[str]().union(*(pair.said for pair in pairs))


def _told(found: Sequence[Word]) -> frozenset[str]:
    """Return what words tell: stems, forms, numbers, and the letter of "room B"."""
    telling = [word for word in found if not word.is_stop or (len(word.text) == 1 and word.is_capital)]
    return frozenset(form for word in telling if word.text != "I" for form in (word.stem, word.key))


def _groups(passages: Sequence[Passage], told: frozenset[str]) -> Iterator[list[_Pair]]:
    """Yield the groups of pairs among sentences of the evidence that hold a name of what a claim tells.

    A group of one sentence alone shares a word with the claim.
    """
    for _, of_row in groupby(passages, key=lambda passage: passage.row.row_id):
        own = [passage for passage in of_row if not passage.header]
        alike: list[Iterable[tuple[str, str, Passage]]] = [_labelled(own), _under_headings(own)] if own[1:] else []
        likely = [one for one in own if not told.isdisjoint(one.stems)]
        for group in chain(alike, map(_listed, likely), map(_several_clauses, likely)):
            named = [(_name(name), said, one) for name, said, one in group]
            names = {name for name, _, _ in named}
            if len(names) > 1 and any(name <= told for name in names):
                yield [_Pair(name, _told(words(said)), one) for name, said, one in named]


def _name(called: str) -> frozenset[str]:
    """Return what tells a name from others: its telling words and letters, or all that it has."""
    found = words(called)
    telling = [word for word in found if not word.is_stop or len(word.text) == 1] or found
    return frozenset(word.key for word in telling)


def _alone(passages: Sequence[Passage]) -> list[_Pair]:
    """Return what sentences of one clause say of whom they begin with."""
    alone = (told for passage in passages if len(told := list(_clauses(passage))) == 1)
    return [_Pair(_name(name), _told(words(said)), one) for told in alone for name, said, one in told]


def _labelled(passages: Sequence[Passage]) -> Iterator[tuple[str, str, Passage]]:
    """Yield short lines and sentences that begin with a name and a colon; none where a talk is written so."""
    found = [(match, one) for one in passages if ": " in one.text and (match := _COLON.fullmatch(one.text))]
    is_talk = any(match["said"].endswith(("!", "?")) for match, _ in found)
    if not is_talk and len({match["name"] for match, _ in found}) == len(found):
        yield from ((match["name"], match["said"], one) for match, one in found if len(words(match["said"])) <= _SHORT)


def _under_headings(passages: Sequence[Passage]) -> Iterator[tuple[str, str, Passage]]:
    """Yield the items of lists by the lines above them."""
    for one in passages:
        item = item_of(one.text)
        above = heading_above(one.row.text, one.start) if item else ""
        if item and above and item.is_done is None:
            yield above, item.text, one


def _listed(one: Passage) -> Iterator[tuple[str, str, Passage]]:
    """Yield names with their numbers, or with ages behind them, where a sentence gives several."""
    if _DIGIT.search(one.text) is None:
        return
    pieces = [piece.strip() for piece in _PIECE_END.split(one.text.strip(" .\n")) if piece.strip()]
    found = list(takewhile(bool, map(_LISTED.fullmatch, pieces)))
    if len(found) == len(pieces):
        yield from ((match["name"], match["said"], one) for match in found if match)
        return
    yield from ((match["name"], match["said"], one) for match in _AGED.finditer(one.text))


def _several_clauses(one: Passage) -> Iterator[tuple[str, str, Passage]]:
    """Yield the clauses of a sentence that has several: one alone is no pair with anything."""
    return _clauses(one) if _BETWEEN.search(one.text) else iter(())


def _clauses(one: Passage) -> Iterator[tuple[str, str, Passage]]:
    """Yield the names that the clauses of a sentence begin with, where each begins with one, and what each says."""
    pieces = _BETWEEN.split(one.text)
    found = list(takewhile(bool, (_HEAD.fullmatch(piece.strip(" .!\n")) for piece in pieces)))
    if len(found) < len(pieces) or one.text.rstrip().endswith("?") or any(word.key in _TOGETHER for word in one.words):
        return
    told = [match.group("name", "said") for match in found if match]
    if all(_states(words(said), place) for place, (_, said) in enumerate(told)):
        yield from ((name, said, one) for name, said in told)


def _states(found: Sequence[Word], place: int) -> bool:
    """Return whether what stands behind a name is said of it: a verb, or in a later clause what it leaves out."""
    return bool(found) and (is_finite(found[0]) or (place > 0 and found[0].key in _WAY))
