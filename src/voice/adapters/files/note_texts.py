"""The present text of a note's file.

Law: nothing outside of the folder is read, whatever a place says.

Source: docs/import.md, "Where it stands".
"""

from pathlib import Path
from typing import Final

from anyio import to_thread

from voice.core.interchange.memory_lines import MAX_TEXT_CHARS
from voice.ports.folders import NoteFile

_MOST_BYTES: Final = 4 * MAX_TEXT_CHARS
_VAULT: Final = ".obsidian"


class LocalNoteTexts:
    """Implements `voice.ports.folders.NoteTexts`."""

    async def note(self, root: str, place: str) -> NoteFile | None:
        """See the port."""
        return await to_thread.run_sync(_note, Path(root), place)


def _note(root: Path, place: str) -> NoteFile | None:
    path = root / place
    try:
        if not path.resolve().is_relative_to(root.resolve()) or path.stat().st_size > _MOST_BYTES:
            return None
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, ValueError):
        return None
    return NoteFile(text=text, path=str(path), is_vault=(root / _VAULT).is_dir())
