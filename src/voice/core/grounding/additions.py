"""What an answer adds to its question: that is what must be held, not what it repeats of the question.

Law: an answer that says the question's words back rests on them in the evidence, however little of its own the evidence
holds: "John felt happy and excited at the party", where the source has the party. So the telling words that the
question does not have are weighed by themselves; where the evidence holds hardly any of them, the claim's own part is
invented. Numbers, times and the people who speak are compared elsewhere.

Source: DESIGN 6 stage 3; ruling D5.
"""

from collections.abc import Sequence
from itertools import pairwise

from voice.core.grounding.addressed import as_the_speaker
from voice.core.grounding.asked import ASKING
from voice.core.grounding.findings import Finding
from voice.core.grounding.inquiry import LIGHT
from voice.core.grounding.support import Support, credit_of, credited_share
from voice.core.text.numbers import unit_named
from voice.core.text.words import Word

_HALVES = ("am", "pm")
_LACKING = 0.3
"""An addition of which the evidence holds less than this share is invented…"""
_REPEATED = 0.5
"""…where at least this share of the claim's telling words is the question's."""


def addition_findings(found: Sequence[Word], support: Support, asked: frozenset[str]) -> list[Finding]:
    """Return a finding when a claim holds of the evidence hardly more than its question.

    Args:
        found: the claim's words.
        support: what holds it.
        asked: the stems of the question; without any nothing is found.
    """
    telling = [word for word in found if not word.is_stop]
    added = [word for word in telling if credit_of(word.stem, asked) < _REPEATED]
    count = len(added)
    units = {after.start for number, after in pairwise(found) if number.is_number and _is_of_a_figure(after)}
    added = [word for word in added if not word.is_number and word.start not in units]
    held = frozenset[str]().union(*(passage.stems for passage in support.used))
    own = [word for word in added if word.key not in ASKING and word.key not in LIGHT]
    own = [word for word in own if (said := as_the_speaker(word.stem)) == word.stem or said not in held]
    if not own or len(telling) - count < _REPEATED * len(telling):
        return []
    if credited_share(own, held) >= _LACKING:
        return []
    reason = "the cited sources hold what the question says of this, but not what the answer adds"
    return [Finding(flag="part", text=reason, effect="unsupported")]


def _is_of_a_figure(word: Word) -> bool:
    return word.key in _HALVES or unit_named(word.key) is not None
