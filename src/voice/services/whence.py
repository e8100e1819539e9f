"""Where sources stand.

Law: a row is where the first thing that it rests on was found. A note's line is read from its file as it is now, in the
folder that the memory is kept in step with; where that is not there, the note is named without a line. Where a private
note lies is told of private rows alone. Reads, and writes nothing.

Source: ruling I4; docs/import.md, "Where it stands".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from voice.core.interchange.folders import Followed
from voice.core.interchange.location import Location, is_note, location_of
from voice.core.records import Observation, Row, Thought
from voice.ports.folders import FollowedFolders, NoteFile, NoteTexts
from voice.ports.stores import MemoryStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Whence:
    """Says where rows of one memory were found."""

    store: MemoryStore
    notes: NoteTexts
    known: FollowedFolders

    async def __call__(self, row_ids: Sequence[str]) -> dict[str, Location]:
        """Return where each row stands, by its id; those that were found nowhere but here are absent.

        Raises:
            DataFileError: what is known of folders cannot be read.
            StoreError: the store cannot be read.
        """
        rows = await self.store.fetch(list(dict.fromkeys(row_ids)))
        begun = {row_id: place for row_id, row in rows.items() if (place := _begin(row)) is not None}
        thoughts = await self.store.fetch(list(dict.fromkeys(thought_id for thought_id, _ in begun.values())))
        known = await self.known.folders() if begun else dict[str, Followed]()
        notes: dict[str, NoteFile | None] = {}
        found: dict[str, Location] = {}
        for row_id, (thought_id, start) in begun.items():
            thought = thoughts.get(thought_id)
            if not isinstance(thought, Thought) or thought.is_private > rows[row_id].is_private:
                continue
            if thought_id not in notes:
                notes[thought_id] = await self._note(thought, known)
            at = _located(thought, start, notes[thought_id])
            found |= {row_id: replace(at, context_path=_path(rows[row_id]))} if at else {}
        return found

    async def place(self, thought: Thought, start: int) -> Location | None:
        """Return where a stretch of a thought stands; None where it was found nowhere but here.

        Raises:
            DataFileError: what is known of folders cannot be read.
        """
        return _located(thought, start, await self._note(thought, await self.known.folders()))

    async def _note(self, thought: Thought, known: Mapping[str, Followed]) -> NoteFile | None:
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


def _path(row: Row) -> tuple[str, ...]:
    return row.context_path if isinstance(row, Observation) else ()


def _begin(row: Row) -> tuple[str, int] | None:
    """Return the thought that a row rests on first, and where in it."""
    if isinstance(row, Thought):
        return row.id, 0
    return (row.provenance[0].thought_id, row.provenance[0].start) if row.provenance else None
