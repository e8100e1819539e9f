"""A stand-in for a SurrealDB server: the embedded engine behind a web socket, with a sign-in, that can be made to fail.

Every socket is a session of the engine, so sign-ins, refusals, namespaces and databases are the engine's own. What it
shows: our client code, its sign-in after every reconnect, its errors. What it does not: TLS, a cluster, a network that
splits, the server's own command line.
"""

import asyncio
import threading
import uuid
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from enum import StrEnum
from typing import cast

import cbor2
from aiohttp import WSMsgType, web
from surrealdb.data.cbor import decode, encode
from surrealdb_embedded import SyncEmbeddedDB

USER, PASSWORD = "root", "s3cret"
BRIEF, VIEWER = "brief", "viewer"
"""Users of the same password: one whose sessions end after a second, and one who may read alone."""
Message = dict[str, object]
_USERS = " ".join(
    f"DEFINE USER OVERWRITE {name} ON ROOT PASSWORD '{PASSWORD}' ROLES {role} DURATION FOR SESSION {lasts};"
    for name, role, lasts in ((USER, "OWNER", "NONE"), (BRIEF, "OWNER", "1s"), (VIEWER, "VIEWER", "NONE"))
)


class Fault(StrEnum):
    """What can go wrong with a statement on its way; each happens once."""

    NOT_CARRIED_OUT = "the socket breaks before the statement happens"
    ANSWER_LOST = "the statement happens and the socket breaks before its answer"
    HALF_A_FRAME = "the statement happens and the socket breaks in the middle of its answer"
    GARBAGE = "the statement happens and its answer cannot be read"
    REFUSED = "the statement is refused as a stranger's"
    EXPIRED = "the statement is refused because the session has expired"


_REFUSALS = {
    Fault.REFUSED: (
        -32002,
        "Anonymous access not allowed: Not enough permissions to perform this action",
        "NotAllowed",
    ),
    Fault.EXPIRED: (-32000, "The session has expired", "SessionExpired"),
}
"""The engine's own words for them."""


class Bridge:
    """One engine and the sockets that talk to it."""

    def __init__(self, store: str = "mem://") -> None:
        self.url = ""
        self.signed_in = 0
        self.asked = 0
        """Requests that arrived, sign-ins and choices of a database among them."""
        self.delay_s = 0.0
        """How much later every answer is sent: the link's round trip."""
        self._store = store
        self._faults: list[tuple[str, Fault]] = []
        self._sockets: set[web.WebSocketResponse] = set()
        self._runner: web.AppRunner | None = None
        self._port = 0
        self._engine = _engine(store)

    def fail(self, fault: Fault, *, at: str = "", times: int = 1) -> None:
        """Let the next statements that hold the text `at` fail, each in turn."""
        self._faults += [(at, fault)] * times

    async def start(self) -> None:
        """Listen, on the port of before if there was one."""
        app = web.Application()
        app.router.add_get("/rpc", self.serve)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port).start()
        self._port = int(self._runner.addresses[0][1])
        self.url = f"ws://127.0.0.1:{self._port}"

    async def stop(self) -> None:
        """Close every socket and listen no longer."""
        assert self._runner is not None
        await self.drop_everybody()
        await self._runner.cleanup()

    async def restart(self) -> None:
        """Be gone and come back, with an engine opened anew."""
        await self.stop()
        self._engine.close()
        self._engine = _engine(self._store)
        await self.start()

    async def drop_everybody(self) -> None:
        """Close every socket."""
        for socket in list(self._sockets):
            await socket.close()

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        """Answer one socket until it closes; a slow answer holds up no other."""
        socket = web.WebSocketResponse(protocols=("cbor",), max_msg_size=0)
        await socket.prepare(request)
        session = uuid.uuid4()
        self._run({"id": "", "method": "attach", "session": session})
        self._sockets.add(socket)
        async with asyncio.TaskGroup() as answering:
            async for message in socket:
                if message.type is WSMsgType.BINARY:
                    answering.create_task(self._answer(request, socket, session, cast("bytes", message.data)))
        self._sockets.discard(socket)
        self._run({"id": "", "method": "detach", "session": session})
        return socket

    def close(self) -> None:
        """Stop the engine."""
        self._engine.close()

    async def _answer(
        self, request: web.Request, socket: web.WebSocketResponse, session: uuid.UUID, data: bytes
    ) -> None:
        self.asked += 1
        asked = cast("Message", cbor2.loads(data))
        fault = self._fault_at(asked)
        answer = b"" if fault is Fault.NOT_CARRIED_OUT else self._carried_out(asked, data, session, fault)
        if self.delay_s:
            await asyncio.sleep(self.delay_s)
        if fault in (Fault.NOT_CARRIED_OUT, Fault.ANSWER_LOST):
            _break(request)
        elif fault is Fault.HALF_A_FRAME:
            _break(request, bytes([0x82, 0x7E, 0xFF, 0xFF]) + answer[: len(answer) // 2])
        elif not socket.closed:
            await socket.send_bytes(b"\xff\x00 no answer" if fault is Fault.GARBAGE else answer)

    def _fault_at(self, asked: Message) -> Fault | None:
        if not self._faults or asked["method"] != "query":
            return None
        at, fault = self._faults[0]
        if at not in str(cast("list[object]", asked["params"])[0]):
            return None
        del self._faults[0]
        return fault

    def _carried_out(self, asked: Message, data: bytes, session: uuid.UUID, fault: Fault | None) -> bytes:
        if fault is not None and fault in _REFUSALS:
            code, said, kind = _REFUSALS[fault]
            error = {"code": code, "kind": "NotAllowed", "message": said, "details": {"kind": kind}}
            return encode({"id": asked["id"], "error": error})
        # One member more: a map of fewer than 23 members begins with a byte that counts them.
        answer = self._engine.execute(bytes([data[0] + 1]) + data[1:] + encode({"session": session})[1:])
        self.signed_in += asked["method"] == "signin" and "error" not in cast("Message", decode(answer))
        return answer

    def _run(self, asked: Message) -> bytes:
        return self._engine.execute(encode(asked))


def _engine(store: str) -> SyncEmbeddedDB:
    engine = SyncEmbeddedDB(store)
    engine.connect()
    engine.execute(encode({"id": "", "method": "query", "params": [_USERS]}))
    return engine


def _break(request: web.Request, last: bytes = b"") -> None:
    """Send what is left to be sent and cut the connection, without a goodbye."""
    transport = request.transport
    if transport is not None:
        transport.write(last)
        transport.close() if last else transport.abort()


@asynccontextmanager
async def bridge(store: str = "mem://") -> AsyncGenerator[Bridge]:
    """Run a bridge on a free port of this machine, over a store in memory or at `surrealkv://…`."""
    running = Bridge(store)
    await running.start()
    try:
        yield running
    finally:
        await running.stop()
        running.close()


@contextmanager
def bridge_apart(store: str = "mem://") -> Generator[Bridge]:
    """Run a bridge in a thread of its own, for those whose event loops come and go."""
    loop = asyncio.new_event_loop()
    # A daemon: the interpreter waits for other threads before it calls what was to be done at its end.
    thread = threading.Thread(target=loop.run_forever, name="bridge", daemon=True)
    thread.start()
    running = Bridge(store)
    asyncio.run_coroutine_threadsafe(running.start(), loop).result()
    try:
        yield running
    finally:
        asyncio.run_coroutine_threadsafe(running.stop(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
        running.close()
