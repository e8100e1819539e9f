"""Edges that cannot both be true.

Law: a thing lives, works, stands or is born in one place at a time: two edges of such a kind that leave one node for
two others contradict each other while both hold. They are shown side by side; which is true is for a person to say
(`voice correct`), and nothing is taken back on account of it. An edge without a time holds always. What is compared are
plain claims, so that what is staged can be held against what is known before either is a row.

Source: ruling F; S1 6.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations
from typing import Final, Self

from voice.core.records import Relation
from voice.core.text.normalise import norm_v1

ONE_AT_A_TIME: Final = frozenset(
    {
        "based in",
        "born in",
        "born on",
        "died in",
        "died on",
        "employed by",
        "headquartered in",
        "is at",
        "is in",
        "lives at",
        "lives in",
        "lives with",
        "located at",
        "located in",
        "managed by",
        "married to",
        "owned by",
        "reports to",
        "resides in",
        "stands in",
        "works at",
        "works for",
    }
)
"""Kinds of edges of which a node has one at a time, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One edge as far as contradicting goes; its ends are ids, or names where there are none yet."""

    id: str
    source: str
    rel_type: str
    target: str
    valid_from: datetime | None = None
    valid_until: datetime | None = None

    @classmethod
    def of(cls, relation: Relation) -> Self:
        """Return what a relation claims."""
        return cls(
            id=relation.id,
            source=relation.source_id,
            rel_type=relation.rel_type,
            target=relation.target_id,
            valid_from=relation.valid_from,
            valid_until=relation.valid_until,
        )


def contradictions(claims: Iterable[Claim]) -> tuple[tuple[str, str], ...]:
    """Return the pairs of claims that cannot both be true, by their ids, each pair once and in order."""
    exclusive: dict[tuple[str, str], list[Claim]] = {}
    for claim in claims:
        kind = norm_v1(claim.rel_type.replace("_", " "))
        if kind in ONE_AT_A_TIME:
            exclusive.setdefault((norm_v1(claim.source), kind), []).append(claim)
    found = {
        (min(one.id, other.id), max(one.id, other.id))
        for group in exclusive.values()
        for one, other in combinations(group, 2)
        if norm_v1(one.target) != norm_v1(other.target) and _overlap(one, other)
    }
    return tuple(sorted(found))


def _overlap(one: Claim, other: Claim) -> bool:
    """Return whether there is a moment at which both hold; their times are half-open."""
    return _begins_before_end(one, other) and _begins_before_end(other, one)


def _begins_before_end(one: Claim, other: Claim) -> bool:
    return one.valid_from is None or other.valid_until is None or one.valid_from < other.valid_until
