"""Answers a host before anything heavy is loaded: who is there, and what there is.

Law: a host starts its servers with every window and asks each for its tools; most are never used. What does not depend
on a memory is therefore answered without one, and without the protocol's library, which costs more to load than
everything else here. What is answered is what the library would answer, member for member. Whatever is not recognised
to the letter (another method, another version, a parameter, a malformed line) is not judged here: the library is loaded
and handed the opening of the talk again, without its answer being sent twice, and everything from there on.

Source: DESIGN 8 MCP; the Model Context Protocol, both eras.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, cast

from voice.entrypoints.mcp.listing import ToolNames
from voice.entrypoints.mcp.static import INSTRUCTIONS, lists, server_info

HANDSHAKES: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN: Final = "2026-07-28"
_PREFIX: Final = "io.modelcontextprotocol/"
_VERSION: Final = f"{_PREFIX}protocolVersion"
_CAPABILITIES: Final = f"{_PREFIX}clientCapabilities"
_CLIENT: Final = f"{_PREFIX}clientInfo"
_PROGRESS: Final = "progressToken"
_ENVELOPE: Final = frozenset({_VERSION, _CAPABILITIES, _CLIENT, _PROGRESS})
_ABOUT_CLIENT: Final = frozenset({"name", "version", "title", "description", "websiteUrl"})
Message = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Handover:
    """What the library has to be told when it takes over."""

    opening: tuple[bytes, ...] = ()
    """The lines with which the talk began; empty where it begins now."""
    answered: str | int | None = None
    """The request among them whose answer was sent already."""
    line: bytes
    """The line that is its own to answer."""


@dataclass(slots=True)
class Porch:
    """Answers the openings of one talk."""

    tool_names: ToolNames = "plain"
    _opening: list[bytes] = field(default_factory=list[bytes])
    _answered: str | int | None = None
    _is_modern: bool = False

    def receive(self, lines: Iterable[bytes], send: Callable[[bytes], None]) -> Handover | None:
        """Answer lines until one is not for the porch; None: there are no more.

        Args:
            lines: what comes in.
            send: takes each answer.
        """
        for line in lines:
            message = _parsed(line)
            if message is not None and _is_initialized(message) and self._opening and not self._is_modern:
                self._opening.append(line)
                continue
            result = None if message is None else self._answer(message)
            if message is None or result is None:
                return Handover(opening=tuple(self._opening), answered=self._answered, line=line)
            if not self._opening:
                self._opening.append(line)
                self._answered = cast("str | int", message["id"])
            answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
            send(json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode())
        return None

    def _answer(self, message: Message) -> Message | None:
        """Return the result of a request that is recognised; None where it is not."""
        method, params = str(message["method"]), message.get("params", {})
        if not isinstance(params, dict):
            return None
        said = cast("Message", params)
        if not self._opening:
            self._is_modern = _is_modern(said)
            return self._first(method, said)
        if self._is_modern:
            return self._listed_modern(method, said) if _is_modern(said) else None
        known: dict[str, Message] = {**lists(self.tool_names), "ping": {}}
        return known.get(method) if _asks_plainly(said) else None

    def _first(self, method: str, said: Message) -> Message | None:
        if self._is_modern:
            return self._listed_modern(method, said)
        if method != "initialize" or not _is_handshake(said):
            return None
        return {
            "protocolVersion": said["protocolVersion"],
            "capabilities": _capabilities(),
            "serverInfo": server_info(),
            "instructions": INSTRUCTIONS,
        }

    def _listed_modern(self, method: str, said: Message) -> Message | None:
        discovered = {
            "supportedVersions": [MODERN],
            "capabilities": _capabilities(),
            "instructions": INSTRUCTIONS,
        }
        listed = {**lists(self.tool_names), "server/discover": discovered}.get(method)
        if listed is None or set(said) != {"_meta"}:
            return None
        stamp = {"cacheScope": "private", "resultType": "complete", "ttlMs": 0}
        return {**listed, **stamp, "_meta": {f"{_PREFIX}serverInfo": server_info()}}


def _capabilities() -> Message:
    return {
        "prompts": {"listChanged": False},
        "resources": {"listChanged": False, "subscribe": False},
        "tools": {"listChanged": False},
    }


def _parsed(line: bytes) -> Message | None:
    """Return a request, or the one notification that is known here; None for everything else."""
    try:
        read: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(read, dict):
        return None
    message = cast("dict[str, object]", read)
    if message.get("jsonrpc") != "2.0" or not isinstance(message.get("method"), str):
        return None
    if message.keys() - {"jsonrpc", "id", "method", "params"}:
        return None
    is_request = type(message.get("id")) in (str, int)
    return message if is_request or _is_initialized(message) else None


def _is_initialized(message: Message) -> bool:
    return message["method"] == "notifications/initialized" and "id" not in message


def _is_handshake(said: Message) -> bool:
    """Return whether an `initialize` says what it must, of a version that is known."""
    if set(said) != {"protocolVersion", "capabilities", "clientInfo"} or said["protocolVersion"] not in HANDSHAKES:
        return False
    return _is_client(said["clientInfo"]) and _is_plain(said["capabilities"])


def _is_client(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    named = cast("Message", value)
    return {"name", "version"} <= named.keys() <= _ABOUT_CLIENT and all(
        isinstance(each, str) for each in named.values()
    )


def _is_plain(value: object) -> bool:
    """Return whether something is an object that holds nothing but such objects and yes or no."""
    if not isinstance(value, dict):
        return False
    return all(isinstance(each, bool) or _is_plain(each) for each in cast("Message", value).values())


def _asks_plainly(said: Message) -> bool:
    """Return whether a request of the era of handshakes has no parameters but, perhaps, a token for its progress."""
    if not said.keys() <= {"_meta"}:
        return False
    meta = said.get("_meta", {})
    return isinstance(meta, dict) and cast("Message", meta).keys() <= {_PROGRESS}


def _is_modern(said: Message) -> bool:
    """Return whether a request carries the envelope of the protocol without a handshake, and nothing else in it."""
    meta = said.get("_meta")
    if not isinstance(meta, dict):
        return False
    envelope = cast("Message", meta)
    is_known = envelope.get(_VERSION) == MODERN and envelope.keys() <= _ENVELOPE
    is_client = _CLIENT not in envelope or _is_client(envelope[_CLIENT])
    return is_known and is_client and _is_plain(envelope.get(_CAPABILITIES))
