"""Files of other programs as the person has them: written, and read to their end."""

from collections.abc import Mapping
from pathlib import Path

from voice.adapters.files.opening import open_reading
from voice.core.interchange.memory_lines import FileLine
from voice.ports.files import ReadRequest


def read(path: Path, **more: object) -> list[FileLine]:
    reading = open_reading(ReadRequest(path=str(path), **more))  # pyright: ignore[reportArgumentType]
    lines = list(reading.lines)
    reading.close()
    return lines


def lay_out(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files into a folder and those below it, and return it."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder
