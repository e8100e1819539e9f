"""Pairs of statements, edges or candidates that cannot both hold, and the record of a decision on them.

Law: a conflict is found in what stands in the memory and kept nowhere until somebody asks for its review; then its
record names rows and places, and holds no words but their keyed hash (ruling H). What was decided stays: a pair of
which somebody said that both hold is never shown again, and is known by its words where its rows were made anew. Its id
is a function of its two places, so that the same pair has the same id whenever it is found.

Which candidates say what cannot be true beside something else that is known or waits. A candidate is held against the
edges of the graph and against the other candidates before anybody decides, and what contradicts it is shown beside it;
it is neither rejected nor taken back on that account (`contradictions`). Who is meant by a name is who bears it in the
graph, if that is one entity; else the name itself.

Source: rulings F, H; promise 6; ruling F; S1 6.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Final, Literal

from blake3 import blake3

from voice.core.errors import InvalidParams
from voice.core.graph.conflicts.contradictions import LINE, ONE_AT_A_TIME, Claim, contradictions, neighbours, opposed
from voice.core.graph.conflicts.statements import Statement, statements_of
from voice.core.graph.review.candidates import Candidate, CandidateStatus, RelationProposal
from voice.core.messages import memory as messages
from voice.core.records import EntityName, Observation, Origin, Relation, RowStatus, require_utc
from voice.core.text.instants import date_sort_key, has_date
from voice.core.text.markdown import without_markup
from voice.core.text.normalise import keyed_hash, norm_v1
from voice.core.text.words import stems_in

PREFIX: Final = "d"
"""Of the ids of conflicts."""
_DIGEST: Final = 16

Difference = Literal["edge", "number", "day", "name", "denial", "meaning"]
"""In what two sides differ: where an edge leads, a number, a day, a name or a denial of a sentence; or what they mean,
where a verifier says so."""


class ConflictState(StrEnum):
    """What a person said of a conflict."""

    WAITING = "waiting"
    BOTH = "both"
    CORRECTED = "corrected"
    ENDED = "ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where one side stands: half-open offsets into the text of its row; of an edge, none."""

    row_id: str
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictSide:
    """One of two that cannot both hold."""

    place: Place
    said: str = field(repr=False)
    told_at: datetime
    """`UNDATED` where nobody told it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two that cannot both hold; what was told first stands first."""

    id: str
    one: ConflictSide
    other: ConflictSide
    difference: Difference
    is_change: bool = False
    """Whether the later one tells what became of the earlier one: that is to be ended."""
    is_verified: bool = False
    """Whether a verifier says so, too."""

    @property
    def row_ids(self) -> tuple[str, str]:
        """The rows of both sides."""
        return self.one.place.row_id, self.other.place.row_id


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictRecord:
    """What is kept of a conflict that somebody looked at."""

    id: str
    one: Place
    other: Place
    difference: Difference
    is_change: bool
    state: ConflictState
    at: datetime
    """When it came to this state."""
    by: Origin
    is_verified: bool = False
    sealed: str = ""
    """The keyed hash of what both say, by which the pair is known again where its rows were made anew."""
    seq: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", require_utc(self.at, "the time of a decision"))
        if not self.id.startswith(f"{PREFIX}:"):
            raise InvalidParams(messages.CONFLICT_ID_SHAPE)

    @property
    def row_ids(self) -> tuple[str, str]:
        """The rows of both sides."""
        return self.one.row_id, self.other.row_id


def conflict_id(one: Place, other: Place) -> str:
    """Return the id of the conflict of two places, in whichever order."""
    places = sorted(f"{each.row_id}\x00{each.start}\x00{each.end}" for each in (one, other))
    return f"{PREFIX}:{blake3(chr(0).join(places).encode()).hexdigest(length=_DIGEST)}"


