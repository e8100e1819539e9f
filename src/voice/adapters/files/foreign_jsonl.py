"""The reader of JSON lines from other programs.

Law: every line is read by the same fields: those the person named, else the well-known ones of the first line that has
words. A line that cannot be read is one `BadLine` with its number. One line is held at a time.
"""

from collections.abc import Iterator, Mapping
from datetime import tzinfo
from typing import BinaryIO

from voice.adapters.files.own_jsonl import MAX_MIB, numbered_lines
from voice.core.errors import InvalidParams
from voice.core.interchange.foreign.mapped import guessed, mapped_line
from voice.core.interchange.lines import BadLine, FileLine, ParsedLine
from voice.core.interchange.parse import decode_object


def read_foreign_jsonl(stream: BinaryIO, mapping: Mapping[str, str], zone: tzinfo) -> Iterator[FileLine]:
    """Yield the records of the lines, in order, without blank lines.

    Args:
        stream: the file's bytes.
        mapping: which of their fields each of ours is, as far as the person said.
        zone: the person's zone, for dates without one.

    Raises:
        OSError: the stream cannot be read.
    """
    settled: Mapping[str, str] = {}
    for number, raw in numbered_lines(stream):
        where = f"line {number}"
        if raw is None:
            yield BadLine(where=where, reason=f"is longer than {MAX_MIB} MiB; split it")
            continue
        try:
            members = decode_object(raw)
            settled = settled or _settled(members, mapping)
            line, unknown = mapped_line(members, settled or mapping, zone)
        except InvalidParams as fault:
            yield BadLine(where=where, reason=fault.message)
        else:
            yield ParsedLine(where=where, record=line, unknown_fields=unknown)


def _settled(members: Mapping[str, object], mapping: Mapping[str, str]) -> Mapping[str, str]:
    found = guessed(members, mapping)
    return found if "content" in found else {}
