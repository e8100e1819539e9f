"""The readers of Markdown notes and of Obsidian vaults.

Law: one note is one thought, verbatim; its front matter gives its date, its tags and whether it is private. A field
that cannot be read is reported, and the rest of the note is read (ruling I6).

A note of a vault has its file's name as its title. Folders of templates, drawings, notes without text and hidden files
(`.obsidian`, `.trash`) are left out. Paths are relative to the vault's root, so that a note is imported once, whether
its folder or the whole vault is named.

Source: docs/formats.md; docs/import.md.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, BinaryIO, Final, cast

from voice.adapters.files.entries import UNREADABLE, Entry, Notes, why_unreadable
from voice.core.errors import InvalidParams
from voice.core.interchange.foreign.dates import DateReading
from voice.core.interchange.foreign.vault import is_day, read_vault_text
from voice.core.interchange.memory_lines import (
    MAX_TEXT_CHARS,
    BadLine,
    FileLine,
    LinkedNote,
    NoteLink,
    Omission,
    ParsedLine,
    ThoughtLine,
)
from voice.core.messages.files import DATES_UNCLEAR

if TYPE_CHECKING:
    from voice.adapters.files.front_matter import FrontMatter


_MAX_BYTES: Final = 4 * MAX_TEXT_CHARS  # UTF-8 takes at most 4 bytes for a character
BROKEN_FIELDS: Final = "fields of front matter that cannot be read"
WORDLESS: Final = "notes without text"
STANDARD_INPUT: Final = "standard input"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteWords:
    """The words of a note and its fields."""

    content: str
    tags: tuple[str, ...] = ()
    note: LinkedNote | None = None
    known_keys: frozenset[str] = frozenset()
    """Keys of the front matter that this kind of note understands, besides the usual ones."""
    front: "FrontMatter | None" = None
    """The front matter with the fields that the text gives; None if it gives none."""


Understand = Callable[[str, "FrontMatter", str], NoteWords | Omission]
"""Takes the file's name without its suffix, the front matter and the body; returns the words, or why it is left out."""


def read_note_as(understand: Understand, note: Entry, dates: DateReading) -> FileLine:
    """Return the record of a note as `understand` reads it, or why it cannot be read."""
    try:
        with note.open() as stream:
            return read_note_stream(stream, note.name, dates, understand)
    except UNREADABLE as error:
        return BadLine(where=note.name, reason=why_unreadable(error))


def read_note_stream(
    stream: BinaryIO, name: str | None, dates: DateReading, understand: Understand | None = None
) -> FileLine:
    """Return the record of a note, or why it cannot be read; `name` is its path within the import, None of a pipe.
    Raises OSError: the stream cannot be read."""
    raw = stream.read(_MAX_BYTES + 1)  # one more byte tells that it is longer
    where = name or STANDARD_INPUT
    try:
        return _note_line(raw, where, dates, understand or plain_words)
    except InvalidParams as error:
        return BadLine(where=where, reason=error.message)
    except UnicodeDecodeError:
        return BadLine(where=where, reason="is not UTF-8 text; save it as UTF-8")


def _note_line(raw: bytes, where: str, dates: DateReading, understand: Understand) -> ParsedLine | Omission:
    if len(raw) > _MAX_BYTES:
        raise InvalidParams(f"is longer than {MAX_TEXT_CHARS:,} characters; split it")
    text = raw.decode("utf-8-sig").replace("\r\n", "\n")  # a byte order mark and Windows' line ends are no text
    from voice.adapters.files.front_matter import split_front_matter  # noqa: PLC0415 - brings YAML, which notes alone need

    front, body = split_front_matter(text)
    stem = PurePosixPath(where).stem
    words = understand(stem, front, body)
    if isinstance(words, Omission):
        return replace(words, where=where)
    front = words.front or front  # with the fields that the text gives
    told = front.instant(dates) or dates.day_of_path(where)
    line = ThoughtLine(
        content=_checked(words.content),
        created_at=told,
        kind=front.text("kind") or "note",
        speaker=front.text("speaker"),
        thread=front.text("thread"),
        source_ref=None if where == STANDARD_INPUT else where,  # no place tells piped notes apart
        tags=tuple(dict.fromkeys((*front.tags(), *words.tags))),
        is_private=front.is_private(),
    )
    unknown = tuple(name for name in front.unknown() if name not in words.known_keys)
    partly = _broken(front, where)
    if front.is_unclear() or (told is None and dates.is_unclear(where)):
        partly += (Omission(where=where, reason=DATES_UNCLEAR),)
    return ParsedLine(where=where, record=line, unknown_fields=unknown, note=words.note, partly=partly)


def _broken(front: "FrontMatter", where: str) -> tuple[Omission, ...]:
    """Return the fields that could not be read; if one is about privacy, with its consequence."""
    names = [f"{name}; the note is private" if "private" in name else name for name in front.broken()]
    # `is_private` assumes the worst.
    return tuple(Omission(where=where, reason=f"{BROKEN_FIELDS} ({name})") for name in names)


