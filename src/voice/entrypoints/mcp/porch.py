"""Answers a host before anything heavy is loaded: who is there, and what there is.

Law: a host starts its servers with every window and asks each for its tools; most are never used. What does not depend
on a memory is therefore answered without one, and without the protocol's library, which costs more to load than
everything else here. What is answered is what the library would answer, member for member. What is not known here (the
use of a tool, a parameter of another kind) is not judged: the library is loaded and handed what it must know of the
talk, without its answers being sent twice, and everything from there on.

Source: DESIGN 8 MCP; the Model Context Protocol, both eras.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, cast

from voice.entrypoints.mcp.framing import Fault, Message, line_of, read_line
from voice.entrypoints.mcp.listing import ToolNames
from voice.entrypoints.mcp.openings import (
    HANDSHAKES,
    MODERN,
    PREFIX,
    asks_modern,
    asks_plainly,
    is_enveloped,
    is_handshake,
    sets_level,
    without_extras,
)
from voice.entrypoints.mcp.static import INSTRUCTIONS, lists, server_info
from voice.entrypoints.mcp.wire import TooLong

METHODS: Final = frozenset(
    {
        "completion/complete", "initialize", "logging/setLevel", "ping", "prompts/get", "prompts/list",
        "resources/list", "resources/read", "resources/subscribe", "resources/templates/list",
        "resources/unsubscribe", "server/discover", "subscriptions/listen", "tools/call", "tools/list",
    }
)  # fmt: skip
"""What the library knows; of every other method it says that it is not known, whatever is sent with it."""
_MOST_KEPT: Final = 32
"""Messages that are kept to be handed over."""
_NOT_FOUND: Final = -32601


@dataclass(frozen=True, slots=True, kw_only=True)
class Handover:
    """What the library has to be told when it takes over."""

    opening: tuple[Message, ...] = ()
    """What decided the state of the talk; empty where it begins now."""
    answered: tuple[object, ...] = ()
    """The ids of the requests among them: their answers were sent already."""
    message: Message
    """The message that is its own to answer."""


@dataclass(slots=True)
class Porch:
    """Answers the openings of one talk."""

    tool_names: ToolNames = "plain"
    _opening: list[Message] = field(default_factory=list[Message])
    _answered: list[object] = field(default_factory=list[object])
    _is_modern: bool = False
    _is_open: bool = False
    """The handshake was answered."""

    def receive(self, lines: Iterable[bytes | TooLong], send: Callable[[bytes], None]) -> Handover | None:
        """Answer lines until one is not for the porch; None: there are no more.

        Args:
            lines: what comes in.
            send: takes each answer.
        """
        for line in lines:
            message = read_line(line)
            if message is None:
                continue
            if isinstance(message, Fault):
                send(message.line())
            elif (answer := self._answer(message)) is not None:
                send(line_of({"jsonrpc": "2.0", "id": message["id"], **answer}))
            elif not self._keeps(message):
                return Handover(opening=tuple(self._opening), answered=tuple(self._answered), message=message)
        return None

    def _keeps(self, message: Message) -> bool:
        """Keep a notification for the library, which alone knows what it changes; False where it has to go on now.

        What is withdrawn was answered already, so nothing of that is left to be told.
        """
        is_notice = "method" in message and "id" not in message
        if not is_notice or not self._opening or len(self._opening) >= _MOST_KEPT:
            return False
        if message["method"] != "notifications/cancelled":
            self._opening.append(message)
        return True

    def _answer(self, message: Message) -> Message | None:
        """Return the result of a request that is known, or the error it is answered with; None where it is not."""
        if "method" not in message or "id" not in message:
            return None
        method, said = str(message["method"]), cast("Message", message.get("params") or {})
        if not self._opening:
            self._is_modern = method != "initialize" and is_enveloped(said)
        answer = self._modern(method, said) if self._is_modern else self._legacy(method, said)
        if answer is not None and (not self._opening or method == "initialize"):
            self._opening.append(without_extras(message) if method == "initialize" else message)
            self._answered.append(message["id"])
        return answer

    def _legacy(self, method: str, said: Message) -> Message | None:
        if method == "initialize":
            return self._welcome(said) if not self._is_open and is_handshake(said) else None
        if is_enveloped(said):
            return None
        if method not in METHODS or (method == "logging/setLevel" and sets_level(said)):
            return _not_found(method)
        known: Mapping[str, Message] = {"ping": {}, **(lists(self.tool_names) if self._is_open else {})}
        return {"result": known[method]} if method in known and asks_plainly(said) else None

    def _welcome(self, said: Message) -> Message:
        self._is_open = True
        asked = said["protocolVersion"]
        result = {
            "protocolVersion": asked if asked in HANDSHAKES else HANDSHAKES[-1],
            "capabilities": _capabilities(),
            "serverInfo": server_info(),
            "instructions": INSTRUCTIONS,
        }
        return {"result": result}

    def _modern(self, method: str, said: Message) -> Message | None:
        if method == "initialize" or not asks_modern(said):
            return None
        if method not in METHODS or method in ("ping", "logging/setLevel"):
            return _not_found(method)
        discovered: Message = {
            "supportedVersions": [MODERN],
            "capabilities": _capabilities(),
            "instructions": INSTRUCTIONS,
        }
        listed = {**lists(self.tool_names), "server/discover": discovered}.get(method)
        if listed is None:
            return None
        stamp = {"cacheScope": "private", "resultType": "complete", "ttlMs": 0}
        return {"result": {**listed, **stamp, "_meta": {f"{PREFIX}serverInfo": server_info()}}}


def _not_found(method: str) -> Message:
    return {"error": {"code": _NOT_FOUND, "message": "Method not found", "data": method}}


def _capabilities() -> Message:
    return {
        "prompts": {"listChanged": False},
        "resources": {"listChanged": False, "subscribe": False},
        "tools": {"listChanged": False},
    }
