"""A folder of notes that a memory is kept in step with."""

import os
from collections.abc import Mapping
from datetime import UTC
from pathlib import Path

from voice.bootstrap import Services
from voice.core.interchange.origin import Entrance
from voice.core.records import RowStatus, Thought
from voice.services.imports.report import SyncReport
from voice.services.imports.request import ImportRequest


def request(folder: Path, **more: object) -> ImportRequest:
    return ImportRequest(path=str(folder), entrance=Entrance.CLI, zone=UTC, **more)  # pyright: ignore[reportArgumentType]


async def sync(services: Services, folder: Path, *, dry_run: bool = False, **more: object) -> SyncReport:
    return await services.following.sync(request(folder, **more), dry_run=dry_run)


async def live(services: Services) -> dict[str, Thought]:
    """The thoughts that are found, by what they say."""
    rows = [change.row for change in await services.store.changes(0, 1000)]
    return {row.content: row for row in rows if isinstance(row, Thought) and row.status is RowStatus.ACTIVE}


def write(folder: Path, notes: Mapping[str, str]) -> Path:
    for place, text in notes.items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        os.utime(path, (1_700_000_000, 1_700_000_000))
    return folder
