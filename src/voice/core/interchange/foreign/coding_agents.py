"""Read session transcripts of Claude Code, Codex and Gemini CLI.

Law: only typed words and the assistant's text count; tools, reasoning, injected context and turns taken back are left
out and counted; side tasks given by an agent entirely. Codex rollouts say everything twice: events are preferred, since
they lack injected text. Resumed Claude Code sessions repeat ids. Gemini messages are rewritten under one id; the last
counts.
Source: docs/import.md.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from voice.core.interchange.foreign.conversation import ConversationTurn, turn_line
from voice.core.interchange.json_fields import as_instant, as_list, as_map, as_text, stored_text
from voice.core.interchange.memory_lines import FileLine, Omission
from voice.core.messages import files as messages

_EVENTS: Final[Mapping[str, bool]] = {"user_message": False, "agent_message": True}  # whether the model speaks
_ROLES: Final[Mapping[str, bool]] = {"user": False, "assistant": True}
_CODEX_TEXTS: Final = ("<", "# AGENTS.md")  # how injected user text starts: environment and instructions

Placed = tuple[str, Mapping[str, object]]
"""(place, entry) of a session's file."""


class _Message(NamedTuple):
    where: str
    text: str
    stamp: object
    by_assistant: bool


@dataclass(slots=True)
class _CodexSession:
    """The text of a rollout while it is read."""

    name: str = ""
    is_side_task: bool = False
    events: list[_Message] = field(default_factory=list[_Message])
    items: list[_Message] = field(default_factory=list[_Message])
    left_out: list[Omission] = field(default_factory=list[Omission])

    def add(self, where: str, entry: Mapping[str, object]) -> None:
        kind, payload = entry.get("type"), as_map(entry.get("payload"))
        if kind == "session_meta" and not self.name:
            self.name = as_text(payload.get("id"))
            self.is_side_task = isinstance(payload.get("source"), dict)  # a side task names the kind of its parent
        elif kind == "event_msg":
            self._add_event(where, payload, entry.get("timestamp"))
        elif kind == "response_item":
            self._add_item(where, payload, entry.get("timestamp"))

    def _add_event(self, where: str, payload: Mapping[str, object], stamp: object) -> None:
        kind = as_text(payload.get("type"))
        if kind == "thread_rolled_back":
            self._roll_back(payload.get("num_turns"))
        if kind not in _EVENTS:  # counts of tokens and the like are no messages
            return
        text = as_text(payload.get("message"))
        if text.strip() and payload.get("kind") in (None, "plain"):  # `kind` marks injected text
            self.events.append(_Message(where, text, stamp, _EVENTS[kind]))
        else:
            self.left_out.append(Omission(where=where, reason=messages.TOOL_MESSAGES))

    def _add_item(self, where: str, payload: Mapping[str, object], stamp: object) -> None:
        role = as_text(payload.get("role"))
        texts = [as_text(as_map(part).get("text")) for part in as_list(payload.get("content"))]
        text = stored_text("\n\n".join(each for each in texts if each.strip()))
        is_typed = role == "assistant" or not text.startswith(_CODEX_TEXTS)
        if payload.get("type") == "message" and role in _ROLES and text and is_typed:
            self.items.append(_Message(where, text, stamp, _ROLES[role]))
        else:
            self.left_out.append(Omission(where=where, reason=messages.TOOL_MESSAGES))

    def _roll_back(self, turns: object) -> None:
        """Remove the last turns of both kinds, each from the typed text on."""
        count = turns if isinstance(turns, int) else 0
        gone = _taken_back(self.events, count)
        self.left_out += [Omission(where=each.where, reason=messages.TAKEN_BACK) for each in gone]
        _taken_back(self.items, count)  # the same turns once more: counted already

    def lines(self) -> Iterator[FileLine]:
        said = self.events or self.items  # events, where there are any: they lack injected text
        if self.is_side_task:
            yield from (Omission(where=each.where, reason=messages.TOOL_MESSAGES) for each in said)
        else:
            yield from (self._line(each) for each in said)
        yield from self.left_out

    def _line(self, said: _Message) -> FileLine:
        turn = ConversationTurn(
            ref=f"codex/{self.name}/{as_text(said.stamp) or said.where}",  # a rollout gives messages no ids
            thread=f"codex/{self.name}",
            text=said.text,
            at=as_instant(said.stamp),
            by_assistant=said.by_assistant,
        )
        return turn_line(turn, said.where)


