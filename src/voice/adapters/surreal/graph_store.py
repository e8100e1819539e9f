"""The knowledge graph by its structure; implements `GraphStore`."""

from collections.abc import Sequence
from typing import cast

from voice.adapters.surreal.codec import NameRecord, decode_name
from voice.adapters.surreal.connection import Connection
from voice.adapters.surreal.dialect import BEHIND, FIRST, GRAPH_TABLES, PAGE, block, key_of, row_id_of
from voice.adapters.surreal.remembered import RememberedRows
from voice.core.records import EntityName, Observation, Relation, Row, RowStatus, Table
from voice.core.retrieval.passages import Sentence

_NAMES = (
    "SELECT VALUE [id, name, entity_type, aliases, is_private] FROM "  # noqa: S608 - literals of ours
    f"(SELECT id, name, entity_type, aliases, is_private {BEHIND} WHERE status = 'active' ORDER BY id LIMIT $limit)"
)
_NAMES_PAGE = 2_500
"""Names come as bare lists, because most of what an entity costs is decoding its members. Two selections: engine 3.0
orders by named columns alone."""
_OBSERVATIONS = "SELECT VALUE id FROM kg_observations WHERE entity_ids CONTAINSANY $ids"
_LEAVING = "SELECT VALUE id FROM kg_relations WHERE source_id IN $ids"
_RELATIONS = block(
    "LET $from = (SELECT VALUE id FROM kg_relations WHERE source_id IN $ids);",
    "LET $to = (SELECT VALUE id FROM kg_relations WHERE target_id IN $ids);",
    result="array::concat($from, $to)",
)
"""Two look-ups: the engine uses no index for `a IN … OR b IN …`."""
_DERIVED = block(
    *(
        f"LET ${table} = (SELECT VALUE id FROM {table} WHERE thought_ids CONTAINSANY $ids);"  # noqa: S608 - our tables
        for table in GRAPH_TABLES
    ),
    result="array::concat(" + ", ".join(f"${table}" for table in GRAPH_TABLES) + ")",
)

_SENTENCES = (
    "SELECT VALUE [id, thought_ids, spans] FROM kg_observations WHERE thought_ids CONTAINSANY $thoughts "
    "AND status = 'active'"
)


class SurrealGraphStore:
    """`GraphStore` over a connection."""

    def __init__(self, connection: Connection, rows: RememberedRows | None = None) -> None:
        self._connection = connection
        self._remembered = rows or RememberedRows(connection=connection)

    async def names(self) -> list[EntityName]:
        """Return the names of all live entities, by id; see `GraphStore.names`."""
        names: list[EntityName] = []
        after = FIRST
        while True:
            params = {"table": Table.ENTITIES.value, "after": after, "limit": _NAMES_PAGE}
            page = cast("list[NameRecord]", await self._connection.run("list names", _NAMES, params))
            names.extend(map(decode_name, page))
            if len(page) < _NAMES_PAGE:
                return sorted(names, key=lambda name: name.id)
            after = key_of(page[-1][0])

    async def relations_of(self, entity_ids: Sequence[str], *, leaving: bool = False) -> list[Relation]:
        """Return live relations that touch any of the entities, by id; see `GraphStore.relations_of`."""
        rows = await self._rows("list relations", _LEAVING if leaving else _RELATIONS, entity_ids)
        return [row for row in rows if isinstance(row, Relation) and row.status is RowStatus.ACTIVE]

    async def observations_of(self, entity_ids: Sequence[str]) -> list[Observation]:
        """Return live observations that name any of the entities, by id; see `GraphStore.observations_of`."""
        rows = await self._rows("list observations", _OBSERVATIONS, entity_ids)
        return [row for row in rows if isinstance(row, Observation) and row.status is RowStatus.ACTIVE]

    async def derived_from(self, thought_ids: Sequence[str]) -> list[Row]:
        """Return the KG rows whose provenance names any of the thoughts, by id; see `GraphStore.derived_from`."""
        return await self._rows("list derived rows", _DERIVED, thought_ids)

    async def sentences_of(self, thought_ids: Sequence[str]) -> dict[str, list[Sentence]]:
        """Return where observations stand in thoughts, in the order of the text; see `GraphStore.sentences_of`."""
        wanted = dict.fromkeys(thought_ids)
        found: dict[str, list[Sentence]] = {thought_id: [] for thought_id in wanted}
        asked = list(wanted)
        for start in range(0, len(asked), PAGE):
            params = {"thoughts": asked[start : start + PAGE]}
            result = await self._connection.run("list sentences", _SENTENCES, params)
            for record, thoughts, spans in cast("list[tuple[object, list[str], list[int]]]", result):
                row_id = row_id_of(record)
                for at, thought_id in enumerate(thoughts):
                    if thought_id in found:
                        found[thought_id].append(Sentence(spans[2 * at], spans[2 * at + 1], row_id))
        return {thought_id: sorted(set(places)) for thought_id, places in found.items()}

    async def _rows(self, purpose: str, text: str, ids: Sequence[str]) -> list[Row]:
        found: set[str] = set()
        asked = list(dict.fromkeys(ids))
        for start in range(0, max(len(asked), 1), PAGE):
            result = await self._connection.run(purpose, text, {"ids": asked[start : start + PAGE]})
            found.update(map(row_id_of, cast("list[object]", result)))
        rows = await self._remembered.read(sorted(found))
        return [rows[row_id] for row_id in sorted(rows)]
