"""An import's request, preview and report, and the step from its lines to thoughts.

Law: nothing here awaits. A batch that arrives adds to what came of the import; what cannot be a thought is a bad line.

A preview writes nothing, and tells what the import right after it would do: the same records become thoughts by the
same rules, and what is known already or was forgotten is told apart.

Source: rulings A12, A21, F, H; docs/formats.md, docs/import.md.
"""

import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from typing import Final

from voice.core.errors import InvalidParams
from voice.core.interchange.build import build_thought, line_id
from voice.core.interchange.foreign.vault import Offers, offers_of
from voice.core.interchange.import_plan import Preview, PreviewBuilder
from voice.core.interchange.memory_lines import BadLine, FileLine, LinkedNote, Omission, ParsedLine, ThoughtLine
from voice.core.interchange.origin import ASSISTANT_KINDS, ASSISTANT_SPEAKERS, Arrival, Entrance, require_tags
from voice.core.messages import memory as messages
from voice.core.records import Origin, Thought
from voice.core.text.dates import DateOrder
from voice.ports.files import FileFormat, MemoryFiles, ReadRequest
from voice.services.imports.changed_notes import EditedNotes, ReimportOutcome, named_by
from voice.services.memory.forgotten_rows import ForgottenSentences
from voice.services.memory.ingest import BATCH_THOUGHTS, Ingest
from voice.services.memory.ingest_values import IngestReport

_SPEAKERS_SHOWN: Final = 5  # named where none is known to be the person
_PLACES_KEPT = 20  # places told for each reason
Progress = Callable[[int, int | None], None]
"""Called with the progress of reading and its total (bytes, notes or items; None: unknown)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRequest:
    """What to import, and how."""

    path: str
    entrance: Entrance
    format: FileFormat | None = None
    zone: tzinfo
    date_order: DateOrder | None = None
    """Which of the two days 05/06/2024 means; None: neither, because it is ambiguous."""
    corpus: str | None = None
    own_speakers: tuple[str, ...] = ()
    vouched: bool = False
    is_private: bool = False
    tags: tuple[str, ...] = ()
    mapping: Mapping[str, str] = field(default_factory=dict[str, str])
    """For JSON lines of another program: their field for each of ours."""

    def reading(self, kind: FileFormat) -> ReadRequest:
        """Return what to ask the files for."""
        return ReadRequest(
            path=self.path,
            format=kind,
            zone=self.zone,
            date_order=self.date_order,
            corpus=self.corpus,
            own_speakers=frozenset(name.casefold() for name in self.own_speakers),  # "Ada" and "ada" are one speaker
            mapping=self.mapping,
        )

    def arrival(self, now: datetime) -> Arrival:
        """Return how this import comes in."""
        return Arrival(entrance=self.entrance, now=now, own_speakers=frozenset(self.own_speakers), vouched=self.vouched)


@dataclass(frozen=True, slots=True, kw_only=True)
class Omitted:
    """A count of records of one kind, with the places to report."""

    count: int = 0
    where: tuple[str, ...] = ()
    """The places of the first ones, in the order of the files."""

    def with_line(self, line: Omission) -> "Omitted":
        """Return the count with one more record."""
        where = self.where if line.where in self.where or len(self.where) >= _PLACES_KEPT else (*self.where, line.where)
        return Omitted(count=self.count + line.count, where=where)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """The report of an import, in counts of rows."""

    ingested: IngestReport = IngestReport()
    claimed: tuple[str, ...] = ()
    """Of the thoughts that were stored, those that were there before, as somebody else's words."""
    entities: int = 0
    observations: int = 0
    relations: int = 0
    graph_known: int = 0
    restricted: ReimportOutcome = ReimportOutcome()
    """Existing rows that the file made private or tagged."""
    tombstones: int = 0
    corrected: int = 0
    """Notes that were edited since an earlier import; their old words stay as the past (ruling F)."""
    bad: tuple[BadLine, ...] = ()
    left_out: Mapping[str, Omitted] = field(default_factory=dict[str, Omitted])
    undated: Omitted = Omitted()
    offers: Offers = Offers()
    """Links and aliases of a vault's notes, for the review (ruling A21)."""
    notes: tuple[str, ...] = ()
    owner: str | None = None
    """What most of the files call their owner."""


