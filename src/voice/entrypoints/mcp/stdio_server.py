"""Serve one connection over the standard streams; the memory opens with the first call.

Law: every request that came in is answered, and every line that is none, also where the host stops speaking before the
answer is there: the streams are closed behind the last answer, or when a grace is over. Being stopped (SIGTERM), or
having nobody left who reads, ends what is under way as everywhere: it is withdrawn, what it spent is kept, the memory
is closed. Nothing that was acknowledged is lost, because nothing is acknowledged before it is stored.

One task opens the memory and the same one closes it, whichever call asked first; what goes wrong while it is opened is
the answer to the call that asked, and the next one tries again. It is closed when nobody uses it any more: being
stopped ends the calls first, which may have something to keep.

Source: DESIGN 8 MCP; rulings D19, D25; the Model Context Protocol, stdio transport.
"""

import math
import threading
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import anyio
from anyio import from_thread, to_thread
from anyio.lowlevel import current_token
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse, jsonrpc_message_adapter
from pydantic import ValidationError

from voice.entrypoints.mcp.discovery import ToolNames
from voice.entrypoints.mcp.handshake import Handover
from voice.entrypoints.mcp.json_rpc import JsonRpcError, Message, OversizedLine, StdioStreams, parse_line
from voice.entrypoints.mcp.server import make_server

if TYPE_CHECKING:
    from voice.entrypoints.library import Voice

GRACE_S = 30.0
"""How long what is under way may take once the host has stopped speaking."""
LAST_WORD_S = 2.0
"""How long a host may take to read what is still said when the talk is over."""
_ROOM = 16  # lines read ahead of the server
_Incoming = SessionMessage | Exception  # what the library's stream may carry
_Outgoing = SessionMessage | JsonRpcError


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """How a talk is served."""

    opens: Callable[[], "AbstractAsyncContextManager[Voice]"]
    tool_names: ToolNames = "plain"
    stands_in: str | None = None
    """The repository that the program was started in."""
    grace_s: float = GRACE_S


async def serve(wire: StdioStreams, handover: Handover, how: ServeOptions) -> None:
    """Serve the rest of a talk, and close the memory behind it."""
    keeper = LazyMemory(how.opens)
    server = make_server(keeper, tool_names=how.tool_names, stands_in=how.stands_in)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(keeper.run)
        try:
            await _talk(server, wire, _PendingRequests(answered=handover.answered), handover, grace_s=how.grace_s)
        finally:
            keeper.close()


class _PendingRequests:
    """The requests that are under way."""

    def __init__(self, answered: Sequence[object]) -> None:
        """Take the requests that were answered before; the library's own answers to them are not sent again."""
        self._answered = list(answered)
        self._waiting: set[object] = set()
        self._changed = anyio.Event()

    def came(self, message: SessionMessage) -> None:
        """Note what came in."""
        said = message.message
        if isinstance(said, JSONRPCRequest):
            self._waiting.add(said.id)
        elif isinstance(said, JSONRPCNotification) and said.method == "notifications/cancelled":
            self._done((said.params or {}).get("requestId"))  # what the host withdraws is never answered

    def is_sent_before(self, message: _Outgoing) -> bool:
        """Return whether this is the library's own answer to what was answered before it was loaded."""
        request_id = _answers(message)
        if request_id is None or request_id not in self._answered:
            return False
        self._answered.remove(request_id)  # one answer of the library is dropped; a host may use the id again later
        return True

    def sent(self, message: _Outgoing) -> None:
        """Note that something has gone out."""
        self._done(_answers(message))

    def _done(self, request_id: object) -> None:
        self._waiting.discard(request_id)
        self._changed.set()

    async def all_answered(self) -> None:
        """Return when nothing is under way any more."""
        while self._waiting:
            self._changed = anyio.Event()  # cannot be reset; no await since the test, so no wake-up is lost
            await self._changed.wait()


def _answers(message: _Outgoing) -> str | int | None:
    said = None if isinstance(message, JsonRpcError) else message.message  # a line that was no message was not counted
    return said.id if isinstance(said, JSONRPCResponse | JSONRPCError) else None


async def _talk(
    server: Server[Any], wire: StdioStreams, under: _PendingRequests, handover: Handover, *, grace_s: float
) -> None:
    incoming, heard = anyio.create_memory_object_stream[_Incoming]()  # no buffer: a line waits for the library
    said, outgoing = anyio.create_memory_object_stream[_Outgoing]()
    # Being stopped ends hearing and library at once, so that nothing is fed to a library that is ending; what it still
    # says of the requests that were withdrawn goes out, for as long as that takes a host that listens.
    mouth = anyio.CancelScope(shield=True)
    async with anyio.create_task_group() as speaking:
        try:
            async with anyio.create_task_group() as tasks:
                speaking.start_soon(_send, wire, under, outgoing, tasks.cancel_scope, mouth)
                ears = _IncomingLines(under, incoming, said.clone())
                tasks.start_soon(_receive, wire, under, handover, ears, grace_s)
                tasks.start_soon(server.run, heard, said, server.create_initialization_options())
        finally:
            mouth.deadline = anyio.current_time() + LAST_WORD_S


