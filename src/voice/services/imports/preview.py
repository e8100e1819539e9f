"""The preview of an import.

Law: reads and asks the store, and writes nothing. What it tells is what the import right after it would do: the same
records become thoughts by the same rules, and what is known already or was forgotten is told apart.

Source: rulings A12, F, H; docs/import.md.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from voice.core.interchange.foreign.vault import offers_of
from voice.core.interchange.import_preview import Preview, PreviewBuilder
from voice.core.interchange.memory_lines import BadLine
from voice.core.records import Thought
from voice.ports.files import FileFormat, MemoryFiles
from voice.services.imports.edited_notes import EditedNotes, named_by
from voice.services.imports.forgotten_sentences import ForgottenSentences
from voice.services.imports.request import (
    ImportRequest,
    IncomingThoughts,
    Omitted,
    Progress,
    noted,
    notes_of,
    thoughts_of,
)
from voice.services.memory.ingest import BATCH_THOUGHTS, Ingest
from voice.services.memory.ingest_values import Admitted


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPreview:
    """What an import would store and leave out."""

    preview: Preview
    already_known: int
    forgotten: int
    corrected: int
    """Notes that were edited since an earlier import."""
    records: Counter[str]
    """How many records of each other kind the file holds, by the name of the kind."""
    links: int
    """How many links between notes it would enter."""
    bad: tuple[BadLine, ...]
    left_out: Mapping[str, Omitted] = field(default_factory=dict[str, Omitted])
    undated: Omitted = Omitted()
    """Records without a date."""
    notes: tuple[str, ...] = ()
    owner: str | None = None
    """The owner's name in the files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewImport:
    """The preview of imports."""

    files: MemoryFiles
    ingest: Ingest
    edited: EditedNotes

    async def preview(self, request: ImportRequest, *, reading: Progress | None = None) -> ImportPreview:
        """Return what an import of a file or folder would do.

        Raises:
            DataFileError: it cannot be read at all.
        """
        arrival = request.arrival(self.ingest.clock.now())
        came, foreseen = IncomingThoughts(), PreviewBuilder()
        records, seen = Counter[str](), set[str]()
        known = forgotten = links = corrected = 0
        kind = request.format or await self.files.detect(request.path)
        sentences = await ForgottenSentences.known_to(self.ingest.forgotten)
        async for batch in self.files.read(request.reading(kind)):
            lines = came.take(batch.lines)
            records.update(type(line.record).__name__ for line in lines)
            left = sentences.out_of(thoughts_of(lines, came.bad, request, arrival))
            came.take(left.left_out)
            told = await self.ingest.forgotten.under_free_ids(left.thoughts)
            links += sum(len(offers_of(note, thought).relations) for note, thought in noted(lines, left.whole(told)))
            new = [thought for thought in told.values() if thought.id not in seen]
            seen.update(thought.id for thought in new)
            known += len(told) - len(new)
            edits = {row.id for row, _ in await self.edited.among(new, named=named_by(lines), places=came.places)}
            corrected += len(edits)
            came.found(told.values())
            admitted = await self._admitted([thought for thought in new if thought.id not in edits])
            known, forgotten = known + admitted.known, forgotten + admitted.forgotten
            for thought in admitted.fresh:
                foreseen.add(thought)
            if reading:
                reading(batch.done, batch.total)
        return ImportPreview(
            preview=foreseen.told(),
            already_known=known,
            forgotten=forgotten,
            corrected=corrected,
            records=records,
            links=links,
            bad=tuple(came.bad),
            left_out=came.left_out,
            undated=Omitted() if kind is FileFormat.OWN else came.undated,
            notes=notes_of(came.unknown),
            owner=came.owner,
        )

    async def _admitted(self, thoughts: Sequence[Thought]) -> Admitted:
        parts = [
            await self.ingest.admitted(thoughts[start : start + BATCH_THOUGHTS])
            for start in range(0, len(thoughts), BATCH_THOUGHTS)
        ]
        return Admitted(
            fresh=tuple(thought for part in parts for thought in part.fresh),
            known=sum(part.known for part in parts),
            forgotten=sum(part.forgotten for part in parts),
        )
