"""Look for statements that cannot both hold, keep what waits for review, and resolve it.

Law: nothing is looked for unless somebody asks. Private rows are compared and shown only where they are asked for. A
pair of which somebody said that both hold is not shown again.

One of the two is right, one has ended, or both hold. Correcting and ending are corrections like any other
(`voice.services.graph.correct`); the record of the decision is written after them, so that whoever is interrupted asks
for the same again. An edge that is wrong is replaced by the one that is right.

Source: rulings F, H; promise 6.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Final, Literal

from anyio.to_thread import run_sync

from voice.core.errors import InvalidParams, UnknownId
from voice.core.graph.conflicts.pairs import (
    Conflict,
    ConflictRecord,
    ConflictSide,
    ConflictState,
    conflicts_among,
    is_about,
    is_since,
    near_conflicts,
    recorded,
    restored,
    sealed_words,
)
from voice.core.graph.corrections import Correction, require_correctable, require_untrusted, superseded
from voice.core.graph.thoughts.sentence_edits import sentences_of, without_spans
from voice.core.records import Observation, Origin, Relation, RowStatus
from voice.core.text.instants import date_sort_key, has_date
from voice.core.text.words import content_words
from voice.ports.review_stores import ConflictLog
from voice.ports.stores import MemoryStore
from voice.ports.system import Clock
from voice.services.graph.correct import Corrected, Correcting, CorrectRequest
from voice.services.graph.editor import resolve_entity
from voice.services.retrieval.row_lookups import Names, every_row

PAGE: Final = 50
"""Conflicts that are shown and put up for review unless somebody says otherwise."""
_NEAR: Final = 10_000  # near pairs that are searched before the request narrows them
_Topic = tuple[frozenset[str], frozenset[str]] | None  # stems and row ids that a conflict is to be about; None: any


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictRequest:
    """A request for conflicts."""

    about: str | None = None
    """An entity by its id, name or alias; a row's id; else words that one of the two says."""
    since: datetime | None = None
    include_private: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictsFound:
    """Conflicts that were found."""

    conflicts: tuple[Conflict, ...]
    """Real ones first, then changes; each by when the later of its two was told, the latest first."""
    total: int
    agreed: int = 0
    """How many of them are not shown because somebody said that both hold."""
    compared: int = 0
    """The current entries that were looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflicts:
    """Finds conflicts of one memory, and settles them."""

    store: MemoryStore
    names: Names
    log: ConflictLog
    clock: Clock
    key: bytes = field(repr=False)

    async def __call__(self, wanted: ConflictRequest, *, limit: int | None = PAGE) -> ConflictsFound:
        """Return what cannot both hold now. Raises InvalidParams: a name means several, or the limit is none."""
        if limit is not None and limit < 1:
            raise InvalidParams("the limit must be 1 or more")
        observations, relations = await self._rows(include_private=wanted.include_private)
        found = await self._conflicts_among(observations, relations, include_private=wanted.include_private)
        topic = await self._topic_of(wanted, observations, relations)
        asked = [each for each in found if _is_wanted(each, wanted, topic)]
        agreed = await self._agreement_test()
        shown = in_display_order(each for each in asked if not agreed(each))
        compared = sum(row.status is RowStatus.ACTIVE for row in (*observations, *relations))
        agreed_on = len(asked) - len(shown)
        return ConflictsFound(conflicts=shown[:limit], total=len(shown), agreed=agreed_on, compared=compared)

    async def near(self, wanted: ConflictRequest, *, most: int) -> tuple[Conflict, ...]:
        """Return pairs that may contradict in meaning, nearest first. Raises InvalidParams: a name means several."""
        observations, relations = await self._rows(include_private=wanted.include_private)
        found = await run_sync(partial(near_conflicts, observations, now=self.clock.now(), most=_NEAR))
        agreed = await self._agreement_test()
        topic = await self._topic_of(wanted, observations, relations)
        return tuple(each for each in found if not agreed(each) and _is_wanted(each, wanted, topic))[:most]

    async def _agreement_test(self) -> Callable[[Conflict], bool]:
        """Return what tells whether somebody said of a pair, or of another one in its very words, that both hold."""
        kept = [each for each in await self.log.records() if each.state is ConflictState.BOTH]
        ids, words = {each.id for each in kept}, {each.sealed for each in kept}  # words: the same said again elsewhere
        return lambda pair: pair.id in ids or (bool(words) and sealed_words(pair, self.key) in words)

    async def put_up(self, conflicts: Sequence[Conflict]) -> int:
        """Let conflicts wait for review, and return how many did not before. Raises StoreError: nothing was written."""
        known = {each.id for each in await self.log.records() if each.state is ConflictState.WAITING}
        fresh = [each for each in conflicts if each.id not in known]
        at = self.clock.now()
        await self.log.save([self.record(each, ConflictState.WAITING, at=at, by=Origin.HUMAN) for each in fresh])
        return len(fresh)

    def record(self, conflict: Conflict, state: ConflictState, *, at: datetime, by: Origin) -> ConflictRecord:
        """Return what is kept of a conflict."""
        return recorded(conflict, state, at=at, by=by, key=self.key)

    async def waiting(self, *, include_private: bool = False, limit: int | None = None) -> ConflictsFound:
        """Return what waits for review and still cannot both hold."""
        kept = [each for each in await self.log.records() if each.state is ConflictState.WAITING]
        found = in_display_order((await self._restored(kept, include_private=include_private)).values())
        return ConflictsFound(conflicts=found[:limit], total=len(found))

    async def one(self, conflict_id: str, *, include_private: bool = False) -> Conflict:
        """Return a conflict that waits or is found again. Raises UnknownId: there is none, or both may hold."""
        kept = [each for each in await self.log.records() if each.id == conflict_id]
        waiting = [each for each in kept if each.state is ConflictState.WAITING]
        found = await self._restored(waiting, include_private=include_private)
        if not (found or any(each.state is ConflictState.BOTH for each in kept)):
            rows = await self._rows(include_private=include_private)  # not put up: look for it among all rows
            found = {each.id: each for each in await self._conflicts_among(*rows, include_private=include_private)}
        if conflict_id not in found:
            raise UnknownId(f"there is no conflict {conflict_id!r} to resolve; `voice conflicts` lists them")
        return found[conflict_id]

    async def _conflicts_among(
        self, observations: Sequence[Observation], relations: Sequence[Relation], *, include_private: bool
    ) -> tuple[Conflict, ...]:
        """Return what cannot both hold; on a thread, for comparing many rows takes its time."""
        names = (await self.names.visible(include_private=include_private)).name_of
        return await run_sync(partial(conflicts_among, observations, relations, names, now=self.clock.now()))

    async def _restored(self, kept: Sequence[ConflictRecord], *, include_private: bool) -> Mapping[str, Conflict]:
        stored = await self.store.fetch(sorted({row_id for each in kept for row_id in each.row_ids}))
        rows = {
            row.id: row
            for row in stored.values()
            if isinstance(row, Observation | Relation) and (include_private or not row.is_private)
        }
        names, now = (await self.names.visible(include_private=include_private)).name_of, self.clock.now()
        found = (restored(each, rows, names, now=now) for each in kept)
        return {each.id: each for each in found if each is not None}

    async def _rows(self, *, include_private: bool) -> tuple[list[Observation], list[Relation]]:
        rows = {
            row.id: row
            async for row in every_row(self.store)
            if isinstance(row, Observation | Relation) and (include_private or not row.is_private)
        }
        every = rows.values()
        return [row for row in every if isinstance(row, Observation)], [r for r in every if isinstance(r, Relation)]

    async def _topic_of(
        self, wanted: ConflictRequest, observations: Sequence[Observation], relations: Sequence[Relation]
    ) -> _Topic:
        if wanted.about is None:
            return None
        nodes = (await self.names.visible(include_private=wanted.include_private)).nodes
        try:
            entity = resolve_entity(wanted.about, nodes).id
        except UnknownId:
            entity = wanted.about  # a row's or note's id, or words that a side says
        about = {row.id for row in observations if entity in row.entity_ids or entity == row.id}
        about |= {row.id for row in observations if any(place.thought_id == entity for place in row.provenance)}
        about |= {row.id for row in relations if entity in {row.source_id, row.target_id, row.id}}
        return frozenset(word.stem for word in content_words(wanted.about)), frozenset(about)


def _is_wanted(conflict: Conflict, wanted: ConflictRequest, topic: _Topic) -> bool:
    is_on_topic = topic is None or is_about(conflict, *topic)
    return is_on_topic and (wanted.since is None or is_since(conflict, wanted.since))


def in_display_order(conflicts: Iterable[Conflict]) -> tuple[Conflict, ...]:
    """Return conflicts in the order they are shown: those that nothing explains first, then the latest."""

    def key(each: Conflict) -> tuple[bool, tuple[bool, float], str]:
        latest = min(date_sort_key(side.told_at, latest_first=True) for side in (each.one, each.other))
        return each.is_change, latest, each.id  # the id settles equal dates, for the same order each time

    return tuple(sorted(conflicts, key=key))


Act = Literal["correct", "end", "both"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """A person's decision on a conflict."""

    conflict_id: str
    act: Act
    side: str | None = None
    """1, 2 or the id of a row: which is right, of `correct`; which has ended, of `end` (None: the first)."""
    on: datetime | None = None
    """When it ended; None: when the other one was told, or now."""
    by: Origin = Origin.HUMAN
    spares_trusted: bool = False
    """Refuse to change a person's own words: a program's caller asks for it."""
    include_private: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedConflict:
    """The result of settling a conflict."""

    conflict: Conflict
    state: ConflictState
    corrected: Corrected | None = None
    sides: tuple[ConflictSide, ...] = ()
    """The one that was changed and the one that stays."""
    along: int = 0
    """Other sentences of the row that ended with the one that was named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictResolution:
    """Settles conflicts."""

    conflicts: Conflicts
    correcting: Correcting

    async def __call__(self, decision: Resolution, *, dry_run: bool = False) -> ResolvedConflict:
        """Carry out a decision, or under `dry_run` return what it would do. Raises UnknownId: there is no such
        conflict; InvalidParams: it cannot be carried out; StoreError: perhaps the correction alone was written; ask for
        the same again."""
        conflict = await self.conflicts.one(decision.conflict_id, include_private=decision.include_private)
        done = await self._carry_out(conflict, decision, dry_run=dry_run)
        if not dry_run:  # last: after a crash the conflict is still open
            at = self.conflicts.clock.now()
            await self.conflicts.log.save([self.conflicts.record(conflict, done.state, at=at, by=decision.by)])
        return done

    async def _carry_out(self, conflict: Conflict, decision: Resolution, *, dry_run: bool) -> ResolvedConflict:
        match decision.act:
            case "both":
                if decision.spares_trusted:  # "both hold" hides the pair, which is the owner's decision
                    for row in (await self.conflicts.store.fetch(conflict.row_ids)).values():
                        require_untrusted(row, "settle")
                return ResolvedConflict(conflict=conflict, state=ConflictState.BOTH)
            case "correct":
                right, wrong = _sides(conflict, decision.side)
                done = await self._correct_side(wrong, right, decision, dry_run=dry_run)
                state = ConflictState.CORRECTED
                return ResolvedConflict(conflict=conflict, state=state, corrected=done, sides=(wrong, right))
            case "end":
                return await self._end(conflict, _sides(conflict, decision.side or "1"), decision, dry_run=dry_run)

    async def _end(
        self, conflict: Conflict, sides: tuple[ConflictSide, ConflictSide], decision: Resolution, *, dry_run: bool
    ) -> ResolvedConflict:
        ended, beside = sides
        if ended.place.row_id == beside.place.row_id:
            raise InvalidParams(
                f"both statements are in {ended.place.row_id}, and ending it would end both; say which one is right"
            )
        row = (await self.conflicts.store.fetch([ended.place.row_id])).get(ended.place.row_id)
        along = len(sentences_of(row.text)) - 1 if isinstance(row, Observation) else 0  # the row ends as a whole
        later = has_date(beside.told_at) and has_date(ended.told_at) and beside.told_at > ended.told_at
        request = replace(  # an undated or earlier statement does not tell when this one ended
            _request(ended, beside, decision),
            until=decision.on or (beside.told_at if later else self.conflicts.clock.now()),
        )
        done = await self.correcting(request, dry_run=dry_run)
        state = ConflictState.ENDED
        return ResolvedConflict(conflict=conflict, state=state, corrected=done, sides=sides, along=along)

    async def _correct_side(
        self, wrong: ConflictSide, right: ConflictSide, decision: Resolution, *, dry_run: bool
    ) -> Corrected:
        rows = await self.conflicts.store.fetch([wrong.place.row_id, right.place.row_id])
        row, other = rows.get(wrong.place.row_id), rows.get(right.place.row_id)  # None: it was removed meanwhile
        if isinstance(row, Relation):
            return await self._replace_edge(row, right, decision, dry_run=dry_run)
        if not (isinstance(row, Observation) and isinstance(other, Observation)):
            raise InvalidParams("one of its rows no longer exists; run `voice conflicts` again")
        place = wrong.place
        if row.id == other.id:  # two sentences of one row: the wrong one goes
            text = without_spans(row.text, [(place.start, place.end)])
        else:
            told = other.text[right.place.start : right.place.end]  # in place of the wrong sentence; the rest stays
            text = row.text[: place.start] + told + row.text[place.end :]
        return await self.correcting(replace(_request(wrong, right, decision), text=text), dry_run=dry_run)

    async def _replace_edge(
        self, row: Relation, right: ConflictSide, decision: Resolution, *, dry_run: bool
    ) -> Corrected:
        """Let an edge be replaced by the one that is right; a new one would say the same twice."""
        require_correctable(row)
        if decision.spares_trusted:
            require_untrusted(row)
        reason = f"conflicts with {right.place.row_id}"
        correction = Correction(reason=reason, author=decision.by, at=self.conflicts.clock.now())
        gone = superseded(row, by=right.place.row_id, correction=correction)  # the right edge stands already
        if not dry_run:
            ingest = self.correcting.ingest
            await ingest.save((), names=await ingest.names.known(), beside=(gone,))  # nothing new, so nothing to embed
        return Corrected(row_id=right.place.row_id, replaced=row.id)


def _request(changed: ConflictSide, kept: ConflictSide, decision: Resolution) -> CorrectRequest:
    return CorrectRequest(
        row_id=changed.place.row_id,
        reason=f"conflicts with {kept.place.row_id}",
        author=decision.by,
        spares_trusted=decision.spares_trusted,
    )


def _sides(conflict: Conflict, named: str | None) -> tuple[ConflictSide, ConflictSide]:
    first, second = conflict.row_ids
    meant = {"1": 1, "2": 2} | ({first: 1, second: 2} if first != second else {})  # in one row, ids say nothing
    if named is None or named not in meant:
        sides = f"1 ({first}) or 2 ({second})"
        raise InvalidParams(f"choose one of the two sides: {sides}")
    return (conflict.one, conflict.other) if meant[named] == 1 else (conflict.other, conflict.one)