def plain_words(stem: str, front: "FrontMatter", body: str) -> NoteWords | Omission:
    """Return the words of a note of no program."""
    content = with_title(front.text("title"), with_facts(front, body.strip("\n").rstrip()), "# ")
    if not content.strip():
        return Omission(where=stem, reason=WORDLESS)
    return NoteWords(content=content, known_keys=_KNOWN_KEYS)


def with_facts(front: "FrontMatter", body: str) -> str:
    """Return a body under what the front matter says of what the note is about."""
    return "\n\n".join(filter(None, (front.facts(), body)))


def with_title(title: str | None, body: str, mark: str = "") -> str:
    """Return a body with its title first, unless it already begins with it; `mark` makes it a heading."""
    first_line = body.partition("\n")[0].lstrip("# ").strip()
    if title is None or title == first_line:
        return body
    return f"{mark}{title}\n\n{body}" if body else title


def _checked(content: str) -> str:
    if "\x00" in content:
        raise InvalidParams("contains a NUL character, so it is not a text file")
    if len(content) > MAX_TEXT_CHARS:
        raise InvalidParams(f"is longer than {MAX_TEXT_CHARS:,} characters; split it")
    return content


SETTINGS: Final = ".obsidian"
_TEMPLATE_FOLDERS: Final = frozenset({"template", "templates", "_templates", "vorlagen", "plantillas"})
# Of Obsidian, and of its plug-in Templater.
_TEMPLATE_SETTINGS: Final = (("templates.json", "folder"), ("plugins/templater-obsidian/data.json", "templates_folder"))
_NAMELESS: Final = ("untitled", "unbenannt", "sin título")  # names that the program gives, which tell nothing
_KNOWN_KEYS: Final = frozenset({"alias", "aliases", "cssclass", "cssclasses", "publish", "tag"})
TEMPLATES: Final = "notes in template folders"
DRAWINGS: Final = "drawings"


def vault_root(path: Path) -> Path | None:
    """Return the root of the vault that contains a folder or file; None if there is none."""
    absolute = path.absolute()
    return next((folder for folder in (absolute, *absolute.parents) if (folder / SETTINGS).is_dir()), None)


def read_vault(notes: Notes, dates: DateReading) -> Iterator[FileLine]:
    """Yield the notes of a vault, named by their paths from its root."""
    templates = _template_folders(notes)
    for note in notes.files:
        folder = PurePosixPath(note.name).parent
        if any(folder.is_relative_to(each) for each in templates):
            yield Omission(where=note.name, reason=TEMPLATES)
        else:
            yield read_note_as(_vault_words, note, dates)


def _vault_words(stem: str, front: "FrontMatter", body: str) -> NoteWords | Omission:
    if "excalidraw-plugin" in front:
        return Omission(where=stem, reason=DRAWINGS)
    read = read_vault_text(body)
    text = with_facts(front, read.text)
    if not text.strip():
        return Omission(where=stem, reason=WORDLESS)
    title = front.text("title") or stem
    # A day's name is the note's date, not its title.
    is_named = not is_day(title) and not title.casefold().startswith(_NAMELESS)
    content = with_title(title if is_named else None, text, "# " if front.text("title") else "")
    aliases = tuple(dict.fromkeys((*front.texts("aliases"), *front.texts("alias"))))
    shift = len(content) - len(read.text)  # links move with what stands above the text
    links = tuple(NoteLink(target=each.target, start=each.start + shift, end=each.end + shift) for each in read.links)
    note = LinkedNote(name=stem, aliases=aliases, links=links)
    tags = tuple(tag.lstrip("#") for tag in front.texts("tag"))
    return NoteWords(content=content, tags=(*tags, *read.tags), note=note, known_keys=_KNOWN_KEYS)


def _template_folders(notes: Notes) -> frozenset[PurePosixPath]:
    """Return the template folders: those in the vault's settings, and a `Templates` folder at its root."""
    named = {_setting(notes.setting(f"{SETTINGS}/{file}"), key) for file, key in _TEMPLATE_SETTINGS}
    tops = {note.name.partition("/")[0] for note in notes.files}
    by_name = {top for top in tops if top.casefold() in _TEMPLATE_FOLDERS}
    # A folder set as "/" would be the whole vault.
    return frozenset(PurePosixPath(name.strip("/")) for name in named | by_name if name.strip("/") not in {"", "."})


def _setting(source: bytes | None, key: str) -> str:
    """Return the text of a key in a settings file; empty if there is none that can be read."""
    try:
        value: object = json.loads(source or b"null")
    except (ValueError, RecursionError):
        return ""
    found = cast("dict[str, object]", value).get(key) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""
