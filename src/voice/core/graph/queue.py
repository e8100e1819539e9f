"""What waits for review, in the order in which it matters.

Law: what is named most comes first, then what is surest (ruling I5). What the graph holds is not asked again, nor the
same name twice. A review must end: what was named once and is of no known kind, and whatever comes behind the first
`MOST_SHOWN`, is folded away; it stays, is counted, and shows where it is asked for.

Source: ruling I5.
"""

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Final

from voice.core.errors import InvalidParams
from voice.core.graph.candidates import THING, Candidate, CandidateKind, type_of

MOST_SHOWN: Final = 400
_BETWEEN: Final = "~"
_PARTS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The place behind one candidate in the order of weight."""

    mentions: int
    confidence: float
    id: str

    @classmethod
    def behind(cls, candidate: Candidate) -> "Place":
        """Return the place behind `candidate`."""
        return cls(mentions=candidate.mentions, confidence=candidate.confidence, id=candidate.id)

    @classmethod
    def parse(cls, text: str) -> "Place":
        """Return the place that `text` names.

        Raises:
            InvalidParams: it is no place.
        """
        parts = text.strip().split(_BETWEEN)
        try:
            place = cls(mentions=int(parts[0]), confidence=float(parts[1]), id=parts[2])
        except (ValueError, IndexError):
            place = None
        is_one = place is not None and len(parts) == _PARTS and math.isfinite(place.confidence)
        if place is None or not is_one or not place.id.startswith("c:"):
            raise InvalidParams("that is no place in the list; copy the `next` of the page before it")
        return place

    @property
    def order(self) -> tuple[int, float, str]:
        """What places are sorted by: the most mentions first, then the surest."""
        return (-self.mentions, -self.confidence, self.id)

    def __str__(self) -> str:
        return _BETWEEN.join((str(self.mentions), repr(self.confidence), self.id))


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """What waits, in order."""

    shown: tuple[Candidate, ...] = field(default=(), repr=False)
    folded: tuple[Candidate, ...] = field(default=(), repr=False)


def queue_of(waiting: Iterable[Candidate], known: Collection[str] = (), *, most: int = MOST_SHOWN) -> Queue:
    """Return what is to be reviewed, and what is folded away.

    Args:
        waiting: candidates that wait.
        known: the ids of those that the graph holds already; nobody is asked about them.
        most: how many are shown.
    """
    shown: list[Candidate] = []
    folded: list[Candidate] = []
    names: set[tuple[str, ...]] = set()
    for each in sorted((each for each in waiting if each.id not in known), key=lambda one: Place.behind(one).order):
        is_again = each.kind is CandidateKind.ENTITY and each.names in names
        is_over = len(shown) >= most or (each.mentions <= 1 and type_of(each.proposal) == THING)
        (folded if is_again or is_over else shown).append(each)
        names.add(each.names)
    return Queue(shown=tuple(shown), folded=tuple(folded))
