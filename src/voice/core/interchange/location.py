"""Where a source stands: the note and its line, or the conversation, its speaker and day.

Law: a line is told only where the note's own file still has it. What an import takes away or rewrites (front matter,
comments, marks of links) makes no difference: a line is known again by its words, and of several with the same words by
which of them it is. Nothing here reads a file.

Source: ruling I4; docs/import.md, "Where it stands".
"""

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from urllib.parse import quote

from voice.core.interchange.origin import OWN_TURN
from voice.core.records import Origin, Thought
from voice.core.text.context_path import title_of
from voice.core.text.display import is_conversation, thread_label
from voice.core.text.instants import has_date

_NOTES = (".md", ".markdown", ".txt", ".text")
_LEAST_SHARED = 0.5
"""The share of a line's words that the line of the file must have, where none has all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """Where a source stands."""

    place: str
    """The note's path in its folder; of a conversation, its title, or the beginning of its id."""
    line: int | None = None
    """Counted from 1 in the note's file, front matter included."""
    speaker: str | None = None
    told_at: datetime | None = None
    is_talk: bool = False
    """Whether it is a message of a conversation, not a note."""
    zone: tzinfo = UTC
    """In which days are told."""
    path: str | None = None
    """The note's file on this machine, where it is there."""
    is_vault: bool = False
    """Whether Obsidian opens it."""
    context_path: tuple[str, ...] = ()
    """Where it stands in the note, outermost first: title, headings, the bullets above it (ruling I1)."""

    @property
    def label(self) -> str:
        """What a person reads: `Garden/Gate.md:12`, or `whatsapp/Trip to Faro, Paul, 2024-03-05`."""
        if self.told_at is None or not self.is_talk:
            return self.label_beside_date
        return f"{self.label_beside_date}, {self.told_at.astimezone(self.zone):%Y-%m-%d}"

    @property
    def label_beside_date(self) -> str:
        """The same where the day stands beside it already."""
        if self.line is not None:
            return f"{self.place}:{self.line}"
        return ", ".join(filter(None, (self.place, self.speaker)))

    @property
    def under(self) -> str:
        """What stands above it in the note, where that is more than the note's name: `Hinges › Left one`."""
        named = is_note(self.place) and title_of(self.place) in self.context_path[:1]
        return " › ".join(self.context_path[1:] if named else self.context_path)

    @property
    def uri(self) -> str | None:
        """What opens it: Obsidian where the note is in a vault, else its file."""
        if self.path is None:
            return None
        return f"obsidian://open?path={quote(self.path, safe='')}" if self.is_vault else f"file://{quote(self.path)}"


def is_note(place: str) -> bool:
    """Return whether a place is that of a note or text, not of a message."""
    return place.lower().endswith(_NOTES)


def location_of(
    thought: Thought, start: int, *, note: str | None = None, path: str | None = None, is_vault: bool = False
) -> Location | None:
    """Return where a place in a thought stands; None where it was found nowhere but here, and in no conversation.

    Args:
        start: the offset in its content.
        note: what its file holds now; None where that cannot be read.
        is_vault: whether the file is in a vault of Obsidian.
    """
    told_at = thought.created_at if has_date(thought.created_at) else None
    if thought.source_ref is None or not is_note(thought.source_ref):
        called = thought.source_ref if thought.thread is None else thread_label(thought.thread)
        is_here = thought.source_ref is None and not is_conversation(thought.thread or "")
        if called is None or is_here:
            return None
        return Location(place=called, speaker=_speaker(thought), told_at=told_at, is_talk=True)
    line = None if note is None else line_in(note, thought.content, start)
    shown = path if note is not None else None
    return Location(place=thought.source_ref, line=line, told_at=told_at, path=shown, is_vault=is_vault)


def _speaker(thought: Thought) -> str | None:
    """Return who says a message; of a conversation with an assistant, the other side is the person."""
    is_own = thought.kind == OWN_TURN and thought.origin is Origin.HUMAN
    return thought.speaker or ("you" if is_own else None)


def line_in(note: str, content: str, start: int) -> int | None:
    """Return the line of a note's file that a place in its content stands in, from 1; None where it is not there.

    Args:
        content: the text that was imported of it.
        start: the offset in `content`.
    """
    at = content.count("\n", 0, start)
    wanted = [_words(line) for line in content.split("\n")]
    if not wanted[at]:
        return None
    lines = [_words(line) for line in note.replace("\r\n", "\n").split("\n")]
    same = [number for number, words in enumerate(lines, start=1) if words == wanted[at]]
    if same:
        earlier = wanted[:at].count(wanted[at])
        # What the front matter says in the same words (a title) stands before the text.
        surplus = max(0, len(same) - wanted.count(wanted[at]))
        return same[min(earlier + surplus, len(same) - 1)]
    shared, number = max(((_shared(wanted[at], words), -number) for number, words in enumerate(lines, start=1)))
    return -number if shared >= _LEAST_SHARED else None


def _words(line: str) -> tuple[str, ...]:
    """Return the words of a line without the marks around them."""
    return tuple("".join(sign if sign.isalnum() else " " for sign in line.casefold()).split())


def _shared(wanted: tuple[str, ...], words: tuple[str, ...]) -> float:
    there = set(words)
    return sum(word in there for word in wanted) / len(wanted)
