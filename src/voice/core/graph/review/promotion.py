"""Plan what a batch of decisions changes in graph and candidates.

Law: a plan is applied in one transaction. Entities precede relations. A candidate never creates a second row: approving
again finds the first, and does not restore a removed one. Private candidates change no public row. Ambiguous names are
errors that list ids, not words.
Source: rulings C10, F; spec rag-organize 6; promise 6.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, TypeVar, assert_never

from voice.core.errors import InvalidParams
from voice.core.graph.review.candidate_rows import (
    entity_of,
    merged_entity,
    merged_relation,
    relation_of,
    same_edge,
    usable,
)
from voice.core.graph.review.candidates import (
    Candidate,
    CandidateKind,
    CandidateStatus,
    EntityProposal,
    RelationProposal,
)
from voice.core.graph.review.decisions import Alias, Approve, Decision, Edit, Reject, Reopen, ruling_on, with_changes
from voice.core.messages import memory as messages
from voice.core.records import Entity, EntityName, Origin, Relation, RowStatus, Thought, TrustTier
from voice.core.text.normalise import norm_v1


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownGraph:
    """The graph data needed for a decision."""

    nodes: tuple[EntityName, ...] = ()
    """Names of all live entities."""
    entities: Mapping[str, Entity] = field(default_factory=dict[str, Entity])
    """Entities that a verdict may touch, live or not, by id."""
    relations: Mapping[str, Relation] = field(default_factory=dict[str, Relation])
    """Relations between them, and under the ids of new ones, by id."""
    thoughts: Mapping[str, Thought] = field(default_factory=dict[str, Thought])
    """Existing source thoughts of the candidates, by id."""
    became: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """Normalised name to the row ids of approved candidates."""


class EntityResolver:
    """Live entities by name, updated during a batch."""

    def __init__(self, nodes: Iterable[EntityName], became: Mapping[str, frozenset[str]]) -> None:
        self.live: dict[str, EntityName] = {}
        self._by_name: dict[str, set[str]] = {}  # by normalised name
        self._by_alias: dict[str, set[str]] = {}
        self._by_candidate: dict[str, set[str]] = {name: set(ids) for name, ids in became.items()}
        for node in nodes:
            self.add(node)

    def add(self, node: EntityName) -> None:
        """Add a new or renamed entity."""
        self.live[node.id] = node
        self._by_name.setdefault(norm_v1(node.name), set()).add(node.id)
        for alias in node.aliases:
            self._by_alias.setdefault(norm_v1(alias), set()).add(node.id)

    def add_candidate(self, names: Iterable[str], row_id: str) -> None:
        """Record that a candidate of these normalised names became that entity."""
        for name in names:
            self._by_candidate.setdefault(name, set()).add(row_id)

    def same_as(self, proposal: EntityProposal) -> str | None:
        """Return the entity of the proposal's name or alias, and type, or None. Raises InvalidParams: several."""
        name, entity_type = norm_v1(proposal.name), norm_v1(proposal.entity_type)
        for index in (self._by_name, self._by_alias):  # a name goes before an alias
            ids = [row_id for row_id in index.get(name, ()) if norm_v1(self.live[row_id].entity_type) == entity_type]
            if ids:
                return _only(ids, "it")
        return None

    def end(self, name: str, what: str) -> str | None:
        """Return the entity that a relation's end names, by id or name, or None. Raises InvalidParams: several."""
        if name in self.live:
            return name
        key = norm_v1(name)
        ids = self._by_name.get(key) or (
            self._by_alias.get(key, set()) | (self._by_candidate.get(key, set()) & self.live.keys())
        )
        return _only(ids, what) if ids else None


def unborne(names: frozenset[str], nodes: Iterable[EntityName]) -> frozenset[str]:
    """Return the normalised names that no entity has as its main name."""
    return names - {norm_v1(node.name) for node in nodes}


def _only(ids: Iterable[str], what: str) -> str:
    found = sorted(ids)
    if len(found) > 1:
        raise InvalidParams(messages.entity_ambiguous(what, ", ".join(found)))
    return found[0]


_AnyRow = TypeVar("_AnyRow", Entity, Relation)
Action = Literal["created", "merged", "aliased", "rejected", "reopened", "edited", "unchanged"]


class EndMissing(InvalidParams):
    """The source or target of an approved relation is not in the graph."""

    def __init__(self, candidate_id: str, which: Literal["source", "target"]) -> None:
        super().__init__(messages.end_missing(which, candidate_id))
        self.candidate_id = candidate_id
        self.which: Literal["source", "target"] = which


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Outcome of one verdict."""

    candidate_id: str
    action: Action
    row_id: str | None = None
    """Its row after the decision."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromotionPlan:
    """Writes to apply in one transaction."""

    steps: tuple[Step, ...]
    """One per verdict, in order."""
    rows: tuple[Entity | Relation, ...]
    """New or changed rows, entities first."""
    candidates: tuple[Candidate, ...]


