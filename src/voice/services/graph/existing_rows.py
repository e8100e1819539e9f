"""What the graph holds already of proposals, what contradicts them, and the links to what was approved.

Law: what a person entered, approved or linked is not asked again (ruling I5): an entity is held when one of its name,
or with that other name, is in the graph, whatever it was taken for; a relation when its ends are. What is private
tells nothing of what is not (promise 6). Reads, and writes nothing.

Looking up what contradicts candidates. Only what the reader may see is held against a candidate (promise 6), and
structure alone decides: edges of one subject and one kind of which one holds at a time. Nothing is changed.

Add approved entities to observations that were there before them. What is approved is linked in the transaction that
approves it, as far as a batch has room; the rest follows at once, and approving again finishes what was interrupted
(`voice.core.graph.entity_names`). A row whose indexed text stays keeps its vector: most say the name that they are
linked by themselves.

Source: ruling I5; promise 6; ruling F; rulings A21, C10, F.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from voice.core.graph.conflicts.pairs import disputable, disputes, meanings
from voice.core.graph.entity_names import NOTE_TYPE, KnownNames, with_new_entities
from voice.core.graph.review.candidates import (
    Candidate,
    CandidateKind,
    CandidateStatus,
    EntityProposal,
    RelationProposal,
)
from voice.core.graph.review.extraction_results import SYMMETRIC
from voice.core.graph.review.promotion import KnownGraph, PromotionPlan
from voice.core.records import EmbeddingStatus, Entity, EntityName, Observation, Relation, RowStatus
from voice.core.text.normalise import norm_v1
from voice.ports.review_stores import CandidateFilter, CandidateStore
from voice.ports.stores import MAX_BATCH, GraphStore
from voice.services.retrieval.entity_names import Names, text_to_embed

_Edge = tuple[str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExistingRows:
    """Tells what one graph holds."""

    names: Names
    graph: GraphStore

    async def __call__(self, candidates: Iterable[Candidate]) -> frozenset[str]:
        """Return the ids of those candidates that the graph holds.

        Raises:
            StoreError: the graph cannot be read.
        """
        asked = list(candidates)
        known = await self.names.known()
        shown, every = _ids_of(known.public), _ids_of(known)
        found: set[str] = set()
        wanted: dict[str, tuple[_Edge, ...]] = {}
        for each in asked:
            ids, proposal = (every if each.is_private else shown), each.proposal
            if isinstance(proposal, EntityProposal):
                found |= {each.id} if norm_v1(proposal.name) in ids else set()
            else:
                wanted[each.id] = _edges(proposal, ids)
        edges = await self._edges_of({end for each in wanted.values() for edge in each for end in edge[::2]})
        return frozenset(found | {row_id for row_id, each in wanted.items() if not edges.isdisjoint(each)})

    async def _edges_of(self, entity_ids: Iterable[str]) -> set[_Edge]:
        ids = sorted(entity_ids)
        edges: set[_Edge] = set()
        for start in range(0, len(ids), MAX_BATCH):
            rows = await self.graph.relations_of(ids[start : start + MAX_BATCH])
            edges |= {(row.source_id, row.rel_type, row.target_id) for row in rows if row.status is RowStatus.ACTIVE}
        return edges


def _ids_of(known: KnownNames) -> dict[str, set[str]]:
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
    return (*pairs, *turned)


@dataclass(frozen=True, slots=True, kw_only=True)
class Against:
    """A contradiction of a candidate, in the words that are shown."""

    id: str
    """Of an edge or a statement in the graph, or of another candidate."""
    said: RelationProposal | str
    """An edge with its ends by their names; the words of a statement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disputes:
    """Holds candidates against the graph and against each other."""

    candidates: CandidateStore
    graph: GraphStore
    names: Names

    async def __call__(
        self, candidates: Sequence[Candidate], *, include_private: bool
    ) -> Mapping[str, tuple[Against, ...]]:
        """Return what contradicts each of the candidates, by id; what nothing contradicts is absent.

        Raises:
            StoreError: they cannot be read.
        """
        asked = disputable(candidates)
        if not asked:
            return {}
        known = await self.names.known()
        nodes = known.nodes if include_private else known.public.nodes
        meant = meanings(nodes)
        sources = {name for each in asked for name in each.names}
        where = CandidateFilter(
            kind=CandidateKind.RELATION,
            status=CandidateStatus.PENDING,
            named=tuple(sorted(sources)),
            include_private=include_private,
        )
        others = await self.candidates.candidates(where, limit=MAX_BATCH)
        every = {each.id: each for each in (*asked, *others)}
        about = sorted({meant[name] for name in sources if name in meant})
        edges = await self._edges(about, include_private=include_private)
        called = {node.id: node.name for node in nodes}
        told: dict[str, RelationProposal | str] = {
            **{each.id: said for each in every.values() if isinstance(said := each.proposal, RelationProposal)},
            **{row.id: _proposal(row, called) for row in edges},
        }
        found = disputes(every.values(), edges, meant)
        against = {each.id: found.get(each.id, ()) for each in asked}
        return {
            row_id: tuple(Against(id=other, said=told[other]) for other in others)
            for row_id, others in against.items()
            if others
        }

    async def _edges(self, entity_ids: Sequence[str], *, include_private: bool) -> list[Relation]:
        found = await self.graph.relations_of(entity_ids) if entity_ids else []
        return [row for row in found if include_private or not row.is_private]


