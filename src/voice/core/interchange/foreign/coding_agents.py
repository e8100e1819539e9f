"""Read session transcripts of Claude Code, Codex and Gemini CLI.

Law: a rollout says what was said twice, as events and as items of the model's input; one kind is read, the events where
there are any, because these hold what the person typed and nothing that the program put before it. Tools, reasoning and
what the program told the model are left out and counted; turns that were rolled back, too. Of a task that another agent
gave, nothing is the person's, and nothing comes in.

A line of a transcript of Claude Code (`~/.claude/projects/…/*.jsonl`) → lines. What the person typed and what the
assistant said in words come in; commands, their output, tools, side tasks and what the program put in by itself, also
beside words that were typed, are left out and counted. A session that was taken up again repeats what was said, under
the same ids.

A session of Gemini CLI (`~/.gemini/tmp/…/chats/session-*.jsonl`, or `.json` of older versions) → lines. A message that
grew is written again under its id, and the last one stands, in the place of the first. What a rewind took back is left
out and counted; so are tools, notices and tasks that another agent gave. What the person typed comes in as they saw it,
without the files that the program put in.

Source: docs/import.md.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from voice.core.interchange.foreign.chatgpt import MACHINERY
from voice.core.interchange.foreign.conversation import ConversationTurn, turn_line
from voice.core.interchange.json_fields import as_instant, as_list, as_map, as_text, stored_text
from voice.core.interchange.memory_lines import FileLine, Omission
from voice.core.messages import files as messages

TAKEN_BACK: Final = messages.TAKEN_BACK
_SAID: Final[Mapping[str, bool]] = {"user_message": False, "agent_message": True}
"""Events that say what was said, and whether the model said it."""
_ROLES: Final[Mapping[str, bool]] = {"user": False, "assistant": True}
_CODEX_TEXTS: Final = ("<", "# AGENTS.md")
"""How begins what the program puts into the person's mouth: instructions and the environment, in tags."""

Placed = tuple[str, Mapping[str, object]]
"""An entry of a session's file, behind its place."""


class _Said(NamedTuple):
    where: str
    text: str
    stamp: object
    by_assistant: bool


@dataclass(slots=True)
class _CodexSession:
    """What of a rollout is kept while it is read: the words alone."""

    name: str = ""
    is_side_task: bool = False
    events: list[_Said] = field(default_factory=list[_Said])
    items: list[_Said] = field(default_factory=list[_Said])
    left_out: list[Omission] = field(default_factory=list[Omission])

    def add(self, where: str, entry: Mapping[str, object]) -> None:
        kind, payload = entry.get("type"), as_map(entry.get("payload"))
        if kind == "session_meta" and not self.name:
            self.name = as_text(payload.get("id"))
            self.is_side_task = isinstance(payload.get("source"), dict)
        elif kind == "event_msg":
            self._add_event(where, payload, entry.get("timestamp"))
        elif kind == "response_item":
            self._add_item(where, payload, entry.get("timestamp"))

    def _add_event(self, where: str, payload: Mapping[str, object], stamp: object) -> None:
        kind = as_text(payload.get("type"))
        if kind == "thread_rolled_back":
            self._roll_back(payload.get("num_turns"))
        if kind not in _SAID:
            return
        text = as_text(payload.get("message"))
        if text.strip() and payload.get("kind") in (None, "plain"):
            self.events.append(_Said(where, text, stamp, _SAID[kind]))
        else:
            self.left_out.append(Omission(where=where, reason=MACHINERY))

    def _add_item(self, where: str, payload: Mapping[str, object], stamp: object) -> None:
        role = as_text(payload.get("role"))
        texts = [as_text(as_map(part).get("text")) for part in as_list(payload.get("content"))]
        text = stored_text("\n\n".join(each for each in texts if each.strip()))
        is_typed = role == "assistant" or not text.startswith(_CODEX_TEXTS)
        if payload.get("type") == "message" and role in _ROLES and text and is_typed:
            self.items.append(_Said(where, text, stamp, _ROLES[role]))
        else:
            self.left_out.append(Omission(where=where, reason=MACHINERY))

    def _roll_back(self, turns: object) -> None:
        """Take the last turns back, of both kinds: what the person typed, with all that followed."""
        count = turns if isinstance(turns, int) else 0
        gone = _taken_back(self.events, count)
        self.left_out += [Omission(where=each.where, reason=TAKEN_BACK) for each in gone]
        _taken_back(self.items, count)

    def lines(self) -> Iterator[FileLine]:
        said = self.events or self.items
        if self.is_side_task:
            yield from (Omission(where=each.where, reason=MACHINERY) for each in said)
        else:
            yield from (self._line(each) for each in said)
        yield from self.left_out

    def _line(self, said: _Said) -> FileLine:
        turn = ConversationTurn(
            ref=f"codex/{self.name}/{as_text(said.stamp) or said.where}",
            thread=f"codex/{self.name}",
            text=said.text,
            at=as_instant(said.stamp),
            by_assistant=said.by_assistant,
        )
        return turn_line(turn, said.where)


