"""How sure each rule has proved to be.

Law: a confidence is not a feeling: it is how often the rule was right over the first sixty of the labelled notes, drawn
to the rule's usual share where it was seen seldom, as `python -m bench.extraction --calibrate` prints it. A rule that
was not seen with a kind counts as with the kind it did worst with; one never seen counts half. Two rules that agree are
taken as independent, up to a limit, because they never quite are.

Source: ruling F.2.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from voice.core.extraction.kinds import Evidence, Rule
from voice.core.graph.extracted import EntityType

MOST: Final = 0.98
_UNSEEN: Final = 0.5
_SEEN_IN_CHATS: Final[Mapping[tuple[EntityType, Rule], float]] = {
    ("person", Rule.MEETING): 0.5,  # 7 of 14
    ("person", Rule.DEED): 0.33,  # 4 of 13
}
"""Judged by eye, roughly, over what was found in the public sets, where the labelled notes hold too few cases."""
SHARES: Final[Mapping[tuple[EntityType, Rule], float]] = {
    ("person", Rule.SPEAKER): 0.98,  # who writes is a person
    ("concept", Rule.BARE): 0.28,  # 1 of 4
    ("concept", Rule.WORDING): 0.93,  # 1 of 1
    ("event", Rule.SHAPE): 0.92,  # 1 of 1
    ("event", Rule.WORDING): 0.93,  # 1 of 1
    ("organisation", Rule.CUE): 0.96,  # 5 of 5
    ("organisation", Rule.LISTED): 1.00,  # 7 of 7
    ("organisation", Rule.WORDING): 0.98,  # 10 of 10
    ("person", Rule.AMBIGUOUS_NAME): 0.96,  # 5 of 5
    ("person", Rule.FIRST_NAME): 1.00,  # 42 of 42
    ("person", Rule.FULL_NAME): 0.99,  # 11 of 11
    ("person", Rule.MEETING): 0.78,  # 1 of 1
    ("person", Rule.OPENING_DEED): 0.22,  # 0 of 1
    ("person", Rule.TITLE): 0.94,  # 4 of 4
    ("place", Rule.LISTED): 1.00,  # 18 of 18
    ("place", Rule.WORDING): 0.76,  # 2 of 3
    ("project", Rule.CUE): 0.92,  # 1 of 1
    ("project", Rule.WORDING): 0.95,  # 2 of 2
    ("tool", Rule.LISTED): 1.00,  # 20 of 20
    ("tool", Rule.SHAPE): 0.96,  # 5 of 5
}


def share_of(evidence: Evidence) -> float:
    """Return how often such a reading was right."""
    key = (evidence.entity_type, evidence.rule)
    of_other_kinds = (share for (_, rule), share in SHARES.items() if rule is evidence.rule)
    return _SEEN_IN_CHATS.get(key) or SHARES.get(key) or min(of_other_kinds, default=_UNSEEN)


def combined(found: Iterable[Evidence]) -> tuple[EntityType, float] | None:
    """Return the likeliest kind and its confidence; None without evidence.

    What speaks for another kind is taken off.
    """
    wrong: dict[EntityType, float] = {}
    for evidence in dict.fromkeys(found):
        wrong[evidence.entity_type] = wrong.get(evidence.entity_type, 1.0) * (1.0 - share_of(evidence))
    if not wrong:
        return None
    best = min(wrong, key=lambda kind: (wrong[kind], kind))
    rival = min((share for kind, share in wrong.items() if kind != best), default=1.0)
    return best, round(min(MOST, (1.0 - wrong[best]) * (0.6 + 0.4 * min(1.0, rival / 0.5))), 4)
