"""Which files make up the index, and what they stand for.

Law: the manifest is replaced whole, by rename, after everything it names is on disk; so at any moment the directory
holds one complete index, whatever was killed. A manifest of another version, store, model or dimension, or one that
does not verify or does not say what it should, is no manifest.
"""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, cast

from blake3 import blake3

from voice.adapters.index.segment_file import create_file

FORMAT: Final = "voice-index/5"
NAME: Final = "manifest.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEntry:
    """One segment: its file, and the file that says which of its rows are dead."""

    name: str
    bytes: int
    dead: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Everything about an index but its rows."""

    store_id: str
    model: str
    dim: int
    folded_seq: int
    next_file: int
    """Number of the next file to be written; names are never used twice."""
    files: tuple[FileEntry, ...] = ()

    def names(self) -> frozenset[str]:
        """Return every file name the manifest refers to, its own included."""
        dead = (entry.dead for entry in self.files if entry.dead is not None)
        return frozenset({NAME, *(entry.name for entry in self.files), *dead})


def write_manifest(directory: Path, manifest: Manifest) -> None:
    """Put the manifest in place of the present one, durably.

    Raises:
        OSError: the present one stands.
    """
    body = json.dumps({"format": FORMAT, **asdict(manifest)}, sort_keys=True)
    text = json.dumps({"checksum": blake3(body.encode()).hexdigest(), "body": body})
    write_synced(directory / f"{NAME}.new", text.encode())
    (directory / f"{NAME}.new").replace(directory / NAME)
    sync_directory(directory)


def read_manifest(directory: Path) -> Manifest | None:
    """Return the manifest, or None when there is none that verifies."""
    try:
        outer = cast("dict[str, str]", json.loads((directory / NAME).read_bytes()))
        body = outer["body"]
        if blake3(body.encode()).hexdigest() != outer["checksum"]:
            return None
        return _parsed(cast("dict[str, object]", json.loads(body)))
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
    """Return whether what was read is of the kinds it should be; a checksum says who wrote it, not what."""
    files = manifest.files
    texts: list[object] = [manifest.store_id, manifest.model, *(entry.name for entry in files)]
    texts += [entry.dead for entry in files if entry.dead is not None]
    numbers: list[object] = [manifest.dim, manifest.folded_seq, manifest.next_file, *(entry.bytes for entry in files)]
    return all(type(text) is str for text in texts) and all(type(number) is int for number in numbers)


def write_synced(path: Path, data: bytes) -> None:
    """Write a file and sync it."""
    with create_file(path) as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def sync_directory(directory: Path) -> None:
    """Make renames and new files in the directory durable."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
