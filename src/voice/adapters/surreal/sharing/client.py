"""A guest's connection to its holder.

Law: a statement ends in an answer, in the certainty that it was not carried out, or in `HolderLost`: the outcome is
unknown. A holder that is silent for as long as its guest allows (`HolderTimeout`) counts as gone; what it has not
started by then it never starts, because every statement carries its deadline.

The engine holds the interpreter while a statement runs, so a busy holder cannot answer. Where the system tells whether
a process runs or is stopped, a running holder gets several times as long as another: it will answer, and no process
could take over from it anyway. Elsewhere only silence counts.

Source: DESIGN 8; docs/holder.md, "When the holder goes away"; proc(5), /proc/PID/stat.
"""

import asyncio
import time
from asyncio import Future, StreamReader, StreamWriter
from itertools import count
from pathlib import Path
from typing import Any, Final

from voice.adapters.surreal.embedded_engine import EngineFailed, RequestMisread, RequestNotBegun
from voice.adapters.surreal.sharing.lock_file import HoldingPlace, connect_to, is_same_user, peer_pid
from voice.adapters.surreal.sharing.protocol import (
    Frame,
    Kind,
    MalformedFrame,
    NoCard,
    decode_card,
    decode_cards,
    encode_card,
    encode_frame,
    read_body,
    read_head,
    request_frame,
)
from voice.core.errors import StoreUnavailable
from voice.core.store_holder import ProcessCard

GRACE_S: Final = 0.05
"""Extra time to read what arrived while the guest's own event loop was busy."""
RUNNING_FACTOR: Final = 6
"""How many times as long a running holder may be silent."""
_POLL_S: Final = 1.0  # how often it is asked whether a silent holder still runs
_PROC: Final = Path("/proc")
_STOPPED: Final = frozenset("TtZX")  # stopped, traced, zombie, dead


def is_running(pid: int | None) -> bool:
    """Return whether the process exists and is not stopped; False where that is unknown."""
    if pid is None:
        return False
    try:
        stat = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    # The program's name comes before its state, in parentheses, and may itself contain some.
    state = stat.rpartition(")")[2].split()
    return bool(state) and state[0] not in _STOPPED


class HolderTimeout:
    """The time that a holder may be silent."""

    def __init__(self, wait_s: float, pid: int | None) -> None:
        """Start the time now; a holder of which it is unknown whether it runs may be silent for `wait_s`."""
        self._wait_s = wait_s
        self._pid = pid
        self._heard_at = time.monotonic()

    @property
    def deadline(self) -> float:
        """The monotonic time until which it may be silent, whether or not it runs."""
        return self._heard_at + self._wait_s

    def restart(self) -> None:
        """Start the time again, because the holder was heard."""
        self._heard_at = time.monotonic()

    def left_s(self) -> float:
        """Return how long to wait before `is_over` is worth asking again."""
        now = time.monotonic()
        first = self.deadline + GRACE_S - now
        # Never nothing, so that a caller's loop does not spin.
        return max(first if first > 0 else min(_POLL_S, self._end - now), GRACE_S)

    @property
    def is_over(self) -> bool:
        """Whether the holder was silent for too long."""
        past = time.monotonic() - GRACE_S
        return past > self._end or (past > self.deadline and not is_running(self._pid))

    @property
    def silent_s(self) -> float:
        """How long the holder has been silent at least, once `is_over`."""
        return self._wait_s * (RUNNING_FACTOR if time.monotonic() > self._end else 1)

    @property
    def _end(self) -> float:
        return self._heard_at + RUNNING_FACTOR * self._wait_s


_TURN: Final = 0  # number under which a turn is awaited; statements begin at 1


class NoHolder(Exception):
    """No process answers in the store's place now."""


class HolderLost(Exception):
    """The holder went away before it answered; it is unknown whether it carried the statement out."""

    def __init__(self, *, silent_s: float = 0.0) -> None:
        super().__init__("the holder went away")
        self.silent_s = silent_s
        """How long it has been silent, if it is still there."""

    @property
    def was_silent(self) -> bool:
        """Whether the holder is still there and does not answer."""
        return self.silent_s > 0


class ReplyTooLong(Exception):
    """The statement was carried out, and its answer is longer than a frame may be."""


