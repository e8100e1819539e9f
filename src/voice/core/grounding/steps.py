"""How far something changed, and what to: "by 40 euros" is not "to 40 euros".

Law: of what rises, falls or is put off, "by" tells how much, "to" where it ends and "from" where it began. An amount
that stands behind one of them in the evidence, wherever it gives it, is not told behind another. Only measures, and
numbers beside a word of change, are looked at: what is sold to three people was bought by three people.

Source: DESIGN 6 stage 4 (numbers); ruling D1.
"""

from collections.abc import Iterable, Sequence

import regex

from voice.core.grounding.findings import Finding
from voice.core.text.numbers import Quantity, same_quantity
from voice.core.text.patterns import late_pattern
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word

_STEP = late_pattern(
    r"\b(?P<step>by|to|from|um|auf)\s+(?:(?:about|around|roughly|nearly|almost|just|only|over|another|exactly|etwa|rund"
    r"|fast)\s+)*[$€£]?\s?$",
    regex.IGNORECASE,
)
_NEAR = 40
"""Characters before a number that are looked at."""
_GERMAN = {"um": "by", "auf": "to"}
_CHANGE = word_set(
    "rise rises rose risen rising raise raises raised increase increases increased grow grows grew grown climb climbed "
    "jump jumped gain gained fall falls fell fallen drop drops dropped decrease decreased decline declined shrink "
    "shrank sink sank reduce reduced cut lower lowered up down more less extend extended shorten shortened delay "
    "delayed postpone postponed move moved steigt stieg gestiegen sinkt sank gesunken erhöht wächst fällt fiel"
)


def step_of(text: str, number: Quantity) -> str | None:
    """Return whether a number is told behind "by", "to" or "from"; None behind anything else."""
    found = _STEP.search(text[max(0, number.start - _NEAR) : number.start])
    if found is None:
        return None
    step = found["step"].lower()
    return _GERMAN.get(step, step)


def step_finding(
    text: str, found: Sequence[Word], claimed: Quantity, stated: Iterable[tuple[str, Quantity]], *, is_sure: bool
) -> Finding | None:
    """Return a finding when the evidence tells a number behind another of "by", "to" and "from" than the claim.

    Args:
        text: the claim.
        found: its words.
        claimed: the number in it.
        stated: the numbers of the evidence, each with the sentence it stands in.
        is_sure: whether the evidence makes the same statement but for its figures.
    """
    ours = step_of(text, claimed)
    if ours is None or not _is_of_a_change(found, claimed):
        return None
    theirs = [step_of(sentence, other) for sentence, other in stated if same_quantity(claimed, other)]
    if not theirs or None in theirs or ours in theirs or (claimed.is_time and "by" in (ours, *theirs)):
        return None
    reason = f"the source says {theirs[0]} {claimed.text}, the answer says {ours} {claimed.text}"
    return Finding(flag="number", text=reason, effect="contradicted" if is_sure else "unsupported")


def _is_of_a_change(found: Sequence[Word], claimed: Quantity) -> bool:
    """Return whether a number is a measure or stands beside a word of change; "by 17:00" is no step."""
    is_measure = claimed.unit is not None and not claimed.is_time
    return is_measure or any(word.key in _CHANGE for word in found)
