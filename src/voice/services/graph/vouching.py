"""Vouch for what programs noted, decide many candidates at once, and enter links without review.

Law: a decision on a thought and all that it makes count are one transaction (rulings J2, I8); a dry run decides the
same and writes nothing. Nothing private shows unless it is asked for. What was forgotten does not come back by it.

Links between notes are approved in the person's name where the person wrote the notes, and wait like everything else
where somebody else did (rulings C10, H, I5). Many verdicts are carried out some hundred at a time, those on entities
before those on relations; one that cannot be carried out keeps no other one out, and what it was said of still waits.
Whoever is interrupted decides the same again.

Source: rulings A21, C10, C17, H, I5, I8, J2; promise 6; spec rag-organize 6.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final, Self

from voice.core.errors import InvalidParams, UnknownId
from voice.core.graph.entity_names import KnownNames
from voice.core.graph.review.decisions import Approve, Decision
from voice.core.graph.thoughts.distillation import distil
from voice.core.graph.thoughts.vouching import NotedFilter, approved, declined, is_wanted, outgrown, require_noted
from voice.core.records import Observation, Origin, Thought
from voice.core.vouch import Vouch
from voice.ports.review_stores import CandidateStore, NotedRows
from voice.ports.stores import GraphStore
from voice.services.graph.moderation import Moderated, Moderation
from voice.services.graph.staging import ExistingRows, Staging
from voice.services.memory.ingest import Ingest
from voice.services.retrieval.row_lookups import fetch_thoughts

PAGE = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class NotedPage:
    """Some of the thoughts that were asked for, the newest first."""

    thoughts: tuple[Thought, ...]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Vouched:
    """The result of a decision."""

    thoughts: tuple[Thought, ...]
    """As they stand now, in the order they were named."""
    observations: int
    dry_run: bool
    unembedded: int = 0
    fault: str | None = None
    """Why some have no vector yet (ruling C17)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vouching:
    """Shows what programs noted, and carries out what is said of it."""

    noted: NotedRows
    graph: GraphStore
    ingest: Ingest

    async def listed(self, where: NotedFilter, *, limit: int | None = None) -> NotedPage:
        """Return the thoughts wanted, newest first, at most `limit`. Raises InvalidParams: `limit` is less than 1."""
        if limit is not None and limit < 1:
            raise InvalidParams("the limit must be 1 or more")
        ids = await self.noted.noted(tuple(Vouch) if where.vouched is None else (where.vouched,))
        found = [row for row in (await fetch_thoughts(self.ingest.store, ids)).values() if is_wanted(row, where)]
        found.sort(key=lambda each: each.id)  # stable: equal times stay by id
        found.sort(key=lambda each: each.recorded_at, reverse=True)
        return NotedPage(thoughts=tuple(found[:limit]), total=len(found))

    async def approve(self, ids: Sequence[str], *, sentences: Collection[int] = (), dry_run: bool = False) -> Vouched:
        """Let thoughts count from now on, or of one only the `sentences` of these numbers. Without numbers sentences
        that name what was not found stay out: a thought that says nothing else goes on waiting. Raises UnknownId: one
        is not there; InvalidParams: nobody has to vouch for one, or it has no such sentence; StoreError: ask for the
        same again."""
        held, names = await self._require(ids), await self.ingest.names.known()
        if sentences and len(held) != 1:
            raise InvalidParams("choose sentences of only one note at a time")
        at = self.ingest.clock.now()
        told = [approved(each, at=at, sentences=sentences) for each in held]
        made = [await self._new_statements(each, names) if each.vouched is not Vouch.WAITING else () for each in told]
        count = sum(map(len, made))
        if dry_run:
            return Vouched(thoughts=tuple(told), observations=count, dry_run=True)
        unembedded, fault = 0, None
        for thought, rows in zip(told, made, strict=True):
            if thought.vouched is Vouch.WAITING:  # nothing in it was found, so it goes on waiting
                continue
            gone = outgrown(await self.graph.derived_from([thought.id]), thought, rows, at=at)
            missing, why = await self.ingest.save((thought, *rows), names=names, beside=gone)
            unembedded, fault = unembedded + missing, fault or why
        return Vouched(thoughts=tuple(told), observations=count, dry_run=False, unembedded=unembedded, fault=fault)

    async def decline(self, ids: Sequence[str], *, dry_run: bool = False) -> Vouched:
        """Let thoughts count for nothing and be found no more. Raises UnknownId: one of them is not there;
        InvalidParams: nobody has to vouch for one of them, or some of it counts already."""
        at = self.ingest.clock.now()
        told = [declined(each, at=at) for each in await self._require(ids, even_marked=True)]
        missing, why = 0, None
        if not dry_run:
            missing, why = await self.ingest.save(told, names=await self.ingest.names.known())
        return Vouched(thoughts=tuple(told), observations=0, dry_run=dry_run, unembedded=missing, fault=why)

    async def _require(self, ids: Sequence[str], *, even_marked: bool = False) -> list[Thought]:
        asked = list(dict.fromkeys(ids))
        if not asked:
            raise InvalidParams("name at least one note (t:…)")
        rows = await self.ingest.store.fetch(asked)
        missing = next((each for each in asked if each not in rows), None)
        if missing is not None:
            raise UnknownId(f"there is no note {missing}")
        found = [rows[each] for each in asked]
        for row in found:
            require_noted(row, even_marked=even_marked)
        return [row for row in found if isinstance(row, Thought)]

    async def _new_statements(self, thought: Thought, names: KnownNames) -> tuple[Observation, ...]:
        made = distil(thought, entities=names.index)
        there = await self.ingest.store.fetch([row.id for row in made])
        gone = await self.ingest.forgotten.among(made)
        return tuple(row for row in made if row.id not in there and row.id not in gone)  # approved before, or forgotten


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """Both ends of the queue, and what programs noted."""

    staging: Staging
    moderation: Moderation
    vouching: Vouching

    @classmethod
    def of(cls, candidates: CandidateStore, noted: NotedRows, graph: GraphStore, ingest: Ingest) -> Self:
        """Return them over one store, with the names, the clock, the tombstones and the encoder of `ingest`."""
        existing = ExistingRows(names=ingest.names, graph=graph)
        staging = Staging(candidates=candidates, ingest=ingest, already=existing)
        moderation = Moderation(candidates=candidates, graph=graph, names=ingest.names, ingest=ingest)
        vouching = Vouching(noted=noted, graph=graph, ingest=ingest)
        return cls(staging=staging, moderation=moderation, vouching=vouching)


