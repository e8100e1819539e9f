"""Where an uploaded file may lie, by the name that came with it.

Law: a name is hostile input. It becomes the parts of a path below one folder, of which none leads out of it or steers
what shows it; what cannot be such a path is refused with why, and costs no other file.

Source: SECURITY.md; docs/import.md.
"""

from dataclasses import dataclass
from typing import Final

from voice.core.text.escaping import is_control_char

MOST_PARTS: Final = 32
MOST_PART_BYTES: Final = 200
MOST_SHOWN: Final = 120


@dataclass(frozen=True, slots=True)
class UnsafeName:
    """A name that no uploaded file may have."""

    reason: str


def upload_parts(name: str) -> tuple[str, ...] | UnsafeName:
    """Return the parts of the path that an uploaded file gets, at least one, or why it gets none.

    Args:
        name: as the browser sent it; of a file in a folder with the folders before it.
    """
    parts = tuple(bare for part in name.split("/") if (bare := _bare(part)) not in ("", "."))
    if not parts:
        return UnsafeName("it has no name")
    if ".." in parts:
        return UnsafeName("its path leads out of its folder")
    if len(parts) > MOST_PARTS:
        return UnsafeName(f"it lies more than {MOST_PARTS} folders deep")
    if any(len(part.encode()) > MOST_PART_BYTES for part in parts):
        return UnsafeName(f"a name in its path is longer than {MOST_PART_BYTES} bytes")
    return parts


def shown_name(name: str) -> str:
    """Return the name of an uploaded file as it may be shown."""
    bare = _bare(name)
    return bare if len(bare) <= MOST_SHOWN else f"{bare[:MOST_SHOWN]}…"


def _bare(text: str) -> str:
    """Return a text without what steers, and without what no file name can hold."""
    return "".join(char for char in text if not is_control_char(char) and not 0xD800 <= ord(char) <= 0xDFFF).strip()
