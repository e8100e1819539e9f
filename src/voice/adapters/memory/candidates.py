"""Candidates, merges and conflicts in memory."""

from collections.abc import Sequence
from dataclasses import replace

from voice.adapters.disk.values_json import from_json, to_json
from voice.adapters.memory.rows import put_batch
from voice.adapters.memory.state import Tables
from voice.core.errors import SessionConflict
from voice.core.graph.conflicts.pairs import ConflictRecord
from voice.core.graph.entities.merge import Merge
from voice.core.graph.review.candidates import Candidate, Cursor, is_hidden, undecided_among
from voice.core.records import Thought
from voice.ports.review_stores import ALL_CANDIDATES, NO_ROWS, CandidateFilter, check_candidates, check_records
from voice.ports.stores import WriteBatch, check_id


class TransientCandidateStore:
    """`CandidateStore`, `CandidateRemoval` and `UndecidedCandidates` in memory."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def save(
        self, candidates: Sequence[Candidate], *, rows: WriteBatch = NO_ROWS, removed: Sequence[str] = ()
    ) -> list[Candidate]:
        """Write candidates and rows, all of it or nothing; see `CandidateStore.save`."""
        check_candidates(candidates)
        kept: list[Candidate] = []
        with self._tables.transaction() as draft:
            for each in candidates:
                held = draft.candidates.get(each.id)
                if each.revision != (held.revision if held else 0) + 1:
                    raise SessionConflict(f"{each.id} was changed by somebody else meanwhile; look at it again")
            put_batch(draft, rows)
            for gone in removed:
                draft.candidates.pop(gone, None)
            for each in candidates:
                stored = from_json(Candidate, to_json(Candidate, each))
                kept.append(replace(stored, seq=draft.next_seq()))
                draft.candidates[each.id] = kept[-1]
        return kept

    async def fetch(self, ids: Sequence[str]) -> dict[str, Candidate]:
        """Return the candidates that exist, by id; see `CandidateStore.fetch`."""
        held = self._tables.now.candidates
        return {each: held[each] for each in ids if each in held}

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
        """Return how many candidates no human has decided, by thought; see `UndecidedCandidates.undecided`."""
        return undecided_among(self._tables.now.candidates.values(), thought_ids)

    async def remove(self, ids: Sequence[str], *, rows: WriteBatch = NO_ROWS) -> int:
        """Remove candidates for good; see `CandidateRemoval.remove`."""
        there = [each for each in dict.fromkeys(ids) if each in self._tables.now.candidates]
        with self._tables.transaction() as draft:
            put_batch(draft, rows)
            for each in there:
                del draft.candidates[each]
            if there or rows != NO_ROWS:
                draft.next_seq()
        return len(there)


class TransientConflictLog:
    """`ConflictLog` over the shared tables."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def save(self, records: Sequence[ConflictRecord]) -> list[ConflictRecord]:
        """Write records, all of them or none; see `ConflictLog.save`."""
        check_records(records)
        kept: list[ConflictRecord] = []
        with self._tables.transaction() as draft:
            for each in records:
                same = from_json(ConflictRecord, to_json(ConflictRecord, each))
                kept.append(replace(same, seq=draft.next_seq()))
                draft.conflicts[each.id] = kept[-1]
        return kept

    async def records(self) -> list[ConflictRecord]:
        """Return all of them, the latest first; see `ConflictLog.records`."""
        by_id = sorted(self._tables.now.conflicts.values(), key=lambda each: each.id)
        return sorted(by_id, key=lambda each: each.at, reverse=True)

    async def remove(self, ids: Sequence[str]) -> None:
        """Remove records for good; see `ConflictLog.remove`."""
        with self._tables.transaction() as draft:
            for each in ids:
                draft.conflicts.pop(each, None)


class TransientMergeLog:
    """`MergeLog` over the shared tables."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def record(self, merge: Merge, *, rows: WriteBatch) -> Merge:
        """Write a merge with its rows, all of it or nothing; see `MergeLog.record`."""
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
        """Return all of them, the latest first; see `MergeLog.merges`."""
        by_id = sorted(self._tables.now.merges.values(), key=lambda each: each.id)
        return sorted(by_id, key=lambda each: each.at, reverse=True)
