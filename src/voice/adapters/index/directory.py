"""The index directory: manifest, files, lock.

Law: a commit writes new files, then the manifest, then deletes unreferenced files. Damaged, foreign or outdated content
is cleared, since the index is derived; only the position mark is not (ruling H). Several processes share a directory
under a file lock; a commit against a replaced manifest raises `CommitConflict`. Searching needs no lock.

Source: DESIGN 4 and 8; ruling H (0700, 0600); docs/holder.md, "The search index".
"""

import json
import os
import re
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from itertools import count
from pathlib import Path
from typing import Final, cast

import numpy as np
from blake3 import blake3

from voice.adapters.disk.private_files import FILE_MODE, sync_directory, try_lock
from voice.adapters.index.columns import Mask
from voice.adapters.index.part import Part
from voice.adapters.index.segment_file import DamagedIndexFile, create_file, read_segment, verify_file, write_segment
from voice.adapters.index.snapshot import Snapshot
from voice.core.errors import StoreUnavailable

FORMAT: Final = "voice-index/7"
MANIFEST_NAME: Final = "manifest.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEntry:
    """One segment: its file, and the file with its dead rows."""

    name: str
    bytes: int
    dead: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Metadata of an index."""

    store_id: str
    model: str
    dim: int
    folded_seq: int
    next_file: int
    """Number of the next file; names are never reused."""
    files: tuple[FileEntry, ...] = ()

    def names(self) -> frozenset[str]:
        """Return all file names it refers to, including its own."""
        dead = (entry.dead for entry in self.files if entry.dead is not None)
        return frozenset({MANIFEST_NAME, *(entry.name for entry in self.files), *dead})


def write_manifest(directory: Path, manifest: Manifest) -> None:
    """Replace the manifest durably. Raises OSError: the previous one remains."""
    body = json.dumps({"format": FORMAT, **asdict(manifest)}, sort_keys=True)
    # The body is a text within the text, so that its checksum is of exact bytes.
    text = json.dumps({"checksum": blake3(body.encode()).hexdigest(), "body": body})
    write_synced(directory / f"{MANIFEST_NAME}.new", text.encode())
    (directory / f"{MANIFEST_NAME}.new").replace(directory / MANIFEST_NAME)
    sync_directory(directory)


def read_manifest(directory: Path) -> Manifest | None:
    """Read the manifest; None if missing or invalid."""
    try:
        outer = cast("dict[str, str]", json.loads((directory / MANIFEST_NAME).read_bytes()))
        body = outer["body"]
        if blake3(body.encode()).hexdigest() != outer["checksum"]:
            return None
        return _parsed(cast("dict[str, object]", json.loads(body)))
    # Whatever a damaged file can cause.
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _parsed(fields: dict[str, object]) -> Manifest | None:
    if fields.pop("format") != FORMAT:
        return None
    files = cast("list[dict[str, object]]", fields.pop("files"))
    entries = tuple(FileEntry(**entry) for entry in files)  # pyright: ignore[reportArgumentType]
    manifest = Manifest(files=entries, **fields)  # pyright: ignore[reportArgumentType]
    return manifest if _is_typed(manifest) else None


def _is_typed(manifest: Manifest) -> bool:
    """Check field types; the checksum verifies only integrity."""
    files = manifest.files
    texts: list[object] = [manifest.store_id, manifest.model, *(entry.name for entry in files)]
    texts += [entry.dead for entry in files if entry.dead is not None]
    numbers: list[object] = [manifest.dim, manifest.folded_seq, manifest.next_file, *(entry.bytes for entry in files)]
    return all(type(text) is str for text in texts) and all(type(number) is int for number in numbers)


def write_synced(path: Path, data: bytes) -> None:
    """Write a file and sync it to disk."""
    with create_file(path) as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


# "00000042.segment", "00000042.dead", "manifest.json": no file of another name is ever removed.
_OURS: Final = re.compile(rf"(?:\d{{8}}\.(?:segment|dead)|{re.escape(MANIFEST_NAME)}(?:\.new)?)")
_DIGEST_BYTES: Final = 32
_MARK: Final = "seen.mark"  # not in `_OURS`, so it outlives a cleared index
_FOR_A_MARK_S: Final = 0.2


class CommitConflict(Exception):
    """Another process committed first: reload and fold the rest again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexIdentity:
    """Store and encoder of an index; others' indexes are not used."""

    store_id: str
    model: str
    dim: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StorePosition:
    """A position in a store's changes."""

    store_id: str
    seq: int


