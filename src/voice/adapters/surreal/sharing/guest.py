"""The holder's side of one guest's connection, from the first frame to the last.

Law: a guest has one statement in the engine at a time, and its next frame is read when that is answered. Memory is
bounded: the length of a frame, the frames being read, the answers not yet sent. A guest that sends a malformed frame,
or does not receive an answer in time, is disconnected; a statement that has started happens as a whole or not at all.

Source: DESIGN 8; ruling H; docs/holder.md.
"""

import asyncio
from asyncio import Future, StreamReader, StreamWriter
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Hashable
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from typing import Final

from voice.adapters.surreal.embedded_engine import (
    Engine,
    EngineFailed,
    RequestMisread,
    RequestNotBegun,
    StoreFilesMissing,
)
from voice.adapters.surreal.sharing.protocol import (
    MAX_BODY,
    Frame,
    Kind,
    MalformedFrame,
    NoCard,
    decode_card,
    encode_card,
    encode_cards,
    encode_frame,
    parse_request,
    read_body,
    read_head,
)
from voice.core.store_holder import ProcessCard, is_newer

Granted = Callable[[bool], None]
"""Called with whether no other process had a turn since one's own last."""


class WriteQueue:
    """The queue for turns to write; used inside one event loop."""

    def __init__(self, *, longest_s: float) -> None:
        self._longest_s = longest_s
        self._waiting: OrderedDict[Hashable, Granted] = OrderedDict()
        self._owner: Hashable | None = None
        self._last: Hashable | None = None
        self._expiry: asyncio.TimerHandle | None = None

    def ask(self, who: Hashable, granted: Granted) -> None:
        """Call `granted` when it is the turn of `who`, who must have no turn and wait for none."""
        self._waiting[who] = granted
        self._next()

    def give_back(self, who: Hashable) -> None:
        """End the turn of `who`, or their waiting; does nothing if there is neither."""
        self._waiting.pop(who, None)
        if self._owner == who:
            self._end()

    def _end(self) -> None:
        if self._expiry is not None:
            self._expiry.cancel()
        self._owner = self._expiry = None
        self._next()

    def _next(self) -> None:
        if self._owner is not None or not self._waiting:
            return
        who, granted = self._waiting.popitem(last=False)  # first come, first served
        self._owner, was_last, self._last = who, self._last == who, who
        # One that hangs must not stop the others.
        self._expiry = asyncio.get_running_loop().call_later(self._longest_s, self._end)
        granted(was_last)


class MemoryBudget:
    """A shared number of bytes; used inside one event loop."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._used = 0
        self._freed = asyncio.Condition()

    @asynccontextmanager
    async def taken(self, length: int) -> AsyncGenerator[None]:
        """Wait until there is room for `length` bytes, and take it for the block."""
        async with self._freed:
            # Alone, a length beyond the whole budget is let through, because it would wait for ever.
            await self._freed.wait_for(lambda: self._used == 0 or self._used + length <= self._size)
            self._used += length
        try:
            yield
        finally:
            self._used -= length
            async with self._freed:
                self._freed.notify_all()

    async def some(self) -> None:
        """Wait until there is any room."""
        async with self._freed:
            await self._freed.wait_for(lambda: self._used < self._size)


_AT_ONCE: Final = 2  # guests' statements in the engine's queue: one is carried out while the answer before it is sent


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a holder allows its guests."""

    guests: int = 64
    introduction_s: float = 3.0
    """How long a new guest may take to send its card, and any guest the rest of a head that it began."""
    patience_s: float = 30.0
    """How long the rest of a frame, or receiving an answer, may take."""
    alive_s: float = 1.0
    """How often a waiting guest is told that the holder is alive."""
    turn_s: float = 2.0
    """The longest turn to write while others wait."""
    small: int = 1024 * 1024
    """Frames up to this length are always read at once."""
    reading: int = MAX_BODY
    """Bytes of longer frames that may be read at the same time."""
    untaken: int = MAX_BODY
    """Bytes of unsent answers above which no statement of a guest starts."""
    longest_answer: int = MAX_BODY


@dataclass(kw_only=True)
class HostState:
    """The state that all guests share; made inside the listener's event loop."""

    engine: Engine
    card: ProcessCard
    limits: Limits
    step_down: Callable[[], None]
    guests: "dict[asyncio.Task[None], GuestSession]" = field(default_factory=dict)
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    at_once: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_AT_ONCE))
    gives_way: bool = False
    """Whether the holder ends because a newer program takes over."""
    turns: WriteQueue = field(init=False)
    reading: MemoryBudget = field(init=False)
    untaken: MemoryBudget = field(init=False)

    def __post_init__(self) -> None:
        self.turns = WriteQueue(longest_s=self.limits.turn_s)
        self.reading, self.untaken = MemoryBudget(self.limits.reading), MemoryBudget(self.limits.untaken)

    @property
    def introduced(self) -> int:
        """How many guests have sent their cards."""
        return sum(each.card is not None for each in list(self.guests.values()))  # a copy, because other threads ask


class _Disconnect(Exception):
    """This guest must be disconnected."""


