"""Put the capture hook into a host's settings, and take it out.

Law: only what is ours is put in, changed or taken out, and it is known again by its command; everything else stays to
the letter. Putting it in twice changes nothing. A text that cannot be understood is refused, never repaired.

Source: docs/capture.md; the hosts' documentation of their hooks.
"""

import json
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from json import JSONDecoder
from typing import Final, NamedTuple, cast

from voice.core.capture.values import Host
from voice.core.errors import ConfigurationError
from voice.core.messages import files as messages

_BLANK: Final = re.compile(r"[ \t\r\n]*+")
_STEP: Final = "  "


class Child(NamedTuple):
    """A member of an object, or an element of a list."""

    name: str | None
    start: int
    """Where it begins: a member at its name."""
    value: int
    end: int


def children(text: str, opens: int) -> tuple[Child, ...]:
    """Return what an object or a list holds.

    Args:
        text: valid JSON.
        opens: where its opening bracket stands.
    """
    return tuple(_children(text, opens))


def _children(text: str, opens: int) -> Iterator[Child]:
    decoder, is_object = JSONDecoder(), text[opens] == "{"
    place = _past_blank(text, opens + 1)
    while text[place] not in "}]":
        start = value = place
        name = None
        if is_object:
            name, end = decoder.raw_decode(text, start)
            value = _past_blank(text, _past_blank(text, end) + 1)
        _, end = decoder.raw_decode(text, value)
        yield Child(name, start, value, end)
        place = _past_blank(text, end)
        place = _past_blank(text, place + 1) if text[place] == "," else place


def child_named(text: str, opens: int, name: str) -> Child | None:
    """Return the member of an object that counts under a name."""
    return next((each for each in reversed(children(text, opens)) if each.name == name), None)


def appended(text: str, opens: int, value: object, name: str | None = None) -> str:
    """Return the text with a value more at the end of an object, under a name, or of a list."""
    held = children(text, opens)
    step, line = _layout(text)
    if held:
        gap = text[opens + 1 : held[0].start]
        made = _rendered(value, name, step=step if "\n" in gap else None, line=line + gap.rpartition("\n")[2])
        return f"{text[: held[-1].end]},{gap or ' '}{made}{text[held[-1].end :]}"
    closes = _past_blank(text, opens + 1)
    around = _indent_at(text, opens)
    made = _rendered(value, name, step=step, line=line + around + step)
    return f"{text[: opens + 1]}{line}{around}{step}{made}{line}{around}{text[closes:]}"


def without(text: str, opens: int, child: Child) -> str:
    """Return the text without one of several children of an object or a list, or with an empty one for the only one."""
    held = children(text, opens)
    place = held.index(child)
    if len(held) == 1:
        return text[: opens + 1] + text[_past_blank(text, child.end) :]
    if place == len(held) - 1:
        return text[: held[place - 1].end] + text[child.end :]
    return text[: child.start] + text[held[place + 1].start :]


def _rendered(value: object, name: str | None, *, step: str | None, line: str) -> str:
    made = json.dumps(value, ensure_ascii=False, indent=step)
    begins = "" if name is None else f"{json.dumps(name, ensure_ascii=False)}: "
    return begins + made.replace("\n", line)


def _layout(text: str) -> tuple[str, str]:
    """Return how a text indents and ends its lines."""
    found = re.search(r"\n([ \t]+)", text)
    return (found[1] if found else _STEP), ("\r\n" if "\r\n" in text else "\n")


def _indent_at(text: str, place: int) -> str:
    start = text.rfind("\n", 0, place) + 1
    blank = re.match(r"[ \t]*+", text[start:place])
    return blank[0] if blank else ""


def _past_blank(text: str, place: int) -> int:
    found = _BLANK.match(text, place)
    return found.end() if found else place


EVENT: Final = "SessionEnd"
_HOOKS: Final = "hooks"
_TIMEOUT: Final[Mapping[Host, int]] = {Host.CLAUDE_CODE: 5, Host.CODEX: 3, Host.GEMINI_CLI: 5000}
"""As each host counts: Gemini CLI in milliseconds, the others in seconds; Codex takes no more than 3."""


class _Place(NamedTuple):
    """Where our hook stands: under which members, in which group of the event and in which list of it."""

    hooks: Child
    event: Child
    group: Child
    list: Child
    hook: Child


_LONGEST: Final = 10_000
"""Characters of a command: longer than any that we write, with the longest path a system knows."""


def is_ours(command: object, host: Host) -> bool:
    """Return whether a command hands sessions of a host over to us."""
    try:
        words = shlex.split(command) if isinstance(command, str) and len(command) <= _LONGEST else []
    except ValueError:
        return False
    return words[-3:] == [_HOOKS[:-1], "run", host.value] and any("voice" in word for word in words[:-3])


