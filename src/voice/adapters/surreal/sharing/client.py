"""A guest's connection to its holder.

Law: a statement ends in an answer, in the certainty that it was not carried out, or in `HolderLost`: nobody knows. A
holder that was silent for the whole of the time a guest grants it (`patience`) counts as gone: what it had not begun by
then it never will begin, because every statement carries its deadline.

How long a guest waits for a holder that says nothing. The engine holds the interpreter while a statement runs, so a
holder that is at it cannot say so. Where the system tells whether its process runs or is stopped, one that runs is
waited for several times as long as one that does not: it will answer, and nobody could take over from it anyway. Where
nobody tells, silence is what counts.

Source: DESIGN 8; docs/holder.md; docs/holder.md, "When the holder goes away"; proc(5), /proc/PID/stat.
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
"""What a program whose own event loop was busy is given to read what had come meanwhile."""
TIMES: Final = 6
"""How many times as long a holder is waited for that runs and says nothing."""
_LOOK_AGAIN_S: Final = 1.0
_PROC: Final = Path("/proc")
_STOPPED: Final = frozenset("TtZX")


def is_running(pid: int | None) -> bool:
    """Return whether the process is there and not stopped; False where nobody knows."""
    if pid is None:
        return False
    try:
        told = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    # The name of the program comes before its state, in parentheses, and may hold some itself.
    state = told.rpartition(")")[2].split()
    return bool(state) and state[0] not in _STOPPED


class HolderTimeout:
    """The time that one holder gets before it counts as silent."""

    def __init__(self, wait_s: float, pid: int | None) -> None:
        """Begin to wait now.

        Args:
            wait_s: how long a holder may be silent of which nobody knows whether it runs.
            pid: the holder's process, as the system names it.
        """
        self._wait_s = wait_s
        self._pid = pid
        self._heard = time.monotonic()

    @property
    def deadline(self) -> float:
        """The monotonic instant until which it has time of its own, whatever its process does."""
        return self._heard + self._wait_s

    def hear(self) -> None:
        """Grant the holder its whole time from now on."""
        self._heard = time.monotonic()

    def left_s(self) -> float:
        """Return how long to wait before asking again whether it is over."""
        now = time.monotonic()
        first = self.deadline + GRACE_S - now
        return max(first if first > 0 else min(_LOOK_AGAIN_S, self._end - now), GRACE_S)

    @property
    def is_over(self) -> bool:
        """Whether the holder was silent too long."""
        past = time.monotonic() - GRACE_S
        return past > self._end or (past > self.deadline and not is_running(self._pid))

    @property
    def silent_s(self) -> float:
        """How long the holder has been silent at least, once it is over."""
        return self._wait_s * (TIMES if time.monotonic() > self._end else 1)

    @property
    def _end(self) -> float:
        return self._heard + TIMES * self._wait_s


_TURN: Final = 0
"""Number under which a turn is waited for; statements begin at 1."""


class NoHolder(Exception):
    """Nobody answers in the store's place now."""


class HolderLost(Exception):
    """The holder went away before it answered; nobody knows whether it carried the statement out."""

    def __init__(self, *, silent_s: float = 0.0) -> None:
        super().__init__("the holder went away")
        self.silent_s = silent_s
        """How long it has been silent, where it is still there and does not answer."""

    @property
    def was_silent(self) -> bool:
        """Whether it is still there and does not answer."""
        return self.silent_s > 0


class ReplyTooLong(Exception):
    """The statement was carried out, and its answer is longer than a frame may be."""


