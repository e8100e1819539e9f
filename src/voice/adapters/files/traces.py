"""Files in a data directory that name rows and are no part of the store; implements `TraceFiles`.

Law: nothing outside the data directory is looked at, and nothing in it that the program keeps for itself: the store,
its index, the key, the settings. A row is found by its id, which every export, session file and backup of ours spells
out; what a person wrote into a file by hand is theirs.

Source: rulings G, H; docs/forgetting.md.
"""

import mmap
import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from anyio import to_thread

from voice.adapters.disk.private_files import disk_error, sync_directory
from voice.ports.forgetting import Traces


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalTraceFiles:
    """`TraceFiles` over one data directory."""

    home: Path
    apart: frozenset[Path]
    """What in it is not looked at: files, and directories with all that is in them."""

    async def naming(self, row_ids: Collection[str]) -> Traces:
        """Return the files that hold one of these ids; see the port."""
        return await to_thread.run_sync(self._naming, sorted(row_ids))

    async def remove(self, traces: Traces) -> None:
        """Remove those files; see the port."""
        await to_thread.run_sync(_remove, [Path(path) for path in traces.paths])

    def _naming(self, row_ids: list[str]) -> Traces:
        wanted = [row_id.encode("utf-8", "surrogatepass") for row_id in row_ids]
        found = (path for path in self._files() if wanted and _holds(path, wanted))
        return Traces(paths=tuple(sorted(map(str, found))))

    def _files(self) -> Iterator[Path]:
        for place, directories, files in os.walk(self.home):
            directories[:] = [name for name in directories if Path(place, name) not in self.apart]
            paths = (Path(place, name) for name in files)
            yield from (path for path in paths if path not in self.apart and path.is_file() and not path.is_symlink())


def _holds(path: Path, wanted: list[bytes]) -> bool:
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size == 0:
                return False
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return any(data.find(each) >= 0 for each in wanted)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise disk_error(error, path) from None


def _remove(paths: list[Path]) -> None:
    for path in paths:
        try:
            path.unlink(missing_ok=True)
            sync_directory(path.parent)
        except OSError as error:
            raise disk_error(error, path) from None
