"""The shapes in which hosts open a talk, as the protocol's library accepts them.

Law: a member that is known has its kind; one that is not known is nobody's matter here, as it is not the library's.
What is accepted here the library accepts (a test hands it the same); what is not, it is asked about. What a host says
of extensions in a handshake may be anything: nothing here uses it, so it is not handed on.

Source: the Model Context Protocol, `initialize`, `ClientCapabilities`, `Implementation`, `_meta`; both eras.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, cast

HANDSHAKES: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""The versions with a handshake; a host that asks for another one is offered the last."""
MODERN: Final = "2026-07-28"
PREFIX: Final = "io.modelcontextprotocol/"
_VERSION: Final = f"{PREFIX}protocolVersion"
_CAPABILITIES: Final = f"{PREFIX}clientCapabilities"
_CLIENT: Final = f"{PREFIX}clientInfo"
_LEVEL: Final = f"{PREFIX}logLevel"
_LEVELS: Final = frozenset({"alert", "critical", "debug", "emergency", "error", "info", "notice", "warning"})
Message = Mapping[str, object]


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


_Shape = Literal["text", "flag", "token"] | frozenset[str] | _Object | _Each
_ANYTHING: Final = _Object({})
_NAMED: Final = _Each(dict, _ANYTHING)
_ICON: Final = _Object(
    {"src": "text", "mimeType": "text", "sizes": _Each(list, "text"), "theme": frozenset({"light", "dark"})},
    required=frozenset({"src"}),
)
_CLIENT_INFO: Final = _Object(
    {
        **dict.fromkeys(("name", "version", "title", "description", "websiteUrl"), "text"),
        "icons": _Each(list, _ICON),
    },
    required=frozenset({"name", "version"}),
)
_ASKED_FOR: Final = _Object(
    {"elicitation": _Object({"create": _ANYTHING}), "sampling": _Object({"createMessage": _ANYTHING})}
)
_CAPABLE: Final[Mapping[str, _Shape]] = {
    "roots": _Object({"listChanged": "flag"}),
    "sampling": _Object({"context": _ANYTHING, "tools": _ANYTHING}),
    "elicitation": _Object({"form": _ANYTHING, "url": _ANYTHING}),
    "tasks": _Object({"list": _ANYTHING, "cancel": _ANYTHING, "requests": _ASKED_FOR}),
}
_EXTRAS: Final = ("experimental", "extensions")
_META: Final = _Object({"progressToken": "token"})
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


def is_handshake(said: Message) -> bool:
    """Return whether the parameters of an `initialize` are as they must be."""
    return _fits(said, _HANDSHAKE)


def asks_plainly(said: Message) -> bool:
    """Return whether the parameters of a request of the era of handshakes are of their kinds."""
    return _fits(said, _ASKING) and not is_enveloped(said)


def sets_level(said: Message) -> bool:
    """Return whether the parameters of a `logging/setLevel` are as they must be."""
    return _fits(said, _LEVELLING) and not is_enveloped(said)


def without_extras(message: Message) -> Message:
    """Return an `initialize` without what its host says of extensions."""
    said = cast("Message", message["params"])
    able = {name: each for name, each in cast("Message", said["capabilities"]).items() if name not in _EXTRAS}
    return {**message, "params": {**said, "capabilities": able}}


def asks_modern(said: Message) -> bool:
    """Return whether a request carries the envelope of the protocol without a handshake, as it must be."""
    return _fits(said, _ASKING_MODERN)


def is_enveloped(said: Message) -> bool:
    """Return whether a request claims to be of the protocol without a handshake, which decides the era of a talk."""
    meta = said.get("_meta")
    return isinstance(meta, dict) and _VERSION in meta


def _fits(value: object, shape: _Shape) -> bool:
    """Return whether a value has a shape, or is null."""
    if value is None:
        return True
    match shape:
        case "text":
            return isinstance(value, str)
        case "flag":
            return isinstance(value, bool)
        case "token":
            return type(value) in (str, int)
        case frozenset():
            return isinstance(value, str) and value in shape
        case _Each(kind=kind, shape=each):
            is_kind = isinstance(value, kind)
            return is_kind and all(one is not None and _fits(one, each) for one in _values(cast("object", value)))
        case _Object(known=known, required=required):
            return isinstance(value, dict) and _has(cast("Message", value), known, required)


def _values(value: object) -> Iterable[object]:
    return cast("Message", value).values() if isinstance(value, dict) else cast("list[object]", value)


def _has(value: Message, known: Mapping[str, _Shape], required: frozenset[str]) -> bool:
    is_whole = all(value.get(name) is not None for name in required)
    return is_whole and all(_fits(value[name], shape) for name, shape in known.items() if name in value)
