"""Passages around the rows that a search found.

Law: a passage holds nothing that the search itself could not have found; a re-ranker that is remote sees no private row
without consent (ruling H).

Source: DESIGN 5 "Re-ranking"; ruling I1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from voice.core.retrieval.evidence import EvidenceRequest
from voice.core.retrieval.passages import Passage, join_passages, nearby, thought_of
from voice.core.retrieval.values import Candidate
from voice.ports.stores import GraphStore
from voice.services.retrieve import Retrieve

PASSAGE_LIMIT: Final = 10
"""How many passages to build, and to let a re-ranker read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinPassages:
    """The builder of passages from neighbouring sentences."""

    retrieve: Retrieve
    graph: GraphStore

    async def __call__(self, hits: Sequence[Candidate], request: EvidenceRequest) -> tuple[Passage, ...]:
        """Return the passages around the first of `hits`, in the same order.

        Args:
            hits: what was found, the best first.
            request: what found them; what it could not have found stands in no passage.

        Raises:
            ScopeRequired, StoreError: as `Retrieve` raises them.
        """
        first = hits[: 2 * PASSAGE_LIMIT]
        thoughts = {thought for hit in first if (thought := thought_of(hit)) is not None}
        places = await self.graph.sentences_of(sorted(thoughts))
        found = {hit.row.id: hit for hit in hits}
        beside = [row_id for row_id in nearby(first, places) if row_id not in found]
        visible = {each.row.id: each for each in await self.retrieve.fetch_named(beside, request)}
        return join_passages(first, places, visible | found, limit=PASSAGE_LIMIT)
