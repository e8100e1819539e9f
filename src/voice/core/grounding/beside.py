"""What of the graph cannot be true beside a statement or an edge.

Law: what is held against what is what the judge takes for a disagreement (`disagreement`), and only where it is certain
that both speak of one entity: it is who the sentence is about, both rows name it, and of neither could another one be
meant. Two names of one entity are no contradiction, and what has an end or was replaced contradicts nothing. Which side
is true is for a person to say: nothing is rejected or taken back on that account.

Source: ruling F; DESIGN 2 promise 1.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from voice.core.grounding.disagreement import Statement, disagreements
from voice.core.grounding.values import Evidence
from voice.core.records import Observation, Relation, TrustTier
from voice.core.text.words import fold_key, stems_in

Names = Mapping[str, tuple[str, ...]]
"""All names of entities, by id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """A row as far as it says something of entities."""

    row: Evidence
    about: Names
    """The entities that it names."""


def statement(said: Observation, called: Names) -> Saying:
    """Return what an observation says; what `called` has no name of is left out."""
    row = Evidence(
        alias=said.id,
        row_id=said.id,
        source_type="kg_observation",
        text=said.text,
        shown=said.text,
        content_hash="",
        trust=said.trust,
        created_at=said.created_at,
        speaker=said.speaker,
        valid_until=said.valid_until,
        superseded_by=said.superseded_by,
    )
    return Saying(row=row, about={each: called[each] for each in said.entity_ids if each in called})


def edge(said: Relation, called: Names) -> Saying | None:
    """Return what a relation says; None where one of its ends has no name in `called`."""
    ends = [called.get(said.source_id, ()), called.get(said.target_id, ())]
    if not all(ends):
        return None
    text = f"{ends[0][0]} —{' '.join(said.rel_type.replace('_', ' ').split())}→ {ends[1][0]}"
    row = Evidence(
        alias=said.id,
        row_id=said.id,
        source_type="kg_relation",
        text=text,
        shown=text,
        content_hash="",
        trust=TrustTier.AMBER,
        created_at=said.created_at,
        valid_until=said.valid_until,
        superseded_by=said.superseded_by,
    )
    return Saying(row=row, about={said.source_id: ends[0], said.target_id: ends[1]})


def beside(sayings: Iterable[Saying], asked: Collection[str]) -> Mapping[str, tuple[str, ...]]:
    """Return which rows cannot be true beside each of those that are asked about: their ids, in order.

    Args:
        sayings: what is said, each row once.
        asked: ids of some of them; one that nothing contradicts is absent.
    """
    by_id = {each.row.row_id: each for each in sayings}
    rows = [each.row for each in by_id.values()]
    found: dict[str, set[str]] = {}
    for pair in disagreements(rows, lambda passage: passage.row.row_id in asked):
        one, other = pair.sides()
        ours, theirs = by_id[one.passage.row.row_id], by_id[other.passage.row.row_id]
        if pair.is_settled(None) or not _is_of_one(one, ours, other, theirs):
            continue
        for row_id, against in ((ours.row.row_id, theirs.row.row_id), (theirs.row.row_id, ours.row.row_id)):
            found.setdefault(row_id, set()).add(against)
    return {row_id: tuple(sorted(against)) for row_id, against in found.items() if row_id in asked}


def _is_of_one(one: Statement, ours: Saying, other: Statement, theirs: Saying) -> bool:
    """Return whether two statements are about the same entity, and not of one value under two names."""
    who, whose = _meant(one.subject, ours.about), _meant(other.subject, theirs.about)
    if who is None or who != whose:
        return False
    named = {**ours.about, **theirs.about}
    values = (stems_in(one.value), stems_in(other.value))
    return not any(
        all(any(stems_in(name) <= value for name in names) for value in values)
        for row_id, names in named.items()
        if row_id != who
    )


def _meant(subject: str, about: Names) -> str | None:
    """Return the one entity that bears the name, whole or as its first word."""
    bearing = [row_id for row_id, names in about.items() if subject in _keys(names)]
    return bearing[0] if len(bearing) == 1 else None


def _keys(names: Iterable[str]) -> frozenset[str]:
    return frozenset(fold_key(part) for name in names for part in (name, name.partition(" ")[0]) if part)