def plan_promotion(
    verdicts: Sequence[Decision], candidates: Mapping[str, Candidate], known: KnownGraph, *, now: datetime, by: Origin
) -> PromotionPlan:
    """Plan a batch of verdicts.

    Args:
        by: only a human's approval makes a row green (ruling C10).

    Raises InvalidParams: one cannot be applied, so none is.
    """
    draft = _Draft(candidates, known, now=now, by=by)
    steps: dict[int, Step] = {}
    for kind in CandidateKind:  # entities first: relations name them
        for at, verdict in enumerate(verdicts):
            if draft.candidates[verdict.candidate_id].kind is kind:
                steps[at] = draft.decide(verdict)
    return PromotionPlan(
        steps=tuple(steps[at] for at in range(len(verdicts))),
        rows=draft.changed_rows(),
        candidates=draft.changed_candidates(),
    )


class _Draft:
    """State of graph and candidates during a batch."""

    def __init__(self, candidates: Mapping[str, Candidate], known: KnownGraph, *, now: datetime, by: Origin) -> None:
        self.candidates = dict(candidates)
        self._before = candidates
        self._known = known
        self._entities = dict(known.entities)
        self._relations = dict(known.relations)
        self._between: dict[tuple[str, str], set[str]] = {}  # by (source, target)
        for row in known.relations.values():
            self._between.setdefault((row.source_id, row.target_id), set()).add(row.id)
        self._names = EntityResolver(known.nodes, known.became)
        self._now = now
        self._by = by

    def decide(self, verdict: Decision) -> Step:
        candidate = self.candidates[verdict.candidate_id]
        ruling = ruling_on(verdict, candidate)
        if ruling == "refuse":
            raise InvalidParams(messages.already_approved(candidate.id, candidate.row_id))
        if ruling == "do":
            return self._done(verdict, candidate)
        self._decide(candidate, candidate.status, row_id=candidate.row_id, reason=candidate.reason)
        return Step(candidate_id=candidate.id, action="unchanged")

    def changed_rows(self) -> tuple[Entity | Relation, ...]:
        entities = [_numbered(row, self._known.entities.get(row.id)) for row in self._entities.values()]
        relations = [_numbered(row, self._known.relations.get(row.id)) for row in self._relations.values()]
        return tuple(row for row in (*entities, *relations) if row is not None)

    def changed_candidates(self) -> tuple[Candidate, ...]:
        return tuple(
            replace(candidate, revision=self._before[candidate.id].revision + 1)  # one revision for the whole batch
            for candidate in self.candidates.values()
            if candidate != self._before[candidate.id]
        )

    def _done(self, verdict: Decision, candidate: Candidate) -> Step:
        match verdict:
            case Approve():
                return self._approve(candidate)
            case Alias(entity_id=entity_id):
                return self._alias(candidate, entity_id)
            case Edit(changes=changes):
                return self._changed(candidate, with_changes(candidate, changes), "edited")
            case Reopen():
                pending = replace(
                    candidate, status=CandidateStatus.PENDING, reason="", decided_at=None, decided_by=None
                )
                return self._changed(candidate, pending, "reopened")
            case Reject(reason=reason):
                self._decide(candidate, CandidateStatus.REJECTED, row_id=None, reason=" ".join(reason.split()))
                return Step(candidate_id=candidate.id, action="rejected")
            case _:
                assert_never(verdict)

    def _changed(self, candidate: Candidate, after: Candidate, action: Action) -> Step:
        self.candidates[candidate.id] = after
        return Step(candidate_id=candidate.id, action="unchanged" if after == candidate else action)

    def _approve(self, candidate: Candidate) -> Step:
        proposal = candidate.proposal
        if isinstance(proposal, EntityProposal):
            return self._approve_entity(candidate, proposal)
        return self._approve_relation(candidate, proposal)

    def _approve_entity(self, candidate: Candidate, proposal: EntityProposal) -> Step:
        row_id = self._row_of(candidate, self._entities) or self._names.same_as(proposal)
        if row_id is not None:
            return self._into(candidate, self._entities[row_id], "merged")
        if self._is_over(candidate, self._entities):
            return Step(candidate_id=candidate.id, action="unchanged", row_id=candidate.row_id)
        row = entity_of(candidate, proposal, self._known.thoughts, now=self._now, by=self._by)
        return self._entered(candidate, row, "created")

    def _alias(self, candidate: Candidate, entity_id: str) -> Step:
        entity = self._entities.get(entity_id)
        if entity is None or entity.status is not RowStatus.ACTIVE:
            raise InvalidParams(messages.not_an_entity(entity_id))
        if candidate.kind is not CandidateKind.ENTITY:
            raise InvalidParams(messages.alias_of_relation(candidate.id))
        if candidate.row_id not in (None, entity_id):
            raise InvalidParams(messages.already_in_graph(candidate.id, candidate.row_id))
        if candidate.is_private and not entity.is_private:
            raise InvalidParams(messages.alias_would_show(candidate.id, entity_id))
        return self._into(candidate, entity, "aliased")

    def _into(self, candidate: Candidate, entity: Entity, action: Action) -> Step:
        merged = self._trusted(candidate, entity, merged_entity(entity, candidate, self._known.thoughts))
        if merged != entity or candidate.row_id != entity.id:  # else the row stays; only the decision is new
            return self._entered(candidate, merged, action)
        self._decide(candidate, CandidateStatus.APPROVED, row_id=entity.id)  # a human may confirm it
        return Step(candidate_id=candidate.id, action="unchanged", row_id=entity.id)

    def _entered(self, candidate: Candidate, row: Entity, action: Action) -> Step:
        self._entities[row.id] = row
        self._names.add(EntityName.of(row))  # relations of the batch may name it
        self._names.add_candidate(candidate.names, row.id)
        self._decide(candidate, CandidateStatus.APPROVED, row_id=row.id)
        return Step(candidate_id=candidate.id, action=action, row_id=row.id)

    def _approve_relation(self, candidate: Candidate, proposal: RelationProposal) -> Step:
        own = self._row_of(candidate, self._relations)
        if own is None and self._is_over(candidate, self._relations):
            return Step(candidate_id=candidate.id, action="unchanged", row_id=candidate.row_id)
        if own is not None and not usable(candidate, self._known.thoughts):
            row = self._relations[own]  # its notes are gone: the row stands for itself
        else:
            ends, decided = self._ends(candidate, proposal), (self._now, self._by)
            row = relation_of(candidate, proposal, self._known.thoughts, ends=ends, decided=decided)
        between = self._between.setdefault((row.source_id, row.target_id), set())
        same = own or same_edge(row, (self._relations[each] for each in between))
        between.add(same or row.id)  # later verdicts of the batch find it
        action: Action = "merged" if same else "created"
        if same is not None:
            before = self._relations[same]
            row = self._trusted(candidate, before, merged_relation(before, row, candidate))
            is_kept = row == before and candidate.row_id == row.id
            action = "unchanged" if is_kept else "merged"
        self._relations[row.id] = row
        self._decide(candidate, CandidateStatus.APPROVED, row_id=row.id)  # even if unchanged, a human may confirm it
        return Step(candidate_id=candidate.id, action=action, row_id=row.id)

    def _trusted(self, candidate: Candidate, before: _AnyRow, after: _AnyRow) -> _AnyRow:
        """Set the trust that a human's decision gives (ruling C10)."""
        has_said = candidate.status is CandidateStatus.APPROVED and candidate.decided_by is Origin.HUMAN
        if not (has_said or self._by is Origin.HUMAN):
            return after  # a program's approval adds no trust
        if after.id == candidate.new_row_id:
            return replace(after, trust=TrustTier.GREEN)
        # Approved into this row before: the row keeps the trust it had.
        return replace(after, trust=before.trust) if candidate.row_id == after.id else after

    def _ends(self, candidate: Candidate, proposal: RelationProposal) -> tuple[str, str]:
        """Return the ends of the candidate's existing row, else those it names."""
        row = self._relations.get(candidate.row_id or "")
        if row is not None and row.status is RowStatus.ACTIVE:
            return row.source_id, row.target_id
        return self._end(candidate, proposal.source, "source"), self._end(candidate, proposal.target, "target")

    def _end(self, candidate: Candidate, name: str, which: Literal["source", "target"]) -> str:
        found = self._names.end(name, f"the {which} of {candidate.id}")
        if found is None:
            raise EndMissing(candidate.id, which)
        return found

    def _row_of(self, candidate: Candidate, rows: Mapping[str, Entity] | Mapping[str, Relation]) -> str | None:
        """Return the live row under the candidate's own id, which an undone merge revives, else the one it became."""
        held = (rows.get(each or "") for each in (candidate.new_row_id, candidate.row_id))
        return next((row.id for row in held if row is not None and row.status is RowStatus.ACTIVE), None)

    def _is_over(self, candidate: Candidate, rows: Mapping[str, Entity] | Mapping[str, Relation]) -> bool:
        """Return whether the candidate's row was removed from the graph."""
        if candidate.status is CandidateStatus.APPROVED:
            return True
        if candidate.new_row_id in rows:
            raise InvalidParams(messages.removed_by_you(candidate.new_row_id, candidate.id))
        return False

    def _decide(self, candidate: Candidate, status: CandidateStatus, *, row_id: str | None, reason: str = "") -> None:
        """Record the decision; only a human's overrides an undecided one (ruling F)."""
        is_confirmed = self._by is Origin.HUMAN and candidate.is_undecided
        if (candidate.status, candidate.row_id) == (status, row_id) and not is_confirmed:
            return
        self.candidates[candidate.id] = replace(
            candidate, status=status, row_id=row_id, reason=reason, decided_at=self._now, decided_by=self._by
        )


def _numbered(row: Entity | Relation, held: Entity | Relation | None) -> Entity | Relation | None:
    """Return a changed row with its next revision; None if unchanged."""
    if held is None:
        return row
    return None if row == held else replace(row, revision=held.revision + 1)
