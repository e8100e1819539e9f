"""Records of conflicts in SurrealDB; implements `ConflictLog`.

Law: as of every record: what comes back is equal in every field (ruling B8). A record is one canonical JSON text.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, cast

from voice.adapters.disk.values_json import from_json, to_json, to_text
from voice.adapters.surreal.codec import Record
from voice.adapters.surreal.connection import Connection
from voice.adapters.surreal.dialect import is_key, key_of, record
from voice.adapters.surreal.reading import record_pages
from voice.adapters.surreal.writer import Write, Writer
from voice.core.errors import StoreDamaged
from voice.core.graph.conflicts.pairs import ConflictRecord
from voice.ports.conflict_log import check_records

CONFLICTS: Final = "kg_conflicts"
_WRITE = "FOR $each IN $conflicts { UPSERT $each.id CONTENT $each RETURN NONE };"
_DELETE = "DELETE $removed RETURN NONE;"


class SurrealConflictLog:
    """`ConflictLog` over a connection; writes go through the store's one writer."""

    def __init__(self, connection: Connection, writer: Writer) -> None:
        self._connection = connection
        self._writer = writer

    async def save(self, records: Sequence[ConflictRecord]) -> list[ConflictRecord]:
        """Write records in one transaction; see `ConflictLog.save`."""
        check_records(records)
        kept: list[ConflictRecord] = []

        async def decide(last_seq: int) -> Write | None:
            written = [encode_conflict(replace(each, seq=last_seq + at)) for at, each in enumerate(records, start=1)]
            kept[:] = map(decode_conflict, written)
            return Write(steps=(_WRITE,), params={"conflicts": written}, numbers=len(written)) if written else None

        await self._writer.commit("save conflicts", decide)
        return kept

    async def records(self) -> list[ConflictRecord]:
        """Return all of them, the latest first; see `ConflictLog.records`."""
        found = [decode_conflict(each) async for page in record_pages(self._connection, CONFLICTS) for each in page]
        by_id = sorted(found, key=lambda each: each.id)
        return sorted(by_id, key=lambda each: each.at, reverse=True)

    async def remove(self, ids: Sequence[str]) -> None:
        """Remove records for good; see `ConflictLog.remove`."""
        places = [record(CONFLICTS, each) for each in dict.fromkeys(ids) if is_key(each)]

        async def decide(last_seq: int) -> Write | None:  # noqa: ARG001 - what goes needs no number to be decided
            return Write(steps=(_DELETE,), params={"removed": places}, numbers=1) if places else None

        await self._writer.commit("remove conflicts", decide)


def encode_conflict(kept: ConflictRecord) -> Record:
    """Return what is stored of a conflict, under its own number."""
    members = {name: value for name, value in to_json(ConflictRecord, kept).items() if name != "seq"}
    return {"id": record(CONFLICTS, kept.id), "seq": kept.seq, "body": to_text(members)}


def decode_conflict(found: Record) -> ConflictRecord:
    """Return the conflict of a record.

    Raises:
        StoreDamaged: the record is no conflict any more, or another one than its id says.
    """
    key = key_of(found["id"])
    try:
        members = cast("dict[str, object]", json.loads(cast("str", found["body"])))
        kept = from_json(ConflictRecord, {**members, "seq": found["seq"]})
    except (ValueError, TypeError):
        kept = None
    if kept is None or kept.id != key:
        raise StoreDamaged(f"the conflict {key} cannot be read; run `voice maintain verify`")
    return kept
