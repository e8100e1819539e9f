"""Merge two entities into one, and undo it.

Law: nothing is lost: the kept entity gets names, words and sources of both, the other is superseded, and live rows are
renamed. The merge log holds ids and spans only, and restores the previous state except for later statements, which stay
with the kept entity. Only a person merges.
Source: rulings C10, F.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, TypeVar

from voice.core.errors import InvalidParams
from voice.core.graph.corrections import Correction, as_it_stood, past_value, superseded
from voice.core.graph.review.candidate_rows import same_edge
from voice.core.graph.review.candidates import joined_spans, other_names
from voice.core.graph.row_display import named_by
from voice.core.messages import memory as messages
from voice.core.records import (
    TRUST_RANK,
    EmbeddingStatus,
    Entity,
    Observation,
    Origin,
    Provenance,
    Relation,
    RowStatus,
    Scope,
    require_utc,
)
from voice.core.text.instants import earliest_date
from voice.core.text.normalise import norm_v1

_Row = TypeVar("_Row", Entity, Relation)
_FACTS: Final = (  # single-valued fields that an undo restores
    *("aliases", "provenance", "tags", "description", "confidence", "trust", "is_private", "scope"),
    *("created_at", "valid_from", "valid_until"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RenamedRow:
    """A row renamed by the merge."""

    row_id: str
    named: tuple[str, ...]
    """Its previous entities: a relation's source and target, or all of an observation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedRelation:
    """A relation ended by the merge."""

    row_id: str
    into: str | None = None
    """The equivalent relation; None: it joined the two entities."""
    lent: tuple[Provenance, ...] = ()
    """Sources that the other relation received from it."""
    rested: bool = False
    """Whether the other relation had sources of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """Log of a merge; ids and spans, no words."""

    id: str
    kept: str
    absorbed: str
    past: str
    """The row with the kept entity's previous value."""
    moved: tuple[RenamedRow, ...] = ()
    ended: tuple[EndedRelation, ...] = ()
    at: datetime
    by: Origin
    undone_at: datetime | None = None
    seq: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", require_utc(self.at, "a merge's time"))
        if self.undone_at is not None:
            object.__setattr__(self, "undone_at", require_utc(self.undone_at, "the time it was undone"))


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeChanges:
    """The writes of a merge or its undo."""

    merge: Merge
    fresh: tuple[Entity | Relation, ...]
    """Rows with new content."""
    beside: tuple[Entity | Observation | Relation, ...]
    """Rows with unchanged content, which keep their vectors."""
    stayed: tuple[str, ...] = ()
    """Later rows about the kept entity; which of the two they mean is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NeighbourRows:
    """Live rows that name either entity."""

    relations: tuple[Relation, ...] = field(default=(), repr=False)
    observations: tuple[Observation, ...] = field(default=(), repr=False)


def require_mergeable(kept: Entity, absorbed: Entity, *, allow_private: bool) -> None:
    """Check that two entities can be merged. Raises InvalidParams: identical, not active, or only one is private."""
    if kept.id == absorbed.id:
        raise InvalidParams(messages.same_entity(kept.id))
    for row in (kept, absorbed):
        if row.status is not RowStatus.ACTIVE:
            raise InvalidParams(messages.entity_not_in_use(row.id))
    if kept.is_private != absorbed.is_private and not allow_private:
        private, shown = (kept, absorbed) if kept.is_private else (absorbed, kept)
        raise InvalidParams(messages.merge_would_show(private.id, shown.id))


def merge_entities(
    kept: Entity, absorbed: Entity, around: NeighbourRows, correction: Correction, *, merge_id: str, past_id: str
) -> MergeChanges:
    """Return the writes of a merge; call `require_mergeable` first.

    Args:
        around: live relations of both, and live observations about `absorbed`.
    """
    changes = _NeighbourChanges(kept, absorbed, correction)
    for relation in around.relations:
        changes.add_relation(relation, around.relations)
    for observation in around.observations:
        changes.add_observation(observation)
    past = past_value(kept, correction, new_id=past_id)
    merged = _changed(replace(_merged(kept, absorbed), recorded_at=correction.at))
    merge = Merge(
        id=merge_id,
        kept=kept.id,
        absorbed=absorbed.id,
        past=past.id,
        moved=tuple(changes.moved),
        ended=tuple(changes.ended),
        at=correction.at,
        by=correction.author,
    )
    gone = superseded(absorbed, by=kept.id, correction=correction)
    return MergeChanges(merge=merge, fresh=(merged, past, *changes.edges.values()), beside=(gone, *changes.beside))


class _NeighbourChanges:
    """Accumulates the changes of the rows around two entities."""

    def __init__(self, kept: Entity, absorbed: Entity, correction: Correction) -> None:
        self._kept = kept.id
        self._absorbed = absorbed.id
        self._correction = correction
        self.moved: list[RenamedRow] = []
        self.ended: list[EndedRelation] = []
        self.edges: dict[str, Relation] = {}  # renamed relations, and those with more sources
        self.beside: list[Observation | Relation] = []

    def add_relation(self, row: Relation, relations: Sequence[Relation]) -> None:
        ends = (row.source_id, row.target_id)
        if self._absorbed not in ends:
            return
        if set(ends) == {self._absorbed, self._kept}:  # it would lead from the entity to itself
            self._end(row, None, ())
            return
        renamed = replace(row, source_id=self._renamed(ends[0]), target_id=self._renamed(ends[1]))
        others = (self.edges.get(each.id, each) for each in relations if each.id != row.id)  # as changed so far
        same_id = same_edge(renamed, [each for each in others if _covers(each, row)])
        if same_id is None:
            self.moved.append(RenamedRow(row_id=row.id, named=ends))
            self.edges[row.id] = _changed(renamed)
            return
        before = next(each for each in relations if each.id == same_id)
        same = self.edges.get(same_id, before)  # with what this merge lent it already
        lent = tuple(span for span in row.provenance if span not in same.provenance)
        self._end(row, same_id, lent, rested=bool(before.provenance))
        if lent:
            # Written once, it takes one revision, however many sources it is lent.
            revision = same.revision if same_id in self.edges else same.revision + 1
            joined = joined_spans((*same.provenance, *lent))
            self.edges[same_id] = replace(same, provenance=joined, revision=revision)

    def add_observation(self, row: Observation) -> None:
        about = tuple(dict.fromkeys(map(self._renamed, row.entity_ids)))
        self.moved.append(RenamedRow(row_id=row.id, named=row.entity_ids))
        self.beside.append(replace(row, entity_ids=about, revision=row.revision + 1))

    def _end(self, row: Relation, into: str | None, lent: tuple[Provenance, ...], *, rested: bool = False) -> None:
        self.ended.append(EndedRelation(row_id=row.id, into=into, lent=lent, rested=rested))
        self.beside.append(superseded(row, by=into, correction=self._correction))

    def _renamed(self, entity_id: str) -> str:
        return self._kept if entity_id == self._absorbed else entity_id


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedState:
    """The current state of a merge to be undone."""

    kept: Entity
    absorbed: Entity
    past: Entity | None
    """The kept entity's previous value; None if forgotten."""
    rows: Mapping[str, Observation | Relation] = field(repr=False)
    """Existing rows of the log, by id."""
    others: tuple[Entity, ...] = ()
    """Entities of other merges into the same one, whose contributions stay."""
    around: NeighbourRows = field(default=NeighbourRows(), repr=False)
    """Live rows that name the kept entity."""


