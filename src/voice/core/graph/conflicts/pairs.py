"""Pairs of statements, edges or candidates that cannot both hold, and the records of decisions on them.

Law: conflicts are computed, and stored only when reviewed: a record has rows, offsets and a keyed hash of the words, no
words (ruling H). The id is a function of the two places. Decisions stay: a pair that both hold is not shown again,
and is recognised by its words if its rows were made anew.

Candidates are compared with edges and with each other before a decision; contradictions are only shown. A name means
the one entity that has it, else itself.
Source: rulings F, H; promise 6; S1 6.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
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
from voice.core.text.markup import without_markup
from voice.core.text.normalise import keyed_hash, norm_v1
from voice.core.text.words import stems_in

_DIGEST_BYTES: Final = 16  # 128 bits, so that no two pairs share an id

Difference = Literal["edge", "number", "day", "name", "denial", "meaning"]
"""How two sides differ: an edge's target; a sentence's number, day, name or denial; or the meaning, by a verifier."""


class ConflictState(StrEnum):
    """A person's decision on a conflict."""

    WAITING = "waiting"
    BOTH = "both"
    CORRECTED = "corrected"
    ENDED = "ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A side's half-open offsets in its row's text; an edge has none."""

    row_id: str
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictSide:
    """One side of a conflict."""

    place: Place
    said: str = field(repr=False)  # kept out of logs, as all words are
    told_at: datetime
    """May be `UNDATED`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two sides that cannot both hold, earliest first."""

    id: str
    one: ConflictSide
    other: ConflictSide
    difference: Difference
    is_change: bool = False
    """Whether the later side replaces the earlier one, which should be ended."""
    is_verified: bool = False
    """Whether a verifier confirmed it."""

    @property
    def row_ids(self) -> tuple[str, str]:
        """The rows of both sides."""
        return self.one.place.row_id, self.other.place.row_id


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictRecord:
    """The stored record of a reviewed conflict."""

    id: str
    one: Place
    other: Place
    difference: Difference
    is_change: bool
    state: ConflictState
    at: datetime
    """When it was decided."""
    by: Origin
    is_verified: bool = False
    sealed: str = ""
    """Keyed hash of both sides' words, which recognises the pair in new rows."""
    seq: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", require_utc(self.at, "the time of a decision"))
        if not self.id.startswith("d:"):
            raise InvalidParams(messages.CONFLICT_ID_SHAPE)

    @property
    def row_ids(self) -> tuple[str, str]:
        """The rows of both sides."""
        return self.one.row_id, self.other.row_id


def conflict_id(one: Place, other: Place) -> str:
    """Return the id of the conflict of two places, in either order."""
    places = sorted(f"{each.row_id}\x00{each.start}\x00{each.end}" for each in (one, other))  # NUL: in no row id
    return f"d:{blake3(chr(0).join(places).encode()).hexdigest(length=_DIGEST_BYTES)}"


def conflicts_among(
    observations: Iterable[Observation],
    relations: Iterable[Relation],
    names: Mapping[str, str],
    *,
    now: datetime,
    line: float = LINE,
) -> tuple[Conflict, ...]:
    """Return the conflicts at `now`, by id; edges with an end not in `names` are skipped (`line`: see `opposed`)."""
    rows = {row.id: row for row in observations if _holds(row, now)}
    edges = {row.id: row for row in relations if _holds(row, now) and {row.source_id, row.target_id} <= names.keys()}
    found = [
        _conflict(_told(pair.one, rows), _told(pair.other, rows), pair.difference, is_change=pair.is_change)
        for pair in opposed(statements_of(rows.values()), line=line)
    ]
    for pair in contradictions(map(Claim.of, edges.values())):
        sides = (_edge_side(edges[each], names) for each in pair)
        one, other = sorted(sides, key=lambda side: (date_sort_key(side.told_at), side.place.row_id))
        # Told on one day, neither side is the later one.
        is_change = has_date(one.told_at) and has_date(other.told_at) and one.told_at.date() != other.told_at.date()
        found.append(_conflict(one, other, "edge", is_change=is_change))
    return tuple(sorted(found, key=lambda each: each.id))


def near_conflicts(observations: Iterable[Observation], *, now: datetime, most: int) -> tuple[Conflict, ...]:
    """Return at most `most` pairs of statements for a verifier, the nearest first; none that ended by `now`."""
    rows = {row.id: row for row in observations if _holds(row, now)}
    pairs = neighbours(list(statements_of(rows.values())), most=most)
    return tuple(_conflict(_told(one, rows), _told(other, rows), "meaning") for one, other in pairs)


