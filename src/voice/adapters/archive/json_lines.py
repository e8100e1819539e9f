"""An archive as a file of JSON lines.

The last line says how many there are and what they hash to: `{"blake3":"…","end":"voice-archive","lines":n}`.
"""

from typing import BinaryIO

from voice.adapters.archive.lines import (
    FORMAT,
    Line,
    archive_of,
    digest_of,
    header_text,
    lines_of,
    members_of,
    read_line,
)
from voice.adapters.disk.values_json import to_text
from voice.core.errors import DataFileError
from voice.ports.archives import Archive


def write_json_lines(archive: Archive, file: BinaryIO) -> None:
    """Write an archive to an open file."""
    header, lines = header_text(archive), list(lines_of(archive))
    file.writelines(f"{text}\n".encode() for text in (header, *(line.text() for line in lines)))
    end = {"end": FORMAT, "lines": len(lines), "blake3": digest_of(header, lines)}
    file.write(f"{to_text(end)}\n".encode())


def read_json_lines(file: BinaryIO, name: str) -> Archive:
    """Return the archive that an open file holds.

    Raises:
        DataFileError: it holds none, or not what was written.
    """
    try:
        texts = [text.decode() for text in file]
    except UnicodeDecodeError:
        raise DataFileError(f"{name} is not an archive of voice") from None
    if not texts:
        raise DataFileError(f"{name} is empty; use another archive")
    header = texts[0].removesuffix("\n")
    if members_of(header, name, 1).get("format") != FORMAT:
        raise DataFileError(f"{name} is not an archive of voice")
    end = members_of(texts[-1], name, len(texts))
    if end.get("end") != FORMAT:
        raise DataFileError(f"{name} is cut short; use another archive")
    lines: list[Line] = []
    for number, text in enumerate(texts[1:-1], start=2):
        line = read_line(members_of(text, name, number), name, number)
        if f"{line.text()}\n" != text:
            raise DataFileError(f"{name}, line {number}, is not what was written; use another archive")
        lines.append(line)
    if texts[-1] != f"{to_text({'end': FORMAT, 'lines': len(lines), 'blake3': end.get('blake3')})}\n":
        raise DataFileError(f"{name} was changed after it was written; use another archive")
    return archive_of(header, lines, str(end.get("blake3")), name)
