"""Memory files in and out.

Law: a bad record is reported with its place and reason and the rest comes in; what came in before is skipped, so an
import that was interrupted is resumed by running it again (ruling F), but for what the file says anew of who may see
it (`voice.services.restricting`). Nodes enter before the thoughts that name them
and edges after both. A file that brings a thought's distilled observations along is believed about them; any other
thought is distilled here (ruling A21).

Source: rulings A12, A21, C10, C17, F, H; docs/formats.md.
"""

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import tzinfo

from voice.core.errors import InvalidParams
from voice.core.graph.distil import distil
from voice.core.interchange import (
    Arrival,
    BadLine,
    Behind,
    EntityLine,
    EntityNames,
    Entrance,
    Exported,
    ObservationLine,
    ParsedLine,
    RelationLine,
    ResolveName,
    RowLine,
    ThoughtLine,
    build_row,
    build_thought,
    export_order,
)
from voice.core.records import Provenance, Row, Thought, Tombstone
from voice.ports.files import FileFormat, MemoryFiles, ReadRequest, WriteReport
from voice.ports.stores import GraphStore, MemoryStore, TombstoneStore, WriteBatch
from voice.services.ingest import Ingest, IngestReport
from voice.services.restricting import Restricted, Restricting

_PAGE = 500
Progress = Callable[[int, int | None], None]
"""Called with how far the reading is and how far it goes (bytes, notes or items; None = unknown)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRequest:
    """What to bring in, and what the person says about it."""

    path: str
    entrance: Entrance
    format: FileFormat | None = None
    zone: tzinfo
    corpus: str | None = None
    own_speakers: tuple[str, ...] = ()
    vouched: bool = False
    is_private: bool = False
    """Make every row private, whatever the file says."""
    tags: tuple[str, ...] = ()
    """Added to every thought."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What came of an import; counts of rows."""

    ingested: IngestReport = IngestReport()
    entities: int = 0
    observations: int = 0
    relations: int = 0
    graph_known: int = 0
    """Rows of the knowledge graph that were there already."""
    restricted: Restricted = Restricted()
    """What the file says anew of rows that were there already."""
    tombstones: int = 0
    """Tombstones that were not there yet."""
    bad: tuple[BadLine, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class _Intake:
    """Lines sorted by when they can be stored."""

    entities: list[ParsedLine] = field(default_factory=list[ParsedLine])
    thoughts: list[ParsedLine] = field(default_factory=list[ParsedLine])
    edges: list[ParsedLine] = field(default_factory=list[ParsedLine])
    tombstones: list[Tombstone] = field(default_factory=list[Tombstone])
    bad: list[BadLine] = field(default_factory=list[BadLine])

    def add(self, line: ParsedLine | BadLine) -> None:
        if isinstance(line, BadLine):
            self.bad.append(line)
            return
        match line.record:
            case EntityLine():
                self.entities.append(line)
            case ThoughtLine():
                self.thoughts.append(line)
            case ObservationLine() | RelationLine():
                self.edges.append(line)
            case Tombstone():
                self.tombstones.append(line.record)


@dataclass(slots=True, kw_only=True)
class _SavedGraph:
    """Rows of the graph that were stored, how many were there already, and which have no vector."""

    rows: list[Row] = field(default_factory=list[Row])
    known: int = 0
    ingested: IngestReport = IngestReport()
    restricted: Restricted = Restricted()


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """Imports and exports a memory."""

    files: MemoryFiles
    store: MemoryStore
    graph: GraphStore
    tombstones: TombstoneStore
    ingest: Ingest

    async def import_memory(
        self, request: ImportRequest, *, reading: Progress | None = None, storing: Progress | None = None
    ) -> ImportReport:
        """Bring a file or folder in, and say what became of each record.

        Raises:
            DataFileError: it cannot be read at all.
            StoreError: a transaction failed; what was stored before it stays, and running again goes on from there.
        """
        intake = await self._read(request, reading)
        arrival = Arrival(
            entrance=request.entrance,
            now=self.ingest.clock.now(),
            own_speakers=frozenset(request.own_speakers),
            vouched=request.vouched,
        )
        thoughts = _thoughts(intake, request, arrival)
        await self._leave_out_forgotten(thoughts, intake)
        behind = await self._behind(thoughts, intake)
        nodes = await self._save_graph(intake.entities, intake, request, arrival, behind)
        tombstones = await self._save_tombstones(intake.tombstones)
        total = len(thoughts)
        done = 0

        def advance(steps: int) -> None:
            nonlocal done
            done += steps
            if storing:
                storing(done, total)

        restricted = nodes.restricted + await self._restricting.thoughts(thoughts)
        carried = _carried(thoughts, intake.edges)
        ingested = await self.ingest.store_thoughts(thoughts, undistilled=carried, progress=advance)
        edges = await self._save_graph(intake.edges, intake, request, arrival, behind)
        return ImportReport(
            ingested=ingested + nodes.ingested + edges.ingested,
            entities=len(nodes.rows),
            observations=sum(row.id.startswith("o:") for row in edges.rows),
            relations=sum(row.id.startswith("r:") for row in edges.rows),
            graph_known=nodes.known + edges.known,
            restricted=restricted + edges.restricted,
            tombstones=tombstones,
            bad=tuple(intake.bad),
            notes=_notes([*intake.entities, *intake.thoughts, *intake.edges]),
        )

    @property
    def _restricting(self) -> Restricting:
        return Restricting(store=self.store, graph=self.graph)

    async def _read(self, request: ImportRequest, reading: Progress | None) -> _Intake:
        wanted = ReadRequest(
            path=request.path,
            format=request.format or await self.files.detect(request.path),
            zone=request.zone,
            corpus=request.corpus,
        )
        intake = _Intake()
        async for batch in self.files.read(wanted):
            for line in batch.lines:
                intake.add(line)
            if reading:
                reading(batch.done, batch.total)
        return intake

    async def _leave_out_forgotten(self, thoughts: Sequence[Thought], intake: _Intake) -> None:
        """Drop the graph's lines that rest on a thought which was forgotten, whatever id it bears now (ruling H)."""
        gone: set[str] = set()
        for start in range(0, len(thoughts), _PAGE):
            gone |= await self.ingest.forgotten.among(thoughts[start : start + _PAGE])
        for lines in (intake.entities, intake.edges):
            lines[:] = [line for line in lines if not any(span.thought_id in gone for span in _spans(line.record))]

    async def _behind(self, thoughts: Sequence[Thought], intake: _Intake) -> Behind:
        """Return the thoughts that the graph's rows may rest on: the file's own, and the store's; gone ones by id."""
        lines = [*intake.entities, *intake.edges]
        named = {span.thought_id for line in lines for span in _spans(line.record)}
        in_file = {thought.id: thought for thought in thoughts}
        stored: dict[str, Row] = {}
        missing = sorted(named - in_file.keys())
        for start in range(0, len(missing), _PAGE):
            stored |= await self.store.fetch(missing[start : start + _PAGE])
        found = {row_id: row for row_id, row in stored.items() if isinstance(row, Thought)}
        gone = await self.tombstones.buried(sorted(named - in_file.keys() - found.keys()))
        brought = {tombstone.row_id for tombstone in intake.tombstones}
        return Behind(thoughts={**found, **in_file}, gone=frozenset(gone | brought))

    async def _save_graph(
        self, lines: Sequence[ParsedLine], intake: _Intake, request: ImportRequest, arrival: Arrival, behind: Behind
    ) -> _SavedGraph:
        """Store rows of the graph that are not there yet and were not forgotten (ruling H)."""
        names = await self.ingest.names.known()
        resolve = EntityNames.of(names.nodes)
        rows: dict[str, Row] = {}
        for line in lines:
            row = _built(line, intake, arrival, resolve, behind)
            if row is not None:
                rows.setdefault(row.id, replace(row, is_private=row.is_private or request.is_private))
        saved = _SavedGraph()
        ids = list(rows)
        for start in range(0, len(ids), _PAGE):
            page = ids[start : start + _PAGE]
            there = await self.store.fetch(page)
            new = [rows[row_id] for row_id in page if row_id not in there]
            gone = await self.ingest.forgotten.among(new)
            fresh = [row for row in new if row.id not in gone]
            missing, fault = await self.ingest.save(fresh, names=names)
            saved.ingested += IngestReport(forgotten=len(gone), unembedded=missing, embedder_fault=fault)
            saved.known += len(there)
            saved.restricted += await self._restricting.graph_rows(rows, there)
            saved.rows.extend(fresh)
        return saved

    async def _save_tombstones(self, tombstones: Sequence[Tombstone]) -> int:
        """Store the tombstones of rows that are not here; a row that is, is forgotten by name only (ruling H)."""
        buried = await self.tombstones.buried([tombstone.row_id for tombstone in tombstones])
        there = await self.store.fetch([tombstone.row_id for tombstone in tombstones])
        fresh = [t for t in tombstones if t.row_id not in buried and t.row_id not in there]
        for start in range(0, len(fresh), _PAGE):
            await self.store.write(WriteBatch(tombstones=tuple(fresh[start : start + _PAGE])))
        return len(fresh)

    async def export_memory(self, path: str, *, overwrite: bool = False) -> WriteReport:
        """Write every row and tombstone to one file, in an order that is always the same.

        Raises:
            DataFileError: the file exists and `overwrite` is false, or cannot be written.
        """
        return await self.files.write(path, self._exported(), overwrite=overwrite)

    async def _exported(self) -> AsyncIterator[Exported]:
        rows: dict[str, Exported] = {}
        seq = 0
        while changes := await self.store.changes(seq, _PAGE):
            for change in changes:
                if change.row is not None:
                    rows[change.row_id] = change.row
            seq = changes[-1].seq
        buried = {tombstone.row_id: tombstone for tombstone in await self.tombstones.tombstones()}
        for row in sorted({**rows, **buried}.values(), key=export_order):
            yield row


def _thoughts(intake: _Intake, request: ImportRequest, arrival: Arrival) -> list[Thought]:
    """Return the thoughts of a file, each id once; what cannot be one is added to the bad lines."""
    made: dict[str, Thought] = {}
    for line in intake.thoughts:
        if not isinstance(line.record, ThoughtLine):
            continue
        try:
            thought = build_thought(line.record, arrival)
        except InvalidParams as fault:
            intake.bad.append(BadLine(where=line.where, reason=fault.message))
            continue
        private = thought.is_private or request.is_private
        made.setdefault(thought.id, replace(thought, is_private=private, tags=(*thought.tags, *request.tags)))
    return list(made.values())


def _built(line: ParsedLine, intake: _Intake, arrival: Arrival, resolve: ResolveName, behind: Behind) -> Row | None:
    if isinstance(line.record, Tombstone):
        return None
    try:
        return build_row(line.record, arrival, resolve, behind)
    except InvalidParams as fault:
        intake.bad.append(BadLine(where=line.where, reason=fault.message))
        return None


def _spans(record: RowLine | Tombstone) -> tuple[Provenance, ...]:
    return () if isinstance(record, ThoughtLine | Tombstone) else record.provenance


def _carried(thoughts: Sequence[Thought], edges: Sequence[ParsedLine]) -> frozenset[str]:
    """Return the thoughts whose distilled observations the file brings along itself."""
    brought = {line.record.id for line in edges if isinstance(line.record, ObservationLine)}
    named = {span.thought_id for line in edges for span in _spans(line.record)}
    return frozenset(
        thought.id
        for thought in thoughts
        if thought.id in named and any(observation.id in brought for observation in distil(thought))
    )


def _notes(lines: Iterable[ParsedLine]) -> tuple[str, ...]:
    """Return one sentence per field name that meant nothing, with how often it stood there."""
    counts: dict[str, int] = {}
    for line in lines:
        for name in line.unknown_fields:
            counts[name] = counts.get(name, 0) + 1
    return tuple(f"field {name!r} is unknown and was left out ({count}×)" for name, count in sorted(counts.items()))
