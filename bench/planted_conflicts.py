"""Statements planted beside those of a set: edited so that both may not hold, or so that they may after all.

Law: what is edited is drawn by a seed from all sentences of a set, not from those that the rule reads; the edits know
nothing of the rule. Whether a pair is a conflict is for whoever reads it to say: an edit that was meant to make one may
fail ("chapter 3", "chapter 4"), and the other way round.
"""

import random
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from voice.core.graph.thoughts.sentence_edits import sentences_of
from voice.core.records import Observation

_NUMBER: Final = re.compile(r"(?<![\w.,:/#*-])(?!(?:1[89]|20)\d\d\b)(\d{1,4})(?![\w:/*)-]|[.,]\d)")
"""A number that is no year, and no part of a date, a version, an address or a list's mark."""
_LINK: Final = re.compile(r"\]\(|https?:|^\W*\[\[[^\]]*\]\]\W*$")
_DAY: Final = re.compile(
    r"\b(January|February|March|April|May|June|July|August|September|October|November|December) (\d{1,2})\b"
    r"|\b(\d{4}-\d{2}-)(\d{2})\b"
)
_VERB: Final = re.compile(r"\b(is|are|was|were|has|have|can|do|does)\b")
_NAME: Final = re.compile(r"(?<=[a-z] )([A-Z][a-z]{2,})")
_WORDS: Final = (
    *("zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_ELSEWHERE: Final = ("Loose ends", "Notes of another day")
_LATER: Final = datetime(2031, 5, 4, tzinfo=UTC)
_SHORTEST, _LONGEST = 5, 25
"""Words of a sentence that is edited."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """A sentence of a set, and what was put beside it."""

    kind: str
    source: str
    edited: str
    rows: tuple[Observation, ...]


def _other_number(text: str) -> str | None:
    match = _NUMBER.search(text)
    if match is None:
        return None
    number = int(match[1])
    return text[: match.start()] + str(number + max(1, number // 5)) + text[match.end() :]


def _other_day(text: str) -> str | None:
    match = _DAY.search(text)
    if match is None:
        return None
    day = int(match[2] or match[4])
    other = day + 3 if day < 20 else day - 3
    said = f"{match[1]} {other}" if match[1] else f"{match[3]}{other:02}"
    return text[: match.start()] + said + text[match.end() :]


def _denied(text: str) -> str | None:
    match = _VERB.search(text)
    if match is None or re.search(r"\bnot\b|n't\b|\bno\b|\bnever\b", text):
        return None
    return f"{text[: match.end()]} not{text[match.end() :]}"


def _reworded(text: str) -> str | None:
    other = _other_number(text)
    return None if other is None else f"Actually, {other[:1].lower() + other[1:]}"


def _spelt(text: str) -> str | None:
    match = _NUMBER.search(text)
    if match is None or int(match[1]) >= len(_WORDS):
        return None
    return text[: match.start()] + _WORDS[int(match[1])] + text[match.end() :]


def _asked(text: str) -> str | None:
    other = _other_number(text)
    return None if other is None else other.rstrip(".! ") + "?"


def _quoted(text: str) -> str | None:
    other = _other_number(text)
    return None if other is None else f"“{other}”"


def _wanted(text: str) -> str | None:
    other = _other_number(text)
    return None if other is None else f"I wish this were so: {other[:1].lower() + other[1:]}"


def _of_somebody_else(text: str) -> str | None:
    other = _other_number(text)
    if other is None or _NAME.search(other) is None:
        return None
    return _NAME.sub("Quentin", other, count=1)


KINDS: Final[Mapping[str, Callable[[str], str | None]]] = {
    "number": _other_number,
    "number, elsewhere": _other_number,
    "number, reworded": _reworded,
    "day": _other_day,
    "denial": _denied,
    "spelt": _spelt,
    "asked": _asked,
    "quoted": _quoted,
    "wanted": _wanted,
    "somebody else": _of_somebody_else,
    "another day": _other_number,
}
"""How a sentence is edited, by kind."""


def planted(rows: Sequence[Observation], *, most: int, seed: str, but: Collection[str] = frozenset()) -> list[Planted]:
    """Return what is planted in a set: up to `most` of each kind, no sentence twice, and none of `but`."""
    chance = random.Random(seed)
    sentences = [(row, row.text[start:end]) for row in rows for start, end in sentences_of(row.text)]
    wanted = [each for each in sentences if _SHORTEST <= len(each[1].split()) <= _LONGEST and not _is_apart(each[1])]
    chance.shuffle(wanted)
    taken = set(but)
    found: list[Planted] = []
    for kind, edit in KINDS.items():
        some = 0
        for row, said in wanted:
            edited = edit(said) if said not in taken else None
            if edited is None or edited == said:
                continue
            taken.add(said)
            found.append(
                Planted(kind=kind, source=said, edited=edited, rows=(_row(row, kind, edited, f"{seed} {len(found)}"),))
            )
            some += 1
            if some == most:
                break
    return found


def _is_apart(said: str) -> bool:
    """Return whether a sentence is the title of something that a link leads to, or goes over several lines."""
    return "\n" in said or _LINK.search(said) is not None


def _row(row: Observation, kind: str, edited: str, key: str) -> Observation:
    made = replace(row, id=f"o:planted {key}", text=edited, provenance=())
    if kind == "number, elsewhere" and row.context_path:
        return replace(made, context_path=_ELSEWHERE)
    if kind == "another day":
        path = ("2031-05-04",) if row.context_path else ()
        return replace(made, context_path=path, created_at=_LATER)
    return made
