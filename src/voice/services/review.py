"""What waits for a person, together: staging puts it there, moderation takes it away."""

from dataclasses import dataclass
from typing import Self

from voice.ports.candidate_store import CandidateStore
from voice.ports.stores import GraphStore
from voice.services.already import Already
from voice.services.disputes import Disputes
from voice.services.ingest import Ingest
from voice.services.moderation import Moderation
from voice.services.names import Names
from voice.services.staging import Staging


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """Both ends of the queue."""

    staging: Staging
    moderation: Moderation

    @classmethod
    def of(cls, candidates: CandidateStore, graph: GraphStore, names: Names, ingest: Ingest) -> Self:
        """Return both over one store, with the clock, the tombstones and the encoder of `ingest`."""
        staging = Staging(
            candidates=candidates,
            store=ingest.store,
            forgotten=ingest.forgotten,
            clock=ingest.clock,
            already=Already(names=names, graph=graph),
            disputes=Disputes(candidates=candidates, graph=graph, names=names),
        )
        moderation = Moderation(candidates=candidates, graph=graph, names=names, ingest=ingest)
        return cls(staging=staging, moderation=moderation)
