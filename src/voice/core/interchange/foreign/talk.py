"""One turn of a conversation with an assistant → a line.

Law: the person's turn is the person's, as far as the entrance allows; the assistant's claims to be a model's, which
no name and no vouching can raise (rulings A12, H). Its id is made of where it stands and what it says, so that a
longer export of the same conversation brings the new turns alone.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from voice.core.interchange.arrival import OWN_TURN
from voice.core.interchange.lines import MAX_TEXT_CHARS, BadLine, LeftOut, ParsedLine, ThoughtLine
from voice.core.records import Origin

WITHOUT_FILES: Final = "attachments not imported (pictures, recordings, documents)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """A conversation, as its turns need it."""

    ref: str
    """What names it in every export of it, whatever it is called."""
    thread: str | None
    begun: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What one side said."""

    ref: str
    """What names this turn in every export of it."""
    thread: str | None
    text: str
    at: datetime | None
    by_assistant: bool
    is_enclosed: bool = False
    """It is a text that was handed over with the turn: nobody knows whose words it is."""


def turn_line(turn: Turn, where: str, partly: Iterable[tuple[str, int]] = ()) -> ParsedLine | BadLine:
    """Return the line of a turn that has words.

    Args:
        turn: what was said.
        where: its place, for a person.
        partly: what of the turn is not in it: what it is, in the plural, and how many.
    """
    if len(turn.text) > MAX_TEXT_CHARS:
        return BadLine(where=where, reason=f"is longer than {MAX_TEXT_CHARS:,} characters")
    line = ThoughtLine(
        content=turn.text,
        created_at=turn.at,
        kind="assistant_chat" if turn.by_assistant else "attachment" if turn.is_enclosed else OWN_TURN,
        speaker="assistant" if turn.by_assistant else None,
        claimed_origin=Origin.MODEL if turn.by_assistant else Origin.TOOL if turn.is_enclosed else None,
        thread=turn.thread,
        source_ref=turn.ref,
    )
    missing = tuple(LeftOut(where=where, reason=reason, count=count) for reason, count in partly if count)
    return ParsedLine(where=where, record=line, partly=missing)
