"""Where a source stands: the note and its line, or the conversation, its speaker and day.

Law: a line is told only where the note's own file still has it. What an import takes away or rewrites (front matter,
comments, marks of links) makes no difference: a line is known again by its words, and of several with the same words by
which of them it is. Nothing here reads a file.

Source: ruling I4; docs/import.md, "Where it stands".
"""

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from voice.core.records import Thought
from voice.core.text.context_path import title_of
from voice.core.text.instants import is_told

_NOTES = (".md", ".markdown", ".txt", ".text")
_LEAST_SHARED = 0.5
"""The share of a line's words that the line of the file must have, where none has all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """Where a source stands."""

    place: str
    """The note's path in its folder; of a conversation, what it is called."""
    line: int | None = None
    """Counted from 1 in the note's file, front matter included."""
    speaker: str | None = None
    told_at: datetime | None = None
    path: str | None = None
    """The note's file on this machine, where it is there."""
    is_vault: bool = False
    """Whether Obsidian opens it."""
    context_path: tuple[str, ...] = ()
    """Where it stands in the note, outermost first: title, headings, the bullets above it (ruling I1)."""

    @property
    def label(self) -> str:
        """What a person reads: `Garden/Gate.md:12`, or `Trip to Faro, Paul`."""
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
    """Return where a place in a thought stands; None where the thought was found nowhere but here.

    Args:
        thought: what was imported.
        start: the offset in its content.
        note: what its file holds now; None where that cannot be read.
        path: where its file is.
        is_vault: whether the file is in a vault of Obsidian.
    """
    if thought.source_ref is None:
        return None
    told_at = thought.created_at if is_told(thought.created_at) else None
    if not is_note(thought.source_ref):
        called = thought.thread or thought.source_ref
        return Location(place=called, speaker=thought.speaker, told_at=told_at)
    line = None if note is None else line_in(note, thought.content, start)
    shown = path if note is not None else None
    return Location(place=thought.source_ref, line=line, told_at=told_at, path=shown, is_vault=is_vault)


def line_in(note: str, content: str, start: int) -> int | None:
    """Return the line of a note's file that a place in its content stands in, from 1; None where it is not there.

    Args:
        note: the file's text.
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