def conflicts_among(
    observations: Iterable[Observation],
    relations: Iterable[Relation],
    names: Mapping[str, str],
    *,
    now: datetime,
    line: float = LINE,
) -> tuple[Conflict, ...]:
    """Return what cannot both hold now, by id.

    Args:
        observations: the statements that are compared.
        relations: the edges that are; one whose end is not among `names` is left out.
        names: what entities are called, by id.
        now: what has ended by then is not compared.
        line: see `opposed`.
    """
    rows = [row for row in observations if _holds(row, now)]
    edges = [row for row in relations if _holds(row, now) and {row.source_id, row.target_id} <= names.keys()]
    found = (*_of_statements(rows, line), *_of_edges(edges, names))
    return tuple(sorted(found, key=lambda each: each.id))


def _holds(row: Observation | Relation, now: datetime) -> bool:
    return row.status is RowStatus.ACTIVE and (row.valid_until is None or row.valid_until > now)


def near_conflicts(observations: Iterable[Observation], *, now: datetime, most: int) -> tuple[Conflict, ...]:
    """Return pairs of statements that may contradict each other in what they mean, for somebody who reads to say.

    Args:
        observations: the statements that are compared.
        now: what has ended by then is not compared.
        most: how many pairs at most; the nearest come first.
    """
    rows = {row.id: row for row in observations if _holds(row, now)}
    pairs = neighbours(list(statements_of(rows.values())), most=most)
    return tuple(_of_pair(one, other, "meaning", rows) for one, other in pairs)


def _of_statements(rows: list[Observation], line: float) -> Iterable[Conflict]:
    by_id = {row.id: row for row in rows}
    for pair in opposed(statements_of(rows), line=line):
        yield _of_pair(pair.one, pair.other, pair.difference, by_id, is_change=pair.is_change)


def _of_pair(
    one: Statement,
    other: Statement,
    difference: Difference,
    rows: Mapping[str, Observation],
    *,
    is_change: bool = False,
) -> Conflict:
    first, second = (
        ConflictSide(
            place=Place(row_id=each.row_id, start=each.start, end=each.end),
            said=each.said,
            told_at=rows[each.row_id].created_at,
        )
        for each in (one, other)
    )
    return _conflict(first, second, difference, is_change=is_change)


def _of_edges(edges: list[Relation], names: Mapping[str, str]) -> Iterable[Conflict]:
    by_id = {row.id: row for row in edges}
    for pair in contradictions(map(Claim.of, edges)):
        sides = (_edge(by_id[each], names) for each in pair)
        one, other = sorted(sides, key=lambda side: (date_sort_key(side.told_at), side.place.row_id))
        is_change = has_date(one.told_at) and has_date(other.told_at) and one.told_at.date() != other.told_at.date()
        yield _conflict(one, other, "edge", is_change=is_change)


def _conflict(one: ConflictSide, other: ConflictSide, difference: Difference, *, is_change: bool) -> Conflict:
    found = conflict_id(one.place, other.place)
    return Conflict(id=found, one=one, other=other, difference=difference, is_change=is_change)


def is_about(conflict: Conflict, stems: frozenset[str], row_ids: frozenset[str]) -> bool:
    """Return whether one of its sides is of a row, or says all of some words.

    Args:
        conflict: any.
        stems: what the words have in common with their inflections; empty: none are asked for.
        row_ids: the rows.
    """
    if row_ids.intersection(conflict.row_ids):
        return True
    return bool(stems) and any(stems <= stems_in(side.said) for side in (conflict.one, conflict.other))


def is_since(conflict: Conflict, since: datetime) -> bool:
    """Return whether one of its sides was told at an instant or later; what is undated was not."""
    return any(has_date(side.told_at) and side.told_at >= since for side in (conflict.one, conflict.other))


def sealed_words(conflict: Conflict, key: bytes) -> str:
    """Return the keyed hash of what both sides say, in whichever order; without the key it confirms nothing."""
    said = sorted(norm_v1(side.said) for side in (conflict.one, conflict.other))
    return keyed_hash(key, chr(0).join(("conflict", *said)))


