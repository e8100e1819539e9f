"""Turn chosen graph rows into evidence that a prompt may cite.

Law: evidence is graph rows only (ruling A2), under aliases of its prompt (ruling D4), with the full text for offsets
and the shown part. Source thoughts are kept, to count rows of one thought once (ruling D2).

Source: rulings A2, A15, C19, C20, D2, D4.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import assert_never

from voice.core.errors import InvalidParams
from voice.core.grounding.values import Evidence
from voice.core.messages import asking as messages
from voice.core.records import Entity, EntityName, GraphRow, Observation, Relation, Scope, Thought
from voice.core.retrieval.ranking import by_cosine, unit_score
from voice.core.retrieval.values import LOCAL_HYBRID, SOURCE_TYPE, Candidate, RetrieveParams, Selection, Window
from voice.core.text.context_path import PATH_SIGN
from voice.core.text.display import thread_label
from voice.core.text.sentences import cap_span

EVIDENCE_LIMIT = 60
EVIDENCE_CANDIDATES = 90
"""Rows scored per table, with room for duplicates (ruling A15)."""

PHRASE_CANDIDATES = 500
"""The same if a quoted phrase filters most of them out."""

_Names = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRequest:
    """A turn's search; the query is cleaned (`voice.core.retrieval.params`)."""

    query: str = field(repr=False)
    limit: int = EVIDENCE_LIMIT
    candidate_limit: int = EVIDENCE_CANDIDATES
    floor: float = 0.25
    min_floor: float = 0.15
    window: Window = Window()
    scope: Scope = Scope.ALL
    include_private: bool = False
    include_tags: tuple[str, ...] = ()
    exclude_tags: tuple[str, ...] = ()
    speaker: str | None = None
    now: datetime | None = None
    superseded: bool = False
    """Also superseded rows, with their successors."""
    phrases: tuple[str, ...] = ()
    """Quoted phrases of the question; rows without any of them are excluded (ruling E)."""
    lexical_only: bool = False
    warnings: tuple[str, ...] = ()
    """Clamped values, in words (ruling C16)."""

    def to_be_read(self, query: str) -> "EvidenceRequest":
        """Return the request without floors, for rows that are read together with the question."""
        return replace(self, query=query, floor=0.0, min_floor=0.0, limit=EVIDENCE_LIMIT)

    def params(self) -> RetrieveParams:
        """Return the parameters of a graph search by fused rank (rulings A2, C20)."""
        return RetrieveParams(
            query=self.query,
            top_k=self.limit,
            floor=self.floor,
            min_floor=min(self.min_floor, self.floor),
            mix=1.0,
            include_private=self.include_private,
            include_tags=self.include_tags,
            exclude_tags=self.exclude_tags,
            provider=LOCAL_HYBRID,
            scope=self.scope,
            window=self.window,
            now=self.now,
            speaker=self.speaker,
            max_candidates_per_source=max(PHRASE_CANDIDATES if self.phrases else self.candidate_limit, self.limit),
            superseded=self.superseded,
            phrases=self.phrases,
            lexical_only=self.lexical_only,
            warnings=self.warnings,
        )


def build_evidence(selection: Selection, entities: Iterable[Entity | EntityName]) -> tuple[Evidence, ...]:
    """Return the chosen candidates as evidence, aliased `S1`, `S2`, … in order.

    Args:
        entities: the source of entity names, which are used for judging only.

    Raises:
        InvalidParams: a thought is among them (ruling A2).
    """
    return as_evidence(selection.chosen, entities)


def as_evidence(candidates: Iterable[Candidate], entities: Iterable[Entity | EntityName]) -> tuple[Evidence, ...]:
    """Return candidates as evidence, like `build_evidence`.

    Raises:
        InvalidParams: a thought is among them (ruling A2).
    """
    names = {entity.id: (entity.name, *entity.aliases) for entity in entities}
    return tuple(_evidence(f"S{number}", candidate, names) for number, candidate in enumerate(candidates, start=1))


def _evidence(alias: str, candidate: Candidate, names: _Names) -> Evidence:
    row = candidate.row
    if isinstance(row, Thought):
        raise InvalidParams(messages.THOUGHT_AS_EVIDENCE)
    start, end = cap_span(candidate.text)
    observation = row if isinstance(row, Observation) else None
    path = PATH_SIGN.join(observation.context_path) if observation else ""
    thread = observation.thread if observation else None
    origin = row.provenance[0] if observation and row.provenance else None
    return Evidence(
        alias=alias,
        row_id=row.id,
        source_type=SOURCE_TYPE[candidate.table],
        text=candidate.text,
        shown=candidate.text[start:end],
        content_hash=candidate.content_hash,
        trust=row.trust,
        created_at=row.created_at,
        entered_at=row.recorded_at,
        thought_ids=tuple(sorted({origin.thought_id for origin in row.provenance})),
        entity_names=_names_of(row, names),
        speaker=observation.speaker if observation else None,
        context=path or None,  # as a prompt shows it (ruling I1)
        thread=thread_label(thread) if thread and not path else None,  # a message's conversation; none for a note
        place=(origin.thought_id, origin.start) if origin else None,
        valid_until=row.valid_until,
        superseded_by=row.superseded_by,
        is_private=candidate.is_private,
        relevance=unit_score(candidate.rank_score),
        score=max(0.0, by_cosine(candidate)),
    )


def _names_of(row: GraphRow, names: _Names) -> tuple[str, ...]:
    match row:
        case Entity():
            return (row.name, *row.aliases)
        case Observation():
            ids = row.entity_ids
        case Relation():
            ids = (row.source_id, row.target_id)
        case _:
            assert_never(row)
    return tuple(name for entity_id in ids for name in names.get(entity_id, ()))