def _holds(row: Observation | Relation, now: datetime) -> bool:
    return row.status is RowStatus.ACTIVE and (row.valid_until is None or row.valid_until > now)


def _told(statement: Statement, rows: Mapping[str, Observation]) -> ConflictSide:
    place = Place(row_id=statement.row_id, start=statement.start, end=statement.end)
    return ConflictSide(place=place, said=statement.said, told_at=rows[statement.row_id].created_at)


def _conflict(one: ConflictSide, other: ConflictSide, difference: Difference, *, is_change: bool = False) -> Conflict:
    found = conflict_id(one.place, other.place)
    return Conflict(id=found, one=one, other=other, difference=difference, is_change=is_change)


def is_about(conflict: Conflict, stems: frozenset[str], row_ids: frozenset[str]) -> bool:
    """Return whether a side is in one of the rows, or contains all `stems`, if there are any."""
    if row_ids.intersection(conflict.row_ids):
        return True
    return bool(stems) and any(stems <= stems_in(side.said) for side in (conflict.one, conflict.other))


def is_since(conflict: Conflict, since: datetime) -> bool:
    """Return whether a side was told at `since` or later; an undated one was not."""
    return any(has_date(side.told_at) and side.told_at >= since for side in (conflict.one, conflict.other))


def sealed_words(conflict: Conflict, key: bytes) -> str:
    """Return the keyed hash of both sides' words, in either order; without the key it confirms nothing."""
    said = sorted(norm_v1(side.said) for side in (conflict.one, conflict.other))
    return keyed_hash(key, chr(0).join(("conflict", *said)))  # "conflict" tells it from other hashes


def recorded(conflict: Conflict, state: ConflictState, *, at: datetime, by: Origin, key: bytes) -> ConflictRecord:
    """Return the record of a decision; `key` is the store's."""
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
    """Return a record's conflict in the words of its visible rows; None if one is not visible or ended by `now`."""
    one, other = (_side(place, rows.get(place.row_id), names, now) for place in (kept.one, kept.other))
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
    return _edge_side(row, names) if {row.source_id, row.target_id} <= names.keys() else None


def _edge_side(row: Relation, names: Mapping[str, str]) -> ConflictSide:
    said = f"{names[row.source_id]} —{row.rel_type.replace('_', ' ')}→ {names[row.target_id]}"
    return ConflictSide(place=Place(row_id=row.id), said=said, told_at=row.valid_from or row.created_at)


def meanings(nodes: Iterable[EntityName]) -> Mapping[str, str]:
    """Return the entity id of each unambiguous normalised name; an id means itself."""
    bearers: dict[str, set[str]] = {}
    ids: dict[str, str] = {}
    for node in nodes:
        ids[norm_v1(node.id)] = node.id
        for name in (node.name, *node.aliases):
            bearers.setdefault(norm_v1(name), set()).add(node.id)
    # An id means itself, even where it is also a name.
    return {**{name: min(found) for name, found in bearers.items() if len(found) == 1}, **ids}


def disputable(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Return the candidates that could be contradicted: pending relations of a kind in `ONE_AT_A_TIME`."""
    return tuple(each for each in candidates if _claim(each, {}) is not None)


def disputes(
    candidates: Iterable[Candidate], edges: Iterable[Relation], meant: Mapping[str, str]
) -> Mapping[str, tuple[str, ...]]:
    """Return by pending candidate the sorted ids of edges and candidates that contradict it (`meant`: `meanings`)."""
    claims = [claim for each in candidates if (claim := _claim(each, meant)) is not None]
    claim_ids = {claim.id for claim in claims}
    found: dict[str, set[str]] = {}
    for one, other in contradictions([*claims, *map(Claim.of, edges)]):
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {row_id: tuple(sorted(against)) for row_id, against in found.items() if row_id in claim_ids}


def _claim(candidate: Candidate, meant: Mapping[str, str]) -> Claim | None:
    proposal = candidate.proposal
    if not isinstance(proposal, RelationProposal) or candidate.status is not CandidateStatus.PENDING:
        return None
    if norm_v1(proposal.rel_type.replace("_", " ")) not in ONE_AT_A_TIME:
        return None
    return Claim(
        id=candidate.id,
        source=meant.get(norm_v1(proposal.source), proposal.source),
        rel_type=proposal.rel_type,
        target=meant.get(norm_v1(proposal.target), proposal.target),
        valid_from=proposal.valid_from,
        valid_until=proposal.valid_until,
    )
