"""Compare proposals with what the graph holds, stage them for review, and link what was approved.

Law: nothing staged is in the graph. Staging again changes nothing; what was rejected is not staged again, and what was
forgotten stays forgotten (rulings F, H). What was found in many notes is staged in transactions of a bounded size.

- Existing rows are not asked about again (ruling I5): an entity exists when one of its name, or with that other name,
  is in the graph, whatever its type; a relation when its ends are. What is private tells nothing of what is not.
- Disputes hold against a candidate only what the reader may see (promise 6), and structure alone decides: edges of one
  subject and one kind of which one holds at a time.
- Approved entities are linked to older observations in the transaction that approves them, as far as a batch has room;
  the rest follows at once, and approving again finishes what was interrupted. A row whose indexed text stays keeps its
  vector.

Source: spec rag-organize 2; rulings A21, C10, F, H, I5; promise 6.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Final

from voice.core.graph.conflicts.pairs import disputable, disputes, meanings
from voice.core.graph.entity_names import NOTE_TYPE, KnownNames, with_new_entities
from voice.core.graph.review.candidate_rows import entity_of
from voice.core.graph.review.candidates import (
    Candidate,
    CandidateKind,
    CandidateStatus,
    EntityProposal,
    RelationProposal,
    restaged,
)
from voice.core.graph.review.extraction_results import SYMMETRIC, FoundEntity, FoundRelation
from voice.core.graph.review.promotion import KnownGraph, PromotionPlan
from voice.core.graph.review.staging import NO_NAMES, GivenNames, StageLimits, choose_candidates
from voice.core.records import EmbeddingStatus, Entity, EntityName, Observation, Origin, Relation, RowStatus, Thought
from voice.core.text.normalise import norm_v1
from voice.ports.review_stores import CandidateFilter, CandidateStore
from voice.ports.stores import MAX_BATCH, GraphStore
from voice.services.memory.ingest import Ingest
from voice.services.retrieval.row_lookups import Names, fetch_thoughts, text_to_embed

_Edge = tuple[str, str, str]  # source id, type, target id; [::2] are both ends


@dataclass(frozen=True, slots=True, kw_only=True)
class ExistingRows:
    """Tells what one graph holds."""

    names: Names
    graph: GraphStore

    async def __call__(self, candidates: Iterable[Candidate]) -> frozenset[str]:
        """Return the ids of those candidates that the graph holds."""
        asked = list(candidates)
        known = await self.names.known()
        shown, every = _ids_by_name(known.public), _ids_by_name(known)
        found: set[str] = set()
        wanted: dict[str, tuple[_Edge, ...]] = {}
        for each in asked:
            ids, proposal = (every if each.is_private else shown), each.proposal  # else it betrays a private name
            if isinstance(proposal, EntityProposal):
                found |= {each.id} if norm_v1(proposal.name) in ids else set()
            else:
                wanted[each.id] = _edges(proposal, ids)
        ends = sorted({end for each in wanted.values() for edge in each for end in edge[::2]})
        edges = {(row.source_id, row.rel_type, row.target_id) for row in await self.graph.relations_of(ends)}
        return frozenset(found | {row_id for row_id, each in wanted.items() if not edges.isdisjoint(each)})


def _ids_by_name(known: KnownNames) -> dict[str, set[str]]:
    ids: dict[str, set[str]] = {}
    for node in known.nodes:
        for name in (node.name, *node.aliases):
            ids.setdefault(norm_v1(name), set()).add(node.id)
    return ids


def _edges(proposal: RelationProposal, ids: dict[str, set[str]]) -> tuple[_Edge, ...]:
    """Return the edges that a relation may mean; none where it is bounded in time, which another edge may not be."""
    if proposal.valid_from or proposal.valid_until:
        return ()
    sources, targets = ids.get(norm_v1(proposal.source), set()), ids.get(norm_v1(proposal.target), set())
    pairs = [(source, proposal.rel_type, target) for source in sources for target in targets]
    turned = [(target, kind, source) for source, kind, target in pairs] if proposal.rel_type in SYMMETRIC else []
    return (*pairs, *turned)  # some hold both ways


@dataclass(frozen=True, slots=True, kw_only=True)
class Against:
    """A contradiction of a candidate, in the words that are shown."""

    id: str
    """Of an edge or a statement in the graph, or of another candidate."""
    said: RelationProposal | str
    """An edge with its ends by their names; the words of a statement."""


async def candidates_against(
    store: CandidateStore, graph: GraphStore, names: Names, candidates: Sequence[Candidate], *, include_private: bool
) -> Mapping[str, tuple[Against, ...]]:
    """Return what contradicts each of the candidates, by id; what nothing contradicts is absent."""
    asked = disputable(candidates)
    if not asked:  # no reads where nothing can clash
        return {}
    known = await names.visible(include_private=include_private)
    meant = meanings(known.nodes)  # what a name means, if it is one node's alone
    sources = {name for each in asked for name in each.names}
    where = CandidateFilter(
        kind=CandidateKind.RELATION,
        status=CandidateStatus.PENDING,
        named=tuple(sorted(sources)),
        include_private=include_private,
    )
    others = await store.candidates(where, limit=MAX_BATCH)
    every = {each.id: each for each in (*asked, *others)}
    about = sorted({meant[name] for name in sources if name in meant})
    edges = [row for row in await graph.relations_of(about) if include_private or not row.is_private]
    told: dict[str, RelationProposal | str] = {
        **{each.id: said for each in every.values() if isinstance(said := each.proposal, RelationProposal)},
        **{row.id: _proposal(row, known.name_of) for row in edges},
    }
    found = disputes(every.values(), edges, meant)
    against = {each.id: found.get(each.id, ()) for each in asked}
    return {
        row_id: tuple(Against(id=other, said=told[other]) for other in others)
        for row_id, others in against.items()
        if others
    }


def _proposal(row: Relation, called: Mapping[str, str]) -> RelationProposal:
    return RelationProposal(
        source=called.get(row.source_id, row.source_id),  # the id where the end has no name here
        rel_type=row.rel_type,
        target=called.get(row.target_id, row.target_id),
        valid_from=row.valid_from,
        valid_until=row.valid_until,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedRows:
    """Observations as they are to be written together."""

    anew: tuple[Observation, ...] = ()
    """Those whose indexed text is another one now."""
    kept: tuple[Observation, ...] = ()


async def linked_rows(
    graph: GraphStore, decided: PromotionPlan, known: KnownGraph, names: KnownNames, *, room: int
) -> list[LinkedRows]:
    """Return the observations that name an entity of the plan, which was decided from `known`, and do not say so yet,
    in batches to be written: the first of `room` rows at most. `names`: the graph's before it."""
    changed = {row.id: row for row in decided.rows if isinstance(row, Entity)}
    touched = [{**known.entities, **changed}.get(step.row_id or "") for step in decided.steps]  # as they will stand
    live = {  # a note is linked by its writer, not by its title in a sentence
        row.id: row for row in touched if row and row.status is RowStatus.ACTIVE and row.entity_type != NOTE_TYPE
    }
    behind = sorted({span.thought_id for row in live.values() for span in row.provenance} & known.thoughts.keys())
    if not behind:
        return [LinkedRows()]
    after = names.with_({row_id: EntityName.of(row) for row_id, row in live.items()})
    held = {row.id: row for row in await graph.derived_from(behind) if isinstance(row, Observation)}
    found = with_new_entities(held.values(), after.index, live)
    kept = {  # what is indexed stays the same, and so does the vector
        row.id
        for row in found
        if held[row.id].embedding_status is EmbeddingStatus.READY
        and text_to_embed(held[row.id], names) == text_to_embed(row, after)
    }
    first = max(0, room)  # the batch may be full already
    batches = [found[:first], *(found[start : start + MAX_BATCH] for start in range(first, len(found), MAX_BATCH))]
    return [
        LinkedRows(
            anew=tuple(row for row in batch if row.id not in kept), kept=tuple(row for row in batch if row.id in kept)
        )
        for batch in batches
    ]