_OWN: Final = (Origin.HUMAN, Origin.LOGGED)  # what they link needs no review


async def enter_links(
    moderation: Moderation, ids: Collection[str], *, progress: Callable[[int, int], None] | None = None
) -> frozenset[str]:
    """Approve candidates, entities before relations, and return the ids of those now in the graph. `progress` is told
    how many are decided, and of how many. Raises SessionConflict, StoreError: not all entered; enter them again."""
    held = await moderation.candidates.fetch(sorted(ids))
    behind = (span.thought_id for each in held.values() for span in each.provenance)
    rows = await fetch_thoughts(moderation.ingest.store, behind)
    origins = {row_id: row.origin for row_id, row in rows.items()}
    written = {each.id: _lowest({origins.get(span.thought_id) for span in each.provenance}) for each in held.values()}
    done, decided = set[str](), 0
    total = sum(origin in _OWN for origin in written.values())

    def advance(more: int) -> None:
        nonlocal decided
        decided += more
        if progress:
            progress(decided, total)

    for origin in _OWN:  # each in its writer's name, which sets its trust
        said = [Approve(candidate_id=each) for each in held if written[each] is origin]
        came = await decide_many(moderation, said, by=origin, progress=advance)
        done |= {step.candidate_id for step in came.steps}
    return frozenset(done)


def _lowest(origins: Collection[Origin | None]) -> Origin:
    """Return the one origin that all of it has at least; a model's where something else wrote some of it."""
    if not set(origins) <= set(_OWN):
        return Origin.MODEL
    return Origin.HUMAN if set(origins) == {Origin.HUMAN} else Origin.LOGGED


_AT_ONCE: Final = 400  # verdicts in one transaction; ends come on top


async def decide_many(
    moderation: Moderation,
    verdicts: Sequence[Decision],
    *,
    by: Origin,
    with_ends: bool = False,
    dry_run: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Moderated:
    """Carry out verdicts on candidates, each on another one, however many. `with_ends` and `dry_run` are as in
    `Moderation.decide`; ends that only the batch would bring are missing in a dry run. Raises UnknownId: a candidate is
    not there; SessionConflict, StoreError: what was decided before stays."""
    held = await moderation.candidates.fetch([each.candidate_id for each in verdicts])
    # Unknown ids come first, so that they stop everything; "entity" sorts before "relation", so ends are there.
    ordered = sorted(verdicts, key=lambda each: held[each.candidate_id].kind if each.candidate_id in held else "")
    done = Moderated(steps=(), dry_run=dry_run)
    for start in range(0, len(ordered), _AT_ONCE):
        part = ordered[start : start + _AT_ONCE]
        done += await _decide_part(moderation, part, by=by, with_ends=with_ends, dry_run=dry_run)
        if progress:
            progress(len(part))
    return done


async def _decide_part(
    moderation: Moderation, verdicts: Sequence[Decision], *, by: Origin, with_ends: bool, dry_run: bool
) -> Moderated:
    """Carry out a part; where one of it cannot be, each half by itself."""
    try:
        return await moderation.decide(verdicts, by=by, with_ends=with_ends, dry_run=dry_run)
    except InvalidParams as fault:  # one of them fails: halve until it stands alone
        if len(verdicts) == 1:
            return Moderated(steps=(), dry_run=dry_run, refused=((verdicts[0].candidate_id, fault.message),))
    half = len(verdicts) // 2
    first = await _decide_part(moderation, verdicts[:half], by=by, with_ends=with_ends, dry_run=dry_run)
    return first + await _decide_part(moderation, verdicts[half:], by=by, with_ends=with_ends, dry_run=dry_run)