def require_undoable(merge: Merge, kept: Entity | None, absorbed: Entity | None) -> tuple[Entity, Entity]:
    """Return both entities. Raises InvalidParams: already undone, or one was changed or forgotten since."""
    if merge.undone_at is not None:
        raise InvalidParams(messages.merge_undone(merge.id))
    if kept is None or absorbed is None:
        gone = merge.kept if kept is None else merge.absorbed
        raise InvalidParams(messages.merged_row_gone(gone))
    for row in (kept, absorbed):
        if row.status is RowStatus.REDACTED:
            raise InvalidParams(messages.merged_row_redacted(row.id))
    if kept.status is not RowStatus.ACTIVE:
        raise InvalidParams(messages.merged_again(kept.id, kept.superseded_by))
    if absorbed.status is not RowStatus.SUPERSEDED or absorbed.superseded_by != kept.id:
        raise InvalidParams(messages.no_longer_merged(absorbed.id, kept.id))
    return kept, absorbed


def undo_merge(merge: Merge, held: MergedState, correction: Correction, *, past_ids: tuple[str, str]) -> MergeChanges:
    """Return the writes of an undo; `past_ids`: of the kept entity's merged value, and of the other's record."""
    kept, absorbed = held.kept, held.absorbed
    split_off = _changed(replace(as_it_stood(absorbed), recorded_at=correction.at))
    remaining = _changed(replace(_without_absorbed(kept, held), recorded_at=correction.at))
    was_part = replace(absorbed, id=past_ids[1], superseded_by=absorbed.id, revision=1, seq=0)  # a row of its own
    past = (
        past_value(kept, correction, new_id=past_ids[0]),
        replace(was_part, embedding_status=EmbeddingStatus.PENDING),
    )
    edges, beside = _restored(merge, held, correction)
    touched = {each.row_id for each in merge.moved} | {each.row_id for each in merge.ended}
    named = [row for row in (*held.around.relations, *held.around.observations) if row.id not in touched]
    return MergeChanges(
        merge=replace(merge, undone_at=correction.at),
        fresh=(remaining, split_off, *past, *edges.values()),
        beside=beside,
        stayed=tuple(sorted(row.id for row in named if (row.recorded_at, row.seq) > (merge.at, merge.seq))),
    )


