"""Who speaks, and the conversation that is theirs.

Law: a connection has a conversation of its own: what one program asks is never part of what another one, or the person,
is answered next. Over the standard streams a process is one connection; over HTTP one is known by the id that the
library gave it, and where the protocol has no connections by what the client calls itself.

Source: DESIGN 8 MCP; ruling J1.
"""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, Final

import anyio

MOST: Final = 1_000
"""Connections that are remembered; the one that was silent longest goes first."""
UNNAMED: Final = "a program"
"""What a program is called that does not say its name."""
_SESSION_HEADER: Final = "mcp-session-id"


@dataclass(slots=True, kw_only=True)
class Connection:
    """One program that speaks to this server."""

    agent: str | None = None
    """What it calls itself, such as `codex-mcp-client`."""
    conversation: str | None = None
    """The session that it asks in; None before its first question."""
    beginning: anyio.Lock = field(default_factory=anyio.Lock)
    """Held while its conversation begins, so that questions which come at once are asked in one."""


@dataclass(slots=True)
class Connections:
    """The connections of one server."""

    _known: OrderedDict[str, Connection] = field(default_factory=OrderedDict[str, Connection])

    def of(self, context: Any) -> Connection:  # noqa: ANN401 - the library's context of a request
        """Return the connection that a request came by."""
        client = context.session.client_params
        agent = None if client is None else str(client.client_info.name)
        headers = getattr(context.request, "headers", None)
        key = "" if headers is None else headers.get(_SESSION_HEADER) or f"client {agent or ''}"
        found = self._known.setdefault(key, Connection(agent=agent))
        found.agent = agent or found.agent
        self._known.move_to_end(key)
        while len(self._known) > MOST:
            self._known.popitem(last=False)
        return found
