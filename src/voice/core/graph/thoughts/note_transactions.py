"""Store a thought with all that rests on it, and mend what was stored in part.

Law: no word is lost by mending and none is doubled. A sentence that is said elsewhere goes; those that are not become a
note of their own, with the date, the origin and the privacy that they have. An entity that a row names which stays
stays, too, without what described it.

What becomes true together, and goes together: a thought and all that rests on it. No transaction holds a part of a
thought with what rests on it (ruling I8). A row that rests on several thoughts stands with the first of them; a
relation not before the entities that it joins. Transactions are of a bounded size, and larger only where one thought
alone says more.

Source: rulings C10, F, H, I8; docs/store.md; rulings A21, F, H, I8.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from voice.core.records import EmbeddingStatus, Entity, GraphRow, Observation, Relation, Row, RowStatus, Thought
from voice.core.text.normalise import norm_v1


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialNote:
    """What rests on one thought that was never stored."""

    thought_id: str
    rows: tuple[GraphRow, ...] = field(repr=False)
    """All of it, by id."""
    unsaid: tuple[Observation, ...] = field(repr=False)
    """What of it nothing else says, in the order of the note."""
    kept: tuple[Entity, ...] = field(default=(), repr=False)
    """Entities among it that stay, as they will be."""

    @property
    def going(self) -> tuple[GraphRow, ...]:
        """What of it goes."""
        staying = {row.id for row in self.kept}
        return tuple(row for row in self.rows if row.id not in staying)

    def note(self, new_id: str) -> Thought | None:
        """Return the note that its sentences become; None: all of them are said elsewhere."""
        if not self.unsaid:
            return None
        first = self.unsaid[0]
        return Thought(
            id=new_id,
            content="\n".join(row.text for row in self.unsaid),
            created_at=first.created_at,
            recorded_at=first.recorded_at,
            origin=first.origin,
            speaker=first.speaker,
            thread=first.thread,
            scope=first.scope,
            is_private=any(row.is_private for row in self.unsaid),
            tags=tuple(dict.fromkeys(tag for row in self.unsaid for tag in row.tags)),
        )


def partial_notes(torn: Iterable[GraphRow], said: Collection[str], named: Collection[str]) -> list[PartialNote]:
    """Return what is left of each note that was stored in part, by its id.

    Args:
        torn: the rows that rest on thoughts that were never stored.
        said: what every other row says, normalised.
        named: the ids of the entities that the other rows name.
    """
    of_note: dict[str, list[GraphRow]] = {}
    for row in torn:
        of_note.setdefault(row.provenance[0].thought_id, []).append(row)
    heard = set(said)
    notes: list[PartialNote] = []
    for thought_id, rows in sorted(of_note.items()):
        unsaid = tuple(_unsaid(rows, heard))
        kept = tuple(without_description(row) for row in rows if isinstance(row, Entity) and row.id in named)
        ordered = tuple(sorted(rows, key=lambda row: row.id))
        notes.append(PartialNote(thought_id=thought_id, rows=ordered, unsaid=unsaid, kept=kept))
    return notes


def comparable_text(row: Row) -> str:
    """Return what a row says, normalised, as sentences are compared."""
    return norm_v1(row.text if isinstance(row, Observation) else "")


def without_description(entity: Entity) -> Entity:
    """Return an entity that rests on nothing, without what described it."""
    return replace(
        entity, provenance=(), description="", revision=entity.revision + 1, embedding_status=EmbeddingStatus.PENDING
    )


def _unsaid(rows: Sequence[GraphRow], heard: set[str]) -> Iterable[Observation]:
    """Yield the live observations that say what was not heard yet, in their order; they are heard by it."""
    live = [row for row in rows if isinstance(row, Observation) and row.status is RowStatus.ACTIVE]
    for row in sorted(live, key=lambda row: (row.provenance[0].start, row.id)):
        if (text := comparable_text(row)) and text not in heard:
            heard.add(text)
            yield row


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