def codex_lines(entries: Iterable[Placed]) -> Iterator[FileLine]:
    """Yield what was said in a rollout, in order, and then what is left out of it."""
    session = _CodexSession()
    for where, entry in entries:
        session.add(where, entry)
    yield from session.lines()


def _taken_back(said: list[_Said], turns: int) -> list[_Said]:
    """Cut the last turns off, each from what the person typed on, and return what they hold."""
    gone: list[_Said] = []
    while said and turns > 0:
        gone.append(said.pop())
        turns -= not gone[-1].by_assistant
    return gone


_MADE_BY_PROGRAM: Final = ("isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage")
_MARKED: Final = ("<command-", "<local-command-", "<bash-", "<task-notification>", "[Request interrupted", "Caveat:")
_BESIDE: Final = re.compile(r"<(system-reminder|ide_\w{1,40})>(?:(?!</\1>).)*+(?:</\1>|\Z)\s*+", re.DOTALL)
"""What the program tells the model beside what was typed: a file that is open, a reminder."""


def claude_code_lines(entry: Mapping[str, object], where: str) -> tuple[FileLine, ...]:
    """Return what was said in a line of a transcript."""
    kind = as_text(entry.get("type"))
    text = _words(as_map(entry.get("message")).get("content"))
    is_made = any(entry.get(name) is True for name in _MADE_BY_PROGRAM)
    if kind not in {"user", "assistant"} or is_made or not text:
        return (Omission(where=where, reason=MACHINERY),)
    thread = f"claude-code/{as_text(entry.get('sessionId'))}"
    turn = ConversationTurn(
        ref=f"claude-code/{as_text(entry.get('uuid'))}",
        thread=thread,
        text=text,
        at=as_instant(entry.get("timestamp")),
        by_assistant=kind == "assistant",
    )
    return (turn_line(turn, where),)


def _words(content: object) -> str:
    blocks = [as_map(block) for block in as_list(content)]
    told = [as_text(block.get("text")) for block in blocks if block.get("type") == "text"] or [as_text(content)]
    texts = [_BESIDE.sub("", text) for text in told]
    return stored_text("\n\n".join(text for text in texts if text.strip() and not text.startswith(_MARKED)))


_SIDES: Final[Mapping[str, bool]] = {"user": False, "gemini": True}
"""Who speaks, and whether it is the model."""
_GEMINI_TEXTS: Final = "<session_context>"
"""How begins what the program puts into the person's mouth before they type: the day, the machine, the directory."""


@dataclass(slots=True)
class _GeminiSession:
    """The messages of a session by id, as they stand."""

    name: str = ""
    is_side_task: bool = False
    messages: dict[str, Placed] = field(default_factory=dict[str, Placed])
    left_out: list[Omission] = field(default_factory=list[Omission])

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
            self.left_out.append(Omission(where=where, reason=TAKEN_BACK))

    def lines(self) -> Iterator[FileLine]:
        for key, (where, message) in self.messages.items():
            kind, text = as_text(message.get("type")), _gemini_words(message)
            is_told = kind == "user" and text.startswith(_GEMINI_TEXTS)
            if kind not in _SIDES or not text or is_told or self.is_side_task:
                yield Omission(where=where, reason=MACHINERY)
                continue
            turn = ConversationTurn(
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
    session = _GeminiSession()
    for where, entry in entries:
        session.add(where, entry)
    yield from session.lines()


def _gemini_words(message: Mapping[str, object]) -> str:
    """Return what a message says: what was shown of it, where that differs; a model's thoughts are not said."""
    content = message.get("displayContent") or message.get("content")
    told = [_of_part(part) for part in as_list(content) or [content]]
    return stored_text("".join(told))


def _of_part(part: object) -> str:
    if isinstance(part, str):
        return part
    return "" if as_map(part).get("thought") else as_text(as_map(part).get("text"))