@dataclass(frozen=True, slots=True)
class _IncomingLines:
    """Where what came in goes: to the library, or back as what is answered to a line that is no message."""

    under: _PendingRequests
    incoming: MemoryObjectSendStream[_Incoming]
    said: MemoryObjectSendStream[_Outgoing]

    async def line(self, line: bytes | OversizedLine) -> None:
        """Take a line."""
        read = parse_line(line)
        if isinstance(read, JsonRpcError):
            await self.said.send(read)  # goes straight out: the library never sees such a line
        elif read is not None:
            await self.message(read)

    async def message(self, message: Message) -> None:
        """Take a message; an answer out of shape, for which nobody waits, is left out."""
        try:
            read = SessionMessage(jsonrpc_message_adapter.validate_python(message, by_name=False))
        except ValidationError:
            return
        self.under.came(read)
        await self.incoming.send(read)


async def _receive(
    wire: StdioStreams, under: _PendingRequests, handover: Handover, ears: _IncomingLines, grace_s: float
) -> None:
    async with ears.incoming, ears.said:
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):  # being stopped, and the host speaks on
            for message in (*handover.opening, handover.message):  # the opening decides how the message is read
                await ears.message(message)
            async with aclosing(_lines_of(wire)) as lines:
                async for line in lines:
                    await ears.line(line)
        with anyio.move_on_after(grace_s):
            await under.all_answered()  # then both streams close, and the library ends


async def _lines_of(wire: StdioStreams) -> AsyncGenerator[bytes | OversizedLine]:
    """Yield the lines of a wire, which a thread waits for: it is a daemon, so nobody waits for a silent host. The
    thread hands over plain calls, never coroutines: of one that comes when the loop is gone nothing is left behind."""
    # Unbounded, as `send_nowait` needs; the semaphore bounds it.
    lines, read = anyio.create_memory_object_stream[bytes | OversizedLine](math.inf)
    token, room = current_token(), threading.Semaphore(_ROOM)

    def listen() -> None:
        try:
            for line in wire.lines():
                room.acquire()  # the thread waits here, before it reads on
                from_thread.run_sync(lines.send_nowait, line, token=token)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, RuntimeError):
            return  # the talk is over
        finally:
            with suppress(RuntimeError):
                from_thread.run_sync(lines.close, token=token)

    threading.Thread(target=listen, name="voice-mcp-stdin", daemon=True).start()
    with read:
        async for line in read:
            room.release()
            yield line


async def _send(
    wire: StdioStreams,
    under: _PendingRequests,
    outgoing: MemoryObjectReceiveStream[_Outgoing],
    talk: anyio.CancelScope,
    mouth: anyio.CancelScope,
) -> None:
    with mouth:
        async with outgoing:
            async for message in outgoing:
                try:
                    if not under.is_sent_before(message):
                        # Abandoned when the talk ends: a host that reads nothing must not keep the process alive.
                        await to_thread.run_sync(wire.write, _line(message), abandon_on_cancel=True)
                except OSError:
                    talk.cancel()  # nobody reads any more
                    return
                under.sent(message)  # after the write, so that the streams stay open until the answer is out


def _line(message: _Outgoing) -> bytes:
    if isinstance(message, JsonRpcError):
        return message.line()
    return message.message.model_dump_json(by_alias=True, exclude_unset=True).encode()  # an unset member is no null


_MOST_WAITING = 1_000  # calls that may wait while the memory opens


@dataclass(slots=True)
class _MemoryRequest:
    """One call that waits for the memory."""

    is_answered: anyio.Event = field(default_factory=anyio.Event)
    found: "Voice | Exception | None" = None

    def answer(self, found: "Voice | Exception") -> None:
        self.found = found
        self.is_answered.set()


class LazyMemory:
    """Keeps one memory for the time of a talk."""

    def __init__(self, opens: Callable[[], "AbstractAsyncContextManager[Voice]"]) -> None:
        self._opens = opens
        # Calls queue here for the one task that opens and closes the memory.
        self._asks, self._asked = anyio.create_memory_object_stream[_MemoryRequest](_MOST_WAITING)
        self._memory: Voice | None = None

    async def __call__(self) -> "Voice":
        """Return the open memory. Raises VoiceError: it cannot be opened; whatever opening raises."""
        if self._memory is None:
            asked = _MemoryRequest()
            await self._asks.send(asked)
            await asked.is_answered.wait()
            if isinstance(asked.found, Exception):
                raise asked.found
            self._memory = asked.found
        assert self._memory is not None  # for the type checker: an exception was raised above
        return self._memory

    async def run(self) -> None:
        """Open the memory for who asks, and close it once `close` was called; to be run as a task of its own."""
        with anyio.CancelScope(shield=True):  # being stopped ends the calls first; this task ends by `close` alone
            async with self._asked:
                async for asked in self._asked:
                    await self._serve(asked)

    async def _serve(self, asked: _MemoryRequest) -> None:
        try:
            async with self._opens() as memory:
                asked.answer(memory)
                async for another in self._asked:  # until `close` ends the queue; then the memory closes
                    another.answer(memory)
        except Exception as error:
            if asked.is_answered.is_set():  # a fault of closing: the call has its memory already
                raise
            asked.answer(error)  # and `run` opens anew for the next call

    def close(self) -> None:
        """Let `run` close the memory and end."""
        self._asks.close()
