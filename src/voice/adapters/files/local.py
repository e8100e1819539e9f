"""Memory files of this machine, behind the port: blocking work runs on a worker thread.

Law: no more than one batch is held in memory; the event loop never waits for a disk.
"""

import sys
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final, assert_never

from anyio import CancelScope, to_thread

from voice.adapters.files.markdown import list_notes, read_note
from voice.adapters.files.memory_bench import load_memory_bench
from voice.adapters.files.own_jsonl import read_own_jsonl
from voice.adapters.files.sniff import detect_format
from voice.adapters.files.writer import LineWriter, PendingFile
from voice.core.errors import DataFileError
from voice.core.interchange import BadLine, Exported, ParsedLine
from voice.ports.files import FileFormat, ReadBatch, ReadRequest, WriteReport

STANDARD_STREAM: Final = "-"
_ROWS_AT_ONCE: Final = 256


def _nothing() -> None:
    """A stream that is not ours stays open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """A file being read: its records, and how far that is."""

    lines: Iterator[ParsedLine | BadLine]
    total: int | None
    close: Callable[[], None] = _nothing
    position: Callable[[], int] | None = None
    """None: the number of records read is the position."""


class LocalMemoryFiles:
    """Implements `voice.ports.files.MemoryFiles` for the local file system and the standard streams."""

    async def detect(self, path: str) -> FileFormat:
        """See the port."""
        if path == STANDARD_STREAM:
            return FileFormat.OWN
        return await to_thread.run_sync(detect_format, Path(path))

    async def read(self, request: ReadRequest) -> AsyncIterator[ReadBatch]:
        """See the port."""
        reading = await to_thread.run_sync(_open, request)
        done = 0
        try:
            while lines := await to_thread.run_sync(_take, reading, request.batch):
                done += len(lines)
                position = reading.position() if reading.position else done
                yield ReadBatch(lines=lines, done=position, total=reading.total)
        except OSError as error:
            raise _unreadable(request.path, error) from error
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


def _take(reading: _Reading, count: int) -> tuple[ParsedLine | BadLine, ...]:
    return tuple(islice(reading.lines, count))


def _open(request: ReadRequest) -> _Reading:
    if request.path == STANDARD_STREAM:
        return _open_stream(sys.stdin.buffer, request, total=None)
    path = Path(request.path)
    kind = request.format or detect_format(path)
    try:
        match kind:
            case FileFormat.OWN:
                stream = path.open("rb")
                return _open_stream(stream, request, total=path.stat().st_size, close=stream.close)
            case FileFormat.MARKDOWN:
                return _open_notes(path, request)
            case FileFormat.MEMORY_BENCH:
                bench = load_memory_bench(path, corpus=request.corpus)
                return _Reading(lines=bench.lines(zone=request.zone), total=bench.items)
            case _:
                assert_never(kind)
    except OSError as error:
        raise _unreadable(request.path, error) from error


def _unreadable(path: str, error: OSError) -> DataFileError:
    return DataFileError(f"cannot read {path}: {error.strerror or 'unknown reason'}")


def _open_stream(
    stream: BinaryIO, request: ReadRequest, *, total: int | None, close: Callable[[], None] = _nothing
) -> _Reading:
    position = None if total is None else stream.tell
    lines = read_own_jsonl(stream, zone=request.zone)
    return _Reading(lines=lines, total=total, close=close, position=position)


def _open_notes(root: Path, request: ReadRequest) -> _Reading:
    notes = list_notes(root)
    return _Reading(lines=(read_note(note, root, request.zone) for note in notes), total=len(notes))
