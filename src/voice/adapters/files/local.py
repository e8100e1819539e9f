"""Memory files of this machine, behind the port: blocking work runs on a worker thread.

Law: no more than one batch is held in memory; the event loop never waits for a disk.
"""

import sys
from collections.abc import AsyncIterable, AsyncIterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

from anyio import CancelScope, to_thread

from voice.adapters.files.opening import STANDARD_STREAM, Reading, open_reading, unreadable
from voice.adapters.files.sniff import detect_format
from voice.adapters.files.writer import LineWriter, PendingFile
from voice.core.interchange.memory_lines import Exported, FileLine
from voice.ports.files import FileFormat, ReadBatch, ReadRequest, WriteReport

_ROWS_AT_ONCE: Final = 256


class LocalMemoryFiles:
    """Implements `voice.ports.files.MemoryFiles` for the local file system and the standard streams."""

    async def detect(self, path: str) -> FileFormat:
        """See the port."""
        if path == STANDARD_STREAM:
            return FileFormat.OWN
        return await to_thread.run_sync(detect_format, Path(path))

    async def read(self, request: ReadRequest) -> AsyncIterator[ReadBatch]:
        """See the port."""
        reading = await to_thread.run_sync(open_reading, request)
        done = 0
        try:
            while lines := await to_thread.run_sync(_take, reading, request.batch):
                done += len(lines)
                position = reading.position() if reading.position else done
                yield ReadBatch(lines=lines, done=position, total=reading.total)
        except OSError as error:
            raise unreadable(request.path, error) from error
        finally:
            reading.close()

    async def write(self, path: str, rows: AsyncIterable[Exported], *, overwrite: bool = False) -> WriteReport:
        """See the port."""
        if path == STANDARD_STREAM:
            return await _write_to_stdout(rows)
        pending = await to_thread.run_sync(partial(PendingFile, Path(path), overwrite=overwrite))
        try:
            async for some in _in_batches(rows):
                await to_thread.run_sync(pending.write, some)
            return await to_thread.run_sync(pending.commit)
        finally:
            with CancelScope(shield=True):
                await to_thread.run_sync(pending.discard)


async def _write_to_stdout(rows: AsyncIterable[Exported]) -> WriteReport:
    lines = await to_thread.run_sync(LineWriter, sys.stdout.buffer)
    async for some in _in_batches(rows):
        await to_thread.run_sync(lines.write, some)
    await to_thread.run_sync(sys.stdout.buffer.flush)
    return WriteReport(path=STANDARD_STREAM, rows=lines.rows, bytes=lines.bytes)


async def _in_batches(rows: AsyncIterable[Exported]) -> AsyncIterator[list[Exported]]:
    batch: list[Exported] = []
    async for row in rows:
        batch.append(row)
        if len(batch) == _ROWS_AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch


def _take(reading: Reading, count: int) -> tuple[FileLine, ...]:
    return tuple(islice(reading.lines, count))
