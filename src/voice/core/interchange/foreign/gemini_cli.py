"""A session of Gemini CLI (`~/.gemini/tmp/…/chats/session-*.jsonl`, or `.json` of older versions) → lines.

Law: a message that grew is written again under its id, and the last one stands, in the place of the first. What a
rewind took back is left out and counted; so are tools, notices and tasks that another agent gave. What the person typed
comes in as they saw it, without the files that the program put in.

Source: docs/import.md.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from voice.core.interchange.foreign.chatgpt import MACHINERY
from voice.core.interchange.foreign.codex import TAKEN_BACK, Placed
from voice.core.interchange.foreign.loose import as_instant, as_list, as_map, as_text, stored_text
from voice.core.interchange.foreign.talk import Turn, turn_line
from voice.core.interchange.lines import FileLine, LeftOut

_SIDES: Final[Mapping[str, bool]] = {"user": False, "gemini": True}
"""Who speaks, and whether it is the model."""
_TOLD_BY_PROGRAM: Final = "<session_context>"
"""How begins what the program puts into the person's mouth before they type: the day, the machine, the directory."""


@dataclass(slots=True)
class _Session:
    """The messages of a session by id, as they stand."""

    name: str = ""
    is_side_task: bool = False
    messages: dict[str, Placed] = field(default_factory=dict[str, Placed])
    left_out: list[LeftOut] = field(default_factory=list[LeftOut])

    def add(self, where: str, entry: Mapping[str, object]) -> None:
        if isinstance(entry.get("$rewindTo"), str):
            self._rewind(as_text(entry["$rewindTo"]))
            return
        told = as_map(entry.get("$set")) or entry
        if told is entry and isinstance(entry.get("id"), str):
            self._put(where, entry)
            return
        self.name = self.name or as_text(told.get("sessionId"))
        self.is_side_task = self.is_side_task or told.get("kind") not in (None, "main")
        for number, message in enumerate(as_list(told.get("messages")), start=1):
            self._put(f"message {number}", as_map(message))

    def _put(self, where: str, message: Mapping[str, object]) -> None:
        key = as_text(message.get("id")) or where
        held = self.messages.get(key)
        self.messages[key] = (where if held is None else held[0], message)

    def _rewind(self, to: str) -> None:
        """Take back a message with all that came after it; an unknown one takes back all."""
        key = None
        while self.messages and key != to:
            key, (where, _) = self.messages.popitem()
            self.left_out.append(LeftOut(where=where, reason=TAKEN_BACK))

    def lines(self) -> Iterator[FileLine]:
        for key, (where, message) in self.messages.items():
            kind, text = as_text(message.get("type")), _words(message)
            is_told = kind == "user" and text.startswith(_TOLD_BY_PROGRAM)
            if kind not in _SIDES or not text or is_told or self.is_side_task:
                yield LeftOut(where=where, reason=MACHINERY)
                continue
            turn = Turn(
                ref=f"gemini-cli/{self.name}/{key}",
                thread=f"gemini-cli/{self.name}",
                text=text,
                at=as_instant(message.get("timestamp")),
                by_assistant=_SIDES[kind],
            )
            yield turn_line(turn, where)
        yield from self.left_out


def gemini_cli_lines(entries: Iterable[Placed]) -> Iterator[FileLine]:
    """Yield what was said in a session, in order, and then what was taken back in it."""
    session = _Session()
    for where, entry in entries:
        session.add(where, entry)
    yield from session.lines()


def _words(message: Mapping[str, object]) -> str:
    """Return what a message says: what was shown of it, where that differs; a model's thoughts are not said."""
    content = message.get("displayContent") or message.get("content")
    told = [_of_part(part) for part in as_list(content) or [content]]
    return stored_text("".join(told))


def _of_part(part: object) -> str:
    if isinstance(part, str):
        return part
    return "" if as_map(part).get("thought") else as_text(as_map(part).get("text"))