class IndexDirectory:
    """An index directory for one identity."""

    def __init__(self, directory: Path, identity: IndexIdentity) -> None:
        self._directory = directory
        self._identity = identity
        self._manifest = self._empty_manifest()

    def seen(self) -> StorePosition | None:
        """Return the last known position in a store; None if there is none."""
        with suppress(OSError, ValueError):
            store_id, seq = (self._directory / _MARK).read_text(encoding="utf-8").split()
            return StorePosition(store_id=store_id, seq=int(seq))
        return None

    def mark(self, seq: int) -> None:
        """Record the position in this store, even if the index on disk is behind it."""
        # If it cannot be written, or is lost in a power cut, only the alarm about lost writes is missing.
        with suppress(OSError, DirectoryBusy), lock_directory(self._directory, _FOR_A_MARK_S):
            new = self._directory / f"{_MARK}.new"
            new.touch(mode=FILE_MODE)  # private before it has content
            new.write_text(f"{self._identity.store_id} {seq}\n", encoding="utf-8")
            new.replace(self._directory / _MARK)

    def unmark(self) -> None:
        """Remove the recorded position. Raises OSError: it cannot be removed."""
        if self._directory.is_dir():
            (self._directory / _MARK).unlink(missing_ok=True)

    def load(self) -> Snapshot:
        """Return the index on disk for this identity; if it is damaged or another's, clear it and return an empty one.
        Raises OSError: the directory cannot be made or read."""
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        with lock_directory(self._directory):
            manifest = read_manifest(self._directory)
            if manifest is None or self._identity_of(manifest) != self._identity:
                return self._cleared()
            try:
                parts = tuple(self._read_part(entry) for entry in manifest.files)
            except DamagedIndexFile:
                return self._cleared()
            self._manifest = manifest
            self._sweep(manifest.names())  # what a killed commit left
            return Snapshot(parts=parts, folded_seq=manifest.folded_seq)

    def commit(self, before: Snapshot, now: Snapshot) -> Snapshot:
        """Persist `now`, whose parts without a name are new, after `before`, the last snapshot loaded or committed;
        return it with its parts mapped from files. Raises CommitConflict: another process committed since;
        DirectoryBusy: one holds the lock; OSError: the previous index remains."""
        with lock_directory(self._directory):
            if self._present() != self._manifest:
                raise CommitConflict
            return self._committed(before, now)

    def _committed(self, before: Snapshot, now: Snapshot) -> Snapshot:
        known = {part.name: part for part in before.parts}
        number = self._manifest.next_file
        entries: list[FileEntry] = []
        for part in now.parts:
            entry, number = self._write_part(part, known.get(part.name), number)
            entries.append(entry)
        manifest = replace(self._manifest, folded_seq=now.folded_seq, next_file=number, files=tuple(entries))
        sync_directory(self._directory)  # the names of new files, before the manifest that refers to them
        write_manifest(self._directory, manifest)
        self._manifest = manifest
        self._sweep(manifest.names())  # other processes keep what they have mapped
        mapped = [self._mapped(part, entry) for part, entry in zip(now.parts, entries, strict=True)]
        return now.followed_by(mapped, now.folded_seq)

    def bytes_on_disk(self) -> int:
        """Return the total size of the index files."""
        with lock_directory(self._directory):
            ours = (path for path in self._directory.iterdir() if path.name == _MARK or _OURS.fullmatch(path.name))
            return sum(path.stat().st_size for path in ours)

    def built_at(self) -> float | None:
        """Return the manifest's modification time, in seconds since 1970; None if missing."""
        with suppress(FileNotFoundError):
            return (self._directory / MANIFEST_NAME).stat().st_mtime
        return None

    def faults(self) -> list[str]:
        """Return the names of damaged files."""
        with lock_directory(self._directory):
            present = self._present()
            # Another process may have replaced the files that this one has mapped.
            files = (present if self._identity_of(present) == self._identity else self._manifest).files
            return [e.name for e in files if not verify_file(self._directory / e.name, e.bytes)]

    def _present(self) -> Manifest:
        return read_manifest(self._directory) or self._empty_manifest()

    def _empty_manifest(self) -> Manifest:
        identity = self._identity
        return Manifest(store_id=identity.store_id, model=identity.model, dim=identity.dim, folded_seq=0, next_file=1)

    def _identity_of(self, manifest: Manifest) -> IndexIdentity:
        return IndexIdentity(store_id=manifest.store_id, model=manifest.model, dim=manifest.dim)

    def clear(self) -> Snapshot:
        """Delete all index files and return the empty snapshot, creating the directory if necessary. Raises OSError: it
        cannot be created or emptied."""
        if os.path.lexists(self._directory) and not self._directory.is_dir():
            _set_aside(self._directory)
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        with lock_directory(self._directory):
            return self._cleared()

    def _cleared(self) -> Snapshot:
        self._manifest = self._empty_manifest()
        self._sweep(frozenset())
        return Snapshot()

    def _sweep(self, named: frozenset[str]) -> None:
        for path in list(self._directory.iterdir()):  # a copy, since removing changes the directory
            if path.name in named or not _OURS.fullmatch(path.name):
                continue
            if path.is_dir() and not path.is_symlink():
                _set_aside(path)
            else:
                path.unlink()

    def _write_part(self, part: Part, known: Part | None, number: int) -> tuple[FileEntry, int]:
        """Write what is new of the part; return its entry and the next file number."""
        entry = next((entry for entry in self._manifest.files if entry.name == part.name), None)
        if entry is None:
            name, number = f"{number:08}.segment", number + 1
            entry = FileEntry(name=name, bytes=write_segment(self._directory / name, part.segment))
        if part.live_rows == part.segment.size or (known is not None and known.live_rows == part.live_rows):
            return entry, number
        dead, number = f"{number:08}.dead", number + 1
        bits = np.packbits(~part.live).tobytes()
        write_synced(self._directory / dead, blake3(bits).digest() + bits)  # checksum, then a bit per row
        return FileEntry(name=entry.name, bytes=entry.bytes, dead=dead), number

    def _mapped(self, part: Part, entry: FileEntry) -> Part:
        if part.name is not None:
            return part  # its file is mapped already
        return Part(read_segment(self._directory / entry.name, entry.bytes), part.flags, entry.name)

    def _read_part(self, entry: FileEntry) -> Part:
        segment = read_segment(self._directory / entry.name, entry.bytes)
        dead = None if entry.dead is None else self._read_dead(entry.dead, segment.size)
        return Part.of(segment, name=entry.name, dead=dead)

    def _read_dead(self, name: str, rows: int) -> Mask:
        try:
            data = (self._directory / name).read_bytes()
        except OSError as error:
            raise DamagedIndexFile(name) from error
        bits = data[_DIGEST_BYTES:]
        if blake3(bits).digest() != data[:_DIGEST_BYTES] or len(bits) != -(-rows // 8):  # rounded up to bytes
            raise DamagedIndexFile(name)
        return np.unpackbits(np.frombuffer(bits, dtype=np.uint8), count=rows).astype(np.bool_)


def _set_aside(path: Path) -> None:
    """Rename a foreign file or directory that is in the way."""
    others = (path.with_name(f"{path.name}.aside-{number}") for number in count(1))
    path.rename(next(other for other in others if not os.path.lexists(other)))


LOCK_NAME: Final = "turn.lock"
_WAIT_S: Final = 10.0
_LOOK_AGAIN_S: Final = 0.005


class DirectoryBusy(StoreUnavailable):
    """Another process held the lock too long."""


@contextmanager
def lock_directory(directory: Path, wait_s: float = _WAIT_S) -> Generator[None]:
    """Lock the existing `directory` for the duration of the block. Raises DirectoryBusy: not available within `wait_s`;
    OSError: not writable."""
    handle = os.open(directory / LOCK_NAME, os.O_RDWR | os.O_CREAT, FILE_MODE)
    try:
        until = time.monotonic() + wait_s
        while not try_lock(handle):
            if time.monotonic() > until:
                raise DirectoryBusy(
                    f"another process has held the search index in {directory} for {wait_s:g} s; try again"
                )
            time.sleep(_LOOK_AGAIN_S)
        yield
    finally:
        os.close(handle)