_BATCH: Final = 500  # candidates in one transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """The result of staging, in counts of candidates: those that wait from now on, the others by why they do not."""

    pending_entities: int = 0
    pending_relations: int = 0
    linked: int = 0
    """Links that a person wrote, which are in the graph from now on and wait for nobody."""
    grown: int = 0
    """Were there and have got further mentions."""
    unchanged: int = 0
    known: int = 0
    rejected: int = 0
    forgotten: int = 0
    unsure: int = 0
    over: int = 0
    """Left out because they are more than are staged at once."""
    groundless: int = 0
    """Left out because nothing in the store speaks of them."""
    unsupported: int = 0
    """Left out because the note that a model found them in does not support them."""
    unread: int = 0
    """Notes that a model was not shown, or of which its reply told nothing usable."""
    waiting_entities: frozenset[str] = field(default=frozenset(), compare=False)
    waiting_relations: frozenset[str] = field(default=frozenset(), compare=False)
    behind: frozenset[str] = field(default=frozenset(), compare=False)
    """Ids of the thoughts that pending and approved candidates rest on, new or not."""

    def __add__(self, other: "Staged") -> "Staged":
        counts = {name: getattr(self, name) + getattr(other, name) for name in _COUNTS}
        return Staged(
            **counts,
            waiting_entities=self.waiting_entities | other.waiting_entities,
            waiting_relations=self.waiting_relations | other.waiting_relations,
            behind=self.behind | other.behind,
        )


