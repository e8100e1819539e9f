"""Whose a number of a table is: the number of one line is not one of what another line names.

Law: each line of a table is of its own. Where only lines of tables give a number that a claim tells, none of them says
anything else that the claim tells of it, and another sentence or line does, the two were put together by the answer:
the price of the camera told of the mount. In prose a number's thing may stand sentences before it; nothing is decided.

Source: DESIGN 6 stage 4 (numbers); ruling D1.
"""

from collections.abc import Sequence

from voice.core.grounding.clauses import Part, parts_of, words_of
from voice.core.grounding.findings import Finding
from voice.core.grounding.passages import Passage
from voice.core.grounding.support import Support, credited_share
from voice.core.text.amounts import amounts
from voice.core.text.dates import stated_dates
from voice.core.text.numbers import Quantity, same_quantity
from voice.core.text.words import Word, stems_in

_SILENT = 0.15
"""A line that holds less than this share of what stands beside a number says nothing of it…"""
_TELLS = 0.4
"""…and one that holds this much does."""


def belonging_findings(text: str, found: Sequence[Word], support: Support) -> list[Finding]:
    """Return a finding for the first number of the claim `text` that its evidence gives of something else.

    Args:
        text: the claim.
        found: its words.
        support: what holds it.
    """
    if len(support.used) < 2 or not any(one.header for one in support.used):
        return []
    in_dates = {place for mention in stated_dates(text) for place in range(mention.start, mention.end)}
    parts = parts_of(text, found)
    for number in amounts(text, found):
        beside = _beside(parts, found, number)
        if number.is_soft or not beside or number.start in in_dates:
            continue
        giving = [one for one in support.used if _gives(one, number)]
        others = [one for one in support.used if one not in giving]
        if giving and all(one.header for one in giving) and _is_apart(beside, giving, others):
            reason = f"the source does not give {number.text} of this, but of something else"
            return [Finding(flag="number", text=reason, effect="unsupported")]
    return []


def _beside(parts: Sequence[Part], found: Sequence[Word], number: Quantity) -> list[Word]:
    """Return the telling words of the part of a claim in which a number stands, its unit aside."""
    part = next(part for part in parts if number.start < part.end)
    own = (word for word in words_of(part, found) if not (word.is_stop or word.is_number))
    return [word for word in own if not number.start <= word.start < number.end]


def _gives(passage: Passage, number: Quantity) -> bool:
    return any(same_quantity(number, other) for other in amounts(passage.text, passage.words))


def _is_apart(beside: Sequence[Word], giving: Sequence[Passage], others: Sequence[Passage]) -> bool:
    """Return whether what stands beside a number is told where the number is not, and not where it is."""
    own, theirs = (
        max(credited_share(beside, stems_in(one.text)) for one in side) if side else 0.0 for side in (giving, others)
    )
    return own < _SILENT and theirs >= _TELLS
