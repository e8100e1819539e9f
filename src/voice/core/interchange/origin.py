"""Where imported rows come from: settle their origin, limit their tags, locate their source.

Law: `settled = min(claim, ceiling of the entrance)`, in the order human > logged > tool > model. Without a claim the
speaker decides: the person human, an assistant model, others and devices tool. Vouching for a log makes others' words
`logged`, never a model's. The inner voice's own writings are always `model`.
A location is note and line, or conversation, speaker and day. A line number is given only if the current file still has
the line, matched by words and occurrence, whatever markup the import removed. Reads no files.
Source: rulings A12, A13, A21, H.2, I4; docs/import.md, "Where it stands".
"""

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from enum import StrEnum
from typing import Final
from urllib.parse import quote

from voice.core.errors import InvalidParams
from voice.core.messages import memory as messages
from voice.core.records import Origin, Thought
from voice.core.text.display import is_conversation, thread_label
from voice.core.text.instants import has_date
from voice.core.text.note_context import plain_words, title_of


class Entrance(StrEnum):
    """How something came in."""

    CLI = "cli"
    PAGE = "page"
    MCP = "mcp"
    HTTP = "http"
    HOOK = "hook"
    """Transcript of an ended session, a file that an agent can write."""


_RANK: Final = {Origin.HUMAN: 3, Origin.LOGGED: 2, Origin.TOOL: 1, Origin.MODEL: 0}  # a higher rank is trusted more
_OWNERS: Final = frozenset({Entrance.CLI, Entrance.PAGE})  # what comes in there is the owner's own

OWN_TURN: Final = "chat"
"""Kind of the person's messages to an assistant."""
ASSISTANT_KINDS: Final = frozenset({"agent_chat", "assistant", "assistant_chat", "chatbot"})
"""Kinds whose text a model wrote, unless the speaker is the person."""
ASSISTANT_SPEAKERS: Final = frozenset({"assistant", "agent", "ai", "bot", "chatbot", "model", "system"})
"""Speakers that are not people."""
PAGE_KIND: Final = "web"
OTHERS_KINDS: Final = frozenset({"call", "email", "message", "notification", "photo", "push", "sms", "tool", PAGE_KIND})
"""Kinds that, without a speaker, mix the person's words with others'."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """How an import came in, and the person's statements about it."""

    entrance: Entrance
    now: datetime
    own_speakers: frozenset[str] = frozenset()
    """The person's own names in the files (`--me`), case-insensitive."""
    vouched: bool = False
    """Whether the person vouches for a log of their conversations (`--as logged`)."""
    mcp_origin: Origin = Origin.TOOL
    """The owner may set `mcp_origin = logged` (ruling H)."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "own_speakers", frozenset(name.casefold() for name in self.own_speakers))


def ceiling_of(entrance: Entrance, *, mcp_origin: Origin = Origin.TOOL) -> Origin:
    """Return an entrance's highest origin: `human` for CLI and page; for MCP `mcp_origin`, never `human` (ruling H)."""
    if entrance in _OWNERS:
        return Origin.HUMAN
    if entrance is Entrance.MCP:
        return _lower(mcp_origin, Origin.LOGGED)
    return Origin.TOOL


def origin_for(entrance: Entrance, claimed: str | None, *, mcp_origin: Origin = Origin.TOOL) -> Origin:
    """Return the origin for a claim. Missing: the ceiling; unknown: `model` (ruling A12); else at most the ceiling."""
    ceiling = ceiling_of(entrance, mcp_origin=mcp_origin)
    return ceiling if claimed is None else _lower(Origin.parse(claimed), ceiling)  # a claim lowers, never raises


def origin_of_words(arrival: Arrival, *, kind: str, speaker: str | None) -> Origin:
    """Return the origin of imported words without a claim (ruling H)."""
    name = speaker.casefold() if speaker else None
    if name is not None and name in arrival.own_speakers:  # the name wins over the kind
        return _below_ceiling(arrival, Origin.HUMAN)
    if kind in ASSISTANT_KINDS or name in ASSISTANT_SPEAKERS:
        return Origin.MODEL
    if name is None and kind not in OTHERS_KINDS:
        return _below_ceiling(arrival, Origin.HUMAN)
    return _below_ceiling(arrival, Origin.LOGGED if arrival.vouched else Origin.TOOL)  # others' words, once vouched for


def settle_origin(arrival: Arrival, *, claimed: str | None, kind: str = "note", speaker: str | None = None) -> Origin:
    """Return an imported row's origin: by its claim, else by its speaker."""
    if claimed is not None:
        return origin_for(arrival.entrance, claimed, mcp_origin=arrival.mcp_origin)
    return origin_of_words(arrival, kind=kind, speaker=speaker)


