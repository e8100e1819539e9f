"""Looking up what contradicts candidates.

Law: only what the reader may see is held against a candidate (promise 6), and structure alone decides: edges of one
subject and one kind of which one holds at a time. Nothing is changed.

Source: ruling F; promise 6.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from voice.core.graph.candidates import Candidate, CandidateKind, CandidateStatus, RelationProposal
from voice.core.graph.disputes import disputable, disputes, meanings
from voice.core.records import Relation
from voice.ports.candidate_store import CandidateFilter, CandidateStore
from voice.ports.stores import MAX_BATCH, GraphStore
from voice.services.names import Names


@dataclass(frozen=True, slots=True, kw_only=True)
class Against:
    """What cannot be true beside a candidate, as it is read."""

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
