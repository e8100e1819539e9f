"""Candidates for tests: plain ones, and ones with no field at its default."""

from dataclasses import replace
from datetime import timedelta

from store_values import FIRST_DAY, LAST_DAY, NOON
from voice.core.graph.review.candidates import (
    Candidate,
    CandidateStatus,
    EntityProposal,
    Proposal,
    RelationProposal,
    candidate_id,
)
from voice.core.records import Origin, Provenance

MINUTE = timedelta(minutes=1)


def candidate(proposed: Proposal, **members: object) -> Candidate:
    base = Candidate(
        id=candidate_id(proposed),
        proposed=proposed,
        confidence=0.5,
        provenance=(Provenance(thought_id="t:1", start=0, end=5),),
        staged_at=NOON,
    )
    return replace(base, **members)  # pyright: ignore[reportArgumentType]


def person(name: str = "Ada", **members: object) -> Candidate:
    return candidate(EntityProposal(name=name, entity_type="person"), **members)


def edge(source: str = "Ada", rel_type: str = "works_at", target: str = "Kiln Co", **members: object) -> Candidate:
    return candidate(RelationProposal(source=source, rel_type=rel_type, target=target), **members)


def full_candidates() -> tuple[Candidate, ...]:
    """One of each kind with no field at its default but `revision` and `seq`, which the store decides."""
    decided: dict[str, object] = {
        "status": CandidateStatus.APPROVED,
        "confidence": 0.1,
        "provenance": (Provenance(thought_id="t:1", start=3, end=9), Provenance(thought_id="t:2", start=0, end=0)),
        "is_private": True,
        "staged_at": FIRST_DAY,
        "decided_at": LAST_DAY,
        "decided_by": Origin.TOOL,
        "reason": "said so, שלום",
    }
    found = EntityProposal(name="Ada Ünï", entity_type="person", aliases=("Adi", "A."), description="a friend")
    edge_found = RelationProposal(
        source="Adele",
        rel_type="works_at",
        target="Kiln Co",
        description="since school",
        valid_from=FIRST_DAY,
        valid_until=LAST_DAY,
    )
    return (
        candidate(found, **decided, edited=replace(found, name="Ada L."), row_id="e:1"),
        candidate(edge_found, **decided, edited=replace(edge_found, target="Kiln"), row_id="r:1"),
    )
