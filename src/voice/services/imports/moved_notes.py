"""Give a note that moved or was imported again its new place, date and restrictions.

Law: a thought keeps its id and its words; it and what is distilled from it say where and when they stand now. What is
indexed of a row is embedded again where that changed.

What an import says anew of rows that are there already. An import can hide a row and tag it, never show it or untag it:
what a file leaves out is no order. A row that rests on a thought follows it (ruling C10), in the same transaction; what
an interrupted import did not come to, the next one does.

Source: rulings I1, I4; rulings C10, F, H.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from voice.core.graph.thoughts.distillation import distil
from voice.core.graph.thoughts.note_transactions import packed
from voice.core.records import Entity, Inheritance, Observation, Relation, Row, RowStatus, Thought
from voice.core.retrieval.indexed_text import indexed_text
from voice.ports.stores import GraphStore, MemoryStore, WriteBatch
from voice.services.memory.ingest import MAX_TRANSACTION_ROWS, Ingest


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedNotes:
    """The update of places and dates in one memory."""

    store: MemoryStore
    graph: GraphStore
    ingest: Ingest

    async def __call__(self, row_id: str, new: Thought) -> None:
        """Update the place and the date of a thought, and of the observations taken from it.

        Args:
            row_id: the thought's; nothing is done where it is no more.
            new: the thought as its file says it now.

        Raises:
            StoreError: nothing was written.
        """
        row = (await self.store.fetch([row_id])).get(row_id)
        if not isinstance(row, Thought):
            return
        after = replace(
            row,
            source_ref=new.source_ref,
            created_at=new.created_at,
            kind=new.kind,
            speaker=new.speaker,
            thread=new.thread,
        )
        if after == row:
            return
        resting = [each for each in await self.graph.derived_from([row_id]) if isinstance(each, Observation)]
        told = _moved_notice(after, resting)
        rows = (replace(after, revision=row.revision + 1), *told)
        said = {each.id: indexed_text(each, {}) for each in (row, *resting)}
        if all(indexed_text(each, {}) == said[each.id] for each in rows):
            await self.store.write(WriteBatch(rows=rows))
        else:
            await self.ingest.save(rows, names=await self.ingest.names.known())


def _moved_notice(thought: Thought, resting: list[Observation]) -> list[Observation]:
    """Return those of the observations that are the thought's own sentences, with where and when they stand now."""
    paths = {each.id: each.context_path for each in distil(thought)}
    return [
        replace(
            each,
            created_at=thought.created_at,
            speaker=thought.speaker,
            thread=thought.thread,
            context_path=paths[each.id],
            revision=each.revision + 1,
        )
        for each in resting
        if each.id in paths and each.status is not RowStatus.REDACTED
    ]


_AnyRow = TypeVar("_AnyRow", Thought, Entity, Observation, Relation, Row)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReimportOutcome:
    """What became of rows that were known; counts of the rows that a file named."""

    made_private: int = 0
    tagged: int = 0

    def __add__(self, other: "ReimportOutcome") -> "ReimportOutcome":
        """Return the sum of two."""
        return ReimportOutcome(made_private=self.made_private + other.made_private, tagged=self.tagged + other.tagged)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReimportedRows:
    """Makes stored rows as private as a file says, and gives them its tags."""

    store: MemoryStore
    graph: GraphStore

    async def thoughts(self, told: Sequence[Thought]) -> ReimportOutcome:
        """Take over what a file says of thoughts that are stored, and pass it on to what rests on them.

        Raises:
            StoreError: a transaction failed; what was written before it stays.
        """
        said = {thought.id: thought for thought in told if thought.is_private or thought.tags}
        done = ReimportOutcome()
        ids = list(said)
        for start in range(0, len(ids), MAX_TRANSACTION_ROWS):
            held = await self.store.fetch(ids[start : start + MAX_TRANSACTION_ROWS])
            stored = {row_id: row for row_id, row in held.items() if isinstance(row, Thought)}
            wanted = {row_id: _stricter(row, said[row_id]) for row_id, row in stored.items()}
            await self._write(stored, wanted)
            done += _told(stored, wanted)
        return done

    async def graph_rows(self, told: Mapping[str, Row], there: Mapping[str, Row]) -> ReimportOutcome:
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


def _told(before: Mapping[str, Row], after: Mapping[str, Row]) -> ReimportOutcome:
    pairs = [(row, after[row_id]) for row_id, row in before.items()]
    return ReimportOutcome(
        made_private=sum(one.is_private != other.is_private for one, other in pairs),
        tagged=sum(one.tags != other.tags for one, other in pairs),
    )
