"""A stand-in for a SurrealDB server: the embedded engine behind a web socket, with a sign-in, that can be made to fail.

What it shows: our client code, its sign-in after every reconnect, its errors. What it does not: TLS, a cluster, a
network that splits, the server's own command line.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import cast

from aiohttp import WSMsgType, web
from surrealdb.data.cbor import decode, encode
from surrealdb_embedded import SyncEmbeddedDB

USER, PASSWORD = "root", "s3cret"
Message = dict[str, object]


class Bridge:
    """One engine and the sockets that talk to it."""

    def __init__(self) -> None:
        self.url = ""
        self.signed_in = 0
        self.drop_next = False
        self.refusals = 0
        self._engine = SyncEmbeddedDB("mem://")
        self._engine.connect()
        self._sockets: set[web.WebSocketResponse] = set()

    async def drop_everybody(self) -> None:
        """Close every socket, as a server does that is restarted."""
        for socket in list(self._sockets):
            await socket.close()

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        """Answer one socket until it closes."""
        socket = web.WebSocketResponse(protocols=("cbor",), max_msg_size=0)
        await socket.prepare(request)
        self._sockets.add(socket)
        known = False
        async for message in socket:
            if message.type is not WSMsgType.BINARY:
                continue
            asked = cast("Message", decode(cast("bytes", message.data)))
            if asked["method"] == "signin":
                known = self._knows(asked)
                self.signed_in += known
                await socket.send_bytes(self._answer(asked, "token") if known else self._refusal(asked))
            elif (not known and asked["method"] != "ping") or self.refusals:
                self.refusals -= known
                await socket.send_bytes(self._refusal(asked))
            else:
                answer = self._engine.execute(cast("bytes", message.data))
                if self.drop_next:
                    self.drop_next = False
                    await socket.close()
                    break
                await socket.send_bytes(answer)
        self._sockets.discard(socket)
        return socket

    def close(self) -> None:
        """Stop the engine."""
        self._engine.close()

    def _knows(self, asked: Message) -> bool:
        (who,) = cast("list[Message]", asked["params"])
        return (who.get("user"), who.get("pass")) == (USER, PASSWORD)

    def _answer(self, asked: Message, result: object) -> bytes:
        return encode({"id": asked["id"], "result": result})

    def _refusal(self, asked: Message) -> bytes:
        details = {"kind": "Auth", "details": {"kind": "InvalidAuth"}}
        said = {"code": -32000, "kind": "NotAllowed", "message": "There was a problem with authentication"}
        return encode({"id": asked["id"], "error": {**said, "details": details}})


@asynccontextmanager
async def bridge() -> AsyncGenerator[Bridge]:
    """Run a bridge on a free port of this machine."""
    running = Bridge()
    app = web.Application()
    app.router.add_get("/rpc", running.serve)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    running.url = f"ws://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield running
    finally:
        await running.drop_everybody()
        await runner.cleanup()
        running.close()