def _proposal(row: Relation, called: Mapping[str, str]) -> RelationProposal:
    return RelationProposal(
        source=called.get(row.source_id, row.source_id),
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
    """Those that keep their vectors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityLinks:
    """Finds what is to be linked to the entities of a plan."""

    graph: GraphStore

    async def observations(
        self, decided: PromotionPlan, known: KnownGraph, names: KnownNames, *, room: int
    ) -> list[LinkedRows]:
        """Return the observations that name an entity of the plan and do not say so yet, in batches to be written.

        Args:
            known: what it was decided from; its thoughts are those of the candidates.
            names: the graph's names before it.
            room: how many the first batch may have; with none, it is empty.

        Raises:
            StoreError: the graph cannot be read.
        """
        changed = {row.id: row for row in decided.rows if isinstance(row, Entity)}
        touched = [{**known.entities, **changed}.get(step.row_id or "") for step in decided.steps]
        live = {
            row.id: row for row in touched if row and row.status is RowStatus.ACTIVE and row.entity_type != NOTE_TYPE
        }
        behind = sorted({span.thought_id for row in live.values() for span in row.provenance} & known.thoughts.keys())
        if not behind:
            return [LinkedRows()]
        after = names.with_({row_id: EntityName.of(row) for row_id, row in live.items()})
        held: dict[str, Observation] = {}
        for start in range(0, len(behind), MAX_BATCH):
            rows = await self.graph.derived_from(behind[start : start + MAX_BATCH])
            held.update((row.id, row) for row in rows if isinstance(row, Observation))
        found = with_new_entities((held[row_id] for row_id in sorted(held)), after.index, live)
        kept = {row.id for row in found if _keeps_its_vector(held[row.id], row, names, after)}
        first = max(0, room)
        batches = [found[:first], *(found[start : start + MAX_BATCH] for start in range(first, len(found), MAX_BATCH))]
        return [
            LinkedRows(
                anew=tuple(row for row in batch if row.id not in kept),
                kept=tuple(row for row in batch if row.id in kept),
            )
            for batch in batches
        ]


def _keeps_its_vector(before: Observation, after: Observation, names: KnownNames, known: KnownNames) -> bool:
    """Return whether a row has a vector, and says with the names that are known now what it said with those before."""
    return before.embedding_status is EmbeddingStatus.READY and text_to_embed(before, names) == text_to_embed(
        after, known
    )
