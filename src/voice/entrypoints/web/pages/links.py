"""The addresses of pages, and searches kept under ids so that no address holds their words.

Law: an address that a page leads to holds ids and places, and what a person typed of a time; never a question, a search
or a text of the memory: addresses are kept in histories.

Searches that pages lead back to. An address holds a place and never the words that were looked for: addresses are kept
in histories. So the words stay here, in this process, under an id that means nothing elsewhere; the oldest go when
there are many, and all of them with the process.

Source: DESIGN 8 Web; promise 6.
"""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from secrets import token_urlsafe
from typing import Final
from urllib.parse import quote, urlencode

TURNS_PER_PAGE = 20
"""Turns of a conversation on one page of its transcript."""
SPAN_ANCHOR = "span"
"""Where the page of a source shows the words that were cited."""


def address_of(path: str, said: Mapping[str, object]) -> str:
    """Return the address of a path with what is said behind a question mark; what is empty is left out."""
    query = urlencode({name: value for name, value in said.items() if value})
    return f"{path}?{query}" if query else path


def source_url(row_id: str, start: int | None = None, end: int | None = None) -> str:
    """Return the address of a row's page.

    Args:
        start: where the cited words begin, in code points of its text; None leads to the row as a whole.
    """
    path = f"/sources/{quote(row_id, safe='')}"
    return path if start is None or end is None else f"{path}?{urlencode({'from': start, 'to': end})}#{SPAN_ANCHOR}"


def wording_url(row_id: str, start: int, end: int, *, private: bool = False) -> str:
    """Return the address where one sentence of a row is corrected or forgotten.

    Args:
        start: where the cited words begin, in code points of its text.
        private: whether the row is private, so that it must be asked for by name.
    """
    asked = {"from": start, "to": end, **({"private": 1} if private else {})}
    return f"/sources/{quote(row_id, safe='')}/sentence?{urlencode(asked)}"


def session_url(session_id: str, turn: int | None = None, *, private: bool = False) -> str:
    """Return the address of a conversation's transcript, or of one turn in it.

    Args:
        turn: which of its turns, from 0; None leads to its beginning.
        private: whether private turns are to be shown.
    """
    path = f"/sessions/{quote(session_id, safe='')}"
    if turn is None:
        return address_of(path, {"private": int(private)})
    return f"{address_of(path, {'page': turn // TURNS_PER_PAGE + 1, 'private': int(private)})}#turn-{turn + 1}"


def chat_url(session_id: str, turn: int | None = None, *, private: bool = False) -> str:
    """Return the address where a conversation goes on, or of one turn there.

    Args:
        turn: which of its turns, from 0; None leads to its end.
        private: whether private turns are to be shown.
    """
    path = f"/chat/{quote(session_id, safe='')}{'?private=1' if private else ''}"
    return path if turn is None else f"{path}#turn-{turn + 1}"


def sentence_url(exchange_id: str, number: int, *, private: bool = False) -> str:
    """Return the address that shows what one sentence of an answer rests on.

    Args:
        number: which of its sentences, from 0.
        private: whether the turn is private, so that it must be asked for by name.
    """
    return f"/turns/{quote(exchange_id, safe='')}/sentences/{number}{'?private=1' if private else ''}"


def answer_url(exchange_id: str, *, private: bool = False) -> str:
    """Return the address of an answer as a file, with its sources.

    Args:
        private: whether the turn is private, so that it must be asked for by name.
    """
    return f"/turns/{quote(exchange_id, safe='')}/answer.md{'?private=1' if private else ''}"


def is_own_path(address: str) -> bool:
    """Return whether an address is a path of this server, which a form may lead back to."""
    return address.startswith("/") and not address.startswith(("//", "/\\")) and address.isprintable()


def graph_url(entity_id: str) -> str:
    """Return the address of the picture of what lies around an entity."""
    return f"/graph/{quote(entity_id, safe='')}"


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
