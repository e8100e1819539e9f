"""Pins, capsules, candidates, merges and conflicts in memory."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from voice.adapters.disk.values_json import from_json, to_json
from voice.adapters.memory.rows import TransientStore, put_batch
from voice.core.errors import InvalidParams, SessionConflict
from voice.core.graph.conflicts.pairs import ConflictRecord
from voice.core.graph.entities.merge import Merge
from voice.core.graph.review.candidates import Candidate, Cursor, is_hidden, undecided_among
from voice.core.recall.values import Capsule, Pin
from voice.core.records import Thought
from voice.ports.recall_stores import ALL_CAPSULES, CapsuleFilter, check_capsule, check_pin
from voice.ports.review_stores import ALL_CANDIDATES, NO_ROWS, CandidateFilter, check_candidates, check_records
from voice.ports.stores import WriteBatch, check_id


class TransientPinStore(TransientStore):
    """`PinStore` in memory."""

    async def save_pin(self, pin: Pin) -> Pin:
        """Write the pin, in place of one of the same target and scope; see `PinStore.save_pin`."""
        check_pin(pin)
        stored = from_json(Pin, to_json(Pin, pin))
        with self._tables.transaction() as draft:
            same = [each.id for each in draft.pins.values() if _place(each) == _place(stored)]
            if not same and stored.id in draft.pins:
                raise InvalidParams(f"{stored.id} is already the pin of another target")
            kept = replace(stored, id=same[0] if same else stored.id, seq=draft.next_seq())
            draft.pins[kept.id] = kept
        return kept

    async def remove_pin(self, pin_id: str) -> bool:
        """Remove the pin and return whether it was there; see `PinStore.remove_pin`."""
        if pin_id not in self._tables.now.pins:
            return False
        with self._tables.transaction() as draft:
            del draft.pins[pin_id]
            draft.next_seq()
        return True

    async def pins(self, target_ids: Sequence[str] | None = None, *, active_at: datetime | None = None) -> list[Pin]:
        """Return pins, newest first; see `PinStore.pins`."""
        found = [
            pin
            for pin in self._tables.now.pins.values()
            if (target_ids is None or pin.target_id in target_ids) and (active_at is None or pin.is_active(active_at))
        ]
        found.sort(key=lambda pin: pin.id)
        found.sort(key=lambda pin: pin.created_at, reverse=True)
        return found


class TransientCapsuleStore(TransientStore):
    """`CapsuleStore` in memory."""

    async def save_capsule(self, capsule: Capsule, *, expected: int) -> Capsule:
        """Write the capsule if its stored revision is the expected one; see `CapsuleStore.save_capsule`."""
        check_capsule(capsule, expected)
        stored = from_json(Capsule, to_json(Capsule, capsule))
        with self._tables.transaction() as draft:
            held = draft.capsules.get(stored.id)
            if (held.revision if held else 0) != expected:
                raise SessionConflict(f"{capsule.id} was changed meanwhile; load it again")
            kept = replace(stored, seq=draft.next_seq())
            draft.capsules[kept.id] = kept
        return kept

    async def capsule(self, capsule_id: str) -> Capsule | None:
        """Return the capsule, or None; see `CapsuleStore.capsule`."""
        return self._tables.now.capsules.get(capsule_id)

    async def capsules(self, *, limit: int, where: CapsuleFilter = ALL_CAPSULES) -> list[Capsule]:
        """Return capsules, newest first; see `CapsuleStore.capsules`."""
        found = [each for each in self._tables.now.capsules.values() if where.admits(each)]
        found.sort(key=lambda capsule: capsule.id)
        found.sort(key=lambda capsule: capsule.opened_at, reverse=True)
        return found[: max(limit, 0)]

    async def thoughts(self, capsule: Capsule, *, limit: int) -> list[Thought]:
        """Return the thoughts of a capsule, newest first; see `CapsuleStore.thoughts`."""
        found = self._inside(capsule)
        found.sort(key=lambda thought: thought.id)
        found.sort(key=lambda thought: thought.created_at, reverse=True)
        return found[: max(limit, 0)]

    async def private_thoughts(self, capsule: Capsule) -> int:
        """Return the number of a capsule's private thoughts; see `CapsuleStore.private_thoughts`."""
        return sum(thought.is_private for thought in self._inside(capsule))

    def _inside(self, capsule: Capsule) -> list[Thought]:
        rows = self._tables.now.rows.values()
        return [
            row for row in rows if isinstance(row, Thought) and (row.thread, row.scope) == (capsule.id, capsule.scope)
        ]


def _place(pin: Pin) -> tuple[object, ...]:
    return pin.target_id, pin.scope