def recorded(conflict: Conflict, state: ConflictState, *, at: datetime, by: Origin, key: bytes) -> ConflictRecord:
    """Return what is kept of a conflict; `key` is the store's."""
    return ConflictRecord(
        id=conflict.id,
        one=conflict.one.place,
        other=conflict.other.place,
        difference=conflict.difference,
        is_change=conflict.is_change,
        is_verified=conflict.is_verified,
        sealed=sealed_words(conflict, key),
        state=state,
        at=at,
        by=by,
    )


def restored(
    kept: ConflictRecord, rows: Mapping[str, Observation | Relation], names: Mapping[str, str], *, now: datetime
) -> Conflict | None:
    """Return what a record is of, as its rows say it; None where one of them holds no longer or may not be seen.

    Args:
        kept: the record.
        rows: those that may be seen, by id.
        names: what the entities that may be seen are called, by id.
        now: what has ended by then holds no longer.
    """
    sides = [_side(place, rows.get(place.row_id), names, now) for place in (kept.one, kept.other)]
    one, other = sides
    if one is None or other is None:
        return None
    return Conflict(
        id=kept.id,
        one=one,
        other=other,
        difference=kept.difference,
        is_change=kept.is_change,
        is_verified=kept.is_verified,
    )


def _side(
    place: Place, row: Observation | Relation | None, names: Mapping[str, str], now: datetime
) -> ConflictSide | None:
    if row is None or not _holds(row, now):
        return None
    if isinstance(row, Observation):
        said = without_markup(row.text[place.start : place.end])
        return ConflictSide(place=place, said=said, told_at=row.created_at) if said else None
    return _edge(row, names) if {row.source_id, row.target_id} <= names.keys() else None


def _edge(row: Relation, names: Mapping[str, str]) -> ConflictSide:
    said = f"{names[row.source_id]} —{row.rel_type.replace('_', ' ')}→ {names[row.target_id]}"
    return ConflictSide(place=Place(row_id=row.id), said=said, told_at=row.valid_from or row.created_at)


def meanings(nodes: Iterable[EntityName]) -> Mapping[str, str]:
    """Return which entity each normalised name means, where it means one alone; an id means itself."""
    held: dict[str, set[str]] = {}
    ids: dict[str, str] = {}
    for node in nodes:
        ids[norm_v1(node.id)] = node.id
        for name in (node.name, *node.aliases):
            held.setdefault(norm_v1(name), set()).add(node.id)
    return {**{name: min(of) for name, of in held.items() if len(of) == 1}, **ids}


def disputable(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Return the candidates that something could contradict: edges that wait and of which one holds at a time."""
    return tuple(each for each in candidates if _claim(each, {}) is not None)


def disputes(
    candidates: Iterable[Candidate], edges: Iterable[Relation], meant: Mapping[str, str]
) -> Mapping[str, tuple[str, ...]]:
    """Return what contradicts each candidate: ids of edges and of other candidates, in order.

    Args:
        candidates: those that wait, each held against all others.
        edges: the live edges of the entities that they are about.
        meant: what names mean (`meanings`).
    """
    claims = [claim for each in candidates if (claim := _claim(each, meant)) is not None]
    ours = {claim.id for claim in claims}
    found: dict[str, set[str]] = {}
    for one, other in contradictions([*claims, *map(Claim.of, edges)]):
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {row_id: tuple(sorted(against)) for row_id, against in found.items() if row_id in ours}


def _claim(candidate: Candidate, meant: Mapping[str, str]) -> Claim | None:
    said = candidate.proposal
    if not isinstance(said, RelationProposal) or candidate.status is not CandidateStatus.PENDING:
        return None
    claim = Claim(
        id=candidate.id,
        source=said.source,
        rel_type=said.rel_type,
        target=said.target,
        valid_from=said.valid_from,
        valid_until=said.valid_until,
    )
    ends = {"source": _who(said.source, meant), "target": _who(said.target, meant)}
    return replace(claim, **ends) if norm_v1(said.rel_type.replace("_", " ")) in ONE_AT_A_TIME else None


def _who(name: str, meant: Mapping[str, str]) -> str:
    return meant.get(norm_v1(name), name)
