"""Searches that pages lead back to.

Law: an address holds a place and never the words that were looked for: addresses are kept in histories. So the words
stay here, in this process, under an id that means nothing elsewhere; the oldest go when there are many, and all of them
with the process.

Source: DESIGN 8 Web; promise 6.
"""

from collections import OrderedDict
from dataclasses import dataclass, field
from secrets import token_urlsafe
from typing import Final

MOST_KEPT: Final = 500
_ID_BYTES: Final = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What somebody looks for, in words."""

    words: str = field(default="", repr=False)
    when: str = field(default="", repr=False)
    tags: tuple[str, ...] = field(default=(), repr=False)
    path: str = field(default="", repr=False)
    """The file or folder that it came from."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is said, so that everything is meant."""
        return not (self.words or self.when or self.tags or self.path)


@dataclass(slots=True, kw_only=True)
class Searches:
    """The searches of this process that were made last."""

    most: int = MOST_KEPT
    _kept: OrderedDict[str, Search] = field(default_factory=OrderedDict[str, Search], repr=False)

    def keep(self, search: Search) -> str:
        """Return the id under which a search is found from now on."""
        search_id = next((each for each, kept in self._kept.items() if kept == search), None) or token_urlsafe(
            _ID_BYTES
        )
        self._kept[search_id] = search
        self._kept.move_to_end(search_id)
        if len(self._kept) > self.most:
            self._kept.popitem(last=False)
        return search_id

    def found(self, search_id: str) -> Search | None:
        """Return the search, or None where it is not kept any more."""
        return self._kept.get(search_id)


def search_of(words: str, when: str = "", tags: str = "", path: str = "") -> Search:
    """Return what was typed into a search form.

    Args:
        words: what is looked for.
        when: its time, in words.
        tags: separated by commas or spaces.
        path: the file or folder that it came from.
    """
    named = (tag.strip() for tag in tags.replace(",", " ").split())
    return Search(
        words=" ".join(words.split()),
        when=" ".join(when.split()),
        tags=tuple(sorted({tag for tag in named if tag})),
        path=path.strip(),
    )
