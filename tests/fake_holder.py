"""Something that holds a store as a test wants, and a connection that comes to it."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from voice.adapters.disk.private_files import secure_directory
from voice.adapters.surreal.sharing.guest import Limits
from voice.adapters.surreal.sharing.holder import own_card
from voice.adapters.surreal.sharing.lock_file import HoldingPlace, take_lock
from voice.adapters.surreal.sharing.protocol import Frame, Kind, encode_card, encode_frame, read_body, read_head
from voice.adapters.surreal.sharing.shared_connection import SharedConnection
from voice.core.store_holder import ProcessCard

CARD = own_card("voice", "memory")
SMALL = Limits(patience_s=0.2, alive_s=0.05, guests=2, turn_s=0.2, small=10, longest_answer=5_000)
Reply = Callable[[Frame], Awaitable["list[Frame] | None"]]


@asynccontextmanager
async def entered(
    home: Path, *, wait_s: float = 10.0, limits: Limits = SMALL, card: ProcessCard = CARD
) -> AsyncGenerator[SharedConnection]:
    """Enter the place of the store in `home`, as holder or as guest, until the end of the block."""
    connection = SharedConnection(home / "memory", card, wait_s=wait_s, limits=limits)
    try:
        await connection.enter()
        yield connection
    finally:
        await connection.aclose()


async def next_frame(reader: asyncio.StreamReader) -> Frame:
    """Return the next frame, which must come."""
    head = await read_head(reader)
    assert head is not None
    return await read_body(reader, head)


class FakeHolder:
    """Something that listens in a store's place, introduces itself, and then does what the test wants."""

    def __init__(self, home: Path, reply: Reply, card: ProcessCard = CARD) -> None:
        self._place = HoldingPlace(secure_directory(home / "memory"))
        self._reply = reply
        self._card = card
        self.asked: list[Frame] = []
        self.lock = take_lock(self._place)
        assert self.lock is not None
        self.lock.sign(card)
        self._end = self.lock.listen()

    @asynccontextmanager
    async def serving(self) -> AsyncGenerator["FakeHolder"]:
        """Answer until the end of the block."""
        server = await asyncio.start_unix_server(self._serve, sock=self._end)
        try:
            yield self
        finally:
            server.close()
            self.give_back()

    def give_back(self) -> None:
        """Let somebody else hold the store."""
        lock, self.lock = self.lock, None
        if lock is not None:
            lock.give_back()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await next_frame(reader)
        writer.write(encode_frame(Frame(Kind.CARD, 0, encode_card(self._card))))
        while (head := await read_head(reader)) is not None:
            frame = await read_body(reader, head)
            self.asked.append(frame)
            answers = await self._reply(frame)
            if answers is None:
                break
            for each in answers:
                writer.write(encode_frame(each))
        writer.close()
