"""Turns of conversations with assistants as lines, and conversation titles.

Law: the person's turn is human within the entrance's limits; the assistant's claims to be a model's, which nothing
raises (rulings A12, H). Ids come from place and text, so a longer export adds only new turns. Titles are display names,
with an id prefix if shared; identity is `ConversationTurn.ref`.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A conversation's data for its turns."""

    ref: str
    """Identifies it in all exports, whatever its title."""
    thread: str | None
    begun: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationTurn:
    """One message."""

    ref: str
    """Identifies it in all exports."""
    thread: str | None
    text: str
    at: datetime | None
    by_assistant: bool
    is_enclosed: bool = False
    """Whether it is an attached text, whose author is unknown."""


def turn_line(turn: ConversationTurn, where: str, partly: Iterable[tuple[str, int]] = ()) -> ParsedLine | BadLine:
    """Return the line of a turn with text at `where`; `partly`: see `placed_line`."""
    line = ThoughtLine(
        content=turn.text,
        created_at=turn.at,
        kind="assistant_chat" if turn.by_assistant else "attachment" if turn.is_enclosed else OWN_TURN,
        speaker="assistant" if turn.by_assistant else None,
        claimed_origin=Origin.MODEL if turn.by_assistant else Origin.TOOL if turn.is_enclosed else None,
        thread=turn.thread,
        source_ref=turn.ref,
    )
    return placed_line(line, where, partly)


def placed_line(
    record: ThoughtLine, where: str, partly: Iterable[tuple[str, int]] = (), *, owner: str | None = None
) -> ParsedLine | BadLine:
    """Return a thought as a line, unless its text is too long; `partly`: (plural reason, count) of omitted parts."""
    if len(record.content) > MAX_TEXT_CHARS:
        return BadLine(where=where, reason=messages.too_long(MAX_TEXT_CHARS))
    missing = tuple(Omission(where=where, reason=reason, count=count) for reason, count in partly if count)
    return ParsedLine(where=where, record=record, partly=missing, owner=owner)


_MOST_CHARS: Final = 100  # of a title
_TITLE: Final = ("title", "name")
_KEYS: Final[Mapping[str, tuple[str, ...]]] = {  # where the id is, in order of preference
    "chatgpt": ("conversation_id", "id"),
    "claude": ("uuid",),
    "messages": ("id", "conversation_id"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TitledConversation:
    """A conversation's own title and id."""

    program: str
    title: str = ""
    key: str = ""

    @property
    def ref(self) -> str:
        """Identifies it in all exports."""
        return f"{self.program}/{self.key}" if self.key else self.program


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedTitles:
    """Titles shared by several conversations of an import."""

    titles: frozenset[str] | None = None
    """None: unknown, so any title may be shared."""

    @classmethod
    def among(cls, conversations: Iterable[TitledConversation]) -> "SharedTitles":
        """Return the titles of conversations with different ids."""
        keys: dict[str, set[str]] = {}
        for each in conversations:
            keys.setdefault(each.title.casefold(), set()).add(each.key)  # threads compare without case
        return cls(titles=frozenset(title for title, of_title in keys.items() if len(of_title) > 1))  # several ids

    def thread(self, titled: TitledConversation) -> str | None:
        """Return the thread name; None without title and id."""
        if not titled.title:
            return titled.ref if titled.key else None  # no title: the id names it
        is_shared = self.titles is None or titled.title.casefold() in self.titles
        suffix = f" ({titled.key[:ID_CHARS]})" if is_shared and titled.key else ""
        return f"{titled.program}/{titled.title}{suffix}"


UNLOOKED: Final = SharedTitles()


def called(program: str, conversation: Mapping[str, object]) -> TitledConversation:
    """Return a conversation's title and id; for unknown programs its `id`."""
    title = " ".join(_first(conversation, _TITLE).split())
    cut = title if len(title) <= _MOST_CHARS else title[: _MOST_CHARS - 1].rstrip() + "…"
    return TitledConversation(program=program, title=cut, key=_first(conversation, _KEYS.get(program, ("id",))))


def _first(conversation: Mapping[str, object], names: Iterable[str]) -> str:
    return next((text for name in names if (text := as_text(conversation.get(name)))), "")
