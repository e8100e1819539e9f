"""Exporting in a browser: the whole memory as one file.

Law: what is handed out is what `voice export` writes, private notes too, and the page says so before. The file has a
name on this machine only while it is written; whoever breaks the download off leaves nothing behind.

Source: DESIGN 8 Web; docs/formats.md.
"""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import BinaryIO, Final

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from voice.adapters.system.upload_rooms import UploadRooms
from voice.entrypoints.library import Voice
from voice.entrypoints.web.pages.owner import require_owner
from voice.entrypoints.web.pages.problems import with_problems
from voice.entrypoints.web.pages.rendering import Templates

PATH: Final = "/export"
_BLOCK_BYTES: Final = 1 << 18


@dataclass(frozen=True, slots=True)
class ExportPages:
    """The page on which the memory is exported."""

    memory: Voice
    templates: Templates
    rooms: UploadRooms

    @property
    def routes(self) -> list[BaseRoute]:
        """Where it is."""
        return [
            Route(PATH, with_problems(self.templates, self.show), methods=["GET"]),
            Route(PATH, with_problems(self.templates, self.export), methods=["POST"]),
        ]

    async def show(self, request: Request) -> Response:
        """Say what an export holds."""
        return self.templates.page(request, "export.html")

    async def export(self, request: Request) -> Response:
        """Hand out the memory as a file."""
        require_owner(request)
        file, size = await self._written()
        day = self.memory.services.clock.now().date().isoformat()
        headers = {"content-disposition": f'attachment; filename="voice-{day}.jsonl"', "content-length": str(size)}
        return StreamingResponse(_blocks(file), media_type="application/x-ndjson", headers=headers)

    async def _written(self) -> tuple[BinaryIO, int]:
        """Return the open file of an export, which has no name any more, and its size in bytes.

        Raises:
            DataFileError: it cannot be written.
        """
        room = await to_thread.run_sync(self.rooms.open, 0)
        try:
            path = room.folder / "memory.jsonl"
            report = await self.memory.services.transfer.export_memory(str(path))
            return await to_thread.run_sync(lambda: path.open("rb")), report.bytes
        finally:
            await to_thread.run_sync(room.close)


async def _blocks(file: BinaryIO) -> AsyncGenerator[bytes]:
    with file:
        while block := await to_thread.run_sync(file.read, _BLOCK_BYTES):
            yield block
