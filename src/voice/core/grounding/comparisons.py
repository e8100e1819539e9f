"""Hard checks on what is set against what: comparisons, and changes from one value to another.

Law: "A is bigger than B" and "B is bigger than A" hold the same words and are two statements; so do "from 8 to 6" and
"from 6 to 8", "two rooms and one bath" and "one room and two baths", "here, not there" and "there, not here". Decided
only where both sides are certain: the same pair around the same word.

Source: DESIGN 6 stage 4 (comparatives); ruling D1.
"""

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from itertools import combinations
from typing import NamedTuple

import regex

from voice.core.grounding.findings import Finding
from voice.core.grounding.german import german_findings
from voice.core.grounding.passages import Passage
from voice.core.grounding.polarity import Comparison, comparison_of
from voice.core.grounding.support import Support
from voice.core.text.numbers import quantities
from voice.core.text.patterns import late_pattern
from voice.core.text.words import Word

_SURE = 0.5
_FROM_TO = late_pattern(r"\bfrom\b(?P<first>[^.;,]*?)\bto\b(?P<second>[^.;,]*)", regex.IGNORECASE)
_AND_NOT = late_pattern(r",? (?:and not|not|nicht) (?=[^,.;]*[.!]?$)", regex.IGNORECASE)


def comparison_findings(text: str, found: Sequence[Word], support: Support) -> list[Finding]:
    """Return a finding when the claim `text` turns a comparison or a change of its best evidence around."""
    if support.best is None or support.best_recall < _SURE:
        return []
    findings: list[Finding] = []
    ours, theirs = comparison_of(found), comparison_of(support.best.words)
    if ours and theirs and _is_turned(ours, theirs):
        reason = "the source compares the two the other way round"
        findings.append(Finding(flag="antonym", text=reason, effect="contradicted"))
    change, stated = _change(text), _change(support.best.text)
    if change and stated and change == stated[::-1] and change != stated:
        reason = f"the source says from {stated[0]} to {stated[1]}, the answer says the reverse"
        findings.append(Finding(flag="number", text=reason, effect="contradicted"))
    if _counts_cross(text, found, support.best) or _is_not_turned(text, found, support.best):
        reason = "the source has the two the other way round"
        findings.append(Finding(flag="number", text=reason, effect="contradicted"))
    return [*findings, *german_findings(text, support.best.text)]


def _is_turned(ours: Comparison, theirs: Comparison) -> bool:
    return ours.degree.stem == theirs.degree.stem and (ours.left, ours.right) == (theirs.right, theirs.left)


def _change(text: str) -> tuple[str, str] | None:
    """Return the two values of a "from … to …" that gives two numbers, in plain form."""
    match = _FROM_TO.search(text)
    if match is None:
        return None
    first, second = quantities(match["first"]), quantities(match["second"])
    return (f"{first[0].value:f}", f"{second[0].value:f}") if first and second else None


def _counts_cross(text: str, found: Sequence[Word], source: Passage) -> bool:
    """Return whether two things are counted as the source counts the other ("two bedrooms and one bathroom")."""
    ours, theirs = _counts(text, found), _counts(source.text, source.words)
    return any(
        ours[one] != ours[two] and (ours[one], ours[two]) == (theirs[two], theirs[one])
        for one, two in combinations(ours.keys() & theirs.keys(), 2)
    )


def _counts(text: str, found: Sequence[Word]) -> dict[str, Decimal]:
    """Return how many there are of what a sentence counts once."""
    counted = [(one.head, one.value) for one in quantities(text, found) if one.head]
    heads = Counter(head for head, _ in counted)
    return {head: value for head, value in counted if heads[head] == 1}


def _is_not_turned(text: str, found: Sequence[Word], source: Passage) -> bool:
    """Return whether the claim says of what the source says "not" of, and says "not" of what the source says."""
    ours, theirs = _said_and_not(text, found), _said_and_not(source.text, source.words)
    if ours is None or theirs is None:
        return False
    return ours.denied <= theirs.said and theirs.denied <= ours.said and ours.denied.isdisjoint(theirs.denied)


class _Contrast(NamedTuple):
    """ "Under the mat, not in the shed": the telling stems on both sides."""

    said: frozenset[str]
    denied: frozenset[str]


def _said_and_not(text: str, found: Sequence[Word]) -> _Contrast | None:
    """Return the two sides of a sentence's only ", not", which nothing follows; None where there is none."""
    places = list(_AND_NOT.finditer(text))
    if len(places) != 1:
        return None
    said = frozenset(word.stem for word in found if word.end <= places[0].start() and not word.is_stop)
    denied = frozenset(word.stem for word in found if word.start >= places[0].end() and not word.is_stop)
    return _Contrast(said, denied) if denied else None
