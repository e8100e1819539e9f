"""Everything that a sentence says and nothing it cites gives.

Law: a guard vetoes where nobody verifies; where somebody does, it is a question put to them, and the words that settle
it must hold the answer.

Source: DESIGN 6 "Guards".
"""

from voice.core.grounding.guards.dates import date_doubts
from voice.core.grounding.guards.doubt import Doubt
from voice.core.grounding.guards.given import Given
from voice.core.grounding.guards.names import name_doubts
from voice.core.grounding.guards.numbers import number_doubts
from voice.core.text.dates import stated_dates


def doubts_of(sentence: str, given: Given) -> tuple[Doubt, ...]:
    """Return what `sentence` adds to what is given, in the order in which it says it."""
    mentions = stated_dates(sentence)
    found = [
        *number_doubts(sentence, given, mentions),
        *date_doubts(sentence, given, mentions),
        *name_doubts(sentence, given),
    ]
    return tuple(sorted(found, key=lambda doubt: doubt.start))