class GuestSession:
    """One connection to the holder, as the holder sees it."""

    def __init__(self, host: HostState, reader: StreamReader, writer: StreamWriter) -> None:
        self.card: ProcessCard | None = None
        self.is_busy = False
        """Whether it has a statement in the engine, so that its end is waited for."""
        self._host = host
        self._limits = host.limits
        self._reader = reader
        self._writer = writer
        self._carried_out = 0  # number of the last statement that the engine began
        # Sends the guest its turn; set from asking for a turn to giving it back.
        self._turn_task: asyncio.Task[None] | None = None

    async def serve(self) -> None:
        """Answer every frame until the guest leaves, is disconnected, or the holder ends."""
        try:
            await self._welcome()
            while not self._host.closing.is_set() and await self._answer_next():
                pass
        except (_Disconnect, MalformedFrame, NoCard, OSError):
            pass  # nothing more can be sent to such a guest; the end of the connection tells it
        except asyncio.CancelledError:
            if not self._host.closing.is_set():
                raise
        finally:
            await self._say_goodbye()

    async def _welcome(self) -> None:
        frame = await asyncio.wait_for(self._next_frame(), self._limits.introduction_s)
        if frame is None or frame.kind is not Kind.CARD:
            raise _Disconnect
        card, others = decode_card(frame.body), self._host.introduced
        if others >= self._limits.guests:
            full = f"{self._host.card.named} already has {others} guests; close some and try again"
            await self._send(Frame(Kind.REFUSED, 0, full.encode()))
            raise _Disconnect
        self.card = card
        await self._send(Frame(Kind.CARD, 0, encode_card(self._host.card)))

    async def _answer_next(self) -> bool:
        frame = await self._next_frame()
        if frame is None:
            return False
        self.is_busy = True
        try:
            await self._answer(frame)
        finally:
            self.is_busy = False
        return True

    async def _next_frame(self) -> Frame | None:
        """Return the next frame, or None at the end; a long one waits until there is room for it."""
        # An idle guest may take any time to begin one.
        head = await read_head(self._reader, rest_s=self._limits.introduction_s)
        if head is None:
            return None
        async with nullcontext() if head.length <= self._limits.small else self._host.reading.taken(head.length):
            return await asyncio.wait_for(read_body(self._reader, head), self._limits.patience_s)

    async def _answer(self, frame: Frame) -> None:
        if frame.kind is Kind.ASK:
            await self._carry_out(frame)
        elif frame.kind is Kind.TURN and self._turn_task is None:
            self._take_turn()
        elif frame.kind is Kind.DONE:
            self._end_turn()
        elif frame.kind is Kind.WHO:
            others = [each.card for each in self._host.guests.values() if each.card is not None and each is not self]
            await self._send(Frame(Kind.GUESTS, frame.number, encode_cards(others)))
        elif frame.kind is Kind.STEP_DOWN and self.card is not None and is_newer(self.card, self._host.card):
            self._host.step_down()
        else:
            raise _Disconnect

    async def _carry_out(self, frame: Frame) -> None:
        not_after, request = parse_request(frame)
        async with self._kept_alive():
            async with self._host.at_once:  # free for the next statement while this answer is sent
                await self._host.untaken.some()
                answer = await self._answered(frame.number, request, not_after)
            self._carried_out = frame.number  # before it is sent, so that the goodbye counts it
            async with self._host.untaken.taken(len(answer.body)):
                await self._send(answer)

    async def _answered(self, number: int, request: bytes, not_after: float) -> Frame:
        try:
            submitted = self._host.engine.submit(request, not_after=not_after)
            answer = await asyncio.wrap_future(submitted)
        except EngineFailed as failed:
            return Frame(Kind.FAILED, number, failed.words.encode()[:1000])  # such a frame is short (`MAX_TALK`)
        except RequestMisread:
            return Frame(Kind.MISREAD, number)
        except RequestNotBegun:
            return Frame(Kind.NOT_DONE, number)
        except StoreFilesMissing as gone:
            if gone.was_carried_out:  # its outcome is unknown, so the guest must not be told that it did not start
                self._carried_out = number
            self._host.closing.set()
            raise _Disconnect from None
        if len(answer) > self._limits.longest_answer:
            return Frame(Kind.TOO_LONG, number)
        return Frame(Kind.ANSWER, number, answer)

    @asynccontextmanager
    async def _kept_alive(self) -> AsyncGenerator[None]:
        """Tell the guest during the block, now and then, that the holder is alive."""
        telling = asyncio.create_task(self._send_alive())
        try:
            yield
        finally:
            telling.cancel()

    async def _send_alive(self) -> None:
        while not self._writer.is_closing():
            await asyncio.sleep(self._limits.alive_s)
            self._writer.write(encode_frame(Frame(Kind.ALIVE)))

    def _take_turn(self) -> None:
        """Tell the guest when it may write, and until then that the holder is alive."""
        granted: Future[bool] = asyncio.get_running_loop().create_future()
        self._turn_task = asyncio.create_task(self._announce_turn(granted))
        self._host.turns.ask(self, granted.set_result)

    async def _announce_turn(self, granted: "Future[bool]") -> None:
        async with self._kept_alive():
            was_last = await granted
        self._writer.write(encode_frame(Frame(Kind.GRANTED, int(was_last))))

    def _end_turn(self) -> None:
        self._host.turns.give_back(self)
        if self._turn_task is not None:
            self._turn_task.cancel()
        self._turn_task = None

    async def _send(self, frame: Frame) -> None:
        self._writer.write(encode_frame(frame))
        await asyncio.wait_for(self._writer.drain(), self._limits.patience_s)

    async def _say_goodbye(self) -> None:
        self._end_turn()
        if self._host.closing.is_set():
            with suppress(OSError):  # a TimeoutError is one
                await self._send(Frame(Kind.BYE, self._carried_out, b"newer" if self._host.gives_way else b""))
        with suppress(OSError):
            self._writer.close()
            await asyncio.wait_for(self._writer.wait_closed(), self._limits.patience_s)
        self._writer.transport.abort()
