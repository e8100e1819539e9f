"""A turn of a conversation with an assistant as a line, and the titles of conversations.

Law: the person's turn is the person's, as far as the entrance allows; the assistant's claims to be a model's, which
no name and no vouching can raise (rulings A12, H). Its id is made of where it stands and what it says, so that a
longer export of the same conversation brings the new turns alone.

What the conversations of an export are called. A conversation is called by its title; with the beginning of its id
behind it where another of the same import has the same title, or where that was not looked at; by its id where it has
no title. The name identifies nothing: a turn is known by the conversation's id (`Turn.ref`), so that another title
makes no second one.

Source: DESIGN 8 "Vaults"; docs/import.md, "Where it stands".
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from voice.core.interchange.json_fields import as_text
from voice.core.interchange.memory_lines import MAX_TEXT_CHARS, BadLine, Omission, ParsedLine, ThoughtLine
from voice.core.interchange.origin import OWN_TURN
from voice.core.messages import files as messages
from voice.core.records import Origin
from voice.core.text.display import ID_CHARS

WITHOUT_FILES: Final = messages.ATTACHMENTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A conversation, as its turns need it."""

    ref: str
    """What names it in every export of it, whatever it is called."""
    thread: str | None
    begun: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationTurn:
    """What one side said."""

    ref: str
    """What names this turn in every export of it."""
    thread: str | None
    text: str
    at: datetime | None
    by_assistant: bool
    is_enclosed: bool = False
    """It is a text that was handed over with the turn: nobody knows whose words it is."""


def turn_line(turn: ConversationTurn, where: str, partly: Iterable[tuple[str, int]] = ()) -> ParsedLine | BadLine:
    """Return the line of a turn that has words.

    Args:
        where: its place, for a person.
        partly: what of the turn is not in it: what it is, in the plural, and how many.
    """
    if len(turn.text) > MAX_TEXT_CHARS:
        return BadLine(where=where, reason=messages.too_long(MAX_TEXT_CHARS))
    line = ThoughtLine(
        content=turn.text,
        created_at=turn.at,
        kind="assistant_chat" if turn.by_assistant else "attachment" if turn.is_enclosed else OWN_TURN,
        speaker="assistant" if turn.by_assistant else None,
        claimed_origin=Origin.MODEL if turn.by_assistant else Origin.TOOL if turn.is_enclosed else None,
        thread=turn.thread,
        source_ref=turn.ref,
    )
    missing = tuple(Omission(where=where, reason=reason, count=count) for reason, count in partly if count)
    return ParsedLine(where=where, record=line, partly=missing)


_MOST_CHARS: Final = 100
_TITLE: Final = ("title", "name")
_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "chatgpt": ("conversation_id", "id"),
    "claude": ("uuid",),
    "messages": ("id", "conversation_id"),
}
"""By program, the fields that may hold a conversation's id, the first that does first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TitledConversation:
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
    def among(cls, conversations: Iterable[TitledConversation]) -> "SharedTitles":
        """Return the titles that conversations with different ids have."""
        keys: dict[str, set[str]] = {}
        for each in conversations:
            keys.setdefault(each.title.casefold(), set()).add(each.key)
        return cls(titles=frozenset(title for title, of_title in keys.items() if len(of_title) > 1))

    def thread(self, of: TitledConversation) -> str | None:
        """Return the thread of a conversation; None for one without a title and an id."""
        if not of.title:
            return of.ref if of.key else None
        is_shared = self.titles is None or of.title.casefold() in self.titles
        return f"{of.program}/{of.title}" + (f" ({of.key[:ID_CHARS]})" if is_shared and of.key else "")


UNLOOKED: Final = SharedTitles()


def called(program: str, conversation: Mapping[str, object]) -> TitledConversation:
    """Return the title and the id of a conversation of this program; of one that is not known, what it calls `id`."""
    title = " ".join(_first(conversation, _TITLE).split())
    cut = title if len(title) <= _MOST_CHARS else title[: _MOST_CHARS - 1].rstrip() + "…"
    return TitledConversation(program=program, title=cut, key=_first(conversation, _KEYS.get(program, ("id",))))


def _first(conversation: Mapping[str, object], names: Iterable[str]) -> str:
    return next((text for name in names if (text := as_text(conversation.get(name)))), "")
