"""Import jobs of the pages, from the upload to the undo.

Law: what was uploaded lies in a private room (`voice.adapters.system.upload_rooms`) until it came in, was given up, or
waited for too long; then it is gone. One import runs at a time. What an import stored is known while this program runs,
so that it can be undone. Whoever stops the program stops an import between two transactions: what was stored stays, and
the same files go on from there.
Source: DESIGN 8 Web; rulings F, H; docs/import.md.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from anyio import to_thread

from voice.adapters.system.upload_rooms import UploadRoom, UploadRooms
from voice.core.errors import InvalidParams, VoiceError
from voice.core.records import Thought
from voice.entrypoints.library import Voice
from voice.services.graph.extraction import Arrived
from voice.services.imports.request import ImportPreview, ImportReport, ImportRequest, PreviewImport
from voice.services.imports.withdrawn_notes import UndoneImport

MOST_JOBS: Final = 12  # imports that are remembered
MOST_WAIT_MS: Final = 3_600_000
"""How long an upload waits to be imported."""
MOST_ROOMS: Final = 3
"""Uploads that wait at once."""


class Phase(StrEnum):
    """How far an import is."""

    LOOKING = "looking"
    LOOKED = "looked"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    UNDONE = "undone"


@dataclass(slots=True)
class ImportJob:
    """One import."""

    id: str
    request: ImportRequest
    names: tuple[str, ...]
    refused: tuple[tuple[str, str], ...]
    """(name, why) of files that were not taken."""
    place: str
    """Where the upload lies, or lay; no part of what is told."""
    room: UploadRoom | None = field(repr=False)
    since_ms: float = 0
    phase: Phase = Phase.LOOKING
    step: str = "Reading the files"
    done: int = 0
    total: int | None = None
    seen: ImportPreview | None = field(default=None, repr=False)
    report: ImportReport | None = field(default=None, repr=False)
    arrived: Arrived | None = None
    error: VoiceError | None = None
    moved: asyncio.Event = field(default_factory=asyncio.Event, repr=False)  # set at each step, for those who wait

    @property
    def is_busy(self) -> bool:
        """Whether something is under way."""
        return self.phase in (Phase.LOOKING, Phase.RUNNING)

    @property
    def stored(self) -> tuple[str, ...]:
        """The thoughts that it brought, and that were not there before."""
        if self.report is None:
            return ()
        claimed = set(self.report.claimed)
        return tuple(each for each in self.report.ingested.stored if each not in claimed)  # claimed: there before

    def at(self, step: str, done: int = 0, total: int | None = None) -> None:
        """Say how far it is."""
        self.step, self.done, self.total = step, done, total
        self.moved.set()

    def advance(self, step: str) -> Callable[[int, int | None], None]:
        """Return what is told how far a step is."""
        return lambda done, total: self.at(step, done, total)

    def clear(self) -> None:
        """Take what was uploaded away."""
        if self.room is not None:
            self.room.close()
            self.room = None


class ImportJobs:
    """The imports of one program over one memory."""

    def __init__(self, memory: Voice) -> None:
        """Know the memory; what an earlier program left of its uploads is taken away."""
        self._memory = memory
        self._log = memory.services.observed.log
        self._jobs: OrderedDict[str, ImportJob] = OrderedDict()
        self._tasks: set[asyncio.Task[None]] = set()
        self._one = asyncio.Lock()  # one import runs at a time
        self.rooms = UploadRooms(memory.services.home)
        self.rooms.sweep()  # a program that was killed left its uploads

    @property
    def listed(self) -> list[ImportJob]:
        """The imports that are known, the newest first."""
        self._clear_old()
        return list(reversed(self._jobs.values()))

    def find(self, job_id: str) -> ImportJob | None:
        """Return an import; None where it is not known any more."""
        self._clear_old()
        return self._jobs.get(job_id)

    def begin(self, job: ImportJob) -> None:
        """Take up an import, and look at what it would bring."""
        job.since_ms = self._now
        self._jobs[job.id] = job
        waiting = [each for each in self._jobs.values() if each.room is not None and not each.is_busy]
        for old in waiting[: max(0, len(waiting) + 1 - MOST_ROOMS)]:  # room for the new one
            self.give_up(old)
        while len(self._jobs) > MOST_JOBS and (old := next((e for e in self._jobs.values() if not e.is_busy), None)):
            self.give_up(old)
        self._start(job, self._preview)

    def run(self, job: ImportJob) -> None:
        """Bring in what was looked at, or was broken off; one that runs or has run is left as it is."""
        if job.phase in (Phase.LOOKED, Phase.FAILED) and job.room is not None:
            job.phase, job.error = Phase.RUNNING, None
            job.at("Waiting for another import" if self._one.locked() else "Reading the files")
            self._start(job, self._import)

    def give_up(self, job: ImportJob) -> None:
        """Forget an import that does not run, and what was uploaded for it."""
        if not job.is_busy:
            job.clear()
            self._jobs.pop(job.id, None)

    async def foresee(self, job: ImportJob) -> UndoneImport:
        """Return what undoing an import would take out of use."""
        return await self._memory.services.import_undo.foresee(job.stored)

    async def undo(self, job: ImportJob, shown: Callable[[tuple[Thought, ...]], bool]) -> None:
        """Undo an import that is done; nothing where other thoughts would go than were `shown` (InvalidParams)."""
        if job.phase is not Phase.DONE:
            return
        undoing = self._memory.services.import_undo
        found = await undoing.foresee(job.stored)
        if not shown(found.thoughts):  # what would go now must be what was shown
            raise InvalidParams("your memory has changed since you looked, so nothing was undone; try again")
        await undoing(job.stored, shown={each.id for each in found.thoughts})  # and no thought that came since
        job.phase = Phase.UNDONE

    async def redo(self, job: ImportJob) -> None:
        """Take the undo of an import back."""
        if job.phase is Phase.UNDONE:
            await self._memory.services.import_undo.back(job.stored)
            job.phase = Phase.DONE

    @asynccontextmanager
    async def kept(self) -> AsyncGenerator[None]:
        """Let imports run for as long as the block does; then what runs is stopped, and uploads are taken away."""
        try:
            yield
        finally:
            for task in self._tasks:
                task.cancel()  # between two transactions, by cancellation
            await asyncio.gather(*self._tasks, return_exceptions=True)
            for job in self._jobs.values():
                job.clear()  # uploads never outlive the program
            self.rooms.sweep()

    @property
    def _now(self) -> float:
        return self._memory.services.clock.monotonic_ms()

    def _clear_old(self) -> None:
        due = self._now - MOST_WAIT_MS
        for job in [each for each in self._jobs.values() if each.room is not None and each.since_ms < due]:
            self.give_up(job)

    def _start(self, job: ImportJob, work: Callable[[ImportJob], Awaitable[None]]) -> None:
        task = asyncio.create_task(self._run_safely(job, work))
        self._tasks.add(task)  # the event loop keeps no strong reference to a task
        task.add_done_callback(self._finish)

    async def _run_safely(self, job: ImportJob, work: Callable[[ImportJob], Awaitable[None]]) -> None:
        """Do a piece of work; what goes wrong is kept with the import, for its page."""
        try:
            await work(job)
        except VoiceError as error:
            job.error, job.phase = error, Phase.FAILED
        finally:
            if job.is_busy:  # cancelled, or ended by what nobody foresaw
                job.error, job.phase = VoiceError("the import ended early; try again"), Phase.FAILED
            job.moved.set()

    def _finish(self, task: asyncio.Task[None]) -> None:
        """Tell the log of what nobody foresaw, as where a request ends: nobody else would hear of it."""
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._log.warning("import_failed", {"kind": type(error).__name__})  # no text: it may hold words of a note

    async def _preview(self, job: ImportJob) -> None:
        """Read what was uploaded and count what would come in; what cannot be read at all is taken away at once."""
        transfer = self._memory.services.transfer
        previewing = PreviewImport(files=transfer.files, ingest=transfer.ingest, edited=transfer.edited)
        try:
            job.seen = await previewing.preview(job.request, reading=job.advance("Reading the files"))
        except VoiceError:
            await to_thread.run_sync(job.clear)  # nothing can be imported: the upload goes at once
            raise
        job.phase = Phase.LOOKED

    async def _import(self, job: ImportJob) -> None:
        """Bring in what was looked at, and look for names in it; then what was uploaded is taken away."""
        async with self._one:  # one at a time
            services = self._memory.services
            job.report = await services.transfer.import_memory(
                job.request, reading=job.advance("Reading the files"), storing=job.advance("Storing")
            )
            stored, advance = job.report.ingested.stored, job.advance("Looking for entities and relations")
            notes_read = 0

            def step(notes: int) -> None:
                nonlocal notes_read
                notes_read += notes
                advance(notes_read, len(stored))

            job.arrived = await services.extracting.arrived(
                stored, job.report.offers, progress=step, linking=job.advance("Storing links")
            )
        job.phase = Phase.DONE
        await to_thread.run_sync(job.clear)  # only after success: a failed import can go on
