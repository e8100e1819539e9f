"""Pages that import files, with preview, progress and undo, and export the memory.

Law: what comes in is what `voice import` would bring from the same files, at the same entrance as a person's own; it is
shown before it is done. Each deed is one form; with a script the upload and the import tell how far they are, and
without one the page is loaded anew. What is handed out is what `voice export` writes, private notes too, and the page
says so before. The file has a name on this machine only while it is written; whoever breaks the download off leaves
nothing behind.
Source: DESIGN 8 Web; rulings A12, F, H; docs/import.md; docs/formats.md.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import BinaryIO, Final
from zoneinfo import ZoneInfo

from anyio import to_thread
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute

from voice.adapters.system.upload_rooms import UploadRoom, UploadRooms
from voice.core.errors import InvalidParams, VoiceError
from voice.core.interchange.json_fields import parse_mapping
from voice.core.interchange.origin import Entrance, require_tags
from voice.entrypoints.shared.notes import FORMATS
from voice.entrypoints.web.access import UPLOAD_PATH, Limits
from voice.entrypoints.web.pages.addresses import between_commas, digest_of, fields_of, is_set, one_of, require_owner
from voice.entrypoints.web.pages.conversations.chat import sse_message
from voice.entrypoints.web.pages.import_jobs import ImportJob, ImportJobs, Phase
from voice.entrypoints.web.pages.import_view import job_url, named, undo_view, view_of
from voice.entrypoints.web.pages.rendering import PageGroup
from voice.entrypoints.web.request_bodies import receive_upload, shown_name
from voice.ports.files import FileFormat
from voice.services.imports.request import ImportRequest

DONE_EVENT: Final = "voice:imported"
"""What the script is told when an import stands still."""
_DEEDS: Final = ("run", "discard", "undo", "redo")
_MIN_INTERVAL_S: Final = 0.25  # so that a fast import does not flood the page
_MAX_INTERVAL_S: Final = 10.0  # a stream says how far it is at least so often


@dataclass(frozen=True, slots=True)
class ImportPages(PageGroup):
    """The pages of imports."""

    jobs: ImportJobs
    limits: Limits = Limits()

    @property
    def routes(self) -> list[BaseRoute]:
        """Where they are."""
        one = f"{UPLOAD_PATH}/{{job}}"  # the path that `BodyLimits` lets pass unread
        return [
            self.route("GET", UPLOAD_PATH, self.show),
            self.route("POST", UPLOAD_PATH, self.upload),
            self.route("GET", one, self.job),
            self.route("POST", one, self.act),
            self.route("GET", f"{one}/undo", self.undo),
            self.route("GET", f"{one}/events", self.events),
        ]

    async def show(self, request: Request) -> Response:
        """Show where files are chosen."""
        return self._form(request)

    async def upload(self, request: Request) -> Response:
        """Take files in, and lead to what they would bring."""
        require_owner(request)
        length = request.headers.get("content-length", "")
        size = int(length) if length.isdecimal() else 0  # 0: not told, so no room is refused for its size
        room = await to_thread.run_sync(self.jobs.rooms.open, size)
        try:
            job = await self._receive(request, room)
        except ClientDisconnect:
            return Response(status_code=HTTPStatus.BAD_REQUEST)  # nobody is there to read it
        except InvalidParams as error:
            return self._form(request, error)
        finally:
            if not any(each.room is room for each in self.jobs.listed):  # no import took it over
                await to_thread.run_sync(room.close)
        return RedirectResponse(job_url(job), HTTPStatus.SEE_OTHER)

    async def _receive(self, request: Request, room: UploadRoom) -> ImportJob:
        """Write what comes to a room, and begin to look at it; no file, or a field that cannot be meant, is refused."""
        upload = await receive_upload(request, room, self.limits.upload_bytes)
        if not upload.files:
            refused = "; ".join(f"{name or 'a file'}: {why}" for name, why in upload.refused[:3])
            raise InvalidParams(f"voice can import no file: {refused}" if refused else "choose at least one file")
        job = ImportJob(
            id=self.memory.services.ids.new_id("k").partition(":")[2],
            request=self._request(upload.fields, room.top),
            names=tuple(sorted(shown_name(each.name) for each in room.files.iterdir())),  # names as they may be shown
            refused=tuple(upload.refused),
            place=str(room.files),
            room=room,
        )
        self.jobs.begin(job)
        return job

    def _request(self, fields: Mapping[str, str], path: Path) -> ImportRequest:
        services = self.memory.services
        mapping = parse_mapping(fields.get("fields", "").split())
        kind = one_of(fields, "format", ("", *FORMATS), "")
        names = between_commas(fields.get("me", ""))
        return ImportRequest(
            path=str(path),
            entrance=Entrance.PAGE,
            format=FileFormat(kind) if kind else FileFormat.JSONL if mapping else None,  # a mapping is of lines of JSON
            zone=ZoneInfo(services.timezone),
            date_order=services.settings.time.date_order,
            own_speakers=(*names, *self.memory.settings.owner.called),  # the owner's names count in each import
            vouched=is_set(fields, "vouched"),
            is_private=is_set(fields, "private"),
            tags=require_tags(between_commas(fields.get("tags", ""))),
            mapping=mapping,
        )

    async def job(self, request: Request) -> Response:
        """Show an import: what it would bring, how far it is, or what it brought."""
        job, services = self._job(request), self.memory.services
        view = view_of(job, services.timezone, reads=services.extracting.is_automatic)
        return self.templates.page(request, "import_job.html", view=view, job=job)

    async def act(self, request: Request) -> Response:
        """Start an import, give it up, undo it, or take its undo back."""
        require_owner(request)
        job, form = self._job(request), await fields_of(request)
        match one_of(form, "deed", _DEEDS, "run"):
            case "run":
                self.jobs.run(job)
            case "discard":
                self.jobs.give_up(job)
                return RedirectResponse(UPLOAD_PATH, HTTPStatus.SEE_OTHER)
            case "undo":
                digest = form.get("sure_of", "")
                try:
                    await self.jobs.undo(job, lambda going: digest_of(each.id for each in going) == digest)
                except InvalidParams as error:
                    return await self._undo_page(request, job, error)
            case _:
                await self.jobs.redo(job)
        return RedirectResponse(job_url(job), HTTPStatus.SEE_OTHER)

    async def undo(self, request: Request) -> Response:
        """Show what undoing an import would take out of use."""
        job = self._job(request)
        if job.phase is not Phase.DONE:  # nothing to undo
            return RedirectResponse(job_url(job), HTTPStatus.SEE_OTHER)
        return await self._undo_page(request, job)

    async def _undo_page(self, request: Request, job: ImportJob, error: VoiceError | None = None) -> Response:
        return self.templates.form_page(
            request,
            "import_undo.html",
            error,
            going=undo_view(await self.jobs.foresee(job)),
            names=named(job),
            url=job_url(job),
        )

    async def events(self, request: Request) -> Response:
        """Tell how far an import is, until it stands still."""
        return StreamingResponse(self._progress(self._job(request)), media_type="text/event-stream")

    async def _progress(self, job: ImportJob) -> AsyncGenerator[str]:
        while job.is_busy:
            yield sse_message(self.templates.part("import_progress.html", job=job))
            try:
                async with asyncio.timeout(_MAX_INTERVAL_S):
                    await job.moved.wait()
            except TimeoutError:
                continue
            job.moved.clear()  # before the sleep: a step meanwhile counts
            await asyncio.sleep(_MIN_INTERVAL_S)
        yield sse_message("", DONE_EVENT)

    def _job(self, request: Request) -> ImportJob:
        """Return the import that an address names; HTTPException: it is not known, any more."""
        job = self.jobs.find(str(request.path_params["job"]))
        if job is None:
            raise HTTPException(HTTPStatus.NOT_FOUND)
        return job

    def _form(self, request: Request, error: VoiceError | None = None) -> Response:
        reads, zone = self.memory.services.extracting.is_automatic, self.memory.services.timezone
        return self.templates.form_page(
            request,
            "import.html",
            error,
            formats=FORMATS,
            most=self.limits.upload_bytes // 1024 // 1024,  # MiB
            earlier=[view_of(each, zone, reads=reads) for each in self.jobs.listed],
        )


PATH: Final = "/export"
_BLOCK_BYTES: Final = 1 << 18  # 256 KiB


@dataclass(frozen=True, slots=True)
class ExportPages(PageGroup):
    """The page on which the memory is exported."""

    rooms: UploadRooms

    @property
    def routes(self) -> list[BaseRoute]:
        """Where it is."""
        return [self.route("GET", PATH, self.show), self.route("POST", PATH, self.export)]

    async def show(self, request: Request) -> Response:
        """Say what an export holds."""
        return self.templates.page(request, "export.html")

    async def export(self, request: Request) -> Response:
        """Hand out the memory as a file."""
        require_owner(request)
        file, size = await self._write()
        day = self.memory.services.clock.now().date().isoformat()
        headers = {"content-disposition": f'attachment; filename="voice-{day}.jsonl"', "content-length": str(size)}
        return StreamingResponse(_blocks(file), media_type="application/x-ndjson", headers=headers)

    async def _write(self) -> tuple[BinaryIO, int]:
        """Return the open file of an export, which has no name any more, and its size in bytes."""
        room = await to_thread.run_sync(self.rooms.open, 0)
        try:
            path = room.folder / "memory.jsonl"
            report = await self.memory.services.transfer.export_memory(str(path))
            return await to_thread.run_sync(lambda: path.open("rb")), report.bytes  # opened before it loses its name
        finally:
            await to_thread.run_sync(room.close)  # the open file outlives its name


async def _blocks(file: BinaryIO) -> AsyncGenerator[bytes]:
    with file:
        while block := await to_thread.run_sync(file.read, _BLOCK_BYTES):  # beside the event loop
            yield block
