"""Rows whose thoughts were never stored, in SurrealDB; implements `TornRows`.

Law: whatever is stored, or was and is gone, has a stamp, so what is known of a thought is asked there. Of the rows the
column of their thoughts alone is read, which costs a tenth of the row.
"""

from collections.abc import AsyncIterator, Mapping
from typing import Final, cast

from voice.adapters.surreal.connection import Connection
from voice.adapters.surreal.dialect import BEHIND, FIRST, GRAPH_TABLES, key_of, records, row_id_of, row_record
from voice.adapters.surreal.reading import pages, read_stamps
from voice.adapters.surreal.removed_rows import require_unchanged
from voice.adapters.surreal.writer import Write, Writer

_GROUNDS: Final = (
    "SELECT VALUE [id, thought_ids] FROM "  # noqa: S608 - literals of ours
    f"(SELECT id, thought_ids {BEHIND} WHERE thought_ids != NONE ORDER BY id LIMIT $limit)"
)
_KNOWN: Final = "SELECT VALUE id FROM $stamps WHERE id != NONE"
_PAGE: Final = 2_500
_Grounds = tuple[object, list[str]]


class SurrealTornRows:
    """`TornRows` over a connection; writes go through the store's one writer."""

    def __init__(self, connection: Connection, writer: Writer) -> None:
        self._connection = connection
        self._writer = writer

    async def torn(self) -> list[str]:
        """Return the ids of what rests on nothing; see `TornRows.torn`."""
        known: dict[str, bool] = {}
        found: list[str] = []
        async for page in self._grounds():
            asked = dict.fromkeys(each for _, thoughts in page for each in thoughts if each not in known)
            there = await self._known(asked)
            known |= {each: each in there for each in asked}
            torn = (row for row, thoughts in page if thoughts and not any(known[each] for each in thoughts))
            found.extend(map(row_id_of, torn))
        return sorted(found)

    async def take_back(self, revisions: Mapping[str, int]) -> None:
        """Remove rows; see `TornRows.take_back`."""
        if not revisions:
            return
        ids = list(revisions)

        async def decide(last_seq: int) -> Write:
            del last_seq
            held = await read_stamps(self._connection, ids)
            for row_id, revision in revisions.items():
                require_unchanged(row_id, held.get(row_id), revision)
            with_vector = [row_id for row_id in ids if held[row_id].embedding == "ready"]
            gone = [*map(row_record, ids), *records("vectors", with_vector), *records("stamps", ids)]
            return Write(steps=("DELETE $gone;",), params={"gone": gone}, numbers=1)

        await self._writer.commit("take rows back", decide)

    async def _grounds(self) -> AsyncIterator[list[_Grounds]]:
        for table in GRAPH_TABLES:
            after = FIRST
            while True:
                params = {"table": table.value, "after": after, "limit": _PAGE}
                page = cast("list[_Grounds]", await self._connection.run("look up grounds", _GROUNDS, params))
                if page:
                    yield page
                    after = key_of(page[-1][0])
                if len(page) < _PAGE:
                    break

    async def _known(self, thought_ids: Mapping[str, object]) -> set[str]:
        """Return those of the thoughts that are stored, or were and are gone."""
        known: set[str] = set()
        for page in pages(thought_ids):
            found = await self._connection.run("look up thoughts", _KNOWN, {"stamps": records("stamps", page)})
            known.update(map(key_of, cast("list[object]", found)))
        return known