@dataclass(slots=True, kw_only=True)
class IncomingThoughts:
    """The report of an import so far, batch by batch."""

    bad: list[BadLine] = field(default_factory=list[BadLine])
    left_out: dict[str, Omitted] = field(default_factory=dict[str, Omitted])
    undated: Omitted = Omitted()
    unknown: Counter[str] = field(default_factory=Counter[str])
    restricted: ReimportOutcome = ReimportOutcome()
    ingested: IngestReport = IngestReport()
    claimed: list[str] = field(default_factory=list[str])
    """Of those that were stored, the ones that were there before, as somebody else's words."""
    offers: list[Offers] = field(default_factory=list[Offers])
    corrected: int = 0
    owners: Counter[str] = field(default_factory=Counter[str])
    speakers: Counter[str] = field(default_factory=Counter[str])
    """Who speaks in conversations, assistants left out."""
    assistants: int = 0
    others: Counter[str] = field(default_factory=Counter[str])
    """Of those that were stored, the ones that answers leave out, by who speaks."""
    places: set[str] = field(default_factory=set[str])
    """Where the thoughts of earlier batches were found."""

    def take(self, lines: Iterable[FileLine]) -> list[ParsedLine]:
        """Count what is bad or left out, and return the records."""
        records: list[ParsedLine] = []
        for line in lines:
            match line:
                case BadLine():
                    self.bad.append(line)
                case Omission():
                    self.left_out[line.reason] = self.left_out.get(line.reason, Omitted()).with_line(line)
                case ParsedLine():
                    records.append(line)
                    self._note(line)
        return records

    def _note(self, line: ParsedLine) -> None:
        """Count what of a record means nothing or did not come in with it, and whether it says when it was told."""
        self.unknown.update(line.unknown_fields)
        if line.owner is not None:
            self.owners[line.owner] += 1
        self.take(line.partly)
        if isinstance(line.record, ThoughtLine):
            is_assistant = (
                line.record.kind in ASSISTANT_KINDS or (line.record.speaker or "").casefold() in ASSISTANT_SPEAKERS
            )
            self.assistants += is_assistant  # True counts as 1
            if line.record.speaker is not None and not is_assistant:
                self.speakers[line.record.speaker] += 1
            if line.record.created_at is None:
                self.undated = self.undated.with_line(Omission(where=line.where, reason=""))

    def hear(self, stored: Iterable[Thought]) -> None:
        """Count who else speaks in thoughts that were stored, and that nobody vouched for."""
        others = (each for each in stored if each.origin is Origin.TOOL and each.vouched is None)
        self.others.update(each.speaker or "nobody by name" for each in others)  # words that answers leave out

    def found(self, thoughts: Iterable[Thought]) -> None:
        """Remember where they were found."""
        self.places.update(thought.source_ref for thought in thoughts if thought.source_ref)

    @property
    def owner(self) -> str | None:
        """Whom most of the lines call the owner of their file."""
        return next((name for name, _ in self.owners.most_common(1)), None)

    def _who_else(self) -> Iterator[str]:
        """Yield whose words answers leave out, and how to vouch for them."""
        if self.others:
            said = f"answers leave out what others said ({_most_of(self.others)})"
            yield f"{said}; to vouch for them, {messages.AS_LOGGED}"

    def _who_is_you(self, own_names: Iterable[str]) -> Iterator[str]:
        """Yield how to say who the person is, where there is talk and neither they nor the files said it."""
        by_address = bool(self.speakers) and all("@" in name for name in self.speakers)  # as in mail
        if any("@" in name or not by_address for name in own_names) or self.owner is not None:
            return
        if self.speakers:
            shown = _most_of(self.speakers)
            named = shlex.quote(self.speakers.most_common(1)[0][0])  # a name may hold spaces or quotes
            yield (
                f"none of these is known to be you: {shown}; if one "
                f"is, run `voice config owner.names {named}` with your name, and import this again"
            )
        elif self.assistants:
            yield "this export does not say your name; to add it, run `voice config owner.names 'YOUR NAME'` once"

    def report(self, own_names: Iterable[str] = ()) -> ImportReport:
        """Return the report. `own_names`: what the person is called, as they said it."""
        return ImportReport(
            ingested=self.ingested,
            claimed=tuple(self.claimed),
            restricted=self.restricted,
            corrected=self.corrected,
            bad=tuple(self.bad),
            left_out=self.left_out,
            undated=self.undated,
            offers=Offers(
                entities=tuple(each for some in self.offers for each in some.entities),
                relations=tuple(each for some in self.offers for each in some.relations),
            ),
            notes=(*notes_of(self.unknown), *self._who_else(), *self._who_is_you(own_names)),
            owner=self.owner,
        )


