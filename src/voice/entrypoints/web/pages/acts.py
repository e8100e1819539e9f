"""Where one can go, what one can do, and which keys lead there.

Law: one table, from which the palette, the page of the keys and their dialog are made. An act is offered where its page
is served, and nowhere else.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from voice.entrypoints.web.pages.nav import SECTIONS

ADD: Final = "/add"
"""Where a note is added."""
IMPORT: Final = "/import"
"""Where notes are brought in."""


@dataclass(frozen=True, slots=True)
class Act:
    """Something the palette leads to."""

    name: str
    url: str
    group: str


@dataclass(frozen=True, slots=True)
class Key:
    """What a key does."""

    keys: tuple[str, ...]
    """Any of them."""
    does: str
    where: str = "On every page"


_ACTS: Final = (
    Act("New session", "/", "Act"),
    Act("Add a note", ADD, "Act"),
    Act("Import files or a folder", IMPORT, "Act"),
    Act("Export the memory", "/export", "Act"),
    Act("Search the sources", "/sources#words", "Act"),
    Act("Search what was said in sessions", "/sources?kind=turns#words", "Act"),
    Act("Show the keys", "/keys", "Act"),
)
KEYS: Final = (
    Key(("Ctrl K", "⌘ K"), "go to a page, a session or an act; in a field only while it is empty"),
    Key(("/",), "search: the field of the page, or the sources where it has none"),
    Key(("?",), "show these keys"),
    Key(("Esc",), "close what is open, and go back to where you were"),
    Key(("Enter",), "ask; with Shift a new line begins", "Where you ask"),
    Key(("Enter",), "go into what a sentence rests on", "On a sentence"),
    Key(("j", "↓"), "next candidate; from elsewhere on the page the first one", "In the review"),
    Key(("k", "↑"), "previous candidate", "In the review"),
    Key(("a",), "approve", "In the review"),
    Key(("r",), "reject", "In the review"),
    Key(("e",), "put it right first", "In the review"),
    Key(("u",), "undo", "In the review"),
)


def acts_of(served: Collection[str]) -> tuple[Act, ...]:
    """Return the acts and pages that are offered.

    Args:
        served: the paths of the pages there are.
    """
    pages = (Act(section.name, section.path, "Page") for section in SECTIONS if section.path not in (ADD, IMPORT))
    return tuple(each for each in (*pages, *_ACTS) if each.url.partition("?")[0].partition("#")[0] in served)


def keys_by_place() -> dict[str, list[Key]]:
    """Return the keys by where they count, in their order."""
    grouped: dict[str, list[Key]] = {}
    for key in KEYS:
        grouped.setdefault(key.where, []).append(key)
    return grouped
