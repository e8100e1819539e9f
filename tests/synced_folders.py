"""Files and folders of notes that come into a memory, and a folder that it is kept in step with."""

import os
from collections.abc import Mapping
from datetime import UTC, tzinfo
from pathlib import Path

from played_turns import rows_of
from voice.bootstrap import Services
from voice.core.interchange.origin import Entrance
from voice.core.records import RowStatus, Thought
from voice.services.imports.report import SyncReport
from voice.services.imports.request import ImportPreview, ImportReport, ImportRequest, PreviewImport


def request(folder: Path, zone: tzinfo = UTC, /, **more: object) -> ImportRequest:
    return ImportRequest(path=str(folder), entrance=Entrance.CLI, zone=zone, **more)  # pyright: ignore[reportArgumentType]


async def bring_in(services: Services, path: Path, zone: tzinfo = UTC, **more: object) -> ImportReport:
    """Import a file or folder as its owner."""
    return await services.transfer.import_memory(request(path, zone, **more))


async def foresee(services: Services, path: Path) -> ImportPreview:
    files, edited = services.transfer.files, services.transfer.edited
    return await PreviewImport(files=files, ingest=services.ingest, edited=edited).preview(request(path))


async def sync(services: Services, folder: Path, *, dry_run: bool = False, **more: object) -> SyncReport:
    return await services.following.sync(request(folder, **more), dry_run=dry_run)


async def live(services: Services) -> dict[str, Thought]:
    """The thoughts that are found, by what they say."""
    return {row.content: row for row in await rows_of(services, Thought) if row.status is RowStatus.ACTIVE}


def write(folder: Path, notes: Mapping[str, str]) -> Path:
    for place, text in notes.items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        os.utime(path, (1_700_000_000, 1_700_000_000))
    return folder


async def followed(services: Services, notes: Mapping[str, str]) -> Path:
    """Write a folder of these notes beside the memory's home, sync it, and return it."""
    folder = write(services.home.parent / "notes", notes)
    await sync(services, folder)
    return folder
