"""Stage what was found in notes for a person's review.

Law: nothing staged is in the graph. Staging again changes nothing; what was rejected is not staged again, and what was
forgotten stays forgotten (rulings F, H). What was found in many notes is staged in transactions of a bounded size.

Source: spec rag-organize 2; rulings A21, C10, F, H.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Final

from voice.core.graph.review.candidate_rows import entity_of
from voice.core.graph.review.candidates import Candidate, CandidateKind, CandidateStatus, EntityProposal, restaged
from voice.core.graph.review.staging import (
    NO_NAMES,
    FoundEntity,
    FoundRelation,
    GivenNames,
    StageLimits,
    choose_candidates,
)
from voice.core.records import Origin, Thought
from voice.ports.review_stores import CandidateStore
from voice.ports.stores import MemoryStore
from voice.ports.system import Clock
from voice.services.graph.existing_rows import Disputes, ExistingRows
from voice.services.memory.forgotten_rows import Forgotten

_BATCH: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """The result of staging; every number is a count of candidates."""

    pending_entities: int = 0
    """New ones that wait from now on."""
    pending_relations: int = 0
    linked: int = 0
    """Links that a person wrote, which are in the graph from now on and wait for nobody."""
    grown: int = 0
    """Were there and have got further mentions."""
    unchanged: int = 0
    """Were there as they are."""
    known: int = 0
    """Left out because the graph holds them already."""
    rejected: int = 0
    """Left out because they were rejected before."""
    forgotten: int = 0
    """Left out because they were forgotten before."""
    unsure: int = 0
    """Left out because they are below the threshold."""
    over: int = 0
    """Left out because they are more than are staged at once."""
    groundless: int = 0
    """Left out because nothing in the store speaks of them."""
    contradicting: int = 0
    """New relations that cannot be true beside another one that is known or waits; a review shows both."""
    unsupported: int = 0
    """Left out because the note that a model found them in does not support them."""
    unread: int = 0
    """Notes that a model was not shown, or of which its reply told nothing usable."""
    waiting_entities: frozenset[str] = field(default=frozenset(), compare=False)
    """Ids of the found entities that are pending, new or not."""
    waiting_relations: frozenset[str] = field(default=frozenset(), compare=False)
    behind: frozenset[str] = field(default=frozenset(), compare=False)
    """Ids of the thoughts that pending and approved candidates rest on, new or not."""

    def __add__(self, other: "Staged") -> "Staged":
        """Return the sum of two calls."""
        counts = {name: getattr(self, name) + getattr(other, name) for name in _COUNTS}
        return Staged(
            **counts,
            waiting_entities=self.waiting_entities | other.waiting_entities,
            waiting_relations=self.waiting_relations | other.waiting_relations,
            behind=self.behind | other.behind,
        )


_COUNTS: Final = tuple(each.name for each in fields(Staged) if each.compare)


@dataclass(frozen=True, slots=True, kw_only=True)
class Staging:
    """Staging of found entities and relations as candidates for a person to decide on."""

    candidates: CandidateStore
    store: MemoryStore
    forgotten: Forgotten
    clock: Clock
    already: ExistingRows | None = None
    """Finds candidates that the graph already holds; None: all are staged."""
    disputes: Disputes | None = None
    """Finds candidates that contradict others; None: not checked."""

    async def stage(
        self,
        entities: Sequence[FoundEntity],
        relations: Sequence[FoundRelation] = (),
        *,
        limits: StageLimits,
        given: GivenNames = NO_NAMES,
        dry_run: bool = False,
    ) -> Staged:
        """Stage what is sure enough, and return the counts; under `dry_run` nothing is written.

        Of other names those are kept that a note behind the thing speaks or gives (`given`).

        Raises:
            SessionConflict: somebody else decided or staged the same meanwhile; staging again finishes it.
            StoreError: not everything was staged; staging again finishes it.
        """
        now = self.clock.now()
        ids = {span.thought_id for found in (*entities, *relations) for span in found.mentions}
        rows = await self.store.fetch(sorted(ids))
        thoughts = {row_id: row for row_id, row in rows.items() if isinstance(row, Thought)}
        chosen = choose_candidates(entities, relations, thoughts, limits, now=now, given=given)
        gone = await self._forgotten(chosen.candidates, thoughts)
        stored, known = await self._existing(chosen.candidates, gone)
        alive = [each for each in chosen.candidates if each.id not in gone | known]
        changed = [(stored.get(each.id), restaged(stored.get(each.id), each)) for each in alive]
        if not dry_run:
            await self._save([after for _, after in changed if after is not None])
        standing = [after or stored[each.id] for each, (_, after) in zip(alive, changed, strict=True)]
        new = [after for before, after in changed if before is None and after is not None]
        rejected = sum(each.status is CandidateStatus.REJECTED for each in stored.values())
        grown = sum(before is not None and after is not None for before, after in changed)
        return Staged(
            pending_entities=sum(each.kind is CandidateKind.ENTITY for each in new),
            pending_relations=sum(each.kind is CandidateKind.RELATION for each in new),
            grown=grown,
            unchanged=len(stored) - grown - rejected,
            known=len(known),
            rejected=rejected,
            forgotten=len(gone),
            unsure=chosen.unsure,
            over=chosen.over,
            groundless=chosen.groundless,
            waiting_entities=_waiting(standing, CandidateKind.ENTITY),
            waiting_relations=_waiting(standing, CandidateKind.RELATION),
            behind=_behind([*standing, *(each for each in chosen.candidates if each.id in known)]),
            contradicting=len(await self.disputes(new, include_private=False)) if self.disputes else 0,
        )

    async def _existing(
        self, candidates: Sequence[Candidate], gone: frozenset[str]
    ) -> tuple[dict[str, Candidate], frozenset[str]]:
        """Return the stored candidates by id, and the ids of the others that the graph already holds."""
        stored = await self.candidates.fetch([each.id for each in candidates if each.id not in gone])
        fresh = [each for each in candidates if each.id not in gone | stored.keys()]
        return stored, await self.already(fresh) if self.already else frozenset()

    async def _save(self, changed: Sequence[Candidate]) -> None:
        for start in range(0, len(changed), _BATCH):
            await self.candidates.save(changed[start : start + _BATCH])

    async def _forgotten(self, candidates: Sequence[Candidate], thoughts: dict[str, Thought]) -> frozenset[str]:
        """Return the ids of the candidates whose entity was forgotten before."""
        rows = {
            candidate.id: entity_of(candidate, proposed, thoughts, now=candidate.staged_at, by=Origin.MODEL)
            for candidate in candidates
            if isinstance(proposed := candidate.proposed, EntityProposal)
        }
        gone = await self.forgotten.among(list(rows.values()))
        return frozenset(candidate_id for candidate_id, row in rows.items() if row.id in gone)


def _waiting(candidates: Sequence[Candidate], kind: CandidateKind) -> frozenset[str]:
    return frozenset(each.id for each in candidates if each.kind is kind and each.status is CandidateStatus.PENDING)


def _behind(candidates: Sequence[Candidate]) -> frozenset[str]:
    """Return the ids of the thoughts that candidates rest on, rejected candidates left out."""
    standing = (each for each in candidates if each.status is not CandidateStatus.REJECTED)
    return frozenset(span.thought_id for each in standing for span in each.provenance)
