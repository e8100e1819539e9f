"""Correct what the memory holds.

Law: a correction is one transaction: the new value, the old one superseded, every row that follows them and what waits
for review of them become true together, or nothing does, however long they are (rulings F, I8). What is kept of an
answer, a summary or a capsule rests on rows and falls with them where it is read; pins are moved to what took the place
of their target, under a reason that no longer says what was taken back. Correcting again in the same words changes
nothing and finishes what was interrupted.

Source: ruling F; rulings A21, C10, C17, D16, G, H, I8.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import assert_never

from voice.core.errors import InvalidParams
from voice.core.graph.consequences import candidate_after, effects_of_correction
from voice.core.graph.corrections import (
    Correction,
    corrected_entity,
    corrected_observation,
    corrected_relation,
    corrected_thought,
    past_value,
    require_correctable,
    require_untrusted,
    says_the_same,
    superseded,
)
from voice.core.graph.entity_names import KnownNames
from voice.core.graph.thoughts.distillation import distil, may_promote
from voice.core.graph.thoughts.sentence_edits import (
    Pair,
    corrected_sentences,
    is_correction,
    still_corrected,
    with_corrections,
)
from voice.core.interchange.origin import require_tags
from voice.core.recall.disclosure import tells_private
from voice.core.recall.pins import MAX_REASON_CHARS
from voice.core.records import Entity, GraphRow, Observation, Origin, Relation, Row, RowStatus, Thought
from voice.core.text.normalise import norm_v1
from voice.ports.recall_stores import PinStore
from voice.ports.review_stores import NO_ROWS, CandidateFilter, CandidateStore
from voice.ports.row_queries import HistoryStore
from voice.ports.stores import MAX_WRITE, GraphStore, WriteBatch
from voice.ports.system import IdSource
from voice.services.graph.correction_consequences import (
    Consequences,
    CorrectionConsequences,
    TellableRow,
    settle_candidates,
)
from voice.services.graph.editor import resolve_entity
from voice.services.memory.ingest import Ingest, require_content
from voice.services.retrieval.row_lookups import fetch_with_source_thoughts

_LACKING = "there are no new words"
_UNSETTLED = "candidates kept changing, so nothing was corrected; try again"
PINNED_BEFORE = "pinned before it was corrected"  # takes the place of a reason that may quote what was taken back


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectRequest:
    """A request to correct a row."""

    row_id: str
    text: str | None = field(default=None, repr=False)
    target: str | None = None
    """Where an edge points instead: an entity's id, name or alias."""
    reason: str | None = field(default=None, repr=False)
    since: datetime | None = None
    until: datetime | None = None
    author: Origin = Origin.HUMAN
    spares_trusted: bool = False
    """Refuse to correct a person's own words and what they approved: a program's caller asks for it (ruling H)."""
    hides_private: bool = False
    """Answer for a private row as for one that is not there."""
    noted_by: str | None = None
    tags: tuple[str, ...] = ()
    """Added to those of a thought."""
    is_private: bool = False
    """Make a thought private by this; none is made public."""
    new_id: str | None = None
    """What the new value is called, of a thought that has an id already; None makes one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """The result of a correction."""

    row_id: str
    replaced: str
    """What says how it was: the row that was named, or the past value of an entity."""
    superseded: tuple[str, ...] = ()
    """Rows that fell with it: distilled from it, or resting on words that are gone."""
    reworded: int = 0
    """Those of them of whose words nothing says the same now."""
    moved: tuple[str, ...] = ()
    """Rows that rest on the new words now."""
    pins: int = 0
    is_repeated: bool = False
    fault: str | None = None
    """Why something of it has no vector yet (ruling C17)."""
    contradicts: tuple[TellableRow, ...] = ()
    still_says: tuple[TellableRow, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """Everything that one correction writes."""

    new: Row
    old: Row
    """As it stands afterwards."""
    fresh: tuple[Row, ...] = ()
    superseded: tuple[GraphRow, ...] = ()
    moved: tuple[GraphRow, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Correcting:
    """Corrects rows of one memory."""

    ingest: Ingest
    graph: GraphStore
    pins: PinStore
    candidates: CandidateStore
    beside: CorrectionConsequences | None = None
    """Tells what stands beside a correction; None: nothing is told."""

    async def __call__(self, request: CorrectRequest, *, dry_run: bool = False) -> Corrected:
        """Put a new value in the place of a row, and let follow what rests on it; the new id of a dry run is made up.
        Raises UnknownId: there is no such row, or no entity of that name; InvalidParams: it cannot be corrected like
        that, or was forgotten before in those words (ruling H)."""
        correction = await self._correction(request)
        rows = await fetch_with_source_thoughts(self.ingest.store, [request.row_id])
        old = rows.get(request.row_id)
        if old is None or (request.hides_private and tells_private(old, rows)):
            none = f"there is no {request.row_id!r} to correct; `voice retrieve` and `voice kg show` show ids"
            raise await self.ingest.forgotten.absent(request.row_id, none)
        done = await self._earlier_result(old, correction)  # first: a superseded row cannot be corrected, only repeated
        if done is not None:
            if not dry_run:
                await self._follow_waiting(old, done)
            heirs = _heirs([old, *await self.graph.derived_from([old.id])])
            moved = 0 if dry_run else await self._follow_pins(heirs, correction)  # the run before may have stopped here
            return Corrected(row_id=done.id, replaced=old.id, pins=moved, is_repeated=True)
        require_correctable(old)
        if request.spares_trusted:
            require_untrusted(old)
        names = await self.ingest.names.known()
        new_id = request.new_id or self.ingest.ids.new_id(old.id.partition(":")[0])  # "t:…" for a thought
        plan = await self._plan(old, correction, names, new_id, private=tells_private(old, rows))
        gone = {old.id, *(row.id for row in plan.superseded)}
        told = Consequences() if self.beside is None else await self.beside(old, plan.fresh, names, gone=gone)
        fault = None if dry_run else await self._write(old, plan, names)
        # An entity takes its own place.
        heirs = {old.id: old.id} if isinstance(old, Entity) else _heirs([plan.old, *plan.superseded])
        kept = {row.text for row in plan.fresh if isinstance(row, Observation)}  # said again, so not reworded
        pins = len(await self.pins.pins(list(heirs))) if dry_run else await self._follow_pins(heirs, correction)
        return Corrected(
            row_id=plan.new.id,
            replaced=plan.old.id,
            superseded=tuple(row.id for row in plan.superseded),
            reworded=sum(not isinstance(row, Observation) or row.text not in kept for row in plan.superseded),
            moved=tuple(row.id for row in plan.moved),
            pins=pins,
            fault=fault,
            contradicts=told.contradicts,
            still_says=told.still_says,
        )

    async def _correction(self, request: CorrectRequest) -> Correction:
        text = None if request.text is None else require_content(request.text, lacking=_LACKING).strip()
        target = None
        if request.target is not None:
            if not request.row_id.startswith("r:"):
                raise InvalidParams("only a relation has a target; leave --to out")
            # Else a name would prove a private entity.
            known = await self.ingest.names.visible(include_private=not request.hides_private)
            target = resolve_entity(request.target, known.nodes, lets_private_in=False).id
        return Correction(
            text=text,
            target_id=target,
            reason=" ".join(request.reason.replace("\x00", "").split()) or None if request.reason else None,
            since=request.since,
            until=request.until,
            author=request.author,
            noted_by=request.noted_by,
            tags=require_tags(request.tags),
            is_private=request.is_private,
            at=self.ingest.clock.now(),
        )

    async def _earlier_result(self, old: Row, correction: Correction) -> Row | None:
        """Return what took the place of `old`, if this very correction put it there."""
        if old.status is not RowStatus.SUPERSEDED or old.superseded_by is None:  # only a superseded row was corrected
            return None
        heir = (await self.ingest.store.fetch([old.superseded_by])).get(old.superseded_by)
        return heir if heir is not None and says_the_same(heir, correction) else None

    async def _plan(self, old: Row, correction: Correction, names: KnownNames, new_id: str, *, private: bool) -> _Plan:
        match old:
            case Thought():
                return await self._plan_thought(old, correction, names, new_id)
            case Observation():
                said = corrected_observation(old, correction, new_id=new_id, names=names, private=private)
                return _Plan(new=said, old=superseded(old, by=new_id, correction=correction), fresh=(said,))
            case Relation():
                edge = corrected_relation(old, correction, new_id=new_id, private=private)
                return _Plan(new=edge, old=superseded(old, by=new_id, correction=correction), fresh=(edge,))
            case Entity():  # keeps its id; the past value gets the new one
                node, past = corrected_entity(old, correction), past_value(old, correction, new_id=new_id)
                return _Plan(new=node, old=past, fresh=(node, past))
            case _:
                assert_never(old)

    async def _plan_thought(self, old: Thought, correction: Correction, names: KnownNames, new_id: str) -> _Plan:
        new = corrected_thought(old, correction, new_id=new_id)
        made = distil(new, entities=names.index) if may_promote(new, self.ingest.auto_observations) else ()
        gone = await self.ingest.forgotten.among(made)  # new words do not bring back what was forgotten (ruling H)
        fresh = tuple(
            replace(row, valid_from=correction.since, valid_until=correction.until)
            for row in made
            if row.id not in gone
        )
        derived = [row for row in await self.graph.derived_from([old.id]) if not isinstance(row, Thought)]
        fresh = still_corrected(fresh, derived)  # sentences a person corrected by themselves stay so
        live = [row for row in fresh if row.status is RowStatus.ACTIVE]
        followed = effects_of_correction(derived, old, new, live, correction)
        plan = _Plan(
            new=new,
            old=superseded(old, by=new_id, correction=correction),
            fresh=(new, *fresh),
            superseded=followed.superseded,
            moved=followed.moved,
        )
        if len(plan.fresh) + len(plan.superseded) + len(plan.moved) >= MAX_WRITE:  # `>=`: the old row is written, too
            raise InvalidParams(f"{old.id} is too long to correct as a whole; correct its sentences (o:…) one by one")
        return plan

    async def _write(self, old: Row, plan: _Plan, names: KnownNames) -> str | None:
        await self.ingest.forgotten.require_new(plan.new)
        beside: tuple[Row, ...] = (*plan.superseded, *plan.moved)
        if plan.old not in plan.fresh:  # an entity's past value is among the fresh rows
            beside = (plan.old, *beside)

        async def write(batch: WriteBatch) -> None:
            await self._follow_waiting(old, plan.new, rows=batch)

        follows = isinstance(old, Thought)  # candidates rest on thoughts alone
        _, fault = await self.ingest.save(plan.fresh, names=names, beside=beside, write=write if follows else None)
        return fault

    async def _follow_waiting(self, old: Row, new: Row, *, rows: WriteBatch = NO_ROWS) -> None:
        """Let every candidate that rests on the old words rest on the same ones of the new thought, or go with them."""
        if isinstance(old, Thought) and isinstance(new, Thought):
            where, become = CandidateFilter(thought_id=old.id), partial(candidate_after, old=old, new=new)
            await settle_candidates(self.candidates, where, become, unsettled=_UNSETTLED, rows=rows)

    async def _follow_pins(self, heirs: dict[str, str], correction: Correction) -> int:
        why = f"{PINNED_BEFORE}: {correction.reason}" if correction.reason else PINNED_BEFORE
        return await follow_pins(self.pins, self.ingest.ids, heirs, why=why)


async def follow_pins(pins: PinStore, ids: IdSource, heirs: Mapping[str, str], *, why: str | None = None) -> int:
    """Move pins to the rows by id in `heirs`, but onto no pinned one; `why`: their reason from now on, if any."""
    found = await pins.pins(list(heirs))
    # An entity is its own heir, so its own pins are not in the way.
    taken = {(pin.target_id, pin.scope) for pin in await pins.pins(list(set(heirs.values()) - heirs.keys()))}
    for pin in found:
        heir = heirs[pin.target_id]
        if (heir, pin.scope) not in taken:
            pin_id = pin.id if heir == pin.target_id else ids.new_id("p")  # an id stays with its target
            reason = pin.reason if why is None else why[:MAX_REASON_CHARS]
            await pins.save_pin(replace(pin, id=pin_id, target_id=heir, reason=reason, seq=0))
        if heir != pin.target_id:  # after saving: a crash leaves two pins, not none
            await pins.remove_pin(pin.id)
    return len(found)


def _heirs(rows: Iterable[Row]) -> dict[str, str]:
    return {row.id: row.superseded_by for row in rows if row.superseded_by is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptCorrections:
    """The corrections of the notes of one memory."""

    pairs: dict[str, tuple[Pair, ...]]
    """What was corrected in each, by the thought that it is now, the oldest first."""

    statements: dict[str, tuple[str, ...]]
    """What statements of each said that were corrected by themselves."""

    @classmethod
    async def of(cls, history: HistoryStore, graph: GraphStore, thoughts: Iterable[Thought]) -> "KeptCorrections":
        """Return what a person corrected in thoughts, in what they were before, and in statements of them."""
        rows = {thought.id: thought for thought in thoughts}
        statements = await _corrected_statements(graph, list(rows))
        now = {row_id: row_id for row_id in rows}
        pairs: dict[str, tuple[Pair, ...]] = {}
        asked = list(rows)
        while asked:  # from each thought back to what it was before
            found, asked = await history.replaced_by(asked), list[str]()
            for past in found:
                after = rows.get(past.superseded_by or "")
                if not isinstance(past, Thought) or after is None or past.id in rows:  # seen, or not of these notes
                    continue
                rows[past.id], now[past.id] = past, now[after.id]
                asked.append(past.id)
                if is_correction(past):
                    made = corrected_sentences(past.content, after.content)
                    pairs[now[past.id]] = (*made, *pairs.get(now[past.id], ()))  # found latest first, kept oldest first
        return cls(pairs=pairs, statements=statements)

    def within(self, thought_id: str, text: str) -> str:
        """Return what a file says, with what was corrected in the thought that its note is."""
        return with_corrections(text, self.pairs.get(thought_id, ()))

    def taken_back(self, thought: Thought, sentence: str) -> str:
        """Return what a thought would say without its corrections, but for those of a sentence."""
        # Swapped: each pair puts the old words back, the latest correction first.
        pairs = [(new, old) for old, new in self.pairs.get(thought.id, ()) if norm_v1(sentence) not in norm_v1(old)]
        return with_corrections(thought.content, reversed(pairs))

    def is_lost(self, thought: Thought, text: str) -> bool:
        """Return whether something that was corrected in a thought, and stands in it, does not stand in a text."""
        return any(says in thought.content and says not in text for _, says in self.pairs.get(thought.id, ()))

    def is_said_still(self, thought_id: str, text: str) -> bool:
        """Return whether a text says what a statement of a thought said before it was corrected by itself."""
        return any(said in text for said in self.statements.get(thought_id, ()))


async def _corrected_statements(graph: GraphStore, thought_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for row in await graph.derived_from(thought_ids):
        if isinstance(row, Observation) and is_correction(row):  # an edit of the file is not one
            found |= {span.thought_id: (*found.get(span.thought_id, ()), row.text) for span in row.provenance}
    return found
