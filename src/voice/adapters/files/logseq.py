"""The reader of Logseq graphs: pages and journals.

Law: a page is one thought; a journal's day is dated by its name. Blocks that other pages refer to are collected first.
Pages that the graph hides are reported and not read. Whiteboards, backups and the program's own folder are skipped;
notes in other folders are pages, as they are to Logseq.

Source: docs/import.md.
"""

from collections import ChainMap
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from voice.adapters.files.entries import UNREADABLE, Entry, Notes
from voice.adapters.files.markdown import NoteWords, read_note_as, with_title
from voice.core.interchange.foreign.dates import DateReading
from voice.core.interchange.foreign.vault import (
    LogseqPage,
    by_name,
    hidden_paths,
    is_hidden,
    named_blocks,
    read_logseq_page,
    read_vault_text,
)
from voice.core.interchange.memory_lines import FileLine, LinkedNote, NoteLink, Omission
from voice.core.text.note_context import page_name

if TYPE_CHECKING:
    from voice.adapters.files.front_matter import FrontMatter

SETTINGS: Final = "logseq"
FOLDERS: Final = ("journals", "pages")
CONFIG: Final = f"{SETTINGS}/config.edn"
WORDLESS: Final = "pages without text"
HIDDEN: Final = "pages hidden in Logseq (`:hidden` in its config.edn)"
_DEEPEST: Final = 2  # slashes of a file too deep for the graph's own folders
_FEW_BESIDE: Final = 3  # notes beside the folders of any graph, such as a README or a licence
# In a large graph one note beside so many pages; with more it is another folder that only contains such folders.
_PAGES_TO_ONE: Final = 10
_MOST_READ: Final = 4 * 1024 * 1024  # of a page that is searched for blocks


def graph_root(path: Path) -> Path | None:
    """Return the root of the graph that contains a folder or file; None if there is none."""
    absolute = path.absolute()
    return next((folder for folder in (absolute, *absolute.parents) if _is_graph(folder)), None)


def read_graph(notes: Notes, dates: DateReading, only: Collection[str] | None = None) -> Iterator[FileLine]:
    """Yield the pages of a graph, or `only` some; the others are searched for the blocks that these refer to."""
    hidden = hidden_in(notes.setting)
    shown = (page for page in notes.files if not is_hidden(page.name, hidden))
    blocks, own = dict[str, str](), dict[str, str]()  # of all pages, because an embedded block may be in any of them
    for source in map(_source, shown):
        named = dict(named_blocks(source))
        (own if named and _is_private(source) else blocks).update(named)
    for page in notes.files:
        if only is not None and page.name not in only:
            continue  # imported pages only; blocks come from all
        if is_hidden(page.name, hidden):
            yield Omission(where=page.name, reason=HIDDEN)
        else:
            yield read_note_as(_understand(blocks, own, is_day=page.name.startswith("journals/")), page, dates)


def hidden_in(setting: Callable[[str], bytes | None]) -> tuple[str, ...]:
    """Return the paths that a graph's settings hide (`hidden_paths`)."""
    return hidden_paths((setting(CONFIG) or b"").decode("utf-8", "replace"))


def names_pages(folder: Path) -> bool:
    """Return whether a folder is a graph with file names that Logseq made, even if Obsidian opens it, too."""
    if not _is_graph(folder) or not (folder / "pages").is_dir():
        return False
    return any(is_named_by_logseq(each.name) for each in (folder / "pages").iterdir())


def is_named_by_logseq(name: str) -> bool:
    """Return whether a file name contains Logseq's form of `/`."""
    return "___" in name or "%2f" in name.lower()  # "work___kiln" and "work%2Fkiln" are the page "work/kiln"


def is_graph(names: Iterable[str]) -> bool:
    """Return whether the files of a graph have these paths."""
    paths = list(names)
    folders = {name.partition("/")[0] for name in paths if "/" in name}
    return _has_settings(folders) or _is_copy(folders, [name for name in paths if name.count("/") < _DEEPEST])


def _is_graph(folder: Path) -> bool:
    folders = [each for each in (SETTINGS, *FOLDERS) if (folder / each).is_dir()]
    if _has_settings(folders) or len(folders) < len(FOLDERS):
        return _has_settings(folders)
    inside = [f"{each.parent.name}/{each.name}" for name in FOLDERS for each in (folder / name).iterdir()]
    return _is_copy(folders, [*inside, *(each.name for each in folder.iterdir())])


def _has_settings(folders: Collection[str]) -> bool:
    return SETTINGS in folders and any(each in folders for each in FOLDERS)


def _is_copy(folders: Collection[str], names: Sequence[str]) -> bool:
    """Return whether folders are those of a graph without its settings: few notes lie beside its pages."""
    notes = [name for name in names if name.endswith(".md")]
    beside = sum("/" not in name for name in notes)
    has_all = all(each in folders for each in FOLDERS)
    return has_all and beside <= max(_FEW_BESIDE, (len(notes) - beside) // _PAGES_TO_ONE)


def _source(page: Entry) -> str:
    """Return a page's text; empty if it cannot be read, which is reported when the page's turn comes."""
    try:
        with page.open() as stream:
            return stream.read(_MOST_READ).decode("utf-8-sig", "replace").replace("\r\n", "\n")
    except UNREADABLE:
        return ""


def _is_private(source: str) -> bool:
    from voice.adapters.files.front_matter import split_front_matter  # noqa: PLC0415 - brings YAML, for notes alone

    front, body = split_front_matter(source)
    return _fields(front, read_logseq_page(body, {})).is_private()


def _fields(front: "FrontMatter", page: LogseqPage) -> "FrontMatter":
    """Return a page's fields; a link's words without its brackets."""
    return front.with_fields({key: value.replace("[[", "").replace("]]", "") for key, value in page.properties.items()})


def _understand(
    blocks: dict[str, str], own: dict[str, str], *, is_day: bool
) -> "Callable[[str, FrontMatter, str], NoteWords | Omission]":
    """Return the reader of a page; `own`: the blocks of private pages, which only a private page shows."""

    def understand(stem: str, front: "FrontMatter", body: str) -> NoteWords | Omission:
        page = read_logseq_page(body, blocks)
        fields = _fields(front, page)
        if own and fields.is_private():
            page = read_logseq_page(body, ChainMap(blocks, own))
        read = read_vault_text(page.text, by_name)
        if not read.text.strip("-* \n\t"):
            return Omission(where=stem, reason=WORDLESS)
        name = fields.text("title") or page_name(stem)
        content = with_title(None if is_day else name, read.text)  # a journal's name is its date
        shift = len(content) - len(read.text)  # links move with the title above them
        links = tuple(
            NoteLink(target=each.target, start=each.start + shift, end=each.end + shift) for each in read.links
        )
        note = LinkedNote(name=name, aliases=fields.texts("alias"), links=links)
        known_keys = frozenset(page.properties)
        return NoteWords(content=content, tags=read.tags, note=note, known_keys=known_keys, front=fields)

    return understand
