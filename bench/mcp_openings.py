"""How hosts open a talk: what each is documented or seen to send up to its first list of tools."""

from collections.abc import Mapping, Sequence
from typing import Final, cast

UI: Final = {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}
READY: Final[Mapping[str, object]] = {"jsonrpc": "2.0", "method": "notifications/initialized"}
ICONS: Final = [{"src": "https://example.org/icon.png", "mimeType": "image/png", "sizes": ["48x48"], "theme": "dark"}]
Opening = Sequence[dict[str, object]]
_MODERN: Final = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "a host", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def request(request_id: int | str, method: str, params: Mapping[str, object] | None = None) -> dict[str, object]:
    """Return a request of the era of handshakes."""
    head: dict[str, object] = {"jsonrpc": "2.0", "id": request_id, "method": method}
    return head if params is None else {**head, "params": dict(params)}


def modern(request_id: int, method: str) -> dict[str, object]:
    """Return a request of the protocol without a handshake."""
    return request(request_id, method, {"_meta": _MODERN})


def initialize(
    capabilities: Mapping[str, object],
    *,
    id_: str | int = 0,
    version: str = "2025-06-18",
    client: Mapping[str, object] | None = None,
    **more: object,
) -> dict[str, object]:
    """Return the first request of a host."""
    info = client or {"name": "a host", "version": "1"}
    said = {"protocolVersion": version, "capabilities": dict(capabilities), "clientInfo": dict(info), **more}
    return {"jsonrpc": "2.0", "id": id_, "method": "initialize", "params": said}


def _listing(first: Mapping[str, object], *between: Mapping[str, object], **params: object) -> Opening:
    listed = request(1, "tools/list", params or None)
    return [dict(first), dict(READY), *[dict(each) for each in between], listed]


def _envelope(**more: object) -> dict[str, object]:
    return {**_MODERN, "io.modelcontextprotocol/clientCapabilities": {"extensions": UI, **more}}


def _turned(message: Mapping[str, object]) -> dict[str, object]:
    """Return a message with its members in the opposite order, at both levels."""
    params = cast("Mapping[str, object]", message["params"])
    inner = dict(reversed(list(params.items())))
    return {name: inner if name == "params" else message[name] for name in reversed(list(message))}


_CHANGED: Final = {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}
_WITHDRAWN: Final = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99, "reason": "x"}}
_ALL: Final[Mapping[str, object]] = {
    "roots": {"listChanged": True},
    "sampling": {"tools": {}, "context": {}},
    "elicitation": {"form": {"applyDefaults": True}, "url": {}},
    "tasks": {"list": {}, "cancel": {}, "requests": {"sampling": {"createMessage": {}}, "elicitation": {"create": {}}}},
    "extensions": UI,
    "experimental": {"a/b": {"list": [1, [2, {"c": None}]]}},
    "unheard-of": ["of", 1],
}
OPENINGS: Final[Mapping[str, Opening]] = {
    "claude code": _listing(
        initialize(
            {"roots": {}, "elicitation": {}},
            version="2025-11-25",
            client={
                "name": "claude-code", "title": "Claude Code", "version": "2.1", "websiteUrl": "https://example.org",
                "description": "An agent", "icons": ICONS,
            },
        )
    ),
    "claude desktop": _listing(
        initialize({"extensions": UI}, version="2025-11-25", client={"name": "claude-ai", "version": "0.1.0"})
    ),
    "cursor": _listing(
        initialize({"roots": {"listChanged": False}, "elicitation": {"form": {}}, "extensions": UI}),
        request(7, "prompts/list"), request(8, "resources/list"), request(9, "resources/templates/list"),
    ),
    "vs code": _listing(
        initialize(
            {"roots": {"listChanged": True}, "sampling": {}, "elicitation": {"form": {}, "url": {}}, "tasks": {}},
            id_=0, version="2025-11-25", client={"name": "Visual Studio Code", "version": "1.105"},
        ),
        request(2, "logging/setLevel", {"level": "info"}),
        _CHANGED,
    ),
    "gemini cli": _listing(initialize({"roots": {"listChanged": True}}), request(5, "ping")),
    "codex": _listing(
        initialize(
            {"elicitation": {}, "experimental": None, "roots": None, "sampling": None},
            client={"name": "codex-mcp-client", "title": "Codex", "version": "0.50.0", "icons": None},
        ),
        cursor=None, _meta={"progressToken": 0},
    ),
    "everything there is": _listing(initialize(_ALL, client={"name": "a", "version": "1", "more": [1]})),
    "an empty _meta": _listing(initialize({}, _meta={}), _meta={}),
    "a token": _listing(initialize({}, _meta={"progressToken": "t", "a/b": [1]}), _meta={"progressToken": "t"}),
    "no _meta and no params": _listing(initialize({}, _meta=None)),
    "params that are null": [*_listing(initialize({}))[:-1], {**request(1, "tools/list"), "params": None}],
    "a cursor": _listing(initialize({}), cursor=""),
    "parameters nobody knows": _listing(initialize({}, more=True), more=1, limit=[2]),
    "members nobody knows": [{**each, "trace": 1} for each in _listing(initialize({}))],
    "a version nobody knows": _listing(initialize({}, version="2031-01-01")),
    "a version of the other era": _listing(initialize({}, version="2026-07-28")),
    "ids that are texts": [initialize({}, id_="init-1"), dict(READY), {**request(0, "tools/list"), "id": "list/2"}],
    "another order": [_turned(initialize(_ALL)), dict(READY), {"method": "tools/list", "id": 1, "jsonrpc": "2.0"}],
    "notifications between": _listing(initialize({}), _CHANGED, _WITHDRAWN, _CHANGED),
    "a ping before everything": [request(3, "ping"), *_listing(initialize({}))],
    "no notification": [initialize({}), request(1, "tools/list")],
    "a method nobody knows": _listing(initialize({}), request(4, "tasks/list", {"cursor": 3})),
    "no handshake": [modern(1, "tools/list")],
    "no handshake, extensions": [{**modern(1, "tools/list"), "params": {"_meta": _envelope(), "cursor": None}}],
    "no handshake, all there is": [
        modern(0, "server/discover"),
        modern(1, "ping"),
        modern(2, "tasks/list"),
        {**modern(3, "tools/list"), "params": {"_meta": {**_envelope(**_ALL), "progressToken": 3}, "more": 1}},
        dict(_WITHDRAWN),
        modern(4, "resources/templates/list"),
    ],
    "no handshake, a level": [
        {**modern(1, "tools/list"), "params": {"_meta": {**_MODERN, "io.modelcontextprotocol/logLevel": "info"}}}
    ],
}  # fmt: skip
STRANGE: Final = _listing(initialize({"roots": {"listChanged": "yes"}}))
"""An opening that the protocol's library reads and the porch does not know."""
