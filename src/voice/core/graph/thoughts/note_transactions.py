"""Store a thought together with its dependents, and repair partial stores.

Law: a thought and its rows are in one transaction (ruling I8); a row of several thoughts goes with the first, a
relation after its ends. Transactions are bounded, except for one large thought. Repair loses and duplicates nothing:
unique sentences of a missing thought become a new note.
Source: rulings A21, C10, F, H, I8; docs/store.md.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from voice.core.records import EmbeddingStatus, Entity, GraphRow, Observation, Relation, Row, RowStatus, Thought
from voice.core.text.normalise import norm_v1


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialNote:
    """Rows of a thought that was never stored."""

    thought_id: str
    rows: tuple[GraphRow, ...] = field(repr=False)
    """By id."""
    unsaid: tuple[Observation, ...] = field(repr=False)
    """Sentences that no other row has, in order."""
    kept: tuple[Entity, ...] = field(default=(), repr=False)
    """Entities that stay, updated."""

    @property
    def going(self) -> tuple[GraphRow, ...]:
        """Rows to delete."""
        staying = {row.id for row in self.kept}
        return tuple(row for row in self.rows if row.id not in staying)

    def note(self, new_id: str) -> Thought | None:
        """Return a note with its unique sentences; None if there are none."""
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
    """Group torn rows by missing thought, sorted by id.

    Args:
        torn: rows resting on thoughts that were never stored.
        said: normalised texts of all other rows.
        named: entity ids named by other rows.
    """
    of_note: dict[str, list[GraphRow]] = {}
    for row in torn:
        of_note.setdefault(row.provenance[0].thought_id, []).append(row)
    known = set(said)
    notes: list[PartialNote] = []
    for thought_id, rows in sorted(of_note.items()):
        unsaid = tuple(_new_sentences(rows, known))
        kept = tuple(without_description(row) for row in rows if isinstance(row, Entity) and row.id in named)
        ordered = tuple(sorted(rows, key=lambda row: row.id))
        notes.append(PartialNote(thought_id=thought_id, rows=ordered, unsaid=unsaid, kept=kept))
    return notes


def comparable_text(row: Row) -> str:
    """Return a row's normalised text for comparison."""
    return norm_v1(row.text if isinstance(row, Observation) else "")


def without_description(entity: Entity) -> Entity:
    """Return an entity without sources and description."""
    return replace(
        entity, provenance=(), description="", revision=entity.revision + 1, embedding_status=EmbeddingStatus.PENDING
    )


def _new_sentences(rows: Sequence[GraphRow], known: set[str]) -> Iterator[Observation]:
    """Yield live observations with a new text, adding it to `known`."""
    live = [row for row in rows if isinstance(row, Observation) and row.status is RowStatus.ACTIVE]
    for row in sorted(live, key=lambda row: (row.provenance[0].start, row.id)):
        if (text := comparable_text(row)) and text not in known:
            known.add(text)
            yield row


_R = TypeVar("_R", bound=Row)


def by_thought(thoughts: Iterable[Thought], rows: Sequence[GraphRow]) -> dict[str, tuple[GraphRow, ...]]:
    """Group rows by the thought they are stored with; rows of none of them are omitted."""
    places = {thought.id: place for place, thought in enumerate(thoughts)}
    sources = {
        row.id: [places[span.thought_id] for span in row.provenance if span.thought_id in places] for row in rows
    }
    first = {row_id: min(found) for row_id, found in sources.items() if found}
    ids = list(places)
    groups: dict[str, list[GraphRow]] = {}
    for row in rows:
        if row.id in first:
            ends = (row.source_id, row.target_id) if isinstance(row, Relation) else ()
            place = max(first[row.id], *(first.get(end, 0) for end in ends), 0)
            groups.setdefault(ids[place], []).append(row)
    return {thought_id: tuple(found) for thought_id, found in groups.items()}


def packed(groups: Iterable[Sequence[_R]], *, size: int) -> Iterator[list[_R]]:
    """Yield batches of up to `size` rows without splitting a group, so one may be larger."""
    pack: list[_R] = []
    for group in groups:
        if pack and len(pack) + len(group) > size:
            yield pack
            pack = []
        pack.extend(group)
    if pack:
        yield pack
