"""What of the things that were found the graph holds already.

Law: what a person entered, approved or linked is not asked again (ruling I5): an entity is held when one of its name,
or with that other name, is in the graph, whatever it was taken for; a relation when its ends are. What is private
tells nothing of what is not (promise 6). Reads, and writes nothing.

Source: ruling I5; promise 6.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from voice.core.graph.candidates import Candidate, EntityProposal, RelationProposal
from voice.core.graph.extracted import SYMMETRIC
from voice.core.graph.names import KnownNames
from voice.core.records import RowStatus
from voice.core.text.normalise import norm_v1
from voice.ports.stores import MAX_BATCH, GraphStore
from voice.services.names import Names

_Edge = tuple[str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Already:
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
