"""Backup, verification and restore of a whole store; implements `StoreMaintenance`.

Law: the engine drops what follows a flipped byte without a word, so a store is only as safe as its last backup that was
read again (ruling H). A backup is of one moment: no write happens meanwhile. While a store is filled from one, no
process writes anything else into it. Files are read and written on other threads than the event loop's.
"""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from voice.adapters.disk.backup_file import BackupWriter, Header, batches, check_backup, read_entries, report_of
from voice.adapters.disk.private_files import open_to_read, replacing
from voice.adapters.surreal.connection import Connection
from voice.adapters.surreal.dialect import PAGE
from voice.adapters.surreal.dump import dump
from voice.adapters.surreal.filling import Filling
from voice.adapters.surreal.ledger import taken
from voice.adapters.surreal.spending import recount
from voice.adapters.surreal.verify import census, count, faults
from voice.adapters.surreal.writer import Writer
from voice.core.errors import DataFileError
from voice.ports.stores import BackupReport


class SurrealMaintenance:
    """`StoreMaintenance` over a connection."""

    def __init__(self, connection: Connection, writer: Writer) -> None:
        self._connection = connection
        self._writer = writer

    async def backup(self, path: str) -> BackupReport:
        """Write everything to one file that is read again before it is in place; see `StoreMaintenance.backup`.

        Raises:
            StoreUnavailable: the disk is full, or another process wrote meanwhile.
            ConfigurationError: the file's directory cannot be written.
            StoreDamaged: the store holds something that cannot be read.
        """
        reports: list[BackupReport] = []

        async def write(last_seq: int) -> int:
            reports.append(await self._write(Path(path), last_seq))
            return last_seq

        await self._writer.exclusively("back up", write)
        return reports[0]

    async def verify(self, progress: Callable[[int, int], None] | None = None) -> list[str]:
        """Return a sentence per fault found; see `StoreMaintenance.verify`."""
        found: list[str] = []

        async def look(last_seq: int) -> int:
            found.extend(await faults(self._connection, last_seq, progress))
            return last_seq

        await self._writer.exclusively("verify", look)
        return found

    async def recount(self, *, mend: bool = False, progress: Callable[[int, int], None] | None = None) -> list[str]:
        """Count again what was spent; see `StoreMaintenance.recount`."""
        if progress is None:
            return await recount(self._connection, self._writer, mend=mend)
        total = await count(self._connection, "exchanges")
        return await recount(self._connection, self._writer, mend=mend, tell=lambda done: progress(done, total))

    async def restore(self, path: str) -> BackupReport:
        """Fill this empty store from a backup file; see `StoreMaintenance.restore`."""
        place = Path(path)
        reports: list[BackupReport] = []

        async def fill(last_seq: int) -> None:
            with ExitStack() as stack:
                file = await asyncio.to_thread(stack.enter_context, open_to_read(place))
                header = await asyncio.to_thread(check_backup, file, path)
                await self._check_schema(header, path)
                reports.append(await asyncio.to_thread(report_of, place, file, header))
                await self._fill(file, path, header, last_seq)

        # Others may write again as soon as it is filled, so what follows is none of its business.
        await self._writer.undisturbed(fill)
        return reports[0]

    async def _write(self, path: Path, last_seq: int) -> BackupReport:
        header = Header(
            store_id=await self._writer.store_id(),
            last_seq=last_seq,
            schema=tuple(await taken(self._connection)),
            counts=await census(self._connection),
        )
        stack = ExitStack()
        try:
            file = await asyncio.to_thread(stack.enter_context, replacing(path))
            writer = await asyncio.to_thread(BackupWriter, file, header)
            async for entries in dump(self._connection):
                await asyncio.to_thread(writer.add, entries)
            await asyncio.to_thread(writer.finish)
            await asyncio.to_thread(check_backup, file, path.name)
            report = await asyncio.to_thread(report_of, path, file, header)
        except BaseException as error:
            await asyncio.shield(asyncio.to_thread(stack.__exit__, type(error), error, error.__traceback__))
            raise
        await asyncio.to_thread(stack.close)
        return report

    async def _check_schema(self, header: Header, name: str) -> None:
        known = {step for step, _ in await taken(self._connection)}
        if any(step not in known for step, _ in header.schema):
            raise DataFileError(f"{name} comes from a newer version of voice; restore it with that one")

    async def _fill(self, file: BinaryIO, name: str, header: Header, last_seq: int) -> None:
        filling = Filling(self._connection, header)
        await filling.begin(last_seq)
        groups = batches(read_entries(file, name), PAGE)
        while group := await asyncio.to_thread(next, groups, None):
            await filling.add(group)
        await filling.end()
