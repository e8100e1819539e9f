"""The backup file: everything a store holds, as JSON lines.

    {"format":"voice-backup","version":2,"store_id":…,"last_seq":…,"schema":[[name,checksum],…],"counts":{kind:n,…}}
    {"kind":"thoughts","value":{…}}
    …
    {"end":"voice-backup","lines":n,"blake3":"…"}

Law: the last line holds the BLAKE3 of every byte before it, so a file that was cut, changed or extended is refused as a
whole, and nothing of it is used before all of it was read. A file gets its name only after it was read again from the
disk and is what was written. It holds tombstones, but not the store's key (ruling D20). The format is the same for all
stores, so that any can be filled from another's backup. Version 2 may hold pins and capsules, version 3 candidates and
merges, version 4 conflicts; earlier versions are read unchanged.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, Final, cast

from blake3 import blake3

from voice.adapters.disk.values_json import (
    JsonObject,
    Metric,
    from_json,
    object_of,
    row_from_json,
    row_to_json,
    to_json,
    to_text,
    vector_from_json,
    vector_to_json,
)
from voice.core.errors import DataFileError
from voice.core.graph.conflicts.pairs import ConflictRecord
from voice.core.graph.entities.merge import Merge
from voice.core.graph.review.candidates import Candidate
from voice.core.recall.values import Capsule, Pin
from voice.core.records import Row, Table, Tombstone, VectorRow
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.ports.stores import TYPE_OF_TABLE, BackupReport

FORMAT: Final = "voice-backup"
VERSION: Final = 4
_READ: Final = (1, 2, 3, VERSION)

_Plain = Tombstone | InnerVoiceSession | DialogueExchange | Metric | Pin | Capsule | Candidate | Merge | ConflictRecord
Entry = Row | VectorRow | _Plain

_KINDS: Final[Mapping[str, type[_Plain]]] = {
    "tombstones": Tombstone, "sessions": InnerVoiceSession, "exchanges": DialogueExchange, "metrics": Metric,
    "pins": Pin, "capsules": Capsule, "candidates": Candidate, "merges": Merge, "conflicts": ConflictRecord,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The first line of a backup."""

    store_id: str
    last_seq: int
    schema: tuple[tuple[str, str], ...]
    """The schema steps of its store: (name, checksum)."""
    counts: Mapping[str, int]


class BackupWriter:
    """Writes one backup into an open file."""

    def __init__(self, file: BinaryIO, header: Header) -> None:
        self._file = file
        self._hash = blake3()
        self._lines = 0
        self._write({"format": FORMAT, "version": VERSION} | to_json(Header, header))

    def add(self, entries: Iterable[Entry]) -> None:
        """Append the entries, one line each."""
        for entry in entries:
            kind, value = _encode(entry)
            self._write({"kind": kind, "value": value})
            self._lines += 1

    def finish(self) -> None:
        """Append the last line and flush to the operating system."""
        self._file.write(_last_line(self._lines, self._hash))
        self._file.flush()

    def _write(self, members: JsonObject) -> None:
        line = _line(members)
        self._hash.update(line)  # of every line but the last, which holds the hash
        self._file.write(line)


def check_backup(file: BinaryIO, name: str) -> Header:
    """Read all of an open backup and return its header; afterwards the file is at its start. Raises DataFileError: it
    is not a backup, of another version, cut short, changed, or its counts are wrong."""
    header = _header(file, name)
    counts = Counter(map(kind_of, read_entries(file, name)))
    if {kind: count for kind, count in header.counts.items() if count} != counts:  # `counts` has no zeros
        raise DataFileError(f"{name} does not hold what its first line says; use another backup")
    file.seek(0)
    return header


def read_entries(file: BinaryIO, name: str) -> Iterator[Entry]:
    """Yield the entries of an open backup in order, and check its last line after the last one. Raises DataFileError: a
    line cannot be read, or the file was cut short or changed."""
    file.seek(0)
    digest, lines = blake3(), -1  # the header is not counted
    for number, line in enumerate(file, start=1):
        members = _members(line, name, number)
        if "end" in members:
            if line != _last_line(lines, digest) or file.read(1):  # the exact line, and nothing after it
                raise DataFileError(f"{name} was changed after it was written; use another backup")
            return
        digest.update(line)
        lines += 1
        if number > 1:
            yield _decode(members, name, number)
    raise DataFileError(f"{name} is cut short; use another backup")


def report_of(path: Path, file: BinaryIO, header: Header) -> BackupReport:
    """Return what an open backup holds, with the SHA-256 of its bytes."""
    file.seek(0)
    digest = hashlib.file_digest(cast("BufferedReader", file), "sha256")
    return BackupReport(path=str(path), rows=sum(header.counts.values()), sha256=digest.hexdigest())


def batches(entries: Iterator[Entry], size: int) -> Iterator[Sequence[Entry]]:
    """Yield the entries in groups of `size`, in order."""
    group: list[Entry] = []
    for entry in entries:
        group.append(entry)
        if len(group) == size:
            yield group
            group = []
    if group:
        yield group


def _line(members: JsonObject) -> bytes:
    return to_text(members).encode() + b"\n"


def _last_line(lines: int, digest: blake3) -> bytes:
    return _line({"end": FORMAT, "lines": lines, "blake3": digest.hexdigest()})


def _header(file: BinaryIO, name: str) -> Header:
    file.seek(0)
    members = _members(file.readline(), name, 1)
    if members.get("format") != FORMAT:
        raise DataFileError(f"{name} is not a backup of voice")
    if members.get("version") not in _READ:
        raise DataFileError(f"{name} is a backup of another version; this program reads versions 1 to {VERSION}")
    try:
        return from_json(Header, members)
    except ValueError:
        raise DataFileError(f"{name} has a first line that cannot be read; use another backup") from None


def _members(line: bytes, name: str, number: int) -> JsonObject:
    members = object_of(line)
    if members is None:
        raise DataFileError(f"{name}, line {number}, cannot be read; is it a backup of voice?")
    return members


def kind_of(entry: Entry) -> str:
    """Return the name of an entry's kind in a backup."""
    for kind, each in _KINDS.items():
        if isinstance(entry, each):
            return kind
    if isinstance(entry, VectorRow):
        return "vectors"
    return next(str(table) for table in Table if isinstance(entry, TYPE_OF_TABLE[table]))


def _encode(entry: Entry) -> tuple[str, JsonObject]:
    kind = kind_of(entry)
    if isinstance(entry, VectorRow):
        return kind, vector_to_json(entry)
    if isinstance(entry, _Plain):
        return kind, to_json(_KINDS[kind], entry)
    return kind, row_to_json(entry)


def _decode(members: JsonObject, name: str, number: int) -> Entry:
    kind, value = members.get("kind"), members.get("value")
    try:
        if kind == "vectors":
            return vector_from_json(value)
        if isinstance(kind, str) and kind in _KINDS:
            return from_json(_KINDS[kind], value)
        return row_from_json(Table(cast("str", kind)), value)
    except ValueError:
        raise DataFileError(f"{name}, line {number}, does not hold a valid entry; use another backup") from None
