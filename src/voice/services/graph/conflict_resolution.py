"""Resolve a conflict: one of the two is right, one has ended, or both hold.

Law: correcting and ending are corrections like any other (`voice.services.graph.correct`): nothing is rewritten, and
the old value stays in the history. The record of the decision is written after them, so that whoever is interrupted
asks for the same again. An edge that is wrong is replaced by the one that is right.

Source: rulings F, H.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from voice.core.errors import InvalidParams
from voice.core.graph.conflicts.pairs import Conflict, ConflictSide, ConflictState
from voice.core.graph.corrections import Correction, require_correctable, require_untrusted, superseded
from voice.core.graph.thoughts.sentence_edits import sentences_of, without_spans
from voice.core.records import Observation, Origin, Relation
from voice.core.text.instants import has_date
from voice.services.graph.conflicts import Conflicts
from voice.services.graph.correct import Corrected, Correcting, CorrectRequest

Act = Literal["correct", "end", "both"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """What somebody says of a conflict."""

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
    """What came of it."""

    conflict: Conflict
    state: ConflictState
    corrected: Corrected | None = None
    """None where nothing was changed."""
    along: int = 0
    """Other sentences of the row that ended with the one that was named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictResolution:
    """Settles conflicts."""

    conflicts: Conflicts
    correcting: Correcting

    async def __call__(self, said: Resolution, *, dry_run: bool = False) -> ResolvedConflict:
        """Carry out what somebody says, or under `dry_run` return what would come of it.

        Raises:
            UnknownId: there is no such conflict.
            InvalidParams: it cannot be carried out.
            StoreError: nothing was written, or the correction alone; ask for the same again.
        """
        conflict = await self.conflicts.one(said.conflict_id, include_private=said.include_private)
        done = await self._carried_out(conflict, said, dry_run=dry_run)
        if not dry_run:
            at = self.conflicts.clock.now()
            await self.conflicts.log.save([self.conflicts.record(conflict, done.state, at=at, by=said.by)])
        return done

    async def _carried_out(self, conflict: Conflict, said: Resolution, *, dry_run: bool) -> ResolvedConflict:
        match said.act:
            case "both":
                return ResolvedConflict(conflict=conflict, state=ConflictState.BOTH)
            case "correct":
                right, wrong = _sides(conflict, said.side)
                done = await self._corrected(wrong, right, said, dry_run=dry_run)
                return ResolvedConflict(conflict=conflict, state=ConflictState.CORRECTED, corrected=done)
            case "end":
                ended, beside = _sides(conflict, said.side or "1")
                return await self._ended(conflict, (ended, beside), said, dry_run=dry_run)

    async def _ended(
        self, conflict: Conflict, sides: tuple[ConflictSide, ConflictSide], said: Resolution, *, dry_run: bool
    ) -> ResolvedConflict:
        ended, beside = sides
        if ended.place.row_id == beside.place.row_id:
            raise InvalidParams(
                f"both stand in {ended.place.row_id}, which would end as a whole; say which one is right"
            )
        row = (await self.conflicts.store.fetch([ended.place.row_id])).get(ended.place.row_id)
        along = len(sentences_of(row.text)) - 1 if isinstance(row, Observation) else 0
        request = replace(_request(ended, beside, said), until=said.on or self._end(ended, beside))
        done = await self.correcting(request, dry_run=dry_run)
        return ResolvedConflict(conflict=conflict, state=ConflictState.ENDED, corrected=done, along=along)

    def _end(self, ended: ConflictSide, beside: ConflictSide) -> datetime:
        later = has_date(beside.told_at) and has_date(ended.told_at) and beside.told_at > ended.told_at
        return beside.told_at if later else self.conflicts.clock.now()

    async def _corrected(
        self, wrong: ConflictSide, right: ConflictSide, said: Resolution, *, dry_run: bool
    ) -> Corrected:
        """Let one side say what the other says."""
        rows = await self.conflicts.store.fetch([wrong.place.row_id, right.place.row_id])
        row, other = rows.get(wrong.place.row_id), rows.get(right.place.row_id)
        if isinstance(row, Relation):
            return await self._replaced(row, right, said, dry_run=dry_run)
        if not (isinstance(row, Observation) and isinstance(other, Observation)):
            raise InvalidParams("a row of it is gone; look again with `voice conflicts`")
        place = wrong.place
        if row.id == other.id:
            text = without_spans(row.text, [(place.start, place.end)])
        else:
            told = other.text[right.place.start : right.place.end]
            text = row.text[: place.start] + told + row.text[place.end :]
        return await self.correcting(replace(_request(wrong, right, said), text=text), dry_run=dry_run)

    async def _replaced(self, row: Relation, right: ConflictSide, said: Resolution, *, dry_run: bool) -> Corrected:
        """Let an edge be replaced by the one that is right; a new one would say the same twice."""
        require_correctable(row)
        if said.spares_trusted:
            require_untrusted(row)
        reason = _reason(right)
        correction = Correction(reason=reason, author=said.by, at=self.conflicts.clock.now())
        gone = superseded(row, by=right.place.row_id, correction=correction)
        if not dry_run:
            ingest = self.correcting.ingest
            await ingest.save((), names=await ingest.names.known(), beside=(gone,))
        return Corrected(row_id=right.place.row_id, replaced=row.id)


def _request(changed: ConflictSide, kept: ConflictSide, said: Resolution) -> CorrectRequest:
    return CorrectRequest(
        row_id=changed.place.row_id, reason=_reason(kept), author=said.by, spares_trusted=said.spares_trusted
    )


def _reason(kept: ConflictSide) -> str:
    return f"could not hold beside {kept.place.row_id}"


def _sides(conflict: Conflict, named: str | None) -> tuple[ConflictSide, ConflictSide]:
    """Return the side that is named and the other one.

    Raises:
        InvalidParams: it is none of them, or could be both.
    """
    first, second = conflict.row_ids
    meant = {"1": 1, "2": 2} | ({first: 1, second: 2} if first != second else {})
    if named is None or named not in meant:
        sides = f"1 ({first}) or 2 ({second})"
        raise InvalidParams(f"say which of the two you mean: {sides}")
    return (conflict.one, conflict.other) if meant[named] == 1 else (conflict.other, conflict.one)
