"""What an import says anew of rows that are there already.

Law: an import can hide a row and tag it, never show it or untag it: what a file leaves out is no order. A row that
rests on a thought follows it (ruling C10), in the same transaction; what an interrupted import did not come to, the
next one does.

Source: rulings C10, F, H.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from voice.core.graph.together import packed
from voice.core.records import Entity, Inheritance, Observation, Relation, Row, Thought
from voice.ports.stores import GraphStore, MemoryStore, WriteBatch
from voice.services.ingest import MAX_TRANSACTION_ROWS

_AnyRow = TypeVar("_AnyRow", Thought, Entity, Observation, Relation, Row)


@dataclass(frozen=True, slots=True, kw_only=True)
class Restricted:
    """What became of rows that were known; counts of the rows that a file named."""

    made_private: int = 0
    tagged: int = 0

    def __add__(self, other: "Restricted") -> "Restricted":
        """Return the sum of two."""
        return Restricted(made_private=self.made_private + other.made_private, tagged=self.tagged + other.tagged)


@dataclass(frozen=True, slots=True, kw_only=True)
class Restricting:
    """Makes stored rows as private as a file says, and gives them its tags."""

    store: MemoryStore
    graph: GraphStore

    async def thoughts(self, told: Sequence[Thought]) -> Restricted:
        """Take over what a file says of thoughts that are stored, and pass it on to what rests on them.

        Raises:
            StoreError: a transaction failed; what was written before it stays.
        """
        said = {thought.id: thought for thought in told if thought.is_private or thought.tags}
        done = Restricted()
        ids = list(said)
        for start in range(0, len(ids), MAX_TRANSACTION_ROWS):
            held = await self.store.fetch(ids[start : start + MAX_TRANSACTION_ROWS])
            stored = {row_id: row for row_id, row in held.items() if isinstance(row, Thought)}
            wanted = {row_id: _stricter(row, said[row_id]) for row_id, row in stored.items()}
            await self._write(stored, wanted)
            done += _told(stored, wanted)
        return done

    async def graph_rows(self, told: Mapping[str, Row], there: Mapping[str, Row]) -> Restricted:
        """Take over what a file says of rows of the graph; `there` are those of them that are stored.

        Raises:
            StoreError: nothing was written.
        """
        wanted = {row_id: _stricter(row, told[row_id]) for row_id, row in there.items()}
        changed = tuple(row for row_id, row in wanted.items() if row is not there[row_id])
        if changed:
            await self.store.write(WriteBatch(rows=changed))
        return _told(there, wanted)

    async def _write(self, stored: Mapping[str, Row], wanted: Mapping[str, Thought]) -> None:
        """Write the thoughts that changed, each with those of its rows that must follow it.

        What rests on a private thought is looked at as well: whatever broke off before, nothing of it stays open. Rows
        of the many others are not read: they have the tags that were written with their thought.
        """
        rows: dict[str, list[Row]] = {
            row_id: [] if thought is stored[row_id] else [thought]
            for row_id, thought in wanted.items()
            if thought is not stored[row_id] or thought.is_private
        }
        for row in await self.graph.derived_from(list(rows)) if rows else ():
            behind = _behind(row, wanted)
            heir = _heir(row, behind)
            if heir is not row:
                rows[next(thought.id for thought in behind if thought.id in rows)].append(heir)
        for group in packed(rows.values(), size=MAX_TRANSACTION_ROWS):
            await self.store.write(WriteBatch(rows=tuple(group)))


def _stricter(row: _AnyRow, said: Row) -> _AnyRow:
    """Return `row` as private and as tagged as `said`; the row itself where that is nothing new."""
    return _with(row, is_private=said.is_private, tags=said.tags)


def _heir(row: Row, behind: tuple[Thought, ...]) -> Row:
    inherited = Inheritance.of(behind)
    return _with(row, is_private=inherited.is_private, tags=inherited.tags)


def _with(row: _AnyRow, *, is_private: bool, tags: tuple[str, ...]) -> _AnyRow:
    after = replace(row, is_private=row.is_private or is_private, tags=(*row.tags, *tags), revision=row.revision + 1)
    return row if (after.is_private, after.tags) == (row.is_private, row.tags) else after


def _behind(row: Row, thoughts: Mapping[str, Thought]) -> tuple[Thought, ...]:
    named = () if isinstance(row, Thought) else (span.thought_id for span in row.provenance)
    return tuple(thoughts[thought_id] for thought_id in named if thought_id in thoughts)


def _told(before: Mapping[str, Row], after: Mapping[str, Row]) -> Restricted:
    pairs = [(row, after[row_id]) for row_id, row in before.items()]
    return Restricted(
        made_private=sum(one.is_private != other.is_private for one, other in pairs),
        tagged=sum(one.tags != other.tags for one, other in pairs),
    )