def codex_lines(entries: Iterable[Placed]) -> Iterator[FileLine]:
    """Yield the messages of a rollout in order, then the omissions."""
    session = _CodexSession()
    for where, entry in entries:
        session.add(where, entry)
    yield from session.lines()


def _taken_back(said: list[_Message], turns: int) -> list[_Message]:
    """Pop the last turns, each from its typed text on, and return them."""
    gone: list[_Message] = []
    while said and turns > 0:
        gone.append(said.pop())
        turns -= not gone[-1].by_assistant  # a turn starts with typed text
    return gone


_MADE_BY_PROGRAM: Final = ("isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage")  # of text nobody typed
_MARKED: Final = ("<command-", "<local-command-", "<bash-", "<task-notification>", "[Request interrupted", "Caveat:")
# Context that the program adds to typed text, such as the open file; what is not closed reaches to the end.
_BESIDE: Final = re.compile(r"<(system-reminder|ide_\w{1,40})>(?:(?!</\1>).)*+(?:</\1>|\Z)\s*+", re.DOTALL)


def claude_code_lines(entry: Mapping[str, object], where: str) -> tuple[FileLine, ...]:
    """Return the message in a transcript line."""
    kind = as_text(entry.get("type"))
    text = _words(as_map(entry.get("message")).get("content"))
    is_made = any(entry.get(name) is True for name in _MADE_BY_PROGRAM)
    if kind not in {"user", "assistant"} or is_made or not text:
        return (Omission(where=where, reason=messages.TOOL_MESSAGES),)
    turn = ConversationTurn(
        ref=f"claude-code/{as_text(entry.get('uuid'))}",
        thread=f"claude-code/{as_text(entry.get('sessionId'))}",
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


_SIDES: Final[Mapping[str, bool]] = {"user": False, "gemini": True}  # a speaker, and whether it is the model
_GEMINI_TEXTS: Final = "<session_context>"  # how context injected before the first message starts


@dataclass(slots=True)
class _GeminiSession:
    """A session's messages by id, in their last version."""

    name: str = ""
    is_side_task: bool = False
    messages: dict[str, Placed] = field(default_factory=dict[str, Placed])
    left_out: list[Omission] = field(default_factory=list[Omission])

    def add(self, where: str, entry: Mapping[str, object]) -> None:
        if isinstance(entry.get("$rewindTo"), str):
            self._rewind(as_text(entry["$rewindTo"]))
            return
        told = as_map(entry.get("$set")) or entry  # "$set" rewrites the head, in which messages may stand
        if told is entry and isinstance(entry.get("id"), str):
            self._put(where, entry)
            return
        self.name = self.name or as_text(told.get("sessionId"))
        self.is_side_task = self.is_side_task or told.get("kind") not in (None, "main")  # "main", or a side task's kind
        for number, message in enumerate(as_list(told.get("messages")), start=1):
            self._put(f"message {number}", as_map(message))

    def _put(self, where: str, message: Mapping[str, object]) -> None:
        key = as_text(message.get("id")) or where
        held = self.messages.get(key)
        self.messages[key] = (where if held is None else held[0], message)  # the first version's place

    def _rewind(self, to: str) -> None:
        """Remove a message and all later ones; an unknown id removes all."""
        key = None
        while self.messages and key != to:  # `popitem` takes the newest
            key, (where, _) = self.messages.popitem()
            self.left_out.append(Omission(where=where, reason=messages.TAKEN_BACK))

    def lines(self) -> Iterator[FileLine]:
        for key, (where, message) in self.messages.items():
            kind, text = as_text(message.get("type")), _gemini_words(message)
            is_told = kind == "user" and text.startswith(_GEMINI_TEXTS)
            if kind not in _SIDES or not text or is_told or self.is_side_task:
                yield Omission(where=where, reason=messages.TOOL_MESSAGES)
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
    """Yield the messages of a session in order, then the omissions."""
    session = _GeminiSession()
    for where, entry in entries:
        session.add(where, entry)
    yield from session.lines()


def _gemini_words(message: Mapping[str, object]) -> str:
    """Return a message's displayed text, without thoughts."""
    content = message.get("displayContent") or message.get("content")
    pieces = [
        part if isinstance(part, str) else "" if as_map(part).get("thought") else as_text(as_map(part).get("text"))
        for part in as_list(content) or [content]  # a plain text, or parts
    ]
    return stored_text("".join(pieces))