def with_hook(text: str, host: Host, command: str) -> str:
    """Return a host's JSON settings with our entry in them.

    Args:
        text: what stands there; blank where there is no file.
        command: what the host is to run.

    Raises:
        ConfigurationError: the text is not a JSON object, or its hooks have another form than the host's.
    """
    text = text if text.strip() else "{}\n"
    if commands_in(text, host) == [command]:
        return text
    text = without_hook(text, host)
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
    """Return a host's JSON settings without our entry, and without what is empty for that.

    Raises:
        ConfigurationError: as `with_hook` raises it.
    """
    commands_in(text, host)
    while (found := next(_places(text, host), None)) is not None:
        text = _without(text, found)
    return text


def _without(text: str, found: _Place) -> str:
    root = text.index("{")
    around = ((found.list.value, found.hook), (found.event.value, found.group), (found.hooks.value, found.event))
    for opens, child in around:
        if len(children(text, opens)) > 1:
            return without(text, opens, child)
    return without(text, root, found.hooks)


def commands_in(text: str, host: Host) -> list[str]:
    """Return our commands in a host's JSON settings.

    Raises:
        ConfigurationError: as `with_hook` raises it.
    """
    hooks = _object(_parsed(text).get(_HOOKS, {}))
    every = (_object(hook).get("command") for group in _list(hooks.get(EVENT, [])) for hook in _of_group(group))
    return [command for command in every if isinstance(command, str) and is_ours(command, host)]


def _places(text: str, host: Host) -> Iterator[_Place]:
    hooks = child_named(text, text.index("{"), _HOOKS)
    event = child_named(text, hooks.value, EVENT) if hooks else None
    if hooks is None or event is None:
        return
    for group in children(text, event.value):
        held = child_named(text, group.value, _HOOKS)
        for hook in children(text, held.value) if held else ():
            command = child_named(text, hook.value, "command")
            if held and command and is_ours(json.loads(text[command.value : command.end]), host):
                yield _Place(hooks, event, group, held, hook)


def _parsed(text: str) -> Mapping[str, object]:
    try:
        return _object(json.loads(text))
    except (ValueError, RecursionError) as fault:
        where = f" (line {fault.lineno})" if isinstance(fault, json.JSONDecodeError) else ""
        raise ConfigurationError(messages.not_plain_json(where)) from None


def _of_group(group: object) -> list[object]:
    return _list(_object(group).get(_HOOKS, []))


def _object(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise ConfigurationError(messages.HOOKS_UNKNOWN)
    return cast("Mapping[str, object]", value)


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise ConfigurationError(messages.HOOKS_UNKNOWN)
    return cast("list[object]", value)


def has_toml_hooks(text: str) -> bool:
    """Return whether Codex's config.toml says hooks itself, so that they belong there and not in hooks.json.

    Raises:
        ConfigurationError: it is not TOML.
    """
    return bool(_toml_hooks(text))


def toml_with_hook(text: str, command: str) -> str:
    """Return Codex's config.toml with our entry at its end.

    Raises:
        ConfigurationError: it is not TOML, or its hooks are written in a way that takes no more at the end.
    """
    if toml_commands(text) == [command]:
        return text
    text = toml_without_hook(text)
    told = f"{text}{'' if text.endswith(chr(10)) or not text else chr(10)}{_toml_block(command)}"
    try:
        toml_commands(told)
    except ConfigurationError:
        raise ConfigurationError(messages.HOOKS_CLOSED) from None
    return told


def toml_without_hook(text: str) -> str:
    """Return Codex's config.toml without our entry.

    Raises:
        ConfigurationError: it is not TOML, or our entry was written anew by hand.
    """
    for command in toml_commands(text):
        text = text.replace(_toml_block(command), "", 1)
    if toml_commands(text):
        raise ConfigurationError(messages.HOOK_REWRITTEN)
    return text


def toml_commands(text: str) -> list[str]:
    """Return our commands in Codex's config.toml.

    Raises:
        ConfigurationError: it is not TOML.
    """
    event = _toml_hooks(text).get(EVENT, [])
    every = (_object(hook).get("command") for group in _list(event) for hook in _of_group(group))
    return [command for command in every if isinstance(command, str) and is_ours(command, Host.CODEX)]


def _toml_hooks(text: str) -> Mapping[str, object]:
    try:
        return _object(tomllib.loads(text).get(_HOOKS, {}))
    except tomllib.TOMLDecodeError:
        raise ConfigurationError(messages.NOT_TOML) from None


def _toml_block(command: str) -> str:
    quoted = json.dumps(command, ensure_ascii=False)
    timeout = _TIMEOUT[Host.CODEX]
    head = f"\n[[hooks.{EVENT}]]\n\n[[hooks.{EVENT}.hooks]]\n"
    return f'{head}type = "command"\ncommand = {quoted}\ntimeout = {timeout}\n'
