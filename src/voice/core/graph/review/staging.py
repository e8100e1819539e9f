"""Choose the extraction results that become candidates.

Law: mentions must be inside existing thoughts. Thresholds are per kind and type; a requested minimum can only raise
them. Above the limits the most certain are kept. Of public and private sources only the public ones count.
Source: spec rag-organize 2; rulings C10, C13, F; promise 6.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import MappingProxyType
from typing import Final, TypeAlias

from voice.core.errors import InvalidParams
from voice.core.graph.review.candidates import (
    Candidate,
    CandidateKind,
    EntityProposal,
    Proposal,
    RelationProposal,
    candidate_id,
    restaged,
)
from voice.core.graph.review.extraction_results import ENTITY_THRESHOLDS, RELATION_THRESHOLD, FoundEntity, FoundRelation
from voice.core.records import Provenance, Thought
from voice.core.text.normalise import norm_v1

GivenNames: TypeAlias = Mapping[str, Collection[str]]
"""Note id to names given outside its text (a vault's `aliases`)."""
NO_NAMES: Final[GivenNames] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class StageLimits:
    """Staging thresholds and limits; None is unlimited."""

    entities: float
    """Minimum for entities of other types."""
    relations: float
    types: Mapping[str, float] = field(default_factory=dict[str, float])
    """Minimum by entity type."""
    max_nodes: int | None
    max_edges: int | None

    def least(self, proposal: Proposal) -> float:
        """Return the minimum confidence for `proposal`."""
        if isinstance(proposal, EntityProposal):
            return self.types.get(proposal.entity_type, self.entities)
        return self.relations


@dataclass(frozen=True, slots=True, kw_only=True)
class StagingChoice:
    """Candidates to stage, with counts of the rest."""

    candidates: tuple[Candidate, ...]
    """Entities first, most certain first."""
    unsure: int
    """Below the threshold."""
    over: int
    """Above the limit."""
    groundless: int
    """Without a valid mention or name."""


def choose_candidates(
    entities: Sequence[FoundEntity],
    relations: Sequence[FoundRelation],
    thoughts: Mapping[str, Thought],
    limits: StageLimits,
    *,
    now: datetime,
    given: GivenNames = NO_NAMES,
) -> StagingChoice:
    """Choose candidates from extraction results; aliases found neither in the text nor in `given` are dropped."""
    made: list[Candidate | None] = [_entity_candidate(each, thoughts, now, given) for each in entities]
    made += [_relation_candidate(each, thoughts, now) for each in relations]
    grounded = _merged(each for each in made if each is not None)
    sure = [each for each in grounded if each.confidence >= limits.least(each.proposed)]
    kept: list[Candidate] = []
    for kind, most in ((CandidateKind.ENTITY, limits.max_nodes), (CandidateKind.RELATION, limits.max_edges)):
        of_kind = sorted((each for each in sure if each.kind is kind), key=lambda each: (-each.confidence, each.id))
        kept += of_kind[:most]  # None: all
    return StagingChoice(
        candidates=tuple(kept),
        unsure=len(grounded) - len(sure),
        over=len(sure) - len(kept),
        groundless=made.count(None),
    )


def _entity_candidate(
    found: FoundEntity, thoughts: Mapping[str, Thought], now: datetime, given: GivenNames
) -> Candidate | None:
    spans, is_private = _valid_mentions(found.mentions, thoughts)
    ids = dict.fromkeys(span.thought_id for span in spans)
    texts = [norm_v1(thoughts[each].content) for each in ids] if found.aliases else []
    names = {norm_v1(name) for each in ids for name in given.get(each, ())}
    aliases = tuple(
        alias for alias in found.aliases if norm_v1(alias) in names or any(norm_v1(alias) in text for text in texts)
    )
    try:
        proposed = EntityProposal(name=found.name, entity_type=found.entity_type, aliases=aliases)
    except InvalidParams:  # without a visible character
        return None
    return _candidate(proposed, found.confidence, spans, is_private=is_private, now=now)


def _relation_candidate(found: FoundRelation, thoughts: Mapping[str, Thought], now: datetime) -> Candidate | None:
    spans, is_private = _valid_mentions(found.mentions, thoughts)
    try:
        proposed = RelationProposal(
            source=found.source,
            rel_type=found.rel_type,
            target=found.target,
            valid_from=found.valid_from,
            valid_until=found.valid_until,
        )
    except InvalidParams:
        return None
    return _candidate(proposed, found.confidence, spans, is_private=is_private, now=now)


def _candidate(
    proposed: Proposal, confidence: float, spans: tuple[Provenance, ...], *, is_private: bool, now: datetime
) -> Candidate | None:
    if not spans:
        return None
    return Candidate(
        id=candidate_id(proposed),
        proposed=proposed,
        confidence=confidence,
        provenance=spans,
        is_private=is_private,
        staged_at=now,
    )


def _valid_mentions(
    mentions: Iterable[Provenance], thoughts: Mapping[str, Thought]
) -> tuple[tuple[Provenance, ...], bool]:
    """Return the valid mentions, public ones if any, and whether they are all private."""
    valid = [
        span for span in mentions if span.thought_id in thoughts and span.end <= len(thoughts[span.thought_id].content)
    ]
    public = tuple(span for span in valid if not thoughts[span.thought_id].is_private)
    return public or tuple(valid), not public


def _merged(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Merge candidates with the same id."""
    found: dict[str, Candidate] = {}
    for each in candidates:
        merged = restaged(found.get(each.id), each)
        if merged is not None:
            # Not stored yet: merging is no revision of it.
            found[each.id] = merged if merged.revision == 1 else replace(merged, revision=1)
    return list(found.values())


_UNKNOWN_TYPE_THRESHOLD = 0.75  # of entity types that were not measured


def stage_limits(least: float = 0.0, *, max_nodes: int | None = None, max_edges: int | None = None) -> StageLimits:
    """Return the limits: `least` is a further minimum for all kinds; None is unlimited."""
    return StageLimits(
        entities=max(least, _UNKNOWN_TYPE_THRESHOLD),
        relations=max(least, RELATION_THRESHOLD),
        types={name: max(least, threshold) for name, threshold in ENTITY_THRESHOLDS.items()},
        max_nodes=max_nodes,
        max_edges=max_edges,
    )


def is_below_every_threshold(least: float) -> bool:
    """Return whether `least` is below every threshold, hence without effect."""
    return least < min(*ENTITY_THRESHOLDS.values(), RELATION_THRESHOLD)
