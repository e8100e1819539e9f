"""Import and export files of a memory.

Law: a bad record is reported with its place and reason and the rest comes in; what came in before is skipped, so an
import that was interrupted is resumed by running it again (ruling F), but for what the file says anew of who may see it
(`voice.services.imports.changed_notes`). A file of our own format is read whole, for what its rows rest on and name may
stand anywhere in it; every other is stored while it is read, whatever its size. What a file says of a thought is
written with it (ruling I8). A file that brings a thought's distilled observations along is believed about them; any
other thought is distilled here (ruling A21).

Source: rulings A12, A21, C10, C17, F, H, I8; docs/formats.md.
"""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from voice.core.errors import InvalidParams
from voice.core.graph.entity_names import KnownNames
from voice.core.graph.thoughts.distillation import by_thought, distil, observation_id
from voice.core.interchange.build import EntityNames, ResolveName, SourceThoughts, build_row
from voice.core.interchange.foreign.vault import Offers, offers_of
from voice.core.interchange.memory_lines import (
    BadLine,
    EntityLine,
    Exported,
    ObservationLine,
    Omission,
    ParsedLine,
    RelationLine,
    RowLine,
    ThoughtLine,
    export_order,
)
from voice.core.interchange.origin import Arrival
from voice.core.records import (
    Entity,
    EntityName,
    GraphRow,
    Observation,
    Provenance,
    Relation,
    Row,
    RowStatus,
    Thought,
    Tombstone,
)
from voice.core.text.instants import has_date
from voice.ports.files import FileFormat, ImportMarks, MemoryFiles, WriteReport
from voice.ports.stores import GraphStore, TombstoneStore, WriteBatch
from voice.services.imports.changed_notes import (
    STOOD,
    EditedNotes,
    ReimportedRows,
    ReimportOutcome,
    move_note,
    named_by,
)
from voice.services.imports.report import BatchProgress, tell_both
from voice.services.imports.request import (
    ImportReport,
    ImportRequest,
    IncomingThoughts,
    Progress,
    noted,
    notes_of,
    thoughts_of,
)
from voice.services.memory.forgotten_rows import ForgottenSentences
from voice.services.memory.ingest import Ingest
from voice.services.memory.ingest_values import IncomingRows, IngestReport
from voice.services.retrieval.row_lookups import every_row, fetch_thoughts

_PAGE = 500  # rows in one query or transaction


@dataclass(slots=True, kw_only=True)
class _Intake:
    """Lines sorted by when they can be stored."""

    entities: list[ParsedLine] = field(default_factory=list[ParsedLine])  # stored first: edges name them
    thoughts: list[ParsedLine] = field(default_factory=list[ParsedLine])
    edges: list[ParsedLine] = field(default_factory=list[ParsedLine])
    tombstones: list[Tombstone] = field(default_factory=list[Tombstone])
    came: IncomingThoughts = field(default_factory=IncomingThoughts)

    def add(self, line: ParsedLine) -> None:
        match line.record:
            case EntityLine():
                self.entities.append(line)
            case ThoughtLine():
                self.thoughts.append(line)
            case ObservationLine() | RelationLine():
                self.edges.append(line)
            case Tombstone():
                self.tombstones.append(line.record)


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    """A file that was read whole, and how it comes in."""

    intake: _Intake
    request: ImportRequest
    arrival: Arrival
    behind: SourceThoughts

    def rows(self, lines: Sequence[ParsedLine], names: KnownNames) -> dict[str, GraphRow]:
        """Return the rows of the graph that lines say, each id once; what cannot be one is counted as bad."""
        resolve = EntityNames(names.nodes)
        rows: dict[str, GraphRow] = {}
        for line in lines:
            row = self._build_row(line, resolve)
            if row is not None:  # of one id, the first record counts
                rows.setdefault(row.id, replace(row, is_private=row.is_private or self.request.is_private))
        return rows

    def _build_row(self, line: ParsedLine, resolve: ResolveName) -> GraphRow | None:
        if isinstance(line.record, Tombstone):
            return None
        try:
            row = build_row(line.record, self.arrival, resolve, self.behind)
        except InvalidParams as fault:
            self.intake.came.bad.append(BadLine(where=line.where, reason=fault.message))
            return None
        return None if isinstance(row, Thought) else row