class HolderConnection:
    """An open connection to a holder that said who it is."""

    def __init__(
        self, streams: tuple[StreamReader, StreamWriter], holder: ProcessCard, patience: HolderTimeout
    ) -> None:
        self.holder = holder
        self._reader, self._writer = streams
        self._patience = patience
        self._numbers = count(1)
        self._waiting: dict[int, Future[Frame]] = {}
        self._end: HolderLost | None = None
        self.gave_way = False
        """Whether a newer program takes the store over."""
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def to(cls, place: HoldingPlace, mine: ProcessCard, *, wait_s: float) -> "HolderConnection":
        """Connect to whoever holds the store in `place` and exchange cards.

        Raises:
            Nobody: nobody listens there, or ended while we talked.
            Lost: whoever listens does not answer.
            StoreUnavailable: the holder has no room for another guest.
        """
        try:
            end = connect_to(place)
        except OSError:
            raise NoHolder from None
        if not is_same_user(end):
            end.close()
            raise StoreUnavailable(
                f"whoever answers at {place.socket} runs as another user, and is not spoken to; "
                "use the memory as its owner, or choose another data directory"
            )
        patience = HolderTimeout(wait_s, peer_pid(end))
        try:
            streams = await asyncio.open_unix_connection(sock=end)
        except BaseException:
            end.close()  # nobody else has it yet
            raise
        introduced = asyncio.create_task(_introduced(streams, mine))
        try:
            await _wait_for(introduced, patience)
            return cls(streams, _card_in(introduced.result()), patience)
        except (OSError, MalformedFrame, NoCard):
            streams[1].transport.abort()
            raise NoHolder from None
        except BaseException:
            introduced.cancel()
            streams[1].transport.abort()
            raise

    @property
    def is_open(self) -> bool:
        """Whether the holder was there when it was heard last."""
        return self._end is None

    async def ask(self, request: bytes) -> bytes:
        """Have the holder's engine carry a statement out and return its answer.

        Raises:
            EngineFailed, RequestMisread, NotCarriedOut: as the engine says.
            AnswerTooLong: it was carried out, and cannot be told here.
            Lost: nobody knows.
        """
        self._begin_to_wait()
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
            case _:
                raise RequestNotBegun

    async def take_turn(self) -> bool:
        """Wait for our turn to write; return whether nobody else had one since our last.

        Raises:
            NotCarriedOut, Lost: the holder ends, or went away.
        """
        return (await self._answer(Frame(Kind.TURN, _TURN))).number == 1

    def give_turn_back(self) -> None:
        """End our turn, or our waiting for one."""
        if self.is_open:
            self._writer.write(encode_frame(Frame(Kind.DONE)))

    async def guests(self) -> tuple[ProcessCard, ...]:
        """Return who else is a guest.

        Raises:
            NotCarriedOut, Lost: the holder ends, or went away.
        """
        try:
            return decode_cards((await self._answer(Frame(Kind.WHO, next(self._numbers)))).body)
        except NoCard:
            raise HolderLost from None

    async def ask_to_step_down(self) -> None:
        """Ask an older holder to close the store, and wait until it has said goodbye.

        Raises:
            Lost: it did not within the time it has.
        """
        self._writer.write(encode_frame(Frame(Kind.STEP_DOWN)))
        self._patience.hear()
        await _wait_for(self._listening, self._patience)

    async def aclose(self) -> None:
        """End the connection; safe to call twice."""
        self._over(HolderLost())
        self._listening.cancel()
        await asyncio.wait({self._listening})

    async def _answer(self, frame: Frame) -> Frame:
        """Send a frame and return what the holder answers to its number."""
        if self._end is not None:
            raise RequestNotBegun
        answer: Future[Frame] = asyncio.get_running_loop().create_future()
        self._begin_to_wait()
        self._waiting[frame.number] = answer
        try:
            self._writer.write(encode_frame(frame))
            await self._patiently(answer)
            return answer.result()
        finally:
            self._waiting.pop(frame.number, None)

    def _begin_to_wait(self) -> None:
        """Grant the holder its whole time from now on, unless something is waited for already."""
        if not self._waiting:
            self._patience.hear()

    async def _patiently(self, answer: "Future[Frame]") -> None:
        """Wait for an answer as long as the holder is heard.

        Raises:
            Lost: it is silent.
        """
        try:
            await _wait_for(answer, self._patience)
        except HolderLost as lost:
            self._over(lost)
            raise

    async def _listen(self) -> None:
        try:
            while (head := await read_head(self._reader)) is not None:
                frame = await read_body(self._reader, head)
                self._patience.hear()
                if frame.kind is Kind.BYE:
                    self.gave_way = bool(frame.body)
                    self._settle(frame.number)
                    break
                self._deliver(frame)
        except (MalformedFrame, OSError):
            pass  # what is still waited for is lost, as when the holder vanishes
        finally:
            self._over(HolderLost())

    def _deliver(self, frame: Frame) -> None:
        waiting = self._waiting.get(_TURN if frame.kind is Kind.GRANTED else frame.number)
        if waiting is not None and not waiting.done() and frame.kind is not Kind.ALIVE:
            waiting.set_result(frame)

    def _settle(self, carried_out: int) -> None:
        """Tell every statement after the last that the holder carried out that it was not."""
        for number, waiting in self._waiting.items():
            if not waiting.done() and (number > carried_out or number == _TURN):
                waiting.set_exception(RequestNotBegun())

    def _over(self, end: HolderLost) -> None:
        if self._end is not None:
            return
        self._end = end
        self._writer.transport.abort()
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(HolderLost(silent_s=end.silent_s))
                waiting.exception()  # looked at: whoever waited may have been cancelled


async def _wait_for(awaited: "Future[Any]", patience: HolderTimeout) -> None:
    """Wait until it is done, as long as the holder is heard or runs.

    Raises:
        Lost: it is silent.
    """
    while not awaited.done():
        await asyncio.wait({awaited}, timeout=patience.left_s())
        if not awaited.done() and patience.is_over:
            raise HolderLost(silent_s=patience.silent_s)


async def _introduced(streams: tuple[StreamReader, StreamWriter], mine: ProcessCard) -> Frame:
    reader, writer = streams
    writer.write(encode_frame(Frame(Kind.CARD, 0, encode_card(mine))))
    head = await read_head(reader)
    if head is None:
        raise NoHolder
    return await read_body(reader, head)


def _card_in(frame: Frame) -> ProcessCard:
    if frame.kind is Kind.REFUSED:
        raise StoreUnavailable(frame.body.decode("utf-8", "replace"))
    return decode_card(frame.body)
