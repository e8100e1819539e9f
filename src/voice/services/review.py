"""What waits for a person, together: staging puts it there, moderation and vouching take it away."""

from dataclasses import dataclass
from typing import Self

from voice.ports.candidate_store import CandidateStore
from voice.ports.noted_rows import NotedRows
from voice.ports.stores import GraphStore
from voice.services.already import Already
from voice.services.disputes import Disputes
from voice.services.ingest import Ingest
from voice.services.moderation import Moderation
from voice.services.names import Names
from voice.services.staging import Staging
from voice.services.vouching import Vouching


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """Both ends of the queue, and what programs noted."""

    staging: Staging
    moderation: Moderation
    vouching: Vouching
    """Of thoughts that programs noted."""

    @classmethod
    def of(cls, candidates: CandidateStore, noted: NotedRows, graph: GraphStore, names: Names, ingest: Ingest) -> Self:
        """Return them over one store, with the clock, the tombstones and the encoder of `ingest`."""
        staging = Staging(
            candidates=candidates,
            store=ingest.store,
            forgotten=ingest.forgotten,
            clock=ingest.clock,
            already=Already(names=names, graph=graph),
            disputes=Disputes(candidates=candidates, graph=graph, names=names),
        )
        moderation = Moderation(candidates=candidates, graph=graph, names=names, ingest=ingest)
        vouching = Vouching(noted=noted, graph=graph, ingest=ingest)
        return cls(staging=staging, moderation=moderation, vouching=vouching)
