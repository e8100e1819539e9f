"""Reading and writing memory files on this machine, with blocking work on a worker thread.

Law: one batch is held in memory, and the event loop never waits for a disk. A file of `inner-voice-memory/1` gets its
name only when it is complete (it is written beside it and flushed first), only its owner can read it (0600), and an
existing one is replaced only on request. Rows must come in `export_order`, so that two exports of a memory are equal.

Source: ruling H.1; docs/formats.md.
"""

import os
import sys
import tempfile
from collections.abc import AsyncIterable, AsyncIterator, Generator, Iterable
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final

from anyio import CancelScope, to_thread

from voice.adapters.disk.private_files import sync_directory
from voice.adapters.files.detection import detect_format
from voice.adapters.files.note_files import related_roots
from voice.adapters.files.opening import STANDARD_STREAM, open_reading, unreadable
from voice.core.errors import DataFileError
from voice.core.interchange.memory_lines import Exported, FileLine, export_order, render_header, render_line
from voice.core.text.display import escape_json
from voice.ports.files import FOLLOWED_FORMATS, FileFormat, FollowedFolders, ReadBatch, ReadRequest, WriteReport

_ROWS_AT_ONCE: Final = 256


class LocalMemoryFiles:
    """Implements `voice.ports.files.MemoryFiles` for the local file system and the standard streams."""

    def __init__(self, followed: FollowedFolders | None = None) -> None:
        self._followed = followed

    async def detect(self, path: str) -> FileFormat:
        """See the port."""
        if path == STANDARD_STREAM:
            return FileFormat.OWN  # a pipe cannot be read twice, so its format is not looked for
        return await to_thread.run_sync(detect_format, Path(path))

    async def read(self, request: ReadRequest) -> AsyncIterator[ReadBatch]:
        """See the port."""
        kind = request.format
        if kind and kind in FOLLOWED_FORMATS and request.roots is None and self._followed:
            known = tuple(await self._followed.folders())
            roots, apart = await to_thread.run_sync(related_roots, Path(request.path), kind, known)
            request = replace(request, roots=roots, apart=apart)
        reading = await to_thread.run_sync(open_reading, request)
        done = 0
        try:
            # A batch on another thread, because readers are plain generators.
            while lines := await to_thread.run_sync(tuple[FileLine, ...], islice(reading.lines, request.batch)):
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
        stack = ExitStack()
        lines = await to_thread.run_sync(stack.enter_context, pending_file(Path(path), overwrite=overwrite))
        try:
            async for some in _in_batches(rows):
                await to_thread.run_sync(lines.write, some)
        except BaseException as error:
            with CancelScope(shield=True):  # also when cancelled
                await to_thread.run_sync(stack.__exit__, type(error), error, error.__traceback__)
            raise
        await to_thread.run_sync(stack.close)  # gives the file its name
        return WriteReport(path=str(Path(path)), rows=lines.rows, bytes=lines.bytes)


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


class LineWriter:
    """Writes the header and then rows, in their order, to a stream of bytes."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._last: tuple[int, str] | None = None
        self.rows = 0
        self.bytes = 0
        self._put(render_header())

    def write(self, rows: Iterable[Exported]) -> None:
        """Write rows. Raises ValueError: one is not after the one before in `export_order`; OSError: the stream cannot
        be written."""
        for row in rows:
            place = export_order(row)
            if self._last is not None and place <= self._last:
                raise ValueError("rows of an export must come in export_order, each once")
            self._last = place
            self._put(render_line(row))
            self.rows += 1

    def _put(self, line: bytes) -> None:
        # Control characters would reach a terminal.
        self.bytes += self._stream.write(escape_json(line.decode()).encode() + b"\n")


@contextmanager
def pending_file(path: Path, *, overwrite: bool = False) -> Generator[LineWriter]:
    """Yield what writes to a file beside `path`, which gets that name when the block ends, and is removed if it raises.
    Without `overwrite`, no existing file is replaced. Raises DataFileError: there is one, or it cannot be written."""
    exists = DataFileError(f"{path} is already there; choose another name, or overwrite it with --force")
    if not overwrite and os.path.lexists(path):
        raise exists
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)  # makes it 0600
        part = Path(name)
        try:
            with os.fdopen(handle, "wb") as stream:
                yield LineWriter(stream)
                stream.flush()
                os.fsync(stream.fileno())
            if overwrite:
                part.replace(path)
            else:
                path.hardlink_to(part)  # unlike a rename it fails if the name was taken meanwhile
        finally:
            part.unlink(missing_ok=True)
        sync_directory(path.parent)  # the new name as well
    except FileExistsError:
        raise exists from None
    except OSError as error:
        raise DataFileError(f"cannot write {path}: {error.strerror or 'unknown reason'}") from error
