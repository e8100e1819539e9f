"""Answer the handshake and the lists before the protocol's library is loaded.

Law: a host starts its servers with every window and asks each for its tools; most are never used. What does not depend
on a memory is therefore answered without one, and without the protocol's library, which costs more to load than
everything else here. What is answered is what the library would answer, member for member. What is not known here (the
use of a tool, a parameter of another kind) is not judged: the library is loaded and handed what it must know of the
talk, without its answers being sent twice, and everything from there on.

The shapes in which hosts open a talk are those that the library accepts (a test hands it the same): a known member has
its kind, an unknown one is nobody's matter. What a host says of extensions may be anything and is not handed on.

Source: DESIGN 8 MCP; the Model Context Protocol, both eras, `initialize`, `ClientCapabilities`, `Implementation`,
`_meta`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, cast

from voice.entrypoints.mcp.discovery import INSTRUCTIONS, ToolNames, list_responses, server_info
from voice.entrypoints.mcp.json_rpc import JsonRpcError, Message, OversizedLine, encode_message, parse_line

METHODS: Final = frozenset(
    {
        "completion/complete", "initialize", "logging/setLevel", "ping", "prompts/get", "prompts/list",
        "resources/list", "resources/read", "resources/subscribe", "resources/templates/list",
        "resources/unsubscribe", "server/discover", "subscriptions/listen", "tools/call", "tools/list",
    }
)  # fmt: skip
"""What the library knows; of every other method it says that it is not known, whatever is sent with it."""
_MOST_KEPT: Final = 32  # messages kept to be handed over; a host that only notifies must not fill the memory
_NOT_FOUND: Final = -32601  # JSON-RPC: method not found


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
class HandshakeServer:
    """Answers the openings of one talk."""

    tool_names: ToolNames = "plain"
    _opening: list[Message] = field(default_factory=list[Message])
    _answered: list[object] = field(default_factory=list[object])
    _is_modern: bool = False  # the talk has no handshake: each request carries its own envelope
    _is_open: bool = False  # the handshake was answered

    def receive(self, lines: Iterable[bytes | OversizedLine], send: Callable[[bytes], None]) -> Handover | None:
        """Answer lines until one is not for the porch; None: there are no more."""
        for line in lines:
            message = parse_line(line)
            if message is None:
                continue
            if isinstance(message, JsonRpcError):
                send(message.line())
            elif (answer := self._answer(message)) is not None:
                send(encode_message({"jsonrpc": "2.0", "id": message["id"], **answer}))
            elif not self._keep(message):
                return Handover(opening=tuple(self._opening), answered=tuple(self._answered), message=message)
        return None

    def _keep(self, message: Message) -> bool:
        """Keep a notification for the library, which alone knows what it changes; False where it has to go on now. What
        is withdrawn was answered already, so nothing of that is left to be told."""
        is_notice = "method" in message and "id" not in message
        # Before the opening, a notification is the library's to judge.
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
        if not self._opening:  # the first request decides the era of the whole talk
            self._is_modern = method != "initialize" and is_enveloped(said)
        answer = self._answer_modern(method, said) if self._is_modern else self._answer_legacy(method, said)
        # Lists change no state of the talk, so the library need not hear of them.
        if answer is not None and (not self._opening or method == "initialize"):
            self._opening.append(without_extras(message) if method == "initialize" else message)
            self._answered.append(message["id"])
        return answer

    def _answer_legacy(self, method: str, said: Message) -> Message | None:
        if method == "initialize":  # a second one is the library's to judge
            return self._initialise(said) if not self._is_open and _fits(said, _HANDSHAKE) else None
        if is_enveloped(said):
            return None
        if method not in METHODS or (method == "logging/setLevel" and _fits(said, _LEVELLING)):
            return _not_found(method)  # setLevel: known, but without a handler here
        # Lists are answered after the handshake alone.
        known: Mapping[str, Message] = {"ping": {}, **(list_responses(self.tool_names) if self._is_open else {})}
        return {"result": known[method]} if method in known and _fits(said, _ASKING) else None

    def _initialise(self, said: Message) -> Message:
        self._is_open = True
        asked = said["protocolVersion"]
        version = asked if asked in HANDSHAKES else HANDSHAKES[-1]
        told = {"protocolVersion": version, "capabilities": _capabilities()}
        return {"result": {**told, "serverInfo": server_info(), "instructions": INSTRUCTIONS}}

    def _answer_modern(self, method: str, said: Message) -> Message | None:
        if method == "initialize" or not _fits(said, _ASKING_MODERN):
            return None
        if method not in METHODS or method in ("ping", "logging/setLevel"):  # this era does not have these two
            return _not_found(method)
        discovered = {"supportedVersions": [MODERN], "capabilities": _capabilities(), "instructions": INSTRUCTIONS}
        listed = {**list_responses(self.tool_names), "server/discover": discovered}.get(method)
        if listed is None:
            return None
        stamp = {"cacheScope": "private", "resultType": "complete", "ttlMs": 0}  # on each result of this era
        return {"result": {**listed, **stamp, "_meta": {f"{PREFIX}serverInfo": server_info()}}}


def _not_found(method: str) -> Message:
    return {"error": {"code": _NOT_FOUND, "message": "Method not found", "data": method}}


def _capabilities() -> Message:
    return {
        "prompts": {"listChanged": False},
        "resources": {"listChanged": False, "subscribe": False},
        "tools": {"listChanged": False},
    }


HANDSHAKES: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""The versions with a handshake; a host that asks for another one is offered the last."""
MODERN: Final = "2026-07-28"
PREFIX: Final = "io.modelcontextprotocol/"
_VERSION: Final = f"{PREFIX}protocolVersion"
_CAPABILITIES: Final = f"{PREFIX}clientCapabilities"
_CLIENT: Final = f"{PREFIX}clientInfo"
_LEVEL: Final = f"{PREFIX}logLevel"
_LEVELS: Final = frozenset({"alert", "critical", "debug", "emergency", "error", "info", "notice", "warning"})
JsonObject = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class _Object:
    """An object of which some members are known, and some of these must be there."""

    known: Mapping[str, "_Shape"]
    required: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Each:
    """A list, or an object, all of whose values have one shape."""

    kind: type[list[object] | dict[str, object]]
    shape: "_Shape"


