"""An archive as lines, whatever file holds them: a header, then one line per row or vector.

    {"format":"voice-archive","version":1,"schema":…,"store_id":…,"made_at":…,"counts":{kind:n,…}}
    {"hash":"…","kind":"thoughts","value":{…}}

Law: `hash` is the BLAKE3 of the value's canonical JSON, and the hash of the archive is the BLAKE3 of the header's line
and of every other line, each with its line feed; both formats hold the same lines, so they have the same hash. Nothing
is believed before all of it was checked: a line that was changed, left out, added or moved is told, and none is used.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, cast

from blake3 import blake3

from voice.adapters.disk.values_json import (
    JsonObject,
    from_json,
    row_from_json,
    row_to_json,
    to_json,
    to_text,
    vector_from_json,
    vector_to_json,
)
from voice.core.errors import DataFileError
from voice.core.records import Row, Table, Thought, VectorRow, table_of
from voice.ports.archives import Archive

FORMAT: Final = "voice-archive"
VERSION: Final = 1
SCHEMA: Final = "urn:inner-voice:schema:archive:1.0.0"
_VECTORS: Final = "vectors"


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What an archive says of itself."""

    store_id: str
    made_at: datetime
    counts: Mapping[str, int]
    """Lines by kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
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
    counts = dict(Counter(line.kind for line in lines_of(archive)))
    header = Header(store_id=archive.store_id, made_at=archive.made_at.astimezone(UTC), counts=counts)
    return to_text({"format": FORMAT, "version": VERSION, "schema": SCHEMA} | to_json(Header, header))


def lines_of(archive: Archive) -> Iterator[Line]:
    """Yield the lines of an archive: thoughts, then what derives from them, then vectors."""
    rows: tuple[Row, ...] = (*archive.thoughts, *archive.derived)
    for row in rows:
        yield _line(str(table_of(row.id)), row_to_json(row))
    for vector in archive.vectors:
        yield _line(_VECTORS, vector_to_json(vector))


def digest_of(header: str, lines: Iterable[Line]) -> str:
    """Return the hash of an archive."""
    digest = blake3(f"{header}\n".encode())
    for line in lines:
        digest.update(f"{line.text()}\n".encode())
    return digest.hexdigest()


def archive_of(header: str, lines: list[Line], digest: str, name: str) -> Archive:
    """Return the archive that a header and lines are, once all of it was checked.

    Raises:
        DataFileError: it is no archive, another version, or not what was written.
    """
    said = _header(header, name)
    if digest_of(header, lines) != digest or dict(Counter(line.kind for line in lines)) != dict(said.counts):
        raise DataFileError(f"{name} was changed after it was written; use another archive")
    thoughts: list[Thought] = []
    derived: list[Row] = []
    vectors: list[VectorRow] = []
    for number, line in enumerate(lines, start=2):
        value = _value(line, name, number)
        if isinstance(value, VectorRow):
            vectors.append(value)
        elif isinstance(value, Thought):
            thoughts.append(value)
        else:
            derived.append(value)
    return Archive(
        store_id=said.store_id,
        made_at=said.made_at,
        thoughts=tuple(thoughts),
        derived=tuple(row for row in derived if not isinstance(row, Thought)),
        vectors=tuple(vectors),
    )


def members_of(text: str, name: str, number: int) -> JsonObject:
    """Return the members of one JSON object.

    Raises:
        DataFileError: the text is none.
    """
    try:
        members = cast("object", json.loads(text))
    except (ValueError, RecursionError):
        members = None
    if not isinstance(members, dict):
        raise DataFileError(f"{name}, line {number}, cannot be read; is it an archive of voice?")
    return cast("JsonObject", members)


def read_line(members: JsonObject, name: str, number: int) -> Line:
    """Return the line that JSON members are.

    Raises:
        DataFileError: they are none.
    """
    kind, said = members.get("kind"), members.get("hash")
    if not isinstance(kind, str) or not isinstance(said, str) or "value" not in members:
        raise DataFileError(f"{name}, line {number}, does not hold a row; use another archive")
    return Line(kind=kind, hash=said, value=to_text(members["value"]))


def _line(kind: str, value: JsonObject) -> Line:
    text = to_text(value)
    return Line(kind=kind, hash=blake3(text.encode()).hexdigest(), value=text)


def _header(text: str, name: str) -> Header:
    members = members_of(text, name, 1)
    if members.get("format") != FORMAT:
        raise DataFileError(f"{name} is not an archive of voice")
    if members.get("version") != VERSION:
        raise DataFileError(f"{name} is an archive of another version; this program reads version {VERSION}")
    try:
        return from_json(Header, members)
    except ValueError:
        raise DataFileError(f"{name} has a first line that cannot be read; use another archive") from None


def _value(line: Line, name: str, number: int) -> Row | VectorRow:
    if blake3(line.value.encode()).hexdigest() != line.hash:
        raise DataFileError(f"{name}, line {number}, is not what was written; use another archive")
    members = members_of(line.value, name, number)
    try:
        return vector_from_json(members) if line.kind == _VECTORS else row_from_json(Table(line.kind), members)
    except ValueError:
        raise DataFileError(f"{name}, line {number}, does not hold a valid row; use another archive") from None
