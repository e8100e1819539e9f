"""Show candidates with the words they rest on, and carry out the person's decision.

Law: a batch is one transaction, as a whole or not at all; a dry run decides the same and writes nothing.
Source: spec rag-organize 6; rulings C10, C17, F, H; promise 6.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Final

from voice.core.errors import InvalidParams, UnknownId
from voice.core.graph.entity_names import KnownNames
from voice.core.graph.review.candidates import (
    Candidate,
    CandidateKind,
    CandidateStatus,
    Cursor,
    RelationProposal,
    became_private,
    names_of,
)
from voice.core.graph.review.decisions import (
    Alias,
    Approve,
    Conditions,
    Decision,
    Edit,
    Place,
    Queue,
    approved_relations,
    names_in_decisions,
    queue_of,
)
from voice.core.graph.review.promotion import KnownGraph, PromotionPlan, Step, plan_promotion, unborne
from voice.core.records import Entity, EntityName, Origin, Relation, Thought
from voice.core.text.instants import date_sort_key
from voice.core.text.normalise import norm_v1
from voice.ports.review_stores import CandidateFilter, CandidateStore
from voice.ports.stores import MAX_BATCH, GraphStore
from voice.services.graph.correction_consequences import all_candidates
from voice.services.graph.staging import Against, ExistingRows, candidates_against, linked_rows
from voice.services.memory.ingest import Ingest
from voice.services.retrieval.row_lookups import Names, fetch_thoughts

MAX_VERDICTS: Final = 500
MAX_PAGE: Final = 200
SHOWN_QUOTES: Final = 3
AROUND: Final = 60
"""Characters of a thought that a quote has on either side of a mention."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A mention in its thought, with what stands around it."""

    thought_id: str
    start: int
    end: int
    created_at: datetime
    before: str = field(repr=False)
    text: str = field(repr=False)
    after: str = field(repr=False)
    is_more_after: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateView:
    """A candidate beside the words it rests on."""

    candidate: Candidate
    quotes: tuple[Quote, ...]
    mentions: int
    against: tuple[Against, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Some of the candidates that were asked for."""

    views: tuple[CandidateView, ...]
    total: int
    admitted: int
    """Those that the filter alone admits, whatever a queue leaves out of them."""
    next: Cursor | Place | None
    """Where the next page begins; None: there is none."""
    folded: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Moderated:
    """The result of a batch of decisions."""

    steps: tuple[Step, ...]
    """One per verdict, and one for each entity that was approved along with a relation, before those."""
    dry_run: bool
    unembedded: int = 0
    """Rows without a vector; `voice maintain rebuild vectors` tries again (ruling C17)."""
    fault: str | None = None
    refused: tuple[tuple[str, str], ...] = ()
    """Of many, the candidates of which it could not be carried out, each with why."""

    def __add__(self, other: "Moderated") -> "Moderated":
        fault, unembedded = self.fault or other.fault, self.unembedded + other.unembedded
        steps, refused = (*self.steps, *other.steps), (*self.refused, *other.refused)
        return replace(self, steps=steps, unembedded=unembedded, fault=fault, refused=refused)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moderation:
    """Shows candidates and carries out what is said of them."""

    candidates: CandidateStore
    graph: GraphStore
    names: Names
    ingest: Ingest

    async def page(self, where: CandidateFilter, *, limit: int = 50, after: Cursor | None = None) -> Page:
        """Return `limit` candidates behind `after`, as staged. Raises InvalidParams: `limit` not in 1 to `MAX_PAGE`."""
        _require_limit(limit)
        found = await self.candidates.candidates(where, limit=limit + 1, after=after)  # one more: is there a next page?
        asked = found[:limit]
        total = await self.candidates.count(where)  # a note may have become private since it was staged
        return Page(
            views=await self._views(asked, include_private=where.include_private),
            total=total,
            admitted=total,
            next=Cursor.behind(asked[-1]) if len(found) > limit else None,
        )

    async def queue(
        self,
        where: CandidateFilter,
        *,
        limit: int = 50,
        after: Place | None = None,
        conditions: Conditions = (),
        unfolded: bool = False,
    ) -> Page:
        """Return the first `limit` candidates behind `after` that wait, those that matter most first (ruling I5).
        `unfolded`: what is folded away, too. Raises InvalidParams: `limit` is not from 1 to `MAX_PAGE`."""
        _require_limit(limit)
        every = await self._every(replace(where, status=CandidateStatus.PENDING))
        line = await self._queue_of(every, conditions)
        wanted = (*line.shown, *line.folded) if unfolded else line.shown
        ordered = sorted(wanted, key=lambda each: Place.behind(each).order)
        left = [each for each in ordered if after is None or Place.behind(each).order > after.order]
        asked = left[:limit]
        return Page(
            views=await self._views(asked, include_private=where.include_private),
            total=len(ordered),
            admitted=len(every),
            next=Place.behind(asked[-1]) if len(left) > limit else None,
            folded=0 if unfolded else len(line.folded),
        )

    async def listed(self, where: CandidateFilter, *, limit: int, after: str | None = None) -> Page:
        """Return a page for a program: what waits as the queue, nothing folded away; what was decided as it was found.
        Raises InvalidParams: `after` is no `next` of a page before, or `limit` is not from 1 to `MAX_PAGE`."""
        if where.status is CandidateStatus.PENDING:
            place = None if after is None else Place.parse(after)
            return await self.queue(where, limit=limit, after=place, unfolded=True)
        return await self.page(where, limit=limit, after=None if after is None else Cursor.parse(after))

    async def line(self, where: CandidateFilter, conditions: Conditions = ()) -> Queue:
        """Return everything that waits and is wanted, in order, without what the graph holds already."""
        return await self._queue_of(await self._every(replace(where, status=CandidateStatus.PENDING)), conditions)

    async def _queue_of(self, every: Sequence[Candidate], conditions: Conditions) -> Queue:
        waiting = [each for each in every if all(condition.admits(each) for condition in conditions)]
        return queue_of(waiting, await ExistingRows(names=self.names, graph=self.graph)(waiting))

    async def _every(self, where: CandidateFilter) -> list[Candidate]:
        every = [each async for each in all_candidates(self.candidates, where)]
        thoughts = {} if where.include_private else await self._thoughts(every)
        return [each for each in every if where.include_private or not became_private(each, thoughts)]

    async def views(self, ids: Sequence[str], *, include_private: bool) -> tuple[CandidateView, ...]:
        """Return those of the candidates that are there and may be shown, in the order of their ids as given."""
        held = await self.candidates.fetch(ids)
        named = [held[each] for each in dict.fromkeys(ids) if each in held]
        allowed = [each for each in named if include_private or not each.is_private]
        return await self._views(allowed, include_private=include_private)

    async def _views(self, asked: Sequence[Candidate], *, include_private: bool) -> tuple[CandidateView, ...]:
        thoughts = await self._thoughts(asked)
        shown = [each for each in asked if include_private or not became_private(each, thoughts)]
        seen = partial(_view, thoughts=thoughts, include_private=include_private)
        against = await candidates_against(
            self.candidates, self.graph, self.names, shown, include_private=include_private
        )
        return tuple(seen(each, against=against.get(each.id, ())) for each in shown)

    async def hidden(self, where: CandidateFilter, admitted: int | None = None) -> int:
        """Return how many private candidates are left out beside those `admitted` (None: they are counted here); 0
        where words or a note named would tell (promise 6)."""
        if where.include_private or where.text is not None or where.thought_id is not None:
            return 0
        every = await self.candidates.count(replace(where, include_private=True))
        return every - (await self.candidates.count(where) if admitted is None else admitted)

    async def decide(
        self,
        verdicts: Sequence[Decision],
        *,
        by: Origin,
        with_ends: bool = False,
        dry_run: bool = False,
        hides_private: bool = False,
    ) -> Moderated:
        """Carry out a batch of verdicts, all of them or none; only what a human approved is green (rulings C10, H).
        `with_ends`: approve the entities that wait and that an approved relation needs, too. `hides_private`: neither
        join nor link anything with a private entity. Raises UnknownId: a candidate is not there; InvalidParams: one
        cannot be carried out, or they are too many; SessionConflict: somebody else changed a candidate meanwhile."""
        if len(verdicts) > MAX_VERDICTS:
            raise InvalidParams(f"decide at most {MAX_VERDICTS} candidates at once")
        held = await self._fetch_required(verdicts)
        names = await self.names.known()
        visible = names.public if hides_private else names
        if with_ends:
            ends = await self._waiting_ends(verdicts, held, visible)
            ends = [each for each in ends if not (hides_private and each.is_private)]
            held = {**held, **{each.id: each for each in ends}}  # decided with the rest, as if they had been named
            verdicts = [*(Approve(candidate_id=each.id) for each in ends), *verdicts]
        known = await self._known_graph(verdicts, held, visible)
        decided = plan_promotion(verdicts, held, known, now=self.ingest.clock.now(), by=by)
        await self._require_not_forgotten(decided, known)  # before a dry run returns: it refuses what the write would
        if dry_run:
            return Moderated(steps=decided.steps, dry_run=True)
        unembedded, fault = await self._write(decided, known, names)
        return Moderated(steps=decided.steps, dry_run=False, unembedded=unembedded, fault=fault)

    async def _write(self, decided: PromotionPlan, known: KnownGraph, names: KnownNames) -> tuple[int, str | None]:
        """Write what was decided, with what it links; return how many rows have no vector, and why."""
        room = MAX_BATCH - len(decided.rows)  # what the transaction still takes
        first, *rest = await linked_rows(self.graph, decided, known, names, room=room)
        entities = {row.id: EntityName.of(row) for row in decided.rows if isinstance(row, Entity)}
        batch, unembedded, fault = await self.ingest.prepared((*decided.rows, *first.anew), names=names)
        await self.candidates.save(decided.candidates, rows=replace(batch, rows=(*batch.rows, *first.kept)))
        for rows in rest:  # the longer tail; approving again finishes it
            more, why = await self.ingest.save(rows.anew, names=names.with_(entities), beside=rows.kept)
            unembedded, fault = unembedded + more, fault or why
        return unembedded, fault

    async def _fetch_required(self, verdicts: Sequence[Decision]) -> dict[str, Candidate]:
        asked = list(dict.fromkeys(verdict.candidate_id for verdict in verdicts))
        held = await self.candidates.fetch(asked)
        missing = [each for each in asked if each not in held]
        if missing:
            raise UnknownId(f"there is no candidate {missing[0]}; `voice kg candidates` lists all")
        return held

    async def _waiting_ends(
        self, verdicts: Sequence[Decision], held: Mapping[str, Candidate], names: KnownNames
    ) -> list[Candidate]:
        """Return the entities that wait under the name of an end which is not in the graph; one of a name only."""
        there = {norm_v1(name) for node in names.nodes for name in (node.name, *node.aliases)}
        wanted = {name for relation in approved_relations(verdicts, held) for name in names_of(relation)} - there
        if not wanted:
            return []
        where = CandidateFilter(kind=CandidateKind.ENTITY, status=CandidateStatus.PENDING, named=tuple(sorted(wanted)))
        waiting = [each for each in await self.candidates.candidates(where, limit=MAX_BATCH) if each.id not in held]
        by_name = {name: [each for each in waiting if name in each.names] for name in wanted}
        only = {found[0].id: found[0] for found in by_name.values() if len(found) == 1}  # of two, the person chooses
        return [only[each] for each in sorted(only)]

    async def _known_graph(
        self, verdicts: Sequence[Decision], held: Mapping[str, Candidate], names: KnownNames
    ) -> KnownGraph:
        wanted = names_in_decisions(verdicts, held)
        has_ends = any(each.kind is CandidateKind.RELATION for each in held.values())
        # A candidate approved under one name may be an entity of another name now.
        became = await self._rows_of_approved(unborne(wanted, names.nodes) if has_ends else frozenset())
        ids = {node.id for node in names.nodes if any(norm_v1(name) in wanted for name in (node.name, *node.aliases))}
        ids |= {row_id for found in became.values() for row_id in found}
        ids |= set(_named_rows(verdicts, held.values()))
        rows = await self.ingest.store.fetch(sorted(ids))
        entities = {row_id: row for row_id, row in rows.items() if isinstance(row, Entity)}
        relations: dict[str, Relation] = {}
        if has_ends:  # entities alone need no edges
            relations = {row_id: row for row_id, row in rows.items() if isinstance(row, Relation)}
            relations |= {row.id: row for row in await self.graph.relations_of(sorted(entities))}
        return KnownGraph(
            nodes=names.nodes,
            entities=entities,
            relations=relations,
            thoughts=await self._thoughts(held.values()),
            became=became,
        )

    async def _rows_of_approved(self, wanted: frozenset[str]) -> dict[str, frozenset[str]]:
        if not wanted:
            return {}
        where = CandidateFilter(kind=CandidateKind.ENTITY, status=CandidateStatus.APPROVED, named=tuple(sorted(wanted)))
        found = await self.candidates.candidates(where, limit=MAX_BATCH)
        return {name: frozenset(each.row_id for each in found if each.row_id and name in each.names) for name in wanted}

    async def _thoughts(self, candidates: Iterable[Candidate]) -> dict[str, Thought]:
        ids = (span.thought_id for each in candidates for span in each.provenance)
        return await fetch_thoughts(self.ingest.store, ids)

    async def _require_not_forgotten(self, decided: PromotionPlan, known: KnownGraph) -> None:
        # What is in the graph already was not forgotten.
        new = [row for row in decided.rows if row.id not in known.entities and row.id not in known.relations]
        gone = await self.ingest.forgotten.among(new)
        said = [step.candidate_id for step in decided.steps if step.row_id in gone]
        if said:
            raise InvalidParams(
                f"you forgot what {said[0]} says, so it stays forgotten; reject it, or enter it in other words"
            )


def _require_limit(limit: int) -> None:
    if not 1 <= limit <= MAX_PAGE:
        raise InvalidParams(f"the limit must be from 1 to {MAX_PAGE}")


def _named_rows(verdicts: Sequence[Decision], held: Iterable[Candidate]) -> Iterable[str]:
    """Yield the ids of rows that verdicts or candidates name themselves, whether there are such rows or not."""
    for each in held:
        yield from (row_id for row_id in (each.row_id, each.new_row_id) if row_id is not None)
        if isinstance(each.proposal, RelationProposal):  # its ends are ids ("e:…") or names
            yield from (end for end in (each.proposal.source, each.proposal.target) if end.startswith("e:"))
    for verdict in verdicts:
        if isinstance(verdict, Alias) and verdict.entity_id.startswith("e:"):
            yield verdict.entity_id
        if isinstance(verdict, Edit):
            ends = (verdict.changes.source, verdict.changes.target)
            yield from (end for end in ends if end is not None and end.startswith("e:"))


def _view(
    candidate: Candidate, *, thoughts: Mapping[str, Thought], include_private: bool, against: tuple[Against, ...]
) -> CandidateView:
    shown = [
        _quote(thought, span.start, span.end)
        for span in candidate.provenance
        if (thought := thoughts.get(span.thought_id)) is not None and (include_private or not thought.is_private)
    ]
    named = {word for name in candidate.names for word in name.split()}

    def place(quote: Quote) -> tuple[object, ...]:  # what names it before what stands for it ("we"), then the oldest
        is_named = not named.isdisjoint(norm_v1(quote.text).split())
        return (not is_named, date_sort_key(quote.created_at), quote.thought_id, quote.start)

    shown.sort(key=place)
    quotes = tuple(shown[:SHOWN_QUOTES])
    return CandidateView(candidate=candidate, quotes=quotes, mentions=len(shown), against=against)


def _quote(thought: Thought, start: int, end: int) -> Quote:
    text = thought.content
    return Quote(
        thought_id=thought.id,
        start=start,
        end=end,
        created_at=thought.created_at,
        before=text[max(start - AROUND, 0) : start],
        text=text[start:end],
        after=text[end : end + AROUND],
        is_more_after=len(text) > end + AROUND,
    )