class TransientCandidateStore(TransientStore):
    """`CandidateStore`, `CandidateRemoval` and `UndecidedCandidates` in memory."""

    async def save(
        self, candidates: Sequence[Candidate], *, rows: WriteBatch = NO_ROWS, removed: Sequence[str] = ()
    ) -> list[Candidate]:
        """Write candidates and rows, all or nothing; see `CandidateStore.save`."""
        check_candidates(candidates)
        kept: list[Candidate] = []
        with self._tables.transaction() as draft:
            for each in candidates:
                stored = draft.candidates.get(each.id)
                if each.revision != (stored.revision if stored else 0) + 1:
                    raise SessionConflict(f"{each.id} was changed meanwhile; look at it again")
            put_batch(draft, rows)
            for candidate_id in removed:
                draft.candidates.pop(candidate_id, None)
            for each in candidates:
                copy = from_json(Candidate, to_json(Candidate, each))
                kept.append(replace(copy, seq=draft.next_seq()))
                draft.candidates[each.id] = kept[-1]
        return kept

    async def fetch(self, ids: Sequence[str]) -> dict[str, Candidate]:
        """Return the candidates that exist, by id; see `CandidateStore.fetch`."""
        stored = self._tables.now.candidates
        return {each: stored[each] for each in ids if each in stored}

    async def candidates(
        self, where: CandidateFilter = ALL_CANDIDATES, *, limit: int, after: Cursor | None = None
    ) -> list[Candidate]:
        """Return candidates in the order they were staged; see `CandidateStore.candidates`."""
        found = sorted((each for each in self._tables.now.candidates.values() if where.admits(each)), key=Cursor.behind)
        later = [each for each in found if after is None or Cursor.behind(each) > after]
        return later[: max(limit, 0)]

    async def count(self, where: CandidateFilter = ALL_CANDIDATES) -> int:
        """Return how many candidates are wanted; see `CandidateStore.count`."""
        now = self._tables.now
        privacy = {row.id: row.is_private for row in now.rows.values() if isinstance(row, Thought)}
        wanted = [each for each in now.candidates.values() if where.admits(each)]
        if where.include_private:
            return len(wanted)
        return sum(not is_hidden((span.thought_id for span in each.provenance), privacy) for each in wanted)

    async def undecided(self, thought_ids: Sequence[str]) -> dict[str, int]:
        """Return how many candidates await a human decision, by thought; see `UndecidedCandidates.undecided`."""
        return undecided_among(self._tables.now.candidates.values(), thought_ids)

    async def remove(self, ids: Sequence[str]) -> int:
        """Remove candidates for good; see `CandidateRemoval.remove`."""
        stored = [each for each in dict.fromkeys(ids) if each in self._tables.now.candidates]
        with self._tables.transaction() as draft:
            for each in stored:
                del draft.candidates[each]
            if stored:
                draft.next_seq()
        return len(stored)


class TransientConflictLog(TransientStore):
    """`ConflictLog` in memory."""

    async def save(self, records: Sequence[ConflictRecord]) -> list[ConflictRecord]:
        """Write records, all or nothing; see `ConflictLog.save`."""
        check_records(records)
        kept: list[ConflictRecord] = []
        with self._tables.transaction() as draft:
            for each in records:
                copy = from_json(ConflictRecord, to_json(ConflictRecord, each))
                kept.append(replace(copy, seq=draft.next_seq()))
                draft.conflicts[each.id] = kept[-1]
        return kept

    async def records(self) -> list[ConflictRecord]:
        """Return all conflicts, the latest first; see `ConflictLog.records`."""
        by_id = sorted(self._tables.now.conflicts.values(), key=lambda each: each.id)
        return sorted(by_id, key=lambda each: each.at, reverse=True)

    async def remove(self, ids: Sequence[str]) -> None:
        """Remove records for good; see `ConflictLog.remove`."""
        with self._tables.transaction() as draft:
            for each in ids:
                draft.conflicts.pop(each, None)


class TransientMergeLog(TransientStore):
    """`MergeLog` in memory."""

    async def record(self, merge: Merge, *, rows: WriteBatch) -> Merge:
        """Write a merge with its rows, all or nothing; see `MergeLog.record`."""
        check_id(merge.id)
        with self._tables.transaction() as draft:
            put_batch(draft, rows)
            kept = replace(from_json(Merge, to_json(Merge, merge)), seq=draft.next_seq())
            draft.merges[merge.id] = kept
        return kept

    async def merge(self, merge_id: str) -> Merge | None:
        """Return the merge, or None; see `MergeLog.merge`."""
        return self._tables.now.merges.get(merge_id)

    async def merges(self) -> list[Merge]:
        """Return all merges, the latest first; see `MergeLog.merges`."""
        by_id = sorted(self._tables.now.merges.values(), key=lambda each: each.id)
        return sorted(by_id, key=lambda each: each.at, reverse=True)
