"""An archive as a Parquet file, for who wants to query what was taken away; the package is pyarrow, an extra.

A row of the file is a line of the archive: `kind`, `hash` and `value` (its canonical JSON), which are all that is read
back. `id`, `created_at` and `text` repeat parts of the value for whoever queries the file. The header and the hash of
the whole are in the file's metadata under `voice-archive` and `voice-archive-blake3`.
"""

import importlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import BinaryIO, Final, Protocol, cast

from voice.adapters.archive.lines import FORMAT, Line, archive_of, digest_of, header_text, lines_of
from voice.adapters.extras import require_installed
from voice.core.errors import DataFileError
from voice.core.graph.row_text import stored_text_of
from voice.core.records import Row
from voice.core.text.instants import has_date
from voice.ports.archives import Archive

MAGIC: Final = b"PAR1"
_HEADER: Final = FORMAT.encode()
_DIGEST: Final = f"{FORMAT}-blake3".encode()


class _Schema(Protocol):
    @property
    def metadata(self) -> Mapping[bytes, bytes] | None: ...


class _Table(Protocol):
    @property
    def schema(self) -> _Schema: ...
    def to_pylist(self) -> list[dict[str, object]]: ...


class _Tables(Protocol):
    def from_pylist(self, rows: Sequence[Mapping[str, object]], *, schema: _Schema) -> _Table: ...


class _Arrow(Protocol):
    """The part of pyarrow that is used here."""

    Table: _Tables

    def schema(self, fields: Sequence[tuple[str, object]], *, metadata: Mapping[bytes, bytes]) -> _Schema: ...
    def string(self) -> object: ...
    def timestamp(self, unit: str, *, tz: str) -> object: ...


class _File(Protocol):
    def read(self, columns: Sequence[str], *, use_threads: bool) -> _Table: ...


class _Parquet(Protocol):
    """The part of pyarrow.parquet that is used here."""

    def write_table(self, table: _Table, where: BinaryIO, *, compression: str) -> None: ...
    def ParquetFile(self, source: BinaryIO) -> _File: ...  # noqa: N802 - the vendor's name


def write_parquet(archive: Archive, file: BinaryIO) -> None:
    """Write an archive to an open file.

    Raises:
        ConfigurationError: pyarrow is not installed.
    """
    arrow, parquet = _vendor()
    header, lines = header_text(archive), list(lines_of(archive))
    instant = arrow.timestamp("us", tz="UTC")
    text = arrow.string()
    schema = arrow.schema(
        [("kind", text), ("id", text), ("created_at", instant), ("text", text), ("hash", text), ("value", text)],
        metadata={_HEADER: header.encode(), _DIGEST: digest_of(header, lines).encode()},
    )
    told = [_told(row) for row in (*archive.thoughts, *archive.derived)]
    told += [{"id": vector.row_id, "created_at": None, "text": None} for vector in archive.vectors]
    kept = ({"kind": line.kind, "hash": line.hash, "value": line.value} for line in lines)
    table = arrow.Table.from_pylist([more | each for more, each in zip(told, kept, strict=True)], schema=schema)
    parquet.write_table(table, file, compression="zstd")


def read_parquet(file: BinaryIO, name: str) -> Archive:
    """Return the archive that an open file holds.

    Raises:
        DataFileError: it holds none, or not what was written.
        ConfigurationError: pyarrow is not installed.
    """
    _, parquet = _vendor()
    try:
        table = parquet.ParquetFile(file).read(["kind", "hash", "value"], use_threads=False)
        metadata = table.schema.metadata or {}
        rows = table.to_pylist()
        lines = [Line(kind=str(row["kind"]), hash=str(row["hash"]), value=str(row["value"])) for row in rows]
    except Exception as error:  # noqa: BLE001 - the vendor's errors share no base
        raise DataFileError(f"{name} cannot be read as Parquet ({type(error).__name__}); use another archive") from None
    if _HEADER not in metadata or _DIGEST not in metadata:
        raise DataFileError(f"{name} is not an archive of voice")
    header = metadata[_HEADER].decode(errors="replace")
    return archive_of(header, lines, metadata[_DIGEST].decode(errors="replace"), name)


def _told(row: Row) -> dict[str, str | datetime | None]:
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
