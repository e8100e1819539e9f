"""What becomes true together, and goes together: a thought and all that rests on it.

Law: no transaction holds a part of a thought with what rests on it (ruling I8). A row that rests on several thoughts
stands with the first of them; a relation not before the entities that it joins. Transactions are of a bounded size,
and larger only where one thought alone says more.

Source: rulings A21, F, H, I8.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from voice.core.records import GraphRow, Relation, Row, Thought

_R = TypeVar("_R", bound=Row)


def by_thought(thoughts: Iterable[Thought], rows: Sequence[GraphRow]) -> dict[str, tuple[GraphRow, ...]]:
    """Return the rows that stand with each of the thoughts, by its id; those that rest on none of them are left out.

    Args:
        thoughts: in their order.
        rows: rows of the graph, in any order.
    """
    places = {thought.id: place for place, thought in enumerate(thoughts)}
    first = {row.id: place for row in rows if (place := _first(row, places)) is not None}
    together: dict[str, list[GraphRow]] = {}
    named = list(places)
    for row in rows:
        if row.id in first:
            ends = (row.source_id, row.target_id) if isinstance(row, Relation) else ()
            place = max(first[row.id], *(first.get(end, 0) for end in ends), 0)
            together.setdefault(named[place], []).append(row)
    return {thought_id: tuple(found) for thought_id, found in together.items()}


def packed(groups: Iterable[Sequence[_R]], *, size: int) -> Iterator[list[_R]]:
    """Yield the groups in transactions of up to `size` rows; no group is divided, so a larger one stands alone."""
    pack: list[_R] = []
    for group in groups:
        if pack and len(pack) + len(group) > size:
            yield pack
            pack = []
        pack.extend(group)
    if pack:
        yield pack


def _first(row: GraphRow, places: Mapping[str, int]) -> int | None:
    """Return the place of the first thought that a row rests on; None: it rests on none of them."""
    return min((places[span.thought_id] for span in row.provenance if span.thought_id in places), default=None)