def _most_of(speakers: Counter[str]) -> str:
    return ", ".join(f"{name} ({many:,})" for name, many in speakers.most_common(_SPEAKERS_SHOWN))


def thoughts_of(
    lines: Iterable[ParsedLine], bad: list[BadLine], request: ImportRequest, arrival: Arrival
) -> list[Thought]:
    """Return the thoughts of lines, each id once; others go to `bad`. Raises InvalidParams: a tag is too long."""
    given = require_tags(request.tags)
    made: dict[str, Thought] = {}
    for line in lines:
        if not isinstance(line.record, ThoughtLine):
            continue
        try:
            thought = build_thought(line.record, arrival)
        except InvalidParams as fault:
            bad.append(BadLine(where=line.where, reason=fault.message))
            continue
        private = thought.is_private or request.is_private
        made.setdefault(thought.id, replace(thought, is_private=private, tags=(*thought.tags, *given)))  # once an id
    return list(made.values())


def noted(lines: Iterable[ParsedLine], thoughts: Mapping[str, Thought]) -> list[tuple[LinkedNote, Thought]]:
    """Return the vault's notes of `thoughts` (by their lines' ids), each with its name and links."""
    return [
        (line.note, thoughts[row_id])
        for line in lines
        if line.note and isinstance(line.record, ThoughtLine) and (row_id := line_id(line.record)) in thoughts
    ]


def places_of(lines: Iterable[FileLine]) -> Iterator[str]:
    """Yield the place of each line, and of a paragraph that of its text."""
    for line in lines:
        yield from (line.where, line.where.rpartition(" line ")[0])


UNKNOWN_FIELD: Final = "left out the unknown field"
"""How each note about a field that was not read begins."""


def notes_of(unknown: Mapping[str, int]) -> tuple[str, ...]:
    """Return one sentence per field name that meant nothing, with how often it stood there."""
    return tuple(f"{UNKNOWN_FIELD} {name!r} ({count}×)" for name, count in sorted(unknown.items()))


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPreview:
    """What an import would store and leave out."""

    preview: Preview
    already_known: int
    forgotten: int
    corrected: int
    records: Counter[str]
    """How many records of each other kind the file holds, by the name of the kind."""
    links: int
    bad: tuple[BadLine, ...]
    left_out: Mapping[str, Omitted] = field(default_factory=dict[str, Omitted])
    undated: Omitted = Omitted()
    notes: tuple[str, ...] = ()
    owner: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewImport:
    """The preview of imports."""

    files: MemoryFiles
    ingest: Ingest
    edited: EditedNotes

    async def preview(self, request: ImportRequest, *, reading: Progress | None = None) -> ImportPreview:
        """Return what an import of a file or folder would do. Raises DataFileError: it cannot be read at all."""
        arrival, came, foreseen = request.arrival(self.ingest.clock.now()), IncomingThoughts(), PreviewBuilder()
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
            rest = [thought for thought in new if thought.id not in edits]
            for start in range(0, len(rest), BATCH_THOUGHTS):
                admitted = await self.ingest.admitted(rest[start : start + BATCH_THOUGHTS])
                known, forgotten = known + admitted.known, forgotten + admitted.forgotten
                for thought in admitted.fresh:  # what is known or forgotten stays out of the figures
                    foreseen.add(thought)
            if reading:
                reading(batch.done, batch.total)
        return ImportPreview(
            preview=foreseen.preview(),
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