def _restored(
    merge: Merge, held: MergedState, correction: Correction
) -> tuple[dict[str, Relation], tuple[Observation | Relation, ...]]:
    """Restore the rows that were not changed or redacted since."""
    edges: dict[str, Relation] = {}
    beside: list[Observation | Relation] = []
    for moved in merge.moved:
        row = held.rows.get(moved.row_id)
        # Renamed otherwise since, it keeps its names.
        if row is None or row.status is RowStatus.REDACTED or named_by(row) != renamed(moved.named, merge):
            continue
        if isinstance(row, Observation):
            beside.append(replace(row, entity_ids=moved.named, revision=row.revision + 1))
        else:
            source, target = moved.named
            edges[row.id] = _changed(replace(row, source_id=source, target_id=target))
    for ended in merge.ended:
        row = held.rows.get(ended.row_id)
        if isinstance(row, Relation) and row.status is RowStatus.SUPERSEDED and row.superseded_by == ended.into:
            edges[row.id] = _changed(as_it_stood(row))
    return edges, (*beside, *_ended_without_loans(merge, held, correction, edges))


def _ended_without_loans(
    merge: Merge, held: MergedState, correction: Correction, edges: dict[str, Relation]
) -> Iterable[Relation]:
    """Remove lent sources from relations in `edges`; yield those left without sources, which end."""
    for into_id in dict.fromkeys(each.into for each in merge.ended if each.into and each.lent):
        into = held.rows.get(into_id)
        if not isinstance(into, Relation) or into.status is RowStatus.REDACTED:
            continue
        loans = [each for each in merge.ended if each.into == into_id]
        lent = {span for each in loans for span in each.lent}
        now = edges.get(into_id, into)
        own = tuple(span for span in now.provenance if span not in lent)
        if own or not any(each.rested for each in loans):  # without a source before: it stays without
            edges[into_id] = replace(now if into_id in edges else _changed(now), provenance=own)
        elif into.status is RowStatus.ACTIVE:
            edges.pop(into_id, None)
            ends = {"source_id": now.source_id, "target_id": now.target_id}
            yield superseded(replace(into, **ends, provenance=own), by=None, correction=correction)


def _covers(other: Relation, row: Relation) -> bool:
    """Return whether `row` adds nothing to `other` in words, audience or period."""
    has_words = row.description not in ("", other.description)
    names = ("is_private", "scope", "valid_from", "valid_until")
    return not has_words and all(getattr(other, name) == getattr(row, name) for name in names)


def _merged(kept: Entity, absorbed: Entity) -> Entity:
    """Return the merged entity, with the id, name and type of `kept`."""
    starts = [row.valid_from for row in (kept, absorbed)]
    ends = [row.valid_until for row in (kept, absorbed)]
    return replace(
        kept,
        aliases=other_names(kept.name, (*kept.aliases, absorbed.name, *absorbed.aliases)),
        description="; ".join(dict.fromkeys(filter(None, (kept.description, absorbed.description)))),
        provenance=joined_spans((*kept.provenance, *absorbed.provenance)),
        tags=(*kept.tags, *absorbed.tags),
        confidence=max(kept.confidence, absorbed.confidence),
        trust=min(kept.trust, absorbed.trust, key=TRUST_RANK.__getitem__),
        is_private=kept.is_private or absorbed.is_private,
        scope=kept.scope if kept.scope == absorbed.scope else Scope(),  # of two scopes it belongs to neither
        created_at=earliest_date((kept.created_at, absorbed.created_at)),
        valid_from=min((each for each in starts if each), default=None) if all(starts) else None,
        valid_until=max((each for each in ends if each), default=None) if all(ends) else None,  # an open end stays open
    )


def _without_absorbed(kept: Entity, held: MergedState) -> Entity:
    past = held.past
    others = (*held.others, *([past] if past else []))
    own_names = {norm_v1(name) for row in others for name in (row.name, *row.aliases)} | {norm_v1(kept.name)}
    names = {norm_v1(name) for name in (held.absorbed.name, *held.absorbed.aliases)} - own_names
    spans = set(held.absorbed.provenance).difference(*(row.provenance for row in others))
    tags = set(held.absorbed.tags).difference(*(row.tags for row in others))
    remaining = replace(
        kept,
        aliases=tuple(name for name in kept.aliases if norm_v1(name) not in names),
        provenance=tuple(span for span in kept.provenance if span not in spans),
        tags=tuple(tag for tag in kept.tags if tag not in tags),
    )
    if past is None:
        return remaining
    merged = _merged(past, held.absorbed)
    # What was edited since the merge stays as it is.
    unchanged = {name: getattr(past, name) for name in _FACTS if getattr(kept, name) == getattr(merged, name)}
    if not {"description", "aliases"} <= unchanged.keys():
        # Words added since may reveal what the other one was private for.
        unchanged["is_private"] = kept.is_private
    return replace(remaining, **unchanged)


def renamed(named: Iterable[str], merge: Merge) -> tuple[str, ...]:
    """Return the distinct names after the merge."""
    return tuple(dict.fromkeys(merge.kept if each == merge.absorbed else each for each in named))


def _changed(row: _Row) -> _Row:
    """Bump the revision and drop the vector of changed content."""
    return replace(row, revision=row.revision + 1, embedding_status=EmbeddingStatus.PENDING)