_Shape = Literal["text", "flag", "token"] | frozenset[str] | _Object | _Each  # "token": a text or a whole number
_ANYTHING: Final = _Object({})
_NAMED: Final = _Each(dict, _ANYTHING)
_ICON: Final = _Object(
    {"src": "text", "mimeType": "text", "sizes": _Each(list, "text"), "theme": frozenset({"light", "dark"})},
    required=frozenset({"src"}),
)
_CLIENT_INFO: Final = _Object(
    {**dict.fromkeys(("name", "version", "title", "description", "websiteUrl"), "text"), "icons": _Each(list, _ICON)},
    required=frozenset({"name", "version"}),
)
_ASKED_FOR: Final = _Object(  # what a task may ask a client for
    {"elicitation": _Object({"create": _ANYTHING}), "sampling": _Object({"createMessage": _ANYTHING})}
)
_CAPABLE: Final[Mapping[str, _Shape]] = {
    "roots": _Object({"listChanged": "flag"}),
    "sampling": _Object({"context": _ANYTHING, "tools": _ANYTHING}),
    "elicitation": _Object({"form": _ANYTHING, "url": _ANYTHING}),
    "tasks": _Object({"list": _ANYTHING, "cancel": _ANYTHING, "requests": _ASKED_FOR}),
}
_EXTRAS: Final = ("experimental", "extensions")  # vendors' own, in any shape
_META: Final = _Object({"progressToken": "token"})  # other members may be anything
_HANDSHAKE: Final = _Object(
    {
        "protocolVersion": "text",
        "capabilities": _Object({**_CAPABLE, **dict.fromkeys(_EXTRAS, _ANYTHING)}),
        "clientInfo": _CLIENT_INFO,
        "_meta": _META,
    },
    required=frozenset({"protocolVersion", "capabilities", "clientInfo"}),
)
_ENVELOPE: Final = _Object(
    {
        _VERSION: frozenset({MODERN}),
        _CAPABILITIES: _Object({**_CAPABLE, **dict.fromkeys(_EXTRAS, _NAMED)}),
        _CLIENT: _CLIENT_INFO,
        _LEVEL: _LEVELS,
        "progressToken": "token",
    },
    required=frozenset({_VERSION, _CAPABILITIES}),
)
_ASKING: Final = _Object({"_meta": _META, "cursor": "text"})
_LEVELLING: Final = _Object({"_meta": _META, "level": _LEVELS}, required=frozenset({"level"}))
_ASKING_MODERN: Final = _Object({"_meta": _ENVELOPE, "cursor": "text"}, required=frozenset({"_meta"}))


def without_extras(message: JsonObject) -> JsonObject:
    """Return an `initialize` without what its host says of extensions."""
    said = cast("JsonObject", message["params"])
    able = {name: each for name, each in cast("JsonObject", said["capabilities"]).items() if name not in _EXTRAS}
    return {**message, "params": {**said, "capabilities": able}}


def is_enveloped(said: JsonObject) -> bool:
    """Return whether a request claims to be of the protocol without a handshake, which decides the era of a talk."""
    meta = said.get("_meta")  # any version: the library refuses one that it does not know
    return isinstance(meta, dict) and _VERSION in meta


def _fits(value: object, shape: _Shape) -> bool:
    if value is None:  # null counts as left out; where a member is required, `_has` asks for more
        return True
    match shape:
        case "text":
            return isinstance(value, str)
        case "flag":
            return isinstance(value, bool)
        case "token":
            return type(value) in (str, int)  # `type`, because True is an int to `isinstance`
        case frozenset():
            return isinstance(value, str) and value in shape
        case _Each(kind=kind, shape=each):
            is_kind = isinstance(value, kind)  # in a list, null does not count as left out
            values = cast("JsonObject", value).values() if isinstance(value, dict) else cast("list[object]", value)
            return is_kind and all(one is not None and _fits(one, each) for one in values)
        case _Object(known=known, required=required):
            return isinstance(value, dict) and _has(cast("JsonObject", value), known, required)


def _has(value: JsonObject, known: Mapping[str, _Shape], required: frozenset[str]) -> bool:
    is_whole = all(value.get(name) is not None for name in required)
    return is_whole and all(_fits(value[name], shape) for name, shape in known.items() if name in value)
