"""Reading `inner-voice-memory/1`, line by line.

Law: total over all byte streams: a line that cannot be read becomes one `BadLine` with its number, every other line is
read, and memory use is bounded by the longest line allowed. The header may be missing in a file written by hand; the
header of another version stops the reading, for its lines could mean anything.
"""

from collections.abc import Iterator
from datetime import UTC, tzinfo
from typing import BinaryIO, Final

from voice.core.errors import DataFileError, InvalidParams
from voice.core.interchange.lines import MAX_LINE_BYTES, BadLine, HeaderLine, ParsedLine, Record
from voice.core.interchange.parse import parse_line
from voice.core.records import Tombstone

_BOM: Final = b"\xef\xbb\xbf"
MAX_MIB: Final = MAX_LINE_BYTES // (1024 * 1024)


def read_own_jsonl(stream: BinaryIO, *, zone: tzinfo = UTC) -> Iterator[ParsedLine | BadLine]:
    """Yield what each line says, in order; blank lines and the header yield nothing.

    Args:
        stream: bytes; a byte order mark at its start and carriage returns at line ends are ignored.
        zone: the person's zone, for dates without a time.

    Raises:
        DataFileError: the header is of another format or version.
    """
    seen: dict[str, int] = {}
    any_row = False
    for number, raw in numbered_lines(stream):
        line = _read_line(number, raw, zone, may_be_foreign=not any_row)
        any_row = True
        if isinstance(line, ParsedLine) and (first := _repeats(line.record, number, seen)):
            yield BadLine(where=line.where, reason=f"has the id of line {first}; ids must be unique")
        elif line is not None:
            yield line


def _read_line(number: int, raw: bytes | None, zone: tzinfo, *, may_be_foreign: bool) -> ParsedLine | BadLine | None:
    where = f"line {number}"
    if raw is None:
        return BadLine(where=where, reason=f"is longer than {MAX_MIB} MiB; split it")
    try:
        record, unknown = parse_line(raw, zone)
    except InvalidParams as error:
        return BadLine(where=where, reason=error.message)
    except DataFileError as error:
        if may_be_foreign:
            raise
        return BadLine(where=where, reason=error.message)
    if isinstance(record, HeaderLine):
        return None
    return ParsedLine(where=where, record=record, unknown_fields=unknown)


def _repeats(record: Record, number: int, seen: dict[str, int]) -> int | None:
    """Return the line that has this record's id already; else remember it."""
    key = f"tombstone {record.row_id}" if isinstance(record, Tombstone) else record.id
    if key is None:
        return None
    first = seen.setdefault(key, number)
    return None if first == number else first


def numbered_lines(stream: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """Yield lines that are not blank, numbered from 1; None stands for one that is too long."""
    number = 0
    while raw := stream.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(raw) > MAX_LINE_BYTES:
            _skip_rest(stream, raw)
            yield number, None
            continue
        text = (raw.removeprefix(_BOM) if number == 1 else raw).strip(b" \t\r\n")
        if text:
            yield number, text


def _skip_rest(stream: BinaryIO, raw: bytes) -> None:
    while raw and not raw.endswith(b"\n"):
        raw = stream.readline(MAX_LINE_BYTES)
