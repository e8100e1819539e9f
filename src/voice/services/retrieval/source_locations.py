"""Look up where sources stand: note, line and link.

Law: a row is where the first thing that it rests on was found, and what is cited of it where those words are. A note's
line is read from its file as it is now, in the folder that the memory is kept in step with; where that is not there,
the note is named without a line. Where a private note lies is told of private rows alone. Reads, and writes nothing.

Source: ruling I4; docs/import.md, "Where it stands".
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo

from voice.core.grounding.values import SourceCitation
from voice.core.interchange.import_plan import FollowedFolder
from voice.core.interchange.origin import Location, is_note, location_of
from voice.core.records import Observation, Provenance, Row, Thought
from voice.core.text.note_context import context_paths
from voice.ports.files import FollowedFolders, NoteFile, NoteTexts
from voice.ports.stores import MemoryStore


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLocations:
    """Says where rows of one memory were found."""

    store: MemoryStore
    notes: NoteTexts
    known: FollowedFolders
    zone: tzinfo = UTC

    async def __call__(self, row_ids: Sequence[str]) -> dict[str, Location]:
        """Return where each row stands, by its id; those that were found nowhere but here are absent. Raises
        DataFileError: what is known of folders cannot be read."""
        return await self._one_each(dict.fromkeys(row_ids, 0))

    async def cited(self, sources: Iterable[SourceCitation]) -> dict[str, Location]:
        """Return where what is cited of each row stands, its first words where several are; raises as above."""
        starts: dict[str, int] = {}
        for source in sources:
            starts[source.source_id] = min(source.span_start, starts.get(source.source_id, source.span_start))
        return await self._one_each(starts)

    async def _one_each(self, starts: Mapping[str, int]) -> dict[str, Location]:
        return {row_id: place for (row_id, _), place in (await self.beginning_at(starts.items())).items()}

    async def beginning_at(self, starts: Collection[tuple[str, int]]) -> dict[tuple[str, int], Location]:
        """Return where words stand, by their row and their offset into its text; raises as above."""
        rows = await self.store.fetch(list(dict.fromkeys(row_id for row_id, _ in starts)))
        origins = {row_id: origin for row_id, row in rows.items() if (origin := _origin(row)) is not None}
        thoughts = await self.store.fetch(list(dict.fromkeys(origin.thought_id for origin in origins.values())))
        known = await self.known.folders() if origins else dict[str, FollowedFolder]()
        notes: dict[str, NoteFile | None] = {}
        found: dict[tuple[str, int], Location] = {}
        for row_id, offset in (each for each in starts if each[0] in origins):
            origin = origins[row_id]
            thought = thoughts.get(origin.thought_id)
            if not isinstance(thought, Thought) or thought.is_private > rows[row_id].is_private:
                continue  # a public row does not tell where a private note lies
            if thought.id not in notes:  # a file is read once
                notes[thought.id] = await self._note(thought, known)
            start = _start(rows[row_id], origin, thought, offset)
            if (location := _located(thought, start, notes[thought.id])) is not None:
                path = _context_path(rows[row_id], thought, start)
                found[row_id, offset] = replace(location, zone=self.zone, context_path=path)
        return found

    async def place(self, thought: Thought, start: int) -> Location | None:
        """Return where a stretch of a thought stands; None where it was found nowhere but here; raises as above."""
        location = _located(thought, start, await self._note(thought, await self.known.folders()))
        return replace(location, zone=self.zone) if location else None

    async def _note(self, thought: Thought, known: Mapping[str, FollowedFolder]) -> NoteFile | None:
        place = thought.source_ref
        if place is None or not is_note(place):
            return None
        roots = [root for root, each in known.items() if place in each.notes]
        # Of several folders with a note of this name the one that this thought is known to be from.
        roots.sort(key=lambda root: thought.id not in known[root].notes[place].ids)
        return await self.notes.note(roots[0], place) if roots else None


def _located(thought: Thought, start: int, note: NoteFile | None) -> Location | None:
    return location_of(
        thought,
        start,
        note=note.text if note else None,
        path=note.path if note else None,
        is_vault=note is not None and note.is_vault,
    )


def _origin(row: Row) -> Provenance | None:
    if isinstance(row, Thought):
        return Provenance(thought_id=row.id, start=0, end=len(row.content))
    return row.provenance[0] if row.provenance else None


def _start(row: Row, origin: Provenance, thought: Thought, offset: int) -> int:
    """Return where words of a row begin in its thought; the beginning of its place where that says something else."""
    text = row.content if isinstance(row, Thought) else row.text if isinstance(row, Observation) else None
    return origin.start + (offset if thought.content[origin.start : origin.end] == text else 0)


def _context_path(row: Row, thought: Thought, start: int) -> tuple[str, ...]:
    if not isinstance(row, Observation):
        return ()
    return context_paths(thought.content, [start], source_ref=thought.source_ref, told=thought.created_at)[0]