class HolderConnection:
    """An open connection to a holder whose card was read."""

    def __init__(
        self, streams: tuple[StreamReader, StreamWriter], holder: ProcessCard, patience: HolderTimeout
    ) -> None:
        self.holder = holder
        self._reader, self._writer = streams
        self._patience = patience
        self._numbers = count(1)  # 0 is `_TURN`
        self._waiting: dict[int, Future[Frame]] = {}
        self._loss: HolderLost | None = None
        self.gave_way = False
        """Whether a newer program takes the store over."""
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def to(cls, place: HoldingPlace, mine: ProcessCard, *, wait_s: float) -> "HolderConnection":
        """Connect to the holder of the store in `place` and exchange cards. Raises NoHolder: no process listens there,
        or it ended meanwhile; HolderLost: the process that listens does not answer; StoreUnavailable: the holder has no
        room for another guest, or runs as another user."""
        try:
            end = connect_to(place)
        except OSError:
            raise NoHolder from None
        if not is_same_user(end):
            end.close()
            raise StoreUnavailable(
                f"a process of another user answers at {place.socket}, so voice does not use it; "
                "use the memory as its owner, or choose another data directory"
            )
        patience = HolderTimeout(wait_s, peer_pid(end))
        try:
            streams = await asyncio.open_unix_connection(sock=end)
        except BaseException:
            end.close()  # no stream owns it yet
            raise
        introduction = asyncio.create_task(_exchange_cards(streams, mine))
        try:
            await _wait_for(introduction, patience)
            return cls(streams, _decode_welcome(introduction.result()), patience)
        except (OSError, MalformedFrame, NoCard):
            streams[1].transport.abort()
            raise NoHolder from None
        except BaseException:
            introduction.cancel()
            streams[1].transport.abort()
            raise

    @property
    def is_open(self) -> bool:
        """Whether the holder was there when it was last heard."""
        return self._loss is None

    async def ask(self, request: bytes) -> bytes:
        """Have the holder's engine carry out a statement, and return its answer. Raises EngineFailed, RequestMisread,
        RequestNotBegun: see `Engine.submit`; ReplyTooLong: it was carried out, and its answer cannot be sent;
        HolderLost: the outcome is unknown."""
        self._start_waiting()  # first, because the deadline counts from here
        frame = await self._answer(request_frame(next(self._numbers), request, not_after=self._patience.deadline))
        match frame.kind:
            case Kind.ANSWER:
                return frame.body
            case Kind.FAILED:
                raise EngineFailed(frame.body.decode("utf-8", "replace"))
            case Kind.MISREAD:
                raise RequestMisread
            case Kind.TOO_LONG:
                raise ReplyTooLong
            case _:  # NOT_DONE
                raise RequestNotBegun

    async def take_turn(self) -> bool:
        """Wait for our turn to write; return whether no other process had one since our last. Raises RequestNotBegun,
        HolderLost: the holder ends, or went away."""
        return (await self._answer(Frame(Kind.TURN, _TURN))).number == 1

    def give_turn_back(self) -> None:
        """End our turn, or stop waiting for one."""
        if self.is_open:
            self._writer.write(encode_frame(Frame(Kind.DONE)))

    async def guests(self) -> tuple[ProcessCard, ...]:
        """Return the cards of the other guests. Raises RequestNotBegun, HolderLost: the holder ends, or went away."""
        try:
            return decode_cards((await self._answer(Frame(Kind.WHO, next(self._numbers)))).body)
        except NoCard:
            raise HolderLost from None

    async def ask_to_step_down(self) -> None:
        """Ask an older holder to close the store, and wait until it says goodbye. Raises HolderLost: it did not in
        time."""
        self._writer.write(encode_frame(Frame(Kind.STEP_DOWN)))
        self._patience.restart()
        await _wait_for(self._listening, self._patience)  # which ends with its goodbye

    async def aclose(self) -> None:
        """End the connection; safe to call twice."""
        self._end_with(HolderLost())
        self._listening.cancel()
        await asyncio.wait({self._listening})  # unlike `await`, raises nothing

    async def _answer(self, frame: Frame) -> Frame:
        """Send a frame and return the holder's answer with its number."""
        if self._loss is not None:
            raise RequestNotBegun
        answer: Future[Frame] = asyncio.get_running_loop().create_future()
        self._start_waiting()
        self._waiting[frame.number] = answer
        try:
            self._writer.write(encode_frame(frame))
            await _wait_for(answer, self._patience)
            return answer.result()
        except HolderLost as lost:
            self._end_with(lost)
            raise
        finally:
            self._waiting.pop(frame.number, None)

    def _start_waiting(self) -> None:
        """Restart the holder's time, unless an answer is awaited already."""
        if not self._waiting:
            self._patience.restart()

    async def _listen(self) -> None:
        try:
            while (head := await read_head(self._reader)) is not None:
                frame = await read_body(self._reader, head)
                self._patience.restart()
                if frame.kind is Kind.BYE:
                    self.gave_way = bool(frame.body)
                    self._settle(frame.number)
                    break
                self._deliver(frame)
        except (MalformedFrame, OSError):
            pass  # what is still awaited is lost, as when the holder vanishes
        finally:
            self._end_with(HolderLost())

    def _deliver(self, frame: Frame) -> None:
        waiting = self._waiting.get(_TURN if frame.kind is Kind.GRANTED else frame.number)
        # ALIVE has the number 0, as a turn has.
        if waiting is not None and not waiting.done() and frame.kind is not Kind.ALIVE:
            waiting.set_result(frame)

    def _settle(self, carried_out: int) -> None:
        """Tell the callers of all statements after `carried_out` that theirs were not."""
        for number, waiting in self._waiting.items():
            if not waiting.done() and (number > carried_out or number == _TURN):
                waiting.set_exception(RequestNotBegun())

    def _end_with(self, loss: HolderLost) -> None:
        if self._loss is not None:
            return
        self._loss = loss
        self._writer.transport.abort()
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(HolderLost(silent_s=loss.silent_s))
                waiting.exception()  # marked as read: the caller may have been cancelled


async def _wait_for(awaited: "Future[Any]", patience: HolderTimeout) -> None:
    """Wait until it is done, as long as the holder is heard or runs."""
    while not awaited.done():
        await asyncio.wait({awaited}, timeout=patience.left_s())  # unlike `wait_for`, does not cancel it
        if not awaited.done() and patience.is_over:
            raise HolderLost(silent_s=patience.silent_s)


async def _exchange_cards(streams: tuple[StreamReader, StreamWriter], mine: ProcessCard) -> Frame:
    reader, writer = streams
    writer.write(encode_frame(Frame(Kind.CARD, 0, encode_card(mine))))
    head = await read_head(reader)
    if head is None:
        raise NoHolder
    return await read_body(reader, head)


def _decode_welcome(frame: Frame) -> ProcessCard:
    if frame.kind is Kind.REFUSED:
        raise StoreUnavailable(frame.body.decode("utf-8", "replace"))
    return decode_card(frame.body)
