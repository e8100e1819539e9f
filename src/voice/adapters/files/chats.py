"""The readers of exported conversations, with assistants and between people, and of Takeout's activities.

Law: one conversation is held in memory; one that cannot be read is one `BadLine` with its number, and the rest is read.

A large JSON array is read in pieces, one object at a time; an object's end is found by its brackets alone, so that a
broken object costs no other. If the file ends inside an object, the last element says so.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import tzinfo
from itertools import chain
from typing import BinaryIO, Final, cast

from voice.adapters.files.entries import UNREADABLE, Entry
from voice.core.interchange.foreign.chatgpt import chatgpt_lines, chatgpt_owner, messages_lines
from voice.core.interchange.foreign.claude import claude_lines, claude_owner
from voice.core.interchange.foreign.coding_agents import Placed, claude_code_lines, codex_lines, gemini_cli_lines
from voice.core.interchange.foreign.conversation import UNLOOKED, SharedTitles, TitledConversation, called
from voice.core.interchange.foreign.dates import DateReading
from voice.core.interchange.foreign.messengers import chat_lines, is_day_first, stamp_of, telegram_lines
from voice.core.interchange.foreign.takeout import OPENS, activity_lines, evernote_line, gemini_lines, keep_lines
from voice.core.interchange.memory_lines import BadLine, FileLine
from voice.ports.files import FileFormat

_PIECE: Final = 1024 * 1024
_MOST: Final = 128 * 1024 * 1024
_TOO_LONG: Final = "is longer than 128 MiB"
_NOT_JSON: Final = "is not valid JSON; export it again"
Understand = Callable[[Mapping[str, object], str], tuple[FileLine, ...]]
# Formats whose elements are conversations with titles.
_TITLED: Final[Mapping[FileFormat, Callable[[Mapping[str, object], str, SharedTitles], tuple[FileLine, ...]]]] = {
    FileFormat.CHATGPT: chatgpt_lines,
    FileFormat.CLAUDE: claude_lines,
    FileFormat.MESSAGES: messages_lines,
}
_KINDS: Final[Mapping[FileFormat, tuple[str, Understand]]] = {
    FileFormat.GEMINI: ("entry", gemini_lines),
    FileFormat.TELEGRAM: ("export", telegram_lines),
    FileFormat.KEEP: ("note", keep_lines),
    FileFormat.CLAUDE_CODE: ("entry", claude_code_lines),
}
# Formats of one session per file, in which later entries change earlier ones.
_SESSIONS: Final[Mapping[FileFormat, Callable[[Iterable[Placed]], Iterator[FileLine]]]] = {
    FileFormat.CODEX: codex_lines,
    FileFormat.GEMINI_CLI: gemini_cli_lines,
}
_HEAD_BYTES: Final = 1024 * 1024  # enough lines to tell day from month
_LONGEST: Final = 4 * 1024 * 1024  # bytes of a line; a longer one is read as several
# "WhatsApp Chat with Irma" is "Irma".
_TITLE: Final = re.compile(r"WhatsApp[ -]Chat\w{0,3}(?: (?:with|mit|con|avec|met|com)| -)? ", re.IGNORECASE)
# The file of an export that names its owner, and its reader.
_OWNERS: Final[Mapping[FileFormat, tuple[str, Callable[[object], str | None]]]] = {
    FileFormat.CHATGPT: ("user.json", chatgpt_owner),
    FileFormat.CLAUDE: ("users.json", claude_owner),
}


def read_titles(entries: Sequence[Entry], kind: FileFormat) -> SharedTitles:
    """Return the titles that several conversations of an export share; unreadable files have none."""
    return SharedTitles.among(_conversations(entries, kind)) if kind in _TITLED else UNLOOKED


def _conversations(entries: Sequence[Entry], kind: FileFormat) -> Iterator[TitledConversation]:
    for entry in entries:
        with suppress(*UNREADABLE), entry.open() as stream:
            # The first reading, for titles alone.
            values = map(_decode, array_elements(stream))
            yield from (called(kind.value, value) for value in values if not isinstance(value, str))


def read_chats(stream: BinaryIO, kind: FileFormat, titles: SharedTitles = UNLOOKED) -> Iterator[FileLine]:
    """Yield the turns of an export of conversations, in order; `titles` are those that several of them share. Raises
    OSError: the stream cannot be read."""
    if kind in _SESSIONS:
        yield from _read_session(stream, _SESSIONS[kind])
        return
    titled = _TITLED.get(kind)
    noun = "conversation" if titled else _KINDS[kind][0]
    for number, element in enumerate(array_elements(stream), start=1):
        where = f"{noun} {number}"
        value = _decode(element)
        if isinstance(value, str):
            yield BadLine(where=where, reason=value)
        else:
            yield from titled(value, where, titles) if titled else _KINDS[kind][1](value, where)


def _read_session(stream: BinaryIO, understand: Callable[[Iterable[Placed]], Iterator[FileLine]]) -> Iterator[FileLine]:
    bad: list[FileLine] = []

    def entries() -> Iterator[Placed]:
        for number, element in enumerate(array_elements(stream), start=1):
            where = f"entry {number}"
            value = _decode(element)
            if isinstance(value, str):
                bad.append(BadLine(where=where, reason=value))
            else:
                yield where, value

    yield from understand(entries())
    yield from bad


def read_owner(entries: Sequence[Entry], kind: FileFormat) -> str | None:
    """Return the owner's name from a file beside the conversations; None if there is none."""
    if kind not in _OWNERS:
        return None
    name, understand = _OWNERS[kind]
    # In any folder of the export.
    file = next((entry for entry in entries if entry.name.rpartition("/")[2] == name), None)
    if file is None or file.size > _PIECE:  # a file about a person is small
        return None
    try:
        with file.open() as stream:
            return understand(json.loads(stream.read()))
    except (ValueError, RecursionError, *UNREADABLE):
        return None