def _below_ceiling(arrival: Arrival, origin: Origin) -> Origin:
    return _lower(origin, ceiling_of(arrival.entrance, mcp_origin=arrival.mcp_origin))


def _lower(one: Origin, other: Origin) -> Origin:
    return min(one, other, key=_RANK.__getitem__)


MAX_TAG_CHARS: Final = 200


def require_tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    """Return new tags; stored ones may be longer. Raises InvalidParams: one is longer than `MAX_TAG_CHARS`."""
    longest = max(map(len, tags), default=0)
    if longest > MAX_TAG_CHARS:
        raise InvalidParams(messages.tag_too_long(longest, MAX_TAG_CHARS))
    return tags


_NOTES = (".md", ".markdown", ".txt", ".text")
_LEAST_SHARED = 0.5  # least share of common words, if no line matches


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """The location of a source."""

    place: str
    """The note's path in its folder, or the conversation's title or id prefix."""
    line: int | None = None
    """From 1 in the file, including front matter."""
    speaker: str | None = None
    told_at: datetime | None = None
    is_talk: bool = False
    """Whether it is a message rather than a note."""
    zone: tzinfo = UTC
    """Zone of displayed days."""
    path: str | None = None
    """The note's file on this machine, if it exists."""
    is_vault: bool = False
    """Whether Obsidian can open it."""
    context_path: tuple[str, ...] = ()
    """Title, headings and parent bullets, outermost first (ruling I1)."""

    @property
    def label(self) -> str:
        """Display form: `Garden/Gate.md:12`, or `whatsapp/Trip to Faro, Paul, 2024-03-05`."""
        if self.told_at is None or not self.is_talk:
            return self.label_beside_date
        return f"{self.label_beside_date}, {self.told_at.astimezone(self.zone):%Y-%m-%d}"

    @property
    def label_beside_date(self) -> str:
        """The same without the day."""
        if self.line is not None:
            return f"{self.place}:{self.line}"
        return ", ".join(filter(None, (self.place, self.speaker)))

    @property
    def under(self) -> str:
        """The path within the note, without the note's name: `Hinges › Left one`."""
        named = is_note(self.place) and title_of(self.place) in self.context_path[:1]  # the place shows the title
        return " › ".join(self.context_path[1:] if named else self.context_path)

    @property
    def uri(self) -> str | None:
        """A URI that opens it: Obsidian for a vault, else the file; None without a file."""
        if self.path is None:
            return None
        return f"obsidian://open?path={quote(self.path, safe='')}" if self.is_vault else f"file://{quote(self.path)}"


def is_note(place: str) -> bool:
    """Return whether a place is a note or text file."""
    return place.lower().endswith(_NOTES)


def location_of(
    thought: Thought, start: int, *, note: str | None = None, path: str | None = None, is_vault: bool = False
) -> Location | None:
    """Return the location of an offset in a thought; None if it was written here.

    Args:
        note: current content of its file; None if unreadable.
    """
    told_at = thought.created_at if has_date(thought.created_at) else None
    if thought.source_ref is None or not is_note(thought.source_ref):
        called = thought.source_ref if thought.thread is None else thread_label(thought.thread)
        is_here = thought.source_ref is None and not is_conversation(thought.thread or "")
        if called is None or is_here:
            return None
        # In a chat with an assistant the other side is "you".
        is_own = thought.kind == OWN_TURN and thought.origin is Origin.HUMAN
        speaker = thought.speaker or ("you" if is_own else None)
        return Location(place=called, speaker=speaker, told_at=told_at, is_talk=True)
    line = None if note is None else line_in(note, thought.content, start)
    shown = path if note is not None else None
    return Location(place=thought.source_ref, line=line, told_at=told_at, path=shown, is_vault=is_vault)


def line_in(note: str, content: str, start: int) -> int | None:
    """Return the line number, from 1, of an offset in the imported `content`; None if the file lost the line."""
    at = content.count("\n", 0, start)
    wanted = [plain_words(line) for line in content.split("\n")]
    if not wanted[at]:  # an empty line is everywhere
        return None
    lines = [plain_words(line) for line in note.replace("\r\n", "\n").split("\n")]
    same = [number for number, words in enumerate(lines, start=1) if words == wanted[at]]
    if same:
        earlier = wanted[:at].count(wanted[at])
        # What the front matter says in the same words (a title) stands before the text.
        surplus = max(0, len(same) - wanted.count(wanted[at]))
        return same[min(earlier + surplus, len(same) - 1)]
    # `-number`: the first of lines that share as much.
    shared, number = max(((_shared(wanted[at], words), -number) for number, words in enumerate(lines, start=1)))
    return -number if shared >= _LEAST_SHARED else None


def _shared(wanted: tuple[str, ...], words: tuple[str, ...]) -> float:
    there = set(words)
    return sum(word in there for word in wanted) / len(wanted)
