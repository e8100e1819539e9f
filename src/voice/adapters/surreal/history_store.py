"""What was superseded, and by what; implements `HistoryStore`."""

from collections.abc import Sequence
from datetime import datetime
from typing import cast

from voice.adapters.surreal.codec import encode_instant
from voice.adapters.surreal.connection import Connection
from voice.adapters.surreal.dialect import BEHIND, FIRST, PAGE, block, key_of, row_id_of
from voice.adapters.surreal.reading import read_rows
from voice.core.graph.removal.lifecycle import is_no_longer_held
from voice.core.records import Observation, Relation, Row, RowStatus, Table, Thought
from voice.core.text.normalise import clean_text

_IDS_PAGE = 1_000
"""Ids alone are short, so more of them come at a time."""
_REPLACED = block(
    *(
        f"LET ${table} = (SELECT VALUE id FROM {table} WHERE superseded_by IN $ids);"  # noqa: S608 - our tables
        for table in Table
    ),
    result="array::concat(" + ", ".join(f"${table}" for table in Table) + ")",
)
_PAST = block(
    "LET $about = (SELECT VALUE id FROM kg_observations WHERE entity_ids CONTAINSANY $ids);",
    "LET $from = (SELECT VALUE id FROM kg_relations WHERE source_id IN $ids);",
    "LET $to = (SELECT VALUE id FROM kg_relations WHERE target_id IN $ids);",
    result="array::concat($about, $from, $to)",
)
_FOUND = "SELECT VALUE id FROM thoughts WHERE source_ref IN $ids"
_NOT_HELD = (
    f"SELECT VALUE id {BEHIND} WHERE recorded_at > $moment"
    " OR (superseded_at != NONE AND superseded_at <= $moment)"
    " OR (superseded_at = NONE AND status = 'superseded')"
    " OR (away != NONE AND array::len(away[WHERE $this <= $moment]) % 2 = 1) ORDER BY id LIMIT $limit"
)
"""An absent instant sorts before every other one, so it is asked for by name. What left and came back by turns was away
where it left once more than it came back (`was_away`)."""


class SurrealHistoryStore:
    """`HistoryStore` over a connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def replaced_by(self, row_ids: Sequence[str]) -> list[Row]:
        """Return the rows whose place these took; see `HistoryStore.replaced_by`."""
        rows = await self._rows("look up what was replaced", _REPLACED, row_ids)
        return [row for row in rows if row.status is RowStatus.SUPERSEDED]

    async def past_of(self, entity_ids: Sequence[str]) -> list[Observation | Relation]:
        """Return the superseded rows around the entities; see `HistoryStore.past_of`."""
        rows = await self._rows("look up what was superseded", _PAST, entity_ids)
        past = (row for row in rows if is_no_longer_held(row))
        return [row for row in past if isinstance(row, Observation | Relation)]

    async def not_held_at(self, moment: datetime) -> set[str]:
        """Return what was recorded later or superseded by then; see `HistoryStore.not_held_at`."""
        found: set[str] = set()
        bound = {"moment": encode_instant(moment), "limit": _IDS_PAGE}
        for table in Table:
            after = FIRST
            while True:
                params = {**bound, "table": table.value, "after": after}
                page = cast("list[object]", await self._connection.run("look up what was held", _NOT_HELD, params))
                found.update(map(row_id_of, page))
                if len(page) < _IDS_PAGE:
                    break
                after = key_of(page[-1])
        return found

    async def found_at(self, source_refs: Sequence[str]) -> list[Thought]:
        """Return the live thoughts found there; see `HistoryStore.found_at`."""
        rows = await self._rows("look up notes", _FOUND, [clean_text(each) for each in source_refs])
        return [row for row in rows if isinstance(row, Thought) and row.status is RowStatus.ACTIVE]

    async def _rows(self, purpose: str, text: str, ids: Sequence[str]) -> list[Row]:
        found: set[str] = set()
        asked = list(dict.fromkeys(ids))
        for start in range(0, len(asked), PAGE):
            result = await self._connection.run(purpose, text, {"ids": asked[start : start + PAGE]})
            found.update(map(row_id_of, cast("list[object]", result)))
        rows = await read_rows(self._connection, sorted(found))
        return [rows[row_id] for row_id in sorted(rows)]
