"""Marks of imports as files of the data directory, locked by the process that imports.

Law: each import has a file `imports/*.json`, mode 0600, with its path and the number of stored rows, and no word of
them. The process locks it while the import runs, so that others can tell when it is gone. It gets its name after its
lock, so that no process sees it unlocked. On a file system without locks nothing is marked.
"""

import fcntl
import json
import os
import secrets
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, cast

from voice.core.interchange.import_plan import UnfinishedImport
from voice.ports.files import ReportStored

IMPORTS_FOLDER: Final = "imports"
_PIPE: Final = "-"  # import from a pipe cannot be continued
# A new file, never one that a link names.
_NEW: Final = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW


class FileImportMarks:
    """Implements `voice.ports.files.ImportMarks` in one data directory."""

    def __init__(self, home: Path) -> None:
        self._folder = home / IMPORTS_FOLDER

    @contextmanager
    def mark_running(self, path: str, *, is_sync: bool = False) -> Generator[ReportStored]:
        """See the port."""
        mark = UnfinishedImport(
            path=path if path == _PIPE else str(Path(path).absolute()), rows=0, runs=True, is_sync=is_sync
        )
        try:
            file, handle = self._create(mark)
        except OSError:
            yield lambda _rows: None
            return
        try:
            yield lambda rows: _write(handle, mark, rows)
            file.unlink(missing_ok=True)  # only after success: a failed import leaves its mark
            self._forget(mark.path)
        finally:
            if mark.path == _PIPE:
                file.unlink(missing_ok=True)
            os.close(handle)

    def seen(self) -> tuple[UnfinishedImport, ...]:
        """See the port."""
        found = tuple(each for each in map(_read, self._files()) if each is not None)
        return tuple(each for each in found if each.runs or Path(each.path).exists())

    def _files(self) -> Iterator[Path]:
        return iter(sorted(self._folder.glob("*.json")))

    def _create(self, mark: UnfinishedImport) -> tuple[Path, int]:
        self._folder.mkdir(mode=0o700, exist_ok=True)
        file = self._folder / f"{secrets.token_hex(8)}.json"
        new = file.with_suffix(".new")
        handle = os.open(new, _NEW, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)  # before it has the name that `_files` looks for
            _write(handle, mark, 0)
            new.rename(file)
        except OSError:
            os.close(handle)
            new.unlink(missing_ok=True)
            raise
        return file, handle

    def _forget(self, path: str) -> None:
        """Remove the marks of earlier interrupted imports of a path."""
        for file in self._files():
            seen = _read(file)
            if seen is not None and not seen.runs and seen.path == path:
                file.unlink(missing_ok=True)


def _write(handle: int, mark: UnfinishedImport, rows: int) -> None:
    content = json.dumps({"path": mark.path, "rows": rows, "is_sync": mark.is_sync}).encode()
    with suppress(OSError):  # a full disk stops the import itself, which reports it
        os.pwrite(handle, content, 0)  # never shorter than before, since rows only grow


def _read(file: Path) -> UnfinishedImport | None:
    """Return the import in a mark; None if the file is gone or damaged."""
    try:
        handle = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        value: object = json.loads(os.read(handle, 64 * 1024))
        members = cast("dict[str, object]", value) if isinstance(value, dict) else {}
        path, rows = members.get("path"), members.get("rows")
        if not isinstance(path, str) or not isinstance(rows, int):
            return None
        is_sync = members.get("is_sync") is True
        return UnfinishedImport(path=path, rows=rows, runs=_is_locked(handle), is_sync=is_sync)
    except (OSError, ValueError):
        return None
    finally:
        os.close(handle)


def _is_locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)  # shared: two that look do not see one another as the owner
    except OSError:
        return True
    return False