def read_activity(stream: BinaryIO, zone: tzinfo) -> Iterator[FileLine]:
    """Yield the entries of Takeout's activities from HTML, in order. Raises OSError: the stream cannot be read."""
    for number, source in enumerate(_between(stream, OPENS.encode(), OPENS.encode()), start=1):
        where = f"entry {number}"
        yield from (BadLine(where=where, reason=_TOO_LONG),) if source is None else activity_lines(source, where, zone)


def read_evernote(stream: BinaryIO) -> Iterator[FileLine]:
    """Yield the notes of an ENEX file, in order. Raises OSError: the stream cannot be read."""
    for number, source in enumerate(_between(stream, b"<note>", b"</note>"), start=1):
        where = f"note {number}"
        yield BadLine(where=where, reason=_TOO_LONG) if source is None else evernote_line(source, where)


def _between(stream: BinaryIO, opens: bytes, closes: bytes) -> Iterator[str | None]:
    """Yield each text between two marks, or after the last; None for one that is too long."""
    held, place, at = bytearray(), -1, 0
    is_long = False
    while piece := stream.read(_PIECE):
        held += piece
        while (found := held.find(opens if place < 0 else closes, at)) >= 0:
            if place < 0:
                place = at = found + len(opens)
                continue
            yield None if is_long else held[place:found].decode("utf-8", "replace")
            # Where both marks are the same, the end of one text begins the next.
            place, at, is_long = -1, found if opens == closes else found + len(closes), False
        at = max(at, len(held) - max(len(opens), len(closes)) + 1)  # a mark may be cut by the end of the piece
        is_long = is_long or (place >= 0 and len(held) - place > _MOST)  # the rest of it is skipped, not kept
        done = at if place < 0 or is_long else place
        del held[:done]
        at, place = at - done, 0 if place >= 0 else -1
    if place >= 0:
        yield None if is_long else held.decode("utf-8", "replace")


