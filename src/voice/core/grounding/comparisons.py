"""Hard checks on what is set against what: comparisons, and changes from one value to another.

Law: "A is bigger than B" and "B is bigger than A" hold the same words and are two statements; so do "from 8 to 6" and
"from 6 to 8". Decided only where both sides are certain: the same pair around the same word.

Source: DESIGN 6 stage 4 (comparatives); ruling D1.
"""

from collections.abc import Sequence

import regex

from voice.core.grounding.findings import Finding
from voice.core.grounding.german import german_findings
from voice.core.grounding.polarity import Comparison, comparison_of
from voice.core.grounding.support import Support
from voice.core.text.numbers import quantities
from voice.core.text.words import Word

_SURE = 0.5
_FROM_TO = regex.compile(r"\bfrom\b(?P<first>[^.;,]*?)\bto\b(?P<second>[^.;,]*)", regex.IGNORECASE)


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
