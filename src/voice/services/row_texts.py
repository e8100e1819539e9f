"""What rows say, for a reader.

Law: the ends of an edge are named as far as the reader may see them; an entity is told without its edges, which its own
page shows (ruling C19, promise 6).

Source: rulings C2, C19; promise 6.
"""

from collections.abc import Iterable

from voice.core.graph.rendering import render_row
from voice.core.records import Entity, Relation, Row
from voice.ports.stores import MemoryStore


async def row_texts(store: MemoryStore, rows: Iterable[Row], *, include_private: bool) -> dict[str, str]:
    """Return what each row says, by its id.

    Args:
        store: where the ends of edges are.
        rows: any.
        include_private: whether private entities are named.

    Raises:
        StoreError: they cannot be read.
    """
    told = list(rows)
    edges = [row for row in told if isinstance(row, Relation)]
    ends = await store.fetch(sorted({end for each in edges for end in (each.source_id, each.target_id)}))
    seen = {
        each.id: each for each in ends.values() if isinstance(each, Entity) and (include_private or not each.is_private)
    }
    return {row.id: render_row(row, entities=seen, relations=()) for row in told}