# Whole strings are skipped; a quotation mark alone opens one that the piece cuts.
_OUTSIDE: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["{}\[\]]', re.DOTALL)
_INSIDE: Final = re.compile(rb'["\\]')  # in a string cut by a piece

Element = bytes | str
"""An object's source, or the reason why it has none."""


def _decode(source: Element) -> dict[str, object] | str:
    """Return an object, or the reason why it cannot be read."""
    if isinstance(source, str):
        return source
    try:
        value: object = json.loads(source.decode("utf-8"))
    except (ValueError, RecursionError):
        return _NOT_JSON
    return cast("dict[str, object]", value) if isinstance(value, dict) else _NOT_JSON


@dataclass(slots=True)
class _Scan:
    """The state of reading a stream: how deep in brackets it is, and the object read so far."""

    base: int = 0  # depth of the objects: 1 in an array, 0 for a file that is one object
    depth: int = 0
    in_text: bool = False
    skip: int = 0  # bytes at the start of the next piece that belong to an escape
    held: bytearray = field(default_factory=bytearray)
    is_too_long: bool = False

    @property
    def is_inside(self) -> bool:
        return self.depth > self.base

    def feed(self, piece: bytes) -> Iterator[Element]:
        """Yield the objects that end in `piece`."""
        place, self.skip = self.skip, 0
        start = 0
        while True:
            found = (_INSIDE if self.in_text else _OUTSIDE).search(piece, place)
            if found is None:
                break
            place = found.end()
            mark = piece[found.start() : found.start() + 1]
            if mark == b"\\":
                place += 1
            elif mark == b'"':
                self.in_text = not self.in_text and found.end() - found.start() == 1  # not for a whole string
            elif mark in b"{[":
                start = start if self.is_inside else found.start()
                self.depth += 1
            elif self._closes():
                yield self._finish(piece[start:place])
        self.skip = max(0, place - len(piece))  # the escaped byte is in the next piece
        if self.is_inside:
            self._keep(piece[start:])

    def _closes(self) -> bool:
        """Go up one level; return whether an object ends there."""
        self.depth = max(0, self.depth - 1)  # a closing bracket too many costs nothing
        return self.depth == self.base

    def _keep(self, piece: bytes) -> None:
        self.is_too_long = self.is_too_long or len(self.held) + len(piece) > _MOST
        if self.is_too_long:
            self.held.clear()
        else:
            self.held += piece

    def _finish(self, piece: bytes) -> Element:
        self._keep(piece)
        source = bytes(self.held)
        is_too_long, self.is_too_long = self.is_too_long, False
        self.held.clear()
        return _TOO_LONG if is_too_long else source


def array_elements(stream: BinaryIO) -> Iterator[Element]:
    """Yield the source of each object in a stream's array, or of the one object that the stream is. Raises OSError: the
    stream cannot be read."""
    scan = _Scan()
    piece = stream.read(_PIECE).removeprefix(b"\xef\xbb\xbf").lstrip()  # byte order mark
    if piece.startswith(b"["):
        scan.base = scan.depth = 1
        piece = piece[1:]
    while piece:
        yield from scan.feed(piece)
        piece = stream.read(_PIECE)
    if scan.is_inside:
        yield "is cut off because the file ends inside it; export or download the file again"


def read_whatsapp(stream: BinaryIO, title: str, dates: DateReading) -> Iterator[FileLine]:
    """Yield the messages of a WhatsApp chat, in order. Raises OSError: the stream cannot be read."""
    head = stream.read(_HEAD_BYTES)
    head += stream.readline(_LONGEST)
    first = head.decode("utf-8-sig", "replace").replace("\r\n", "\n").removesuffix("\n").split("\n")
    stamps = [stamp for line in first if (stamp := stamp_of(line))]
    # Read one by one: only the head is in memory.
    following = (raw.decode("utf-8", "replace").rstrip("\r\n") for raw in iter(lambda: stream.readline(_LONGEST), b""))
    chat = _TITLE.sub("", title, count=1) or title
    day_first = is_day_first(stamps, dates.zone, dates.order)
    yield from chat_lines(chain(first, following), chat, dates.zone, day_first=day_first)
