"""The two formats of an archive: JSON lines, and Parquet.

    {"format":"voice-archive","version":1,"schema":…,"store_id":…,"made_at":…,"counts":{kind:n,…}}
    {"hash":"…","kind":"thoughts","value":{…}}

Law: `hash` is the BLAKE3 of the value's canonical JSON, and the archive's hash is the BLAKE3 of the header's line and
all other lines, each with its line feed; both formats hold the same lines and have the same hash. Nothing is used
before all of it was checked: a line that was changed, left out, added or moved is reported.

Parquet is for querying what was removed; it needs the extra with pyarrow. A row of the file is a line of the archive:
`kind`, `hash` and `value` (its canonical JSON), which are all that is read back. `id`, `created_at` and `text` repeat
parts of the value for queries. The header and the archive's hash are in the file's metadata under `voice-archive` and
`voice-archive-blake3`.
"""

import importlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import BinaryIO, Final, Protocol, cast

from blake3 import blake3

from voice.adapters.disk.values_json import (
    JsonObject,
    from_json,
    object_of,
    row_from_json,
    row_to_json,
    to_json,
    to_text,
    vector_from_json,
    vector_to_json,
)
from voice.adapters.extras import require_installed
from voice.core.errors import DataFileError
from voice.core.graph.row_display import stored_text_of
from voice.core.records import Row, Table, Thought, VectorRow, table_of
from voice.core.text.instants import has_date
from voice.ports.removal import Archive

FORMAT: Final = "voice-archive"
VERSION: Final = 1
SCHEMA: Final = "urn:inner-voice:schema:archive:1.0.0"  # `$id` of schemas/archive.schema.json
_VECTORS: Final = "vectors"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveHeader:
    """The first line of an archive."""

    store_id: str
    made_at: datetime
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveLine:
    """One row or vector."""

    kind: str
    hash: str
    value: str = field(repr=False)
    """Canonical JSON."""

    def text(self) -> str:
        """Return the line as it is written, without its line feed."""
        return f'{{"hash":{json.dumps(self.hash)},"kind":{json.dumps(self.kind)},"value":{self.value}}}'


def header_text(archive: Archive) -> str:
    """Return the first line of an archive, without its line feed."""
    counts = dict(Counter(line.kind for line in archive_lines(archive)))
    header = ArchiveHeader(store_id=archive.store_id, made_at=archive.made_at.astimezone(UTC), counts=counts)
    return to_text({"format": FORMAT, "version": VERSION, "schema": SCHEMA} | to_json(ArchiveHeader, header))


def archive_lines(archive: Archive) -> Iterator[ArchiveLine]:
    """Yield the lines of an archive: thoughts, then derived rows, then vectors."""
    rows: tuple[Row, ...] = (*archive.thoughts, *archive.derived)  # a thought before what rests on it
    for row in rows:
        yield _line(str(table_of(row.id)), row_to_json(row))
    for vector in archive.vectors:
        yield _line(_VECTORS, vector_to_json(vector))


def digest_of(header: str, lines: Iterable[ArchiveLine]) -> str:
    """Return the hash of an archive."""
    digest = blake3(f"{header}\n".encode())  # the line, with its end
    for line in lines:
        digest.update(f"{line.text()}\n".encode())
    return digest.hexdigest()


def parse_archive(header: str, lines: list[ArchiveLine], digest: str, name: str) -> Archive:
    """Return the archive of a header and lines, after checking all of it. Raises DataFileError: it is not an archive,
    of another version, or was changed."""
    found = _header(header, name)
    if digest_of(header, lines) != digest or dict(Counter(line.kind for line in lines)) != dict(found.counts):
        raise DataFileError(f"{name} was changed after it was written; use another archive")
    values = [_value(line, name, number) for number, line in enumerate(lines, start=2)]
    return Archive(
        store_id=found.store_id,
        made_at=found.made_at,
        thoughts=tuple(each for each in values if isinstance(each, Thought)),
        derived=tuple(each for each in values if not isinstance(each, Thought | VectorRow)),
        vectors=tuple(each for each in values if isinstance(each, VectorRow)),
    )


def parse_members(text: str, name: str, number: int) -> JsonObject:
    """Return the members of one JSON object. Raises DataFileError: the text is not one."""
    members = object_of(text)
    if members is None:
        raise DataFileError(f"{name}, line {number}, cannot be read; is it an archive of voice?")
    return members


def read_line(members: JsonObject, name: str, number: int) -> ArchiveLine:
    """Return the line with these members. Raises DataFileError: they are not a line."""
    kind, digest = members.get("kind"), members.get("hash")
    if not isinstance(kind, str) or not isinstance(digest, str) or "value" not in members:
        raise DataFileError(f"{name}, line {number}, does not hold a row; use another archive")
    return ArchiveLine(kind=kind, hash=digest, value=to_text(members["value"]))


def _line(kind: str, value: JsonObject) -> ArchiveLine:
    text = to_text(value)
    return ArchiveLine(kind=kind, hash=blake3(text.encode()).hexdigest(), value=text)


