"""Rows and candidates for the tests of retrieval, with everything that does not matter filled in."""

from datetime import UTC, datetime

from voice.core.records import Entity, Observation, Origin, Relation, Row, RowStatus, Scope, Thought, TrustTier
from voice.core.retrieval.values import Candidate
from voice.core.text.normalise import content_hash

AT = datetime(2026, 3, 5, 14, tzinfo=UTC)


def thought(key: str, text: str | None = None, *, origin: Origin = Origin.HUMAN, at: datetime = AT) -> Thought:
    return Thought(id=f"t:{key}", created_at=at, recorded_at=AT, origin=origin, content=text or f"thought {key}")


def observation(
    key: str, text: str | None = None, *, trust: TrustTier = TrustTier.GREEN, at: datetime = AT
) -> Observation:
    return Observation(
        id=f"o:{key}",
        created_at=at,
        recorded_at=AT,
        origin=Origin.HUMAN,
        trust=trust,
        text=text or f"observation {key}",
    )


def entity(key: str, name: str, description: str = "", *, entity_type: str = "person") -> Entity:
    return Entity(
        id=f"e:{key}",
        created_at=AT,
        recorded_at=AT,
        origin=Origin.HUMAN,
        trust=TrustTier.GREEN,
        name=name,
        entity_type=entity_type,
        description=description,
    )


def relation(key: str, source: str, rel_type: str, target: str, description: str = "") -> Relation:
    return Relation(
        id=f"r:{key}",
        created_at=AT,
        recorded_at=AT,
        origin=Origin.HUMAN,
        trust=TrustTier.GREEN,
        source_id=f"e:{source}",
        target_id=f"e:{target}",
        rel_type=rel_type,
        description=description,
    )


def candidate(
    row: Row, cosine: float | None = 0.5, *, lexical: float = 0.0, rank: float | None = None, text: str | None = None
) -> Candidate:
    shown = text if text is not None else _text(row)
    return Candidate(
        row=row,
        text=shown,
        content_hash=content_hash(shown),
        cosine=cosine,
        lexical=lexical,
        rank_score=rank if rank is not None else (cosine or 0.0) + lexical,
    )


def thoughts(count: int, *, best: float = 0.9, step: float = 0.01) -> list[Candidate]:
    return [candidate(thought(f"{n:03}"), round(best - n * step, 6)) for n in range(count)]


def observations(count: int, *, best: float = 0.9, step: float = 0.01) -> list[Candidate]:
    return [candidate(observation(f"{n:03}"), round(best - n * step, 6)) for n in range(count)]


def _text(row: Row) -> str:
    match row:
        case Thought():
            return row.content
        case Observation():
            return row.text
        case Entity():
            return f"{row.name} ({row.entity_type}): {row.description}"
        case Relation():
            return f"{row.source_id} {row.rel_type} {row.target_id}"


LATER_STATES = (RowStatus.REMOVAL, RowStatus.SUPERSEDED, RowStatus.REDACTED)
HOME = Scope(session_id="s1", repo_id="/home")
