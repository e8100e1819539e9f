"""What a note left that was stored in part and never acknowledged, and what becomes of it.

Law: no word is lost by mending and none is doubled. A sentence that is said elsewhere goes; those that are not become a
note of their own, with the date, the origin and the privacy that they have. An entity that a row names which stays
stays, too, without what described it.

Source: rulings C10, F, H, I8; docs/store.md.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from voice.core.records import EmbeddingStatus, Entity, GraphRow, Observation, Relation, Row, RowStatus, Thought
from voice.core.text.normalise import norm_v1


@dataclass(frozen=True, slots=True, kw_only=True)
class HalfNote:
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


def half_notes(torn: Iterable[GraphRow], said: Collection[str], named: Collection[str]) -> list[HalfNote]:
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
    notes: list[HalfNote] = []
    for thought_id, rows in sorted(of_note.items()):
        unsaid = tuple(_unsaid(rows, heard))
        kept = tuple(bare(row) for row in rows if isinstance(row, Entity) and row.id in named)
        ordered = tuple(sorted(rows, key=lambda row: row.id))
        notes.append(HalfNote(thought_id=thought_id, rows=ordered, unsaid=unsaid, kept=kept))
    return notes


def said_by(row: Row) -> str:
    """Return what a row says, normalised, as sentences are compared."""
    return norm_v1(row.text if isinstance(row, Observation) else "")


def named_by(row: Row) -> tuple[str, ...]:
    """Return the entities that a row names."""
    if isinstance(row, Observation):
        return row.entity_ids
    return (row.source_id, row.target_id) if isinstance(row, Relation) else ()


def bare(entity: Entity) -> Entity:
    """Return an entity that rests on nothing, without what described it."""
    return replace(
        entity, provenance=(), description="", revision=entity.revision + 1, embedding_status=EmbeddingStatus.PENDING
    )


def _unsaid(rows: Sequence[GraphRow], heard: set[str]) -> Iterable[Observation]:
    """Yield the live observations that say what was not heard yet, in their order; they are heard by it."""
    live = [row for row in rows if isinstance(row, Observation) and row.status is RowStatus.ACTIVE]
    for row in sorted(live, key=lambda row: (row.provenance[0].start, row.id)):
        if (text := said_by(row)) and text not in heard:
            heard.add(text)
            yield row
