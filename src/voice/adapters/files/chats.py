"""The readers of exported conversations with assistants, and of Takeout's activities.

Law: one conversation is held at a time; one that cannot be read is one `BadLine` with its number, and the rest is read.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import tzinfo
from typing import BinaryIO, Final, cast

from voice.adapters.files.entries import UNREADABLE, Entry
from voice.adapters.files.json_array import array_elements
from voice.core.interchange.foreign.chatgpt import chatgpt_lines, chatgpt_owner, messages_lines
from voice.core.interchange.foreign.claude import claude_lines, claude_owner
from voice.core.interchange.foreign.coding_agents import Placed, claude_code_lines, codex_lines, gemini_cli_lines
from voice.core.interchange.foreign.conversation import UNLOOKED, SharedTitles, TitledConversation, called
from voice.core.interchange.foreign.gemini import OPENS, activity_lines, gemini_lines
from voice.core.interchange.foreign.messengers import telegram_lines
from voice.core.interchange.foreign.note_apps import evernote_line, keep_lines
from voice.core.interchange.memory_lines import BadLine, FileLine
from voice.ports.files import FileFormat

_PIECE: Final = 1024 * 1024
_MOST: Final = 128 * 1024 * 1024
_TOO_LONG: Final = "is longer than 128 MiB"
_NOT_JSON: Final = "is not valid JSON; export it again"
Understand = Callable[[Mapping[str, object], str], tuple[FileLine, ...]]
_TITLED: Final[Mapping[FileFormat, Callable[[Mapping[str, object], str, SharedTitles], tuple[FileLine, ...]]]] = {
    FileFormat.CHATGPT: chatgpt_lines,
    FileFormat.CLAUDE: claude_lines,
    FileFormat.MESSAGES: messages_lines,
}
"""Those whose conversations have titles, one an element."""
_KINDS: Final[Mapping[FileFormat, tuple[str, Understand]]] = {
    FileFormat.GEMINI: ("entry", gemini_lines),
    FileFormat.TELEGRAM: ("export", telegram_lines),
    FileFormat.KEEP: ("note", keep_lines),
    FileFormat.CLAUDE_CODE: ("entry", claude_code_lines),
}
_SESSIONS: Final[Mapping[FileFormat, Callable[[Iterable[Placed]], Iterator[FileLine]]]] = {
    FileFormat.CODEX: codex_lines,
    FileFormat.GEMINI_CLI: gemini_cli_lines,
}
"""Those whose later entries change what earlier ones say: one session a file."""


_OWNERS: Final[Mapping[FileFormat, tuple[str, Callable[[object], str | None]]]] = {
    FileFormat.CHATGPT: ("user.json", chatgpt_owner),
    FileFormat.CLAUDE: ("users.json", claude_owner),
}
"""The file of an export that says whose it is, and what it says."""


def read_titles(entries: Sequence[Entry], kind: FileFormat) -> SharedTitles:
    """Return the titles that several conversations of an export have; what cannot be read has none, and is told later.

    Args:
        entries: its files.
        kind: whose export it is.
    """
    return SharedTitles.among(_called_in(entries, kind)) if kind in _TITLED else UNLOOKED


def _called_in(entries: Sequence[Entry], kind: FileFormat) -> Iterator[TitledConversation]:
    for entry in entries:
        with suppress(*UNREADABLE), entry.open() as stream:
            values = (_decoded(each) for each in array_elements(stream) if not isinstance(each, str))
            yield from (called(kind.value, value) for value in values if value is not None)


def read_chats(stream: BinaryIO, kind: FileFormat, titles: SharedTitles = UNLOOKED) -> Iterator[FileLine]:
    """Yield the turns of an export of conversations, in order.

    Args:
        stream: the file's bytes.
        kind: whose export it is: ChatGPT's, Claude's or Takeout's.
        titles: those that several of its conversations have.

    Raises:
        OSError: the stream cannot be read.
    """
    if kind in _SESSIONS:
        yield from _read_session(stream, _SESSIONS[kind])
        return
    thing, understand = _understanding(kind, titles)
    for number, element in enumerate(array_elements(stream), start=1):
        where = f"{thing} {number}"
        if isinstance(element, str):
            yield BadLine(where=where, reason=element)
            continue
        value = _decoded(element)
        if value is None:
            yield BadLine(where=where, reason=_NOT_JSON)
        else:
            yield from understand(value, where)


def _read_session(stream: BinaryIO, understand: Callable[[Iterable[Placed]], Iterator[FileLine]]) -> Iterator[FileLine]:
    bad: list[FileLine] = []

    def entries() -> Iterator[Placed]:
        for number, element in enumerate(array_elements(stream), start=1):
            where = f"entry {number}"
            value = None if isinstance(element, str) else _decoded(element)
            if value is None:
                bad.append(BadLine(where=where, reason=element if isinstance(element, str) else _NOT_JSON))
            else:
                yield where, value

    yield from understand(entries())
    yield from bad


def _understanding(kind: FileFormat, titles: SharedTitles) -> tuple[str, Understand]:
    if kind not in _TITLED:
        return _KINDS[kind]
    return "conversation", lambda value, where: _TITLED[kind](value, where, titles)


def read_owner(entries: Sequence[Entry], kind: FileFormat) -> str | None:
    """Return the owner's name from a file beside the conversations; None if there is none."""
    if kind not in _OWNERS:
        return None
    name, understand = _OWNERS[kind]
    file = next((entry for entry in entries if entry.name.rpartition("/")[2] == name), None)
    if file is None or file.size > _PIECE:
        return None
    try:
        with file.open() as stream:
            return understand(json.loads(stream.read()))
    except (ValueError, RecursionError, *UNREADABLE):
        return None


def read_activity(stream: BinaryIO, zone: tzinfo) -> Iterator[FileLine]:
    """Yield the entries of Takeout's activities from HTML, in order.

    Raises:
        OSError: the stream cannot be read.
    """
    for number, source in enumerate(_between(stream, OPENS.encode(), OPENS.encode()), start=1):
        where = f"entry {number}"
        yield from (BadLine(where=where, reason=_TOO_LONG),) if source is None else activity_lines(source, where, zone)


def read_evernote(stream: BinaryIO) -> Iterator[FileLine]:
    """Yield the notes of an ENEX file, in order.

    Raises:
        OSError: the stream cannot be read.
    """
    for number, source in enumerate(_between(stream, b"<note>", b"</note>"), start=1):
        where = f"note {number}"
        yield BadLine(where=where, reason=_TOO_LONG) if source is None else evernote_line(source, where)


def _between(stream: BinaryIO, opens: bytes, closes: bytes) -> Iterator[str | None]:
    """Yield what stands between two marks each time, None for what is too long; what is open at the end ends there."""
    held, place, at = bytearray(), -1, 0
    is_long = False
    while piece := stream.read(_PIECE):
        held += piece
        while (found := held.find(opens if place < 0 else closes, at)) >= 0:
            if place < 0:
                place = at = found + len(opens)
                continue
            yield None if is_long else held[place:found].decode("utf-8", "replace")
            place, at, is_long = -1, found if opens == closes else found + len(closes), False
        at = max(at, len(held) - max(len(opens), len(closes)) + 1)
        is_long = is_long or (place >= 0 and len(held) - place > _MOST)
        done = at if place < 0 or is_long else place
        del held[:done]
        at, place = at - done, 0 if place >= 0 else -1
    if place >= 0:
        yield None if is_long else held.decode("utf-8", "replace")


def _decoded(source: bytes) -> dict[str, object] | None:
    try:
        value: object = json.loads(source.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, object]", value) if isinstance(value, dict) else None
