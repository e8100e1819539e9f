"""What forgetting deletes outside the store: exported files, and the records of agent frameworks.

Law: `voice.core.session.agent_records` decides on each record as it is stored, within the transaction that deletes it,
so that what a program wrote meanwhile is included, and doing it again does nothing.

`TraceFiles` covers the files in the data directory that name rows, except those that the program keeps for itself: the
store, its index, the key, the settings. A row is found by its id, which every export, session file and backup spells
out; what a person wrote into a file by hand is theirs.

Source: rulings G, H; docs/forgetting.md.
"""

import mmap
import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from anyio import to_thread

from voice.adapters.disk.private_files import disk_errors, sync_directory
from voice.adapters.system.agent_records import RecordFile, Records
from voice.core.session.agent_records import THREAD_KINDS, AgentRecord, RecordKind, record_without
from voice.core.session.forgetting import ForgottenContent


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenRecords:
    """`DerivedStore` over the file of records, which is not made if there is none."""

    file: RecordFile
    kind: str = "agent records"

    async def reached(self, gone: ForgottenContent) -> list[str]:
        """Return the ids of records that hold some of the content, with whole threads; see the port."""
        return await to_thread.run_sync(self._reached, gone)

    async def take_away(self, ids: Sequence[str], gone: ForgottenContent) -> None:
        """Delete the content from the records; see the port."""
        if ids:
            await to_thread.run_sync(self._take_away, gone)

    def _reached(self, gone: ForgottenContent) -> list[str]:
        if not self.file.is_there:
            return []
        with self.file.transaction() as records:
            return [str(each.id) for each, _ in _touched(records, gone)]

    def _take_away(self, gone: ForgottenContent) -> None:
        with self.file.transaction() as records:
            touched = _touched(records, gone)
            records.remove_ids(each.id for each, left in touched if left is None)
            for _, left in touched:
                if left is not None:
                    records.replace(left)
        self.file.erase()  # what was deleted is still in the journal


def _touched(records: Records, gone: ForgottenContent) -> list[tuple[AgentRecord, AgentRecord | None]]:
    """Return each record that loses something, with what is left of it, in order."""
    stored = [each for kind in RecordKind for each in records.find(kind)]
    left = {each.id: record_without(each, gone) for each in stored}
    # A thread goes as a whole, because only its framework can parse it.
    threads = {each.owner for each in stored if each.kind in THREAD_KINDS and left[each.id] is None}
    left |= {each.id: None for each in stored if each.kind in THREAD_KINDS and each.owner in threads}
    # `is`: what loses nothing comes back as it was.
    changed = [(each, left[each.id]) for each in stored if left[each.id] is not each]
    return sorted(changed, key=lambda pair: pair[0].id)


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalTraceFiles:
    """`TraceFiles` over one data directory."""

    home: Path
    apart: frozenset[Path]  # files and directories in it that are skipped

    async def naming(self, row_ids: Collection[str]) -> tuple[str, ...]:
        """Return the files that contain one of these ids; see the port."""
        return await to_thread.run_sync(self._naming, sorted(row_ids))

    async def remove(self, paths: Collection[str]) -> None:
        """Remove those files; see the port."""
        await to_thread.run_sync(_remove, [Path(path) for path in paths])

    def _naming(self, row_ids: list[str]) -> tuple[str, ...]:
        wanted = [row_id.encode("utf-8", "surrogatepass") for row_id in row_ids]
        found = (path for path in self._files() if wanted and _holds(path, wanted))
        return tuple(sorted(map(str, found)))

    def _files(self) -> Iterator[Path]:
        for place, directories, files in os.walk(self.home):
            # In place, so that `walk` does not enter them.
            directories[:] = [name for name in directories if Path(place, name) not in self.apart]
            paths = (Path(place, name) for name in files)
            yield from (path for path in paths if path not in self.apart and path.is_file() and not path.is_symlink())


def _holds(path: Path, wanted: list[bytes]) -> bool:
    with disk_errors(path), suppress(FileNotFoundError), path.open("rb") as file:
        if os.fstat(file.fileno()).st_size:  # an empty file cannot be mapped
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return any(data.find(each) >= 0 for each in wanted)
    return False


def _remove(paths: list[Path]) -> None:
    for path in paths:
        with disk_errors(path):
            path.unlink(missing_ok=True)
            sync_directory(path.parent)
