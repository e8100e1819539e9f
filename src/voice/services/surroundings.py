"""The rows that other rows' texts name.

Law: one step out and no further: the edges that leave an entity, and both ends of an edge. Whether the reader may see
them is decided by whoever makes the text (`voice.core.retrieval.candidates.Neighbourhood`).

Source: rulings C2, C19.
"""

from collections.abc import Collection, Mapping

from voice.core.records import Relation, Row
from voice.ports.stores import GraphStore, MemoryStore


async def fetch_surroundings(
    store: MemoryStore, graph: GraphStore, entity_ids: Collection[str], rows: Mapping[str, Row]
) -> dict[str, Row]:
    """Return what the texts of the entities and of the relations among `rows` name.

    Args:
        store: where rows are.
        graph: where edges are.
        entity_ids: whose outgoing edges are wanted; entities that `rows` lacks are fetched.
        rows: what is there already; it is not returned again.

    Raises:
        StoreError: they cannot be read.
    """
    edges = await graph.relations_of(sorted(entity_ids), leaving=True) if entity_ids else []
    relations = [row for row in rows.values() if isinstance(row, Relation)]
    ends = {end for edge in (*edges, *relations) for end in (edge.source_id, edge.target_id)}
    missing = sorted(({*entity_ids} | ends) - rows.keys())
    fetched = await store.fetch(missing) if missing else {}
    return {**fetched, **{edge.id: edge for edge in edges}}
