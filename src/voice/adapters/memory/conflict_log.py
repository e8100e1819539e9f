"""Records of conflicts in memory; implements `ConflictLog`."""

from collections.abc import Sequence
from dataclasses import replace

from voice.adapters.disk.values_json import from_json, to_json
from voice.adapters.memory.state import Tables
from voice.core.graph.conflicts.pairs import ConflictRecord
from voice.ports.conflict_log import check_records


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
