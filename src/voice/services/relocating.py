"""The new place and date of a note whose file moved or changed its date.

Law: a thought keeps its id and its words; it and what is distilled from it say where and when they stand now. What is
indexed of a row is embedded again where that changed.

Source: rulings I1, I4.
"""

from dataclasses import dataclass, replace

from voice.core.graph.distil import distil
from voice.core.records import Observation, RowStatus, Thought
from voice.core.retrieval.indexed_text import indexed_text
from voice.ports.stores import GraphStore, MemoryStore, WriteBatch
from voice.services.ingest import Ingest


@dataclass(frozen=True, slots=True, kw_only=True)
class Relocating:
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
        told = _told(after, resting)
        rows = (replace(after, revision=row.revision + 1), *told)
        said = {each.id: indexed_text(each, {}) for each in (row, *resting)}
        if all(indexed_text(each, {}) == said[each.id] for each in rows):
            await self.store.write(WriteBatch(rows=rows))
        else:
            await self.ingest.save(rows, names=await self.ingest.names.known())


def _told(thought: Thought, resting: list[Observation]) -> list[Observation]:
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