@dataclass(slots=True, kw_only=True)
class _Graph:
    """Rows of the graph that are new and may be stored, and what became of the others."""

    fresh: dict[str, GraphRow] = field(default_factory=dict[str, GraphRow])
    known: int = 0
    forgotten: int = 0
    restricted: ReimportOutcome = ReimportOutcome()

    def of(self, kind: type[Row]) -> int:
        """Return how many new ones are of one kind."""
        return sum(isinstance(row, kind) for row in self.fresh.values())

    def names(self) -> dict[str, EntityName | None]:
        """Return the names of the new entities, by id."""
        live = (row for row in self.fresh.values() if isinstance(row, Entity) and row.status is RowStatus.ACTIVE)
        return {row.id: EntityName.of(row) for row in live}

    def left_of(self, brought: IncomingRows, stored: Collection[str]) -> list[GraphRow]:
        """Return what is stored neither with a thought nor before it, nodes first: its thought is there already."""
        done = {row.id for thought_id in stored for row in brought.rows.get(thought_id, ())}
        left = [row for row in self.fresh.values() if row.id not in done]
        return [row for row in left if row.id in brought.ids or not isinstance(row, Entity)]  # other nodes came first


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """Imports and exports a memory."""

    files: MemoryFiles
    graph: GraphStore
    tombstones: TombstoneStore
    ingest: Ingest
    edited: EditedNotes
    marks: ImportMarks

    async def import_memory(
        self, request: ImportRequest, *, reading: Progress | None = None, storing: Progress | None = None
    ) -> ImportReport:
        """Bring a file or folder in, and say what became of each record. Raises DataFileError: it cannot be read at
        all; StoreError: what was stored before it stays, and running again goes on from there."""
        kind = request.format or await self.files.detect(request.path)
        with self.marks.mark_running(request.path) as tell:  # others are told meanwhile
            if kind is FileFormat.OWN:
                return await self._import_whole(request, reading, tell_both(tell, storing))
            return await self._import_by_batches(request, kind, reading, tell_both(tell, storing))

    async def _import_by_batches(
        self, request: ImportRequest, kind: FileFormat, reading: Progress | None, storing: Progress | None
    ) -> ImportReport:
        """Store a file that holds thoughts alone while it is read."""
        arrival = request.arrival(self.ingest.clock.now())
        arriving = IncomingThoughts()
        sentences = await ForgottenSentences.known_to(self.ingest.forgotten)
        progress = BatchProgress(reading=reading, storing=storing)
        async for batch in self.files.read(request.reading(kind)):
            lines = arriving.take(batch.lines)
            left = sentences.out_of(thoughts_of(lines, arriving.bad, request, arrival))
            arriving.take(left.left_out)
            told = await self.ingest.forgotten.under_free_ids(left.thoughts)
            thoughts = list(told.values())
            arriving.restricted += await self.reimported.thoughts(thoughts)
            claimed = await self.ingest.claim(thoughts)
            arriving.ingested += claimed
            arriving.claimed += claimed.stored
            thoughts = [thought for thought in thoughts if thought.id not in claimed.stored]  # those are stored now
            await self._restate(thoughts)
            edits = await self.edited(thoughts, named=named_by(lines), places=arriving.places)
            arriving.corrected += len(edits.corrected)
            arriving.take(Omission(where=each.source_ref or each.id, reason=STOOD) for each in edits.stood)
            arriving.found(thoughts)  # after the edits: they ask for earlier batches
            progress.begin(batch, len(edits.rest))
            fresh = await self.ingest.store_thoughts(edits.rest, progress=progress.stored)
            arriving.ingested += fresh
            arriving.hear(each for each in edits.rest if each.id in fresh.stored)
            as_told = {row_id: row for row_id, row in left.whole(told).items() if row not in edits.stood}
            linked = noted(lines, as_told)  # links whose offsets still hold: nothing was cut or corrected
            gone = await self.ingest.forgotten.among([thought for _, thought in linked])
            arriving.offers.append(
                sum((offers_of(note, thought) for note, thought in linked if thought.id not in gone), Offers())
            )
            progress.end()
        return arriving.report(request.own_speakers)

    async def _restate(self, thoughts: Sequence[Thought]) -> None:
        """Let what is stored say what its conversation is called now, and when it was told if that was unknown."""
        told = {each.id: each for each in thoughts if each.thread or has_date(each.created_at)}
        held = await self.ingest.store.fetch(list(told)) if told else {}
        for row_id, row in held.items():
            if isinstance(row, Thought) and row.status is RowStatus.ACTIVE:
                at = row.created_at if has_date(row.created_at) else told[row_id].created_at
                now = replace(row, thread=told[row_id].thread or row.thread, created_at=at)
                if now != row:
                    await move_note(self.ingest, self.graph, row_id, now)

    async def _import_whole(
        self, request: ImportRequest, reading: Progress | None, storing: Progress | None
    ) -> ImportReport:
        intake = await self._read(request, reading)
        arrival = request.arrival(self.ingest.clock.now())
        thoughts = thoughts_of(intake.thoughts, intake.came.bad, request, arrival)
        await self._drop_forgotten(thoughts, intake)
        file = _File(intake=intake, request=request, arrival=arrival, behind=await self._sources_of(thoughts, intake))
        graph, names, tombstones = await self._admit_file(file)
        done, total = 0, len(thoughts)

        def advance(steps: int) -> None:  # of what follows thoughts; the nodes before them take little time
            nonlocal done
            done += steps
            if storing:
                storing(done, total)

        restricted = graph.restricted + await self.reimported.thoughts(thoughts)
        edits = await self.edited(thoughts, named=named_by(intake.thoughts))
        brought = IncomingRows(
            rows=by_thought(edits.rest, list(graph.fresh.values())),
            undistilled=_with_own_observations(thoughts, intake.edges),
            names=names,
        )
        entities = [row for row in graph.fresh.values() if isinstance(row, Entity) and row.id not in brought.ids]
        ingested = await self._save(entities, names)  # nodes first: all the rest names them
        ingested += await self.ingest.store_thoughts(edits.rest, brought=brought, progress=advance)
        ingested += await self._save(graph.left_of(brought, ingested.stored), names)  # of thoughts known before
        return ImportReport(
            ingested=ingested + IngestReport(forgotten=graph.forgotten),
            entities=graph.of(Entity),
            observations=graph.of(Observation),
            relations=graph.of(Relation),
            graph_known=graph.known,
            restricted=restricted,
            tombstones=tombstones,
            corrected=len(edits.corrected),
            bad=tuple(intake.came.bad),
            notes=notes_of(intake.came.unknown),
        )

    async def _admit_file(self, file: _File) -> tuple[_Graph, KnownNames, int]:
        """Return the file's rows of the graph, what can be named with them, and how many tombstones were stored."""
        intake, graph, names = file.intake, _Graph(), await self.ingest.names.known()
        await self._admit(file.rows(intake.entities, names), graph)
        names = names.with_(graph.names())  # edges may name the file's own nodes
        tombstones = await self._save_tombstones([t for t in intake.tombstones if t.row_id not in graph.fresh])
        await self._admit(file.rows(intake.edges, names), graph)
        return graph, names, tombstones

    @property
    def reimported(self) -> ReimportedRows:
        """Makes stored rows as private as a file says, and gives them its tags."""
        return ReimportedRows(store=self.ingest.store, graph=self.graph)

    async def _read(self, request: ImportRequest, reading: Progress | None) -> _Intake:
        intake = _Intake()
        async for batch in self.files.read(request.reading(FileFormat.OWN)):
            for line in intake.came.take(batch.lines):
                intake.add(line)
            if reading:
                reading(batch.done, batch.total)
        return intake

    async def _drop_forgotten(self, thoughts: Sequence[Thought], intake: _Intake) -> None:
        """Drop the graph's lines that rest on a thought which was forgotten, whatever id it bears now (ruling H)."""
        gone = await self.ingest.forgotten.among(thoughts)
        for lines in (intake.entities, intake.edges):
            lines[:] = [line for line in lines if not any(span.thought_id in gone for span in _spans(line.record))]

    async def _sources_of(self, thoughts: Sequence[Thought], intake: _Intake) -> SourceThoughts:
        """Return the thoughts that the graph's rows may rest on: the file's own, and the store's; gone ones by id."""
        lines = [*intake.entities, *intake.edges]
        named = {span.thought_id for line in lines for span in _spans(line.record)}
        in_file = {thought.id: thought for thought in thoughts}
        found = await fetch_thoughts(self.ingest.store, named - in_file.keys())
        gone = await self.tombstones.buried(sorted(named - in_file.keys() - found.keys()))
        brought = {tombstone.row_id for tombstone in intake.tombstones}
        return SourceThoughts(thoughts={**found, **in_file}, gone=frozenset(gone | brought))

    async def _admit(self, rows: Mapping[str, GraphRow], graph: _Graph) -> None:
        """Add rows to `graph`, but for what is there already or was forgotten (ruling H)."""
        ids = list(rows)
        for start in range(0, len(ids), _PAGE):
            page = ids[start : start + _PAGE]
            there = await self.ingest.store.fetch(page)
            new = [rows[row_id] for row_id in page if row_id not in there]
            gone = await self.ingest.forgotten.among(new)
            graph.fresh |= {row.id: row for row in new if row.id not in gone}
            graph.known += len(there)
            graph.forgotten += len(gone)
            graph.restricted += await self.reimported.graph_rows(rows, there)

    async def _save(self, rows: Sequence[GraphRow], names: KnownNames) -> IngestReport:
        """Store rows of the graph that rest on nothing which is stored with them."""
        report = IngestReport()
        for start in range(0, len(rows), _PAGE):
            missing, fault = await self.ingest.save(rows[start : start + _PAGE], names=names)
            report += IngestReport(unembedded=missing, embedder_fault=fault)
        return report

    async def _save_tombstones(self, tombstones: Sequence[Tombstone]) -> int:
        """Store the tombstones of rows that are not here; a row that is, is forgotten by name only (ruling H)."""
        buried = await self.tombstones.buried([tombstone.row_id for tombstone in tombstones])
        there = await self.ingest.store.fetch([tombstone.row_id for tombstone in tombstones])
        fresh = [t for t in tombstones if t.row_id not in buried and t.row_id not in there]
        for start in range(0, len(fresh), _PAGE):
            await self.ingest.store.write(WriteBatch(tombstones=tuple(fresh[start : start + _PAGE])))
        return len(fresh)

    async def export_memory(self, path: str, *, overwrite: bool = False) -> WriteReport:
        """Write every row and tombstone, always in one order. Raises DataFileError: not writable, or exists."""
        return await self.files.write(path, self._rows_in_order(), overwrite=overwrite)

    async def _rows_in_order(self) -> AsyncIterator[Exported]:
        rows: dict[str, Exported] = {row.id: row async for row in every_row(self.ingest.store)}
        buried = {tombstone.row_id: tombstone for tombstone in await self.tombstones.tombstones()}
        for row in sorted({**rows, **buried}.values(), key=export_order):  # forgotten while reading: the stone stays
            yield row


def _spans(record: RowLine | Tombstone) -> tuple[Provenance, ...]:
    return () if isinstance(record, ThoughtLine | Tombstone) else record.provenance


def _with_own_observations(thoughts: Sequence[Thought], edges: Sequence[ParsedLine]) -> frozenset[str]:
    """Return the thoughts whose distilled observations the file brings along itself."""
    observations = [line.record for line in edges if isinstance(line.record, ObservationLine)]
    first = [(each.id, span) for each in observations for span in each.provenance[:1]]  # distilled rows have one span
    sure = {  # an id made of its place was distilled, not entered
        span.thought_id for row_id, span in first if row_id == observation_id(span.thought_id, span.start, span.end)
    }
    brought = {each.id for each in observations}
    named = {span.thought_id for line in edges for span in _spans(line.record)}
    return frozenset(
        thought.id
        for thought in thoughts
        if thought.id in sure or (thought.id in named and any(made.id in brought for made in distil(thought)))
    )
