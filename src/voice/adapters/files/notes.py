"""The notes of a folder or an archive, with their program's settings.

Source: docs/import.md.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from voice.adapters.files.entries import Entry
from voice.core.interchange.memory_lines import FileLine


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """Notes by their paths from the root of the folder, vault or graph."""

    files: tuple[Entry, ...]
    setting: Callable[[str], bytes | None]
    """A file of the program's settings by its path; None where there is none that can be read."""
    rest: Iterable[FileLine] = ()
    """What is left out."""
    is_graph: bool = False
    """Whether they lie in the folders of a graph of Logseq."""
    close: Callable[[], None] = lambda: None
