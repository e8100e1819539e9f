"""Looking up what contradicts candidates.

Law: only what the reader may see is held against a candidate (promise 6). Nothing is changed.

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
    """An edge that cannot be true beside a candidate, as it is read."""

    id: str
    """Of an edge in the graph, or of another candidate."""
    said: RelationProposal
    """Its ends by their names."""


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
        told = {
            **{each.id: said for each in every.values() if isinstance(said := each.proposal, RelationProposal)},
            **{edge.id: _proposal(edge, called) for edge in edges},
        }
        found = disputes(every.values(), edges, meant)
        wanted = {each.id for each in asked}
        return {
            row_id: tuple(Against(id=other, said=told[other]) for other in against)
            for row_id, against in found.items()
            if row_id in wanted
        }

    async def _edges(self, entity_ids: Sequence[str], *, include_private: bool) -> list[Relation]:
        found = await self.graph.relations_of(entity_ids) if entity_ids else []
        return [edge for edge in found if include_private or not edge.is_private]


def _proposal(edge: Relation, called: Mapping[str, str]) -> RelationProposal:
    return RelationProposal(
        source=called.get(edge.source_id, edge.source_id),
        rel_type=edge.rel_type,
        target=called.get(edge.target_id, edge.target_id),
        valid_from=edge.valid_from,
        valid_until=edge.valid_until,
    )
