"""Merges and conflicts in SurrealDB; implements `MergeLog` and `ConflictLog`.

Law: what is read back is equal in every field (ruling B8); each is one canonical JSON text. A merge is written in the
transaction of its rows, under the number that they are decided on.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypeVar, cast

from voice.adapters.disk.values_json import to_json, to_text
from voice.adapters.surreal.codec import Record
from voice.adapters.surreal.connection import REWRITE, is_key, record
from voice.adapters.surreal.stores.reading import read_decision, record_pages
from voice.adapters.surreal.stores.rows import decide_rows, encode_batch
from voice.adapters.surreal.writer import Write, WritingStore
from voice.core.graph.conflicts.pairs import ConflictRecord
from voice.core.graph.entities.merge import Merge
from voice.ports.review_stores import check_records
from voice.ports.stores import WriteBatch, check_id

_Decision = TypeVar("_Decision", Merge, ConflictRecord)
MERGES: Final = "kg_merges"
_WRITE = "UPSERT $merge.id CONTENT $merge RETURN NONE;"
_READ = "SELECT * FROM $ids"


class SurrealMergeLog(WritingStore):
    """`MergeLog` over a connection; writes go through the store's one writer."""

    async def record(self, merge: Merge, *, rows: WriteBatch) -> Merge:
        """Write a merge with its rows in one transaction; see `MergeLog.record`."""
        check_id(merge.id)
        encoded = encode_batch(rows)
        kept: list[Merge] = []

        async def decide(last_seq: int) -> Write | None:
            first = await decide_rows(self._connection, rows, encoded, last_seq)
            numbered = replace(merge, seq=last_seq + first.numbers + 1)
            written = encode_merge(numbered)
            kept[:] = [decode_merge(written)]  # as it will be read back
            params = {**first.params, "merge": written}
            return Write(steps=(*first.steps, _WRITE), params=params, numbers=first.numbers + 1)

        await self._writer.commit("save a merge", decide)
        return kept[0]

    async def merge(self, merge_id: str) -> Merge | None:
        """Return the merge, or None; see `MergeLog.merge`."""
        if not is_key(merge_id):
            return None
        found = await self._connection.run("read a merge", _READ, {"ids": [record(MERGES, merge_id)]})
        return next((decode_merge(each) for each in cast("list[Record]", found)), None)

    async def merges(self) -> list[Merge]:
        """Return all merges, the latest first; see `MergeLog.merges`."""
        pages = record_pages(self._connection, MERGES)
        return _latest_first([decode_merge(each) async for page in pages for each in page])


def encode_merge(merge: Merge) -> Record:
    """Return the record of a merge."""
    return _encoded(Merge, MERGES, merge)


def decode_merge(found: Record) -> Merge:
    """Return the merge of a record. Raises StoreDamaged: it cannot be read, or its id is not the record's."""
    return read_decision(Merge, found, "merge")


CONFLICTS: Final = "kg_conflicts"
_DELETE = "DELETE $removed RETURN NONE;"


class SurrealConflictLog(WritingStore):
    """`ConflictLog` over a connection; writes go through the store's one writer."""

    async def save(self, records: Sequence[ConflictRecord]) -> list[ConflictRecord]:
        """Write records in one transaction; see `ConflictLog.save`."""
        check_records(records)
        kept: list[ConflictRecord] = []

        async def decide(last_seq: int) -> Write | None:
            written = [encode_conflict(replace(each, seq=last_seq + at)) for at, each in enumerate(records, start=1)]
            kept[:] = map(decode_conflict, written)
            if not written:
                return None
            return Write(steps=(REWRITE,), params={"rewritten": written}, numbers=len(written))

        await self._writer.commit("save conflicts", decide)
        return kept

    async def records(self) -> list[ConflictRecord]:
        """Return all conflicts, the latest first; see `ConflictLog.records`."""
        pages = record_pages(self._connection, CONFLICTS)
        return _latest_first([decode_conflict(each) async for page in pages for each in page])

    async def remove(self, ids: Sequence[str]) -> None:
        """Remove records for good; see `ConflictLog.remove`."""
        places = [record(CONFLICTS, each) for each in dict.fromkeys(ids) if is_key(each)]

        async def decide(_: int) -> Write | None:
            return Write(steps=(_DELETE,), params={"removed": places}, numbers=1) if places else None

        await self._writer.commit("remove conflicts", decide)


def encode_conflict(kept: ConflictRecord) -> Record:
    """Return the record of a conflict."""
    return _encoded(ConflictRecord, CONFLICTS, kept)


def decode_conflict(found: Record) -> ConflictRecord:
    """Return the conflict of a record. Raises StoreDamaged: it cannot be read, or its id is not the record's."""
    return read_decision(ConflictRecord, found, "conflict")


def _encoded(kind: type[_Decision], table: str, decision: _Decision) -> Record:
    members = {name: value for name, value in to_json(kind, decision).items() if name != "seq"}
    return {"id": record(table, decision.id), "seq": decision.seq, "body": to_text(members)}


def _latest_first(found: list[_Decision]) -> list[_Decision]:
    by_id = sorted(found, key=lambda each: each.id)  # the second sort is stable, so the id decides within one moment
    return sorted(by_id, key=lambda each: each.at, reverse=True)
