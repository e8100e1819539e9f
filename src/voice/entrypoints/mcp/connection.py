"""The connection that a call came by, with its conversation, and reporting progress to it.

Law: a connection has a conversation of its own: what one program asks is never part of what another one, or the person,
is answered next. Over the standard streams a process is one connection; over HTTP one is known by the id that the
library gave it, and where the protocol has no connections by what the client calls itself.

Telling a client how far a call is, while it is carried out. Services tell at once and wait for nobody; what they tell
goes out one after the other, each with a higher number. What goes wrong in the work is raised as it is, and a client
that hears no more, having gone, stops no work: it may have been paid for, or half of it be done.

Source: DESIGN 8 MCP; ruling J1; the Model Context Protocol, progress; STYLE 25.
"""

import math
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream

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


ReportProgress = Callable[[float, str], Awaitable[None]]
"""Tells the client how far a call is: a rising number, and what is being done."""
Say = Callable[[str], None]
_T = TypeVar("_T")


async def with_progress(tell: ReportProgress, work: Callable[[Say], Awaitable[_T]]) -> _T:
    """Return what the work comes to, and tell whatever it says meanwhile."""
    happening, heard = anyio.create_memory_object_stream[str](math.inf)
    made: list[_T] = []
    fault: Exception | None = None
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_tell_all, heard, tell)
        with happening:
            try:
                made.append(await work(happening.send_nowait))
            except Exception as error:  # noqa: BLE001 - raised again outside, where it is not one of a group
                fault = error
    if fault is not None:
        raise fault
    return made[0]


async def _tell_all(heard: MemoryObjectReceiveStream[str], tell: ReportProgress) -> None:
    with heard:
        done = 0.0
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            async for said in heard:
                done += 1
                await tell(done, said)
        async for _ in heard:
            pass
