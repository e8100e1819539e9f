"""A guest's connection to its holder.

Law: a statement ends in an answer, in the certainty that it was not carried out, or in `Lost`: nobody knows. A holder
that was silent for the whole of the time a guest grants it (`patience`) counts as gone: what it had not begun by then
it never will begin, because every statement carries its deadline.

Source: DESIGN 8; docs/holder.md.
"""

import asyncio
from asyncio import Future, StreamReader, StreamWriter
from itertools import count
from typing import Any, Final

from voice.adapters.surreal.engine import EngineFailed, NotCarriedOut, RequestMisread
from voice.adapters.surreal.holding.cards import NoCard, decode_card, decode_cards, encode_card
from voice.adapters.surreal.holding.frames import (
    Frame,
    Kind,
    MalformedFrame,
    ask_frame,
    encode_frame,
    read_body,
    read_head,
)
from voice.adapters.surreal.holding.patience import Patience
from voice.adapters.surreal.holding.peer import is_ours, process_of
from voice.adapters.surreal.holding.place import Place, reach
from voice.core.errors import StoreUnavailable
from voice.core.store_holder import ProcessCard

_TURN: Final = 0
"""Number under which a turn is waited for; statements begin at 1."""


class Nobody(Exception):
    """Nobody answers in the store's place now."""


class Lost(Exception):
    """The holder went away before it answered; nobody knows whether it carried the statement out."""

    def __init__(self, *, silent_s: float = 0.0) -> None:
        super().__init__("the holder went away")
        self.silent_s = silent_s
        """How long it has been silent, where it is still there and does not answer."""

    @property
    def was_silent(self) -> bool:
        """Whether it is still there and does not answer."""
        return self.silent_s > 0


class AnswerTooLong(Exception):
    """The statement was carried out, and its answer is longer than a frame may be."""


class Link:
    """An open connection to a holder that said who it is."""

    def __init__(self, streams: tuple[StreamReader, StreamWriter], holder: ProcessCard, patience: Patience) -> None:
        self.holder = holder
        self._reader, self._writer = streams
        self._patience = patience
        self._numbers = count(1)
        self._waiting: dict[int, Future[Frame]] = {}
        self._end: Lost | None = None
        self.gave_way = False
        """Whether a newer program takes the store over."""
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def to(cls, place: Place, mine: ProcessCard, *, wait_s: float) -> "Link":
        """Connect to whoever holds the store in `place` and exchange cards.

        Raises:
            Nobody: nobody listens there, or ended while we talked.
            Lost: whoever listens does not answer.
            StoreUnavailable: the holder has no room for another guest.
        """
        try:
            end = reach(place)
        except OSError:
            raise Nobody from None
        if not is_ours(end):
            end.close()
            raise StoreUnavailable(
                f"whoever answers at {place.socket} runs as another user, and is not spoken to; "
                "use the memory as its owner, or choose another data directory"
            )
        patience = Patience(wait_s, process_of(end))
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
            raise Nobody from None
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
        frame = await self._answer(ask_frame(next(self._numbers), request, not_after=self._patience.deadline))
        match frame.kind:
            case Kind.ANSWER:
                return frame.body
            case Kind.FAILED:
                raise EngineFailed(frame.body.decode("utf-8", "replace"))
            case Kind.MISREAD:
                raise RequestMisread
            case Kind.TOO_LONG:
                raise AnswerTooLong
            case _:
                raise NotCarriedOut

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
            raise Lost from None

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
        self._over(Lost())
        self._listening.cancel()
        await asyncio.wait({self._listening})

    async def _answer(self, frame: Frame) -> Frame:
        """Send a frame and return what the holder answers to its number."""
        if self._end is not None:
            raise NotCarriedOut
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
        except Lost as lost:
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
            self._over(Lost())

    def _deliver(self, frame: Frame) -> None:
        waiting = self._waiting.get(_TURN if frame.kind is Kind.GRANTED else frame.number)
        if waiting is not None and not waiting.done() and frame.kind is not Kind.ALIVE:
            waiting.set_result(frame)

    def _settle(self, carried_out: int) -> None:
        """Tell every statement after the last that the holder carried out that it was not."""
        for number, waiting in self._waiting.items():
            if not waiting.done() and (number > carried_out or number == _TURN):
                waiting.set_exception(NotCarriedOut())

    def _over(self, end: Lost) -> None:
        if self._end is not None:
            return
        self._end = end
        self._writer.transport.abort()
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(Lost(silent_s=end.silent_s))
                waiting.exception()  # looked at: whoever waited may have been cancelled


async def _wait_for(awaited: "Future[Any]", patience: Patience) -> None:
    """Wait until it is done, as long as the holder is heard or runs.

    Raises:
        Lost: it is silent.
    """
    while not awaited.done():
        await asyncio.wait({awaited}, timeout=patience.left_s())
        if not awaited.done() and patience.is_over:
            raise Lost(silent_s=patience.silent_s)


async def _introduced(streams: tuple[StreamReader, StreamWriter], mine: ProcessCard) -> Frame:
    reader, writer = streams
    writer.write(encode_frame(Frame(Kind.CARD, 0, encode_card(mine))))
    head = await read_head(reader)
    if head is None:
        raise Nobody
    return await read_body(reader, head)


def _card_in(frame: Frame) -> ProcessCard:
    if frame.kind is Kind.REFUSED:
        raise StoreUnavailable(frame.body.decode("utf-8", "replace"))
    return decode_card(frame.body)
