"""Merges in memory; implements `MergeLog`."""

from dataclasses import replace

from voice.adapters.disk.values_json import from_json, to_json
from voice.adapters.memory.rows import put_batch
from voice.adapters.memory.state import Tables
from voice.core.graph.entities.merge import Merge
from voice.ports.stores import WriteBatch, check_id


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