def _header(text: str, name: str) -> ArchiveHeader:
    members = parse_members(text, name, 1)
    if members.get("format") != FORMAT:
        raise DataFileError(f"{name} is not an archive of voice")
    if members.get("version") != VERSION:
        raise DataFileError(f"{name} is an archive of another version; this program reads version {VERSION}")
    try:
        return from_json(ArchiveHeader, members)
    except ValueError:
        raise DataFileError(f"{name} has a first line that cannot be read; use another archive") from None


def _value(line: ArchiveLine, name: str, number: int) -> Row | VectorRow:
    if blake3(line.value.encode()).hexdigest() != line.hash:  # tells which line, unlike the archive's hash
        raise DataFileError(f"{name}, line {number}, is not what was written; use another archive")
    members = parse_members(line.value, name, number)
    try:
        return vector_from_json(members) if line.kind == _VECTORS else row_from_json(Table(line.kind), members)
    except ValueError:
        raise DataFileError(f"{name}, line {number}, does not hold a valid row; use another archive") from None


MAGIC: Final = b"PAR1"  # how a Parquet file begins
_HEADER: Final = FORMAT.encode()
_DIGEST: Final = f"{FORMAT}-blake3".encode()


class _Schema(Protocol):
    metadata: Mapping[bytes, bytes] | None


class _Table(Protocol):
    schema: _Schema

    def to_pylist(self) -> list[dict[str, object]]: ...


class _Tables(Protocol):
    def from_pylist(self, rows: Sequence[Mapping[str, object]], *, schema: _Schema) -> _Table: ...


class _Arrow(Protocol):
    """The used part of pyarrow."""

    Table: _Tables

    def schema(self, fields: Sequence[tuple[str, object]], *, metadata: Mapping[bytes, bytes]) -> _Schema: ...
    def string(self) -> object: ...
    def timestamp(self, unit: str, *, tz: str) -> object: ...


class _File(Protocol):
    def read(self, columns: Sequence[str], *, use_threads: bool) -> _Table: ...


class _Parquet(Protocol):
    """The used part of pyarrow.parquet."""

    def write_table(self, table: _Table, where: BinaryIO, *, compression: str) -> None: ...
    def ParquetFile(self, source: BinaryIO) -> _File: ...  # noqa: N802 - the vendor's name


def write_parquet(archive: Archive, file: BinaryIO) -> None:
    """Write an archive to an open file. Raises ConfigurationError: pyarrow is not installed."""
    arrow, parquet = _vendor()
    header, lines = header_text(archive), list(archive_lines(archive))
    instant = arrow.timestamp("us", tz="UTC")  # microseconds, as in the store
    text = arrow.string()
    schema = arrow.schema(
        [("kind", text), ("id", text), ("created_at", instant), ("text", text), ("hash", text), ("value", text)],
        metadata={_HEADER: header.encode(), _DIGEST: digest_of(header, lines).encode()},
    )
    columns = [_query_columns(row) for row in (*archive.thoughts, *archive.derived)]
    columns += [{"id": vector.row_id, "created_at": None, "text": None} for vector in archive.vectors]
    members = ({"kind": line.kind, "hash": line.hash, "value": line.value} for line in lines)
    table = arrow.Table.from_pylist([more | each for more, each in zip(columns, members, strict=True)], schema=schema)
    parquet.write_table(table, file, compression="zstd")


def read_parquet(file: BinaryIO, name: str) -> Archive:
    """Return the archive in an open file. Raises DataFileError: there is none, or it was changed; ConfigurationError:
    pyarrow is not installed."""
    _, parquet = _vendor()
    try:
        table = parquet.ParquetFile(file).read(["kind", "hash", "value"], use_threads=False)
        metadata = table.schema.metadata or {}
        rows = table.to_pylist()
        lines = [ArchiveLine(kind=str(row["kind"]), hash=str(row["hash"]), value=str(row["value"])) for row in rows]
    except Exception as error:  # noqa: BLE001 - the vendor's errors share no base
        raise DataFileError(f"{name} cannot be read as Parquet ({type(error).__name__}); use another archive") from None
    if _HEADER not in metadata or _DIGEST not in metadata:
        raise DataFileError(f"{name} is not an archive of voice")
    header = metadata[_HEADER].decode(errors="replace")  # if it was changed, the hash tells
    return parse_archive(header, lines, metadata[_DIGEST].decode(errors="replace"), name)


def _query_columns(row: Row) -> dict[str, str | datetime | None]:
    return {
        "id": row.id,
        "created_at": row.created_at if has_date(row.created_at) else None,
        "text": stored_text_of(row),
    }


def _vendor() -> tuple[_Arrow, _Parquet]:
    instead = "choose JSON lines with --format jsonl or SURR_ARCHIVE_FORMAT=jsonl"
    require_installed("pyarrow", "an archive in Parquet", otherwise=instead)
    arrow = cast("_Arrow", cast("object", importlib.import_module("pyarrow")))
    return arrow, cast("_Parquet", cast("object", importlib.import_module("pyarrow.parquet")))
