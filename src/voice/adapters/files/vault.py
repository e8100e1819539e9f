"""The reader of Obsidian vaults.

Law: a note is one thought, as it reads; its name is its title. Folders of templates, drawings and notes without words
are left out, and so is everything hidden (`.obsidian`, `.trash`). A folder or note inside a vault is read as part of
it: paths are those from the vault's root, so that a part and the whole bring the same notes in once.

Source: docs/import.md.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final, cast

from voice.adapters.files.markdown import WORDLESS, NoteWords, read_note_as, with_title
from voice.adapters.files.notes import Notes
from voice.core.interchange.foreign.dates import DateReading
from voice.core.interchange.foreign.vault import VaultText, is_day, read_vault_text
from voice.core.interchange.memory_lines import FileLine, LeftOut, LinkedNote, NoteLink

if TYPE_CHECKING:
    from voice.adapters.files.front_matter import FrontMatter

SETTINGS: Final = ".obsidian"
_TEMPLATE_FOLDERS: Final = frozenset({"template", "templates", "_templates", "vorlagen", "plantillas"})
_TEMPLATE_SETTINGS: Final = (
    ("templates.json", "folder"),
    ("plugins/templater-obsidian/data.json", "templates_folder"),
)
_NAMELESS: Final = ("untitled", "unbenannt", "sin título")
_KNOWN_KEYS: Final = frozenset({"alias", "aliases", "cssclass", "cssclasses", "publish", "tag"})
TEMPLATES: Final = "notes in template folders"
DRAWINGS: Final = "drawings"


def vault_root(path: Path) -> Path | None:
    """Return the root of the vault that contains a folder or file; None if there is none."""
    whole = path.absolute()
    return next((folder for folder in (whole, *whole.parents) if (folder / SETTINGS).is_dir()), None)


def read_vault(notes: Notes, dates: DateReading) -> Iterator[FileLine]:
    """Yield the notes of a vault.

    Args:
        notes: the files, by their paths in the vault.
        dates: how dates are read.
    """
    templates = _template_folders(notes)
    for note in notes.files:
        folder = PurePosixPath(note.name).parent
        if any(folder.is_relative_to(each) for each in templates):
            yield LeftOut(where=note.name, reason=TEMPLATES)
            continue
        line = read_note_as(_as_in_a_vault, note, dates)
        yield replace(line, where=note.name) if isinstance(line, LeftOut) else line


def _as_in_a_vault(stem: str, front: "FrontMatter", body: str) -> NoteWords | LeftOut:
    if "excalidraw-plugin" in front:
        return LeftOut(where=stem, reason=DRAWINGS)
    read = read_vault_text(body)
    if not read.text.strip():
        return LeftOut(where=stem, reason=WORDLESS)
    title = front.text("title") or stem
    is_named = not is_day(title) and not title.casefold().startswith(_NAMELESS)
    content = with_title(title if is_named else None, read.text)
    aliases = tuple(dict.fromkeys((*front.texts("aliases"), *front.texts("alias"))))
    note = LinkedNote(name=stem, aliases=aliases, links=_moved(read, len(content) - len(read.text)))
    tags = tuple(tag.lstrip("#") for tag in front.texts("tag"))
    return NoteWords(content=content, tags=(*tags, *read.tags), note=note, known_keys=_KNOWN_KEYS)


def _moved(read: VaultText, by: int) -> tuple[NoteLink, ...]:
    return tuple(NoteLink(target=link.target, start=link.start + by, end=link.end + by) for link in read.links)


def _template_folders(notes: Notes) -> frozenset[PurePosixPath]:
    """Return the template folders: those in the vault's settings, and `Templates` at its root."""
    named = {_setting(notes.setting(f"{SETTINGS}/{file}"), key) for file, key in _TEMPLATE_SETTINGS}
    tops = {note.name.partition("/")[0] for note in notes.files}
    by_name = {top for top in tops if top.casefold() in _TEMPLATE_FOLDERS}
    return frozenset(PurePosixPath(name.strip("/")) for name in named | by_name if name.strip("/") not in {"", "."})


def _setting(source: bytes | None, key: str) -> str:
    """Return a text of a settings file; empty where there is none that can be read."""
    try:
        value: object = json.loads(source or b"null")
    except (ValueError, RecursionError):
        return ""
    found = cast("dict[str, object]", value).get(key) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""