_COUNTS: Final = tuple(each.name for each in fields(Staged) if each.compare)  # without the sets of ids


@dataclass(frozen=True, slots=True, kw_only=True)
class Staging:
    """Staging of found entities and relations as candidates for a person to decide on."""

    candidates: CandidateStore
    ingest: Ingest
    """Whose rows, tombstones and clock count."""
    already: ExistingRows | None = None
    """Finds candidates that the graph already holds; None: all are staged."""

    async def stage(
        self,
        entities: Sequence[FoundEntity],
        relations: Sequence[FoundRelation] = (),
        *,
        limits: StageLimits,
        given: GivenNames = NO_NAMES,
        dry_run: bool = False,
    ) -> Staged:
        """Stage what is sure enough, and return the counts; under `dry_run` nothing is written. Of other names those
        are kept that a note behind the thing speaks or gives (`given`). Raises SessionConflict, StoreError: not all;
        stage again."""
        ids = {span.thought_id for found in (*entities, *relations) for span in found.mentions}
        thoughts = await fetch_thoughts(self.ingest.store, ids)
        chosen = choose_candidates(entities, relations, thoughts, limits, now=self.ingest.clock.now(), given=given)
        gone = await self._forgotten(chosen.candidates, thoughts)
        stored = await self.candidates.fetch([each.id for each in chosen.candidates if each.id not in gone])
        fresh = [each for each in chosen.candidates if each.id not in gone | stored.keys()]
        known = await self.already(fresh) if self.already else frozenset[str]()  # in the graph
        alive = [each for each in chosen.candidates if each.id not in gone | known]
        # Pairs of what is stored and what is to be written, None where nothing is.
        changed = [(stored.get(each.id), restaged(stored.get(each.id), each)) for each in alive]
        if not dry_run:
            await self._save([after for _, after in changed if after is not None])
        standing = [after or stored[each.id] for each, (_, after) in zip(alive, changed, strict=True)]
        new = [after for before, after in changed if before is None and after is not None]
        rejected = sum(each.status is CandidateStatus.REJECTED for each in stored.values())
        grown = sum(before is not None and after is not None for before, after in changed)
        return Staged(
            pending_entities=sum(each.kind is CandidateKind.ENTITY for each in new),
            pending_relations=sum(each.kind is CandidateKind.RELATION for each in new),
            grown=grown,
            unchanged=len(stored) - grown - rejected,
            known=len(known),
            rejected=rejected,
            forgotten=len(gone),
            unsure=chosen.unsure,
            over=chosen.over,
            groundless=chosen.groundless,
            waiting_entities=_waiting(standing, CandidateKind.ENTITY),
            waiting_relations=_waiting(standing, CandidateKind.RELATION),
            behind=_thoughts_behind([*standing, *(each for each in chosen.candidates if each.id in known)]),
        )

    async def _save(self, changed: Sequence[Candidate]) -> None:
        for start in range(0, len(changed), _BATCH):
            await self.candidates.save(changed[start : start + _BATCH])

    async def _forgotten(self, candidates: Sequence[Candidate], thoughts: dict[str, Thought]) -> frozenset[str]:
        rows = {
            candidate.id: entity_of(candidate, proposed, thoughts, now=candidate.staged_at, by=Origin.MODEL)
            for candidate in candidates
            if isinstance(proposed := candidate.proposed, EntityProposal)
        }
        gone = await self.ingest.forgotten.among(list(rows.values()))
        return frozenset(candidate_id for candidate_id, row in rows.items() if row.id in gone)


def _waiting(candidates: Sequence[Candidate], kind: CandidateKind) -> frozenset[str]:
    return frozenset(each.id for each in candidates if each.kind is kind and each.status is CandidateStatus.PENDING)


def _thoughts_behind(candidates: Sequence[Candidate]) -> frozenset[str]:
    """Return the ids of the thoughts that candidates rest on, rejected candidates left out."""
    standing = (each for each in candidates if each.status is not CandidateStatus.REJECTED)
    return frozenset(span.thought_id for each in standing for span in each.provenance)
