"""What the conversations of an export are called.

Law: a conversation is called by its title; with the beginning of its id behind it where another of the same import has
the same title, or where that was not looked at; by its id where it has no title. The name identifies nothing: a turn is
known by the conversation's id (`Turn.ref`), so that another title makes no second one.

Source: DESIGN 8 "Vaults"; docs/import.md, "Where it stands".
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from voice.core.interchange.foreign.loose import as_text
from voice.core.text.display import ID_CHARS

_MOST_CHARS: Final = 100
_TITLE: Final = ("title", "name")
_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "chatgpt": ("conversation_id", "id"),
    "claude": ("uuid",),
    "messages": ("id", "conversation_id"),
}
"""By program, the fields that may hold a conversation's id, the first that does first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """What a conversation says of itself."""

    program: str
    title: str = ""
    key: str = ""

    @property
    def ref(self) -> str:
        """What names it in every export of it, whatever its title."""
        return f"{self.program}/{self.key}" if self.key else self.program


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedTitles:
    """The titles that several conversations of an import have."""

    titles: frozenset[str] | None = None
    """None: nobody looked, so any may be one."""

    @classmethod
    def among(cls, conversations: Iterable[Called]) -> "SharedTitles":
        """Return the titles that conversations with different ids have."""
        keys: dict[str, set[str]] = {}
        for each in conversations:
            keys.setdefault(each.title.casefold(), set()).add(each.key)
        return cls(titles=frozenset(title for title, of_title in keys.items() if len(of_title) > 1))

    def thread(self, of: Called) -> str | None:
        """Return the thread of a conversation; None for one without a title and an id."""
        if not of.title:
            return of.ref if of.key else None
        is_shared = self.titles is None or of.title.casefold() in self.titles
        return f"{of.program}/{of.title}" + (f" ({of.key[:ID_CHARS]})" if is_shared and of.key else "")


UNLOOKED: Final = SharedTitles()


def called(program: str, conversation: Mapping[str, object]) -> Called:
    """Return the title and the id of a conversation of this program; of one that is not known, what it calls `id`."""
    title = " ".join(_first(conversation, _TITLE).split())
    cut = title if len(title) <= _MOST_CHARS else title[: _MOST_CHARS - 1].rstrip() + "…"
    return Called(program=program, title=cut, key=_first(conversation, _KEYS.get(program, ("id",))))


def _first(conversation: Mapping[str, object], names: Iterable[str]) -> str:
    return next((text for name in names if (text := as_text(conversation.get(name)))), "")
