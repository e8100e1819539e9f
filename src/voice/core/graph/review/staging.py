"""Choose what of the things found in notes is sure enough to become a candidate.

Law: what is staged rests on words that are in the store: a mention whose thought is gone, or whose span lies outside of
it, counts for nothing, and what has no other mention is not staged. Enough is a threshold per kind and type, never one
number for all. Of too many the surest are staged. What was found in private thoughts and in others is staged from the
others alone, with those of its other names that stand in them or that their notes give.

How sure is sure enough to be staged, as the limits that staging takes. The thresholds are the measured ones, per kind
and type; whoever asks for a least confidence can raise them and never lower them, so that one number for all (the
spec's 0.6) lets no junk in and keeps no relation out.

Source: spec rag-organize 2; rulings C10, C13, F; promise 6; ruling F.2.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import MappingProxyType
from typing import Final, Protocol, TypeAlias

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
from voice.core.graph.review.extraction_results import ENTITY_THRESHOLDS, RELATION_THRESHOLD
from voice.core.records import Provenance, Thought
from voice.core.text.normalise import norm_v1

GivenNames: TypeAlias = Mapping[str, Collection[str]]
"""A note's id → names that it gives what it is about, in no words of its own (a vault's `aliases`)."""
NO_NAMES: Final[GivenNames] = MappingProxyType({})


class _Found(Protocol):
    @property
    def confidence(self) -> float:
        """How sure it is."""
        ...

    @property
    def mentions(self) -> tuple[Provenance, ...]:
        """Where it stands."""
        ...


class FoundEntity(_Found, Protocol):
    """An entity as extraction, or an import, found it."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    @property
    def entity_type(self) -> str:
        """Its type."""
        ...

    @property
    def aliases(self) -> tuple[str, ...]:
        """Its other names."""
        ...


class FoundRelation(_Found, Protocol):
    """A relation as extraction, or an import, found it."""

    @property
    def source(self) -> str:
        """The name of the entity it starts from."""
        ...

    @property
    def rel_type(self) -> str:
        """Its type."""
        ...

    @property
    def target(self) -> str:
        """The name of the entity it leads to."""
        ...

    @property
    def valid_from(self) -> datetime | None:
        """Since when it is true."""
        ...

    @property
    def valid_until(self) -> datetime | None:
        """From when on it is no longer true."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StageLimits:
    """What is sure enough to be staged, and how much at once; None is no bound."""

    entities: float
    """The least confidence of an entity whose type has none of its own."""
    relations: float
    types: Mapping[str, float] = field(default_factory=dict[str, float])
    """Entity type → its least confidence."""
    max_nodes: int | None = 30
    max_edges: int | None = 60

    def least(self, proposal: Proposal) -> float:
        """Return the confidence from which on `proposal` is staged."""
        if isinstance(proposal, EntityProposal):
            return self.types.get(proposal.entity_type, self.entities)
        return self.relations

    def most(self, kind: CandidateKind) -> int | None:
        """Return how many of a kind are staged at once."""
        return self.max_nodes if kind is CandidateKind.ENTITY else self.max_edges


@dataclass(frozen=True, slots=True, kw_only=True)
class StagingChoice:
    """What is to be staged, and how much is not."""

    candidates: tuple[Candidate, ...]
    """Entities first, the surest first."""
    unsure: int
    """Found, but below the threshold."""
    over: int
    """Sure enough, but more than is staged at once."""
    groundless: int
    """Without a mention in the store, or without a name."""


def choose_candidates(
    entities: Sequence[FoundEntity],
    relations: Sequence[FoundRelation],
    thoughts: Mapping[str, Thought],
    limits: StageLimits,
    *,
    now: datetime,
    given: GivenNames = NO_NAMES,
) -> StagingChoice:
    """Return the candidates of what was found.

    Args:
        entities: what was found, in any order.
        relations: likewise.
        thoughts: those of the thoughts with the mentions that are in the store, by id.
        limits: what is enough and how much.
        given: the other names that a note gives beside its words; a name that no note speaks or gives is left out.
    """
    made = [_entity(each, thoughts, now, given) for each in entities] + [
        _relation(each, thoughts, now) for each in relations
    ]
    grounded = _joined(each for each in made if each is not None)
    sure = [each for each in grounded if each.confidence >= limits.least(each.proposed)]
    kept: list[Candidate] = []
    for kind in CandidateKind:
        of_kind = sorted((each for each in sure if each.kind is kind), key=lambda each: (-each.confidence, each.id))
        kept += of_kind[: limits.most(kind)]
    return StagingChoice(
        candidates=tuple(kept),
        unsure=len(grounded) - len(sure),
        over=len(sure) - len(kept),
        groundless=made.count(None),
    )


def _entity(found: FoundEntity, thoughts: Mapping[str, Thought], now: datetime, given: GivenNames) -> Candidate | None:
    spans, is_private = _grounds(found.mentions, thoughts)
    ids = dict.fromkeys(span.thought_id for span in spans)
    texts = [norm_v1(thoughts[each].content) for each in ids] if found.aliases else []
    told = {norm_v1(name) for each in ids for name in given.get(each, ())}
    spoken = tuple(
        alias for alias in found.aliases if norm_v1(alias) in told or any(norm_v1(alias) in text for text in texts)
    )
    try:
        proposed = EntityProposal(name=found.name, entity_type=found.entity_type, aliases=spoken)
    except InvalidParams:
        return None
    return _candidate(proposed, found.confidence, spans, is_private=is_private, now=now)


def _relation(found: FoundRelation, thoughts: Mapping[str, Thought], now: datetime) -> Candidate | None:
    spans, is_private = _grounds(found.mentions, thoughts)
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


def _grounds(mentions: Iterable[Provenance], thoughts: Mapping[str, Thought]) -> tuple[tuple[Provenance, ...], bool]:
    """Return the mentions that count, and whether they are all private."""
    there = [
        span for span in mentions if span.thought_id in thoughts and span.end <= len(thoughts[span.thought_id].content)
    ]
    public = tuple(span for span in there if not thoughts[span.thought_id].is_private)
    return public or tuple(there), not public


def _joined(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates, those of one id as one."""
    found: dict[str, Candidate] = {}
    for each in candidates:
        merged = restaged(found.get(each.id), each)
        if merged is not None:
            found[each.id] = merged if merged.revision == 1 else replace(merged, revision=1)
    return list(found.values())


UNKNOWN_TYPE_THRESHOLD = 0.75
"""Of an entity of a type that was not measured."""


def stage_limits(least: float = 0.0, *, max_nodes: int | None = None, max_edges: int | None = None) -> StageLimits:
    """Return the limits under which things are staged.

    Args:
        least: what everything must reach besides the threshold of its kind.
        max_nodes: how many entities at once; None is no bound.
        max_edges: how many relations at once.
    """
    return StageLimits(
        entities=max(least, UNKNOWN_TYPE_THRESHOLD),
        relations=max(least, RELATION_THRESHOLD),
        types={name: max(least, threshold) for name, threshold in ENTITY_THRESHOLDS.items()},
        max_nodes=max_nodes,
        max_edges=max_edges,
    )


def is_below_every_threshold(least: float) -> bool:
    """Return whether asking for `least` changes nothing."""
    return least < min(*ENTITY_THRESHOLDS.values(), RELATION_THRESHOLD)
