"""Hosts whose sessions are captured: the hook in their settings, and the outcomes of captures.

Law: of a host's settings only our entry changes, recognised by its command; everything else stays verbatim. Adding is
idempotent. Texts that cannot be parsed are refused, never repaired. Outcomes hold no words of a session.
Source: docs/capture.md; the hosts' documentation of their hooks.
"""

import json
import re
import shlex
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from json import JSONDecoder
from typing import Final, NamedTuple, cast

from voice.core.errors import ConfigurationError
from voice.core.messages import files as messages


class Host(StrEnum):
    """A program whose sessions can be captured; the value is also its transcripts' format."""

    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    GEMINI_CLI = "gemini-cli"

    @property
    def called(self) -> str:
        """Its display name, and the speaker of its model's messages."""
        return _TITLES[self]


_TITLES: Final[Mapping[Host, str]] = {
    Host.CLAUDE_CODE: "Claude Code",
    Host.CODEX: "Codex",
    Host.GEMINI_CLI: "Gemini CLI",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedSession:
    """An ended session that waits to be imported."""

    key: str
    """Its name in the spool."""
    host: Host
    session: str
    transcript: str | None
    """Path of its transcript; None if neither given nor found."""
    cwd: str
    ended_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureOutcome:
    """The outcome of capturing a session."""

    messages: int = 0
    """New messages stored."""
    left_out: Mapping[str, int] = field(default_factory=dict[str, int])
    unfound: int = 0
    """Messages that name a file or commit which was not found."""
    fault: str | None = None
    """Why it could not be imported yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureTotals:
    """A host's outcomes over all sessions; messages add up, the rest is the last capture's."""

    sessions: Mapping[str, CaptureOutcome] = field(default_factory=dict[str, CaptureOutcome])
    ignored: int = 0
    """Sessions left out by the ignore rules."""

    def with_session(self, session: str, outcome: CaptureOutcome) -> "CaptureTotals":
        """Return the totals with a new or grown session."""
        before = self.sessions.get(session, CaptureOutcome())
        grown = replace(outcome, messages=before.messages + outcome.messages)
        return replace(self, sessions={**self.sessions, session: grown})

    def with_ignored(self) -> "CaptureTotals":
        """Return the totals with one more ignored session."""
        return replace(self, ignored=self.ignored + 1)

    @property
    def messages(self) -> int:
        """Messages stored."""
        return sum(outcome.messages for outcome in self.sessions.values())

    @property
    def unfound(self) -> int:
        """Messages that name a file or commit which was not found."""
        return sum(outcome.unfound for outcome in self.sessions.values())

    @property
    def left_out(self) -> Mapping[str, int]:
        """Messages left out, by reason."""
        counts = Counter[str]()
        for outcome in self.sessions.values():
            counts.update(outcome.left_out)
        return dict(counts)


_BLANK: Final = re.compile(r"[ \t\r\n]*+")
_STEP: Final = "  "  # where a file shows no indentation


class Child(NamedTuple):  # by offsets: the text is edited, not written anew
    """A member of an object, or an element of a list, by offsets in the text."""

    name: str | None
    start: int
    """A member's starts at its name."""
    value: int
    end: int


def children(text: str, opens: int) -> tuple[Child, ...]:
    """Return the children of the object or list whose bracket is at `opens`; `text` is valid JSON."""
    decoder, is_object = JSONDecoder(), text[opens] == "{"
    found: list[Child] = []
    place = _skip_blank(text, opens + 1)
    while text[place] not in "}]":  # valid JSON always closes
        start = value = place
        name = None
        if is_object:
            name, end = decoder.raw_decode(text, start)
            value = _skip_blank(text, _skip_blank(text, end) + 1)  # behind the colon
        _, end = decoder.raw_decode(text, value)
        found.append(Child(name, start, value, end))
        place = _skip_blank(text, end)
        place = _skip_blank(text, place + 1) if text[place] == "," else place  # none behind the last child
    return tuple(found)


def child_named(text: str, opens: int, name: str) -> Child | None:
    """Return the member of an object with a name; of duplicates the last, as in JSON parsers."""
    return next((each for each in reversed(children(text, opens)) if each.name == name), None)


def appended(text: str, opens: int, value: object, name: str | None = None) -> str:
    """Append a value to an object, under `name`, or to a list, in the text's layout."""
    held = children(text, opens)
    indented = re.search(r"\n([ \t]+)", text)  # the file's own step, if it has one
    step, newline = (indented[1] if indented else _STEP), ("\r\n" if "\r\n" in text else "\n")
    if held:
        gap = text[opens + 1 : held[0].start]
        line = newline + gap.rpartition("\n")[2]
        child = _rendered(value, name, step=step if "\n" in gap else None, line=line)  # on one line like its siblings
        return f"{text[: held[-1].end]},{gap or ' '}{child}{text[held[-1].end :]}"  # as before the first child
    before = text[text.rfind("\n", 0, opens) + 1 : opens]
    outer = newline + before[: len(before) - len(before.lstrip(" \t"))]
    child = _rendered(value, name, step=step, line=outer + step)
    return f"{text[: opens + 1]}{outer}{step}{child}{outer}{text[_skip_blank(text, opens + 1) :]}"


def without(text: str, opens: int, child: Child) -> str:
    """Remove a child of an object or list."""
    held = children(text, opens)
    place = held.index(child)
    if len(held) == 1:
        return text[: opens + 1] + text[_skip_blank(text, child.end) :]  # empty, without blanks
    if place == len(held) - 1:
        return text[: held[place - 1].end] + text[child.end :]
    return text[: child.start] + text[held[place + 1].start :]


def _rendered(value: object, name: str | None, *, step: str | None, line: str) -> str:
    key = "" if name is None else f"{json.dumps(name, ensure_ascii=False)}: "
    return key + json.dumps(value, ensure_ascii=False, indent=step).replace("\n", line)  # its lines start at column 0


def _skip_blank(text: str, place: int) -> int:
    found = _BLANK.match(text, place)
    return found.end() if found else place


EVENT: Final = "SessionEnd"
_HOOKS: Final = "hooks"
# In milliseconds for Gemini CLI, else in seconds; Codex allows at most 3.
_TIMEOUT: Final[Mapping[Host, int]] = {Host.CLAUDE_CODE: 5, Host.CODEX: 3, Host.GEMINI_CLI: 5000}
_LONGEST: Final = 10_000  # characters of a command: longer than any of ours with the longest path


def is_ours(command: object, host: Host) -> bool:
    """Return whether a command is our hook for a host."""
    try:
        words = shlex.split(command) if isinstance(command, str) and len(command) <= _LONGEST else []
    except ValueError:
        return False
    return words[-3:] == [_HOOKS[:-1], "run", host.value] and any("voice" in word for word in words[:-3])


def with_hook(text: str, host: Host, command: str) -> str:
    """Return a host's JSON settings with our entry.

    Args:
        text: current settings; blank without a file.
        command: for the host to run.

    Raises:
        ConfigurationError: not a JSON object, or hooks of unknown form.
    """
    text = text if text.strip() else "{}\n"  # a missing file is an empty object
    if commands_in(text, host) == [command]:
        return text
    text = without_hook(text, host)  # without an older command of ours
    group = {_HOOKS: [{"type": "command", "command": command, "timeout": _TIMEOUT[host]}]}
    root = text.index("{")
    hooks = child_named(text, root, _HOOKS)
    if hooks is None:
        return appended(text, root, {EVENT: [group]}, _HOOKS)
    event = child_named(text, hooks.value, EVENT)
    if event is None:
        return appended(text, hooks.value, [group], EVENT)
    return appended(text, event.value, group)


def without_hook(text: str, host: Host) -> str:
    """Return a host's JSON settings without our entry and what that leaves empty; raises as `with_hook` does."""
    commands_in(text, host)  # raises before anything is cut
    while found := next(_entries(text, host), None):
        # The innermost list or object with other children; the outermost otherwise.
        opens, child = next((each for each in found if len(children(text, each[0])) > 1), found[-1])
        text = without(text, opens, child)
    return text


def commands_in(text: str, host: Host) -> list[str]:
    """Return our commands in a host's JSON settings. Raises ConfigurationError: see `with_hook`."""
    try:
        settings = _object(json.loads(text))
    except (ValueError, RecursionError) as fault:
        where = f" (line {fault.lineno})" if isinstance(fault, json.JSONDecodeError) else ""
        raise ConfigurationError(messages.not_plain_json(where)) from None
    return _commands(_object(settings.get(_HOOKS, {})), host)


def _commands(hooks: Mapping[str, object], host: Host) -> list[str]:
    groups = (_list(_object(group).get(_HOOKS, [])) for group in _list(hooks.get(EVENT, [])))
    commands = (_object(hook).get("command") for group in groups for hook in group)
    return [command for command in commands if isinstance(command, str) and is_ours(command, host)]


def _entries(text: str, host: Host) -> Iterator[tuple[tuple[int, Child], ...]]:
    """Yield our entries: the hook and what contains it, innermost first, each with the offset of its container."""
    root = text.index("{")
    hooks = child_named(text, root, _HOOKS)
    event = child_named(text, hooks.value, EVENT) if hooks else None
    if hooks is None or event is None:
        return
    for group in children(text, event.value):
        listed = child_named(text, group.value, _HOOKS)
        for hook in children(text, listed.value) if listed else ():
            command = child_named(text, hook.value, "command")
            if listed and command and is_ours(json.loads(text[command.value : command.end]), host):
                yield (listed.value, hook), (event.value, group), (hooks.value, event), (root, hooks)


def _object(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise ConfigurationError(messages.HOOKS_UNKNOWN)
    return cast("Mapping[str, object]", value)


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise ConfigurationError(messages.HOOKS_UNKNOWN)
    return cast("list[object]", value)


def has_toml_hooks(text: str) -> bool:
    """Return whether Codex's config.toml has hooks, and not hooks.json. Raises ConfigurationError: not TOML."""
    return bool(_toml_hooks(text))


def toml_with_hook(text: str, command: str) -> str:
    """Return Codex's config.toml with our entry at its end.

    Raises:
        ConfigurationError: not TOML, or its hooks cannot be extended at the end.
    """
    if toml_commands(text) == [command]:
        return text
    text = toml_without_hook(text)
    extended = f"{text}{'' if text.endswith(chr(10)) or not text else chr(10)}{_toml_block(command)}"
    try:
        toml_commands(extended)  # an inline `hooks = …` cannot be extended
    except ConfigurationError:
        raise ConfigurationError(messages.HOOKS_CLOSED) from None
    return extended


def toml_without_hook(text: str) -> str:
    """Return Codex's config.toml without our entry. Raises ConfigurationError: not TOML, or our entry was edited."""
    for command in toml_commands(text):
        text = text.replace(_toml_block(command), "", 1)  # as written: an edited one stays and is refused
    if toml_commands(text):
        raise ConfigurationError(messages.HOOK_REWRITTEN)
    return text


def toml_commands(text: str) -> list[str]:
    """Return our commands in Codex's config.toml. Raises ConfigurationError: not TOML."""
    return _commands(_toml_hooks(text), Host.CODEX)


def _toml_hooks(text: str) -> Mapping[str, object]:
    try:
        return _object(tomllib.loads(text).get(_HOOKS, {}))
    except tomllib.TOMLDecodeError:
        raise ConfigurationError(messages.NOT_TOML) from None


def _toml_block(command: str) -> str:
    quoted = json.dumps(command, ensure_ascii=False)  # JSON's strings are TOML's basic strings
    head = f"\n[[hooks.{EVENT}]]\n\n[[hooks.{EVENT}.hooks]]\n"
    return f'{head}type = "command"\ncommand = {quoted}\ntimeout = {_TIMEOUT[Host.CODEX]}\n'
