"""The holder's door: where guests come in.

Law: it lives on a thread and an event loop of its own, so that guests are served while this process computes, prompts
or waits. Whoever runs as another user is not let in, and no more guests than there is room for. When it closes, what
guests have in the engine is finished and answered, and each is told which statement was its last. A door that the
system does not let it open is taken away and opened again later: nobody knocks at one behind which nobody is.

Source: DESIGN 8; ruling H; docs/holder.md.
"""

import asyncio
import socket
import threading
from asyncio import StreamReader, StreamWriter
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Final

from voice.adapters.surreal.embedded_engine import Engine, RequestNotBegun
from voice.adapters.surreal.sharing.guest import GuestSession, HostState, Limits
from voice.adapters.surreal.sharing.lock_file import is_same_user
from voice.core.store_holder import ProcessCard

LIMITS: Final = Limits()
_AT_THE_DOOR: Final = 4
"""How many times as many as may be guests may be there, those who have not introduced themselves included."""


def _never() -> None:
    """Have a socket that nobody takes away."""


def _nothing() -> None:
    """Have a socket whose name is somebody else's matter."""


class Listener:
    """What answers the guests of one engine."""

    def __init__(
        self, engine: Engine, card: ProcessCard, *, step_down: Callable[[], None], limits: Limits = LIMITS
    ) -> None:
        """Make a listener that does not listen yet.

        Args:
            engine: that carries statements out.
            step_down: called on the listener's thread when a newer program wants the store; must return at once.
            limits: what guests are granted.
        """
        self._loop: asyncio.AbstractEventLoop | None = None
        self._house = HostState(engine=engine, card=card, limits=limits, step_down=step_down)
        self._thread: threading.Thread | None = None
        self._renew: Callable[[], socket.socket | None] = _never
        self._withdraw: Callable[[], None] = _nothing
        self._pending: set[Future[bool]] = set()
        """Turns of this process that are still to come."""
        self._settling = threading.Lock()

    def start(
        self,
        end: socket.socket,
        *,
        renew: Callable[[], socket.socket | None] = _never,
        withdraw: Callable[[], None] = _nothing,
    ) -> None:
        """Answer whoever connects to the listening socket `end`, from now on.

        Args:
            renew: returns another one where somebody took the first away; called now and then on the listener's thread.
            withdraw: takes the name of a socket away that could not be served, so that `renew` makes another.
        """
        self._loop, self._renew, self._withdraw = asyncio.new_event_loop(), renew, withdraw
        self._thread = threading.Thread(target=self._run, args=(self._loop, end), name="voice-holder", daemon=True)
        self._thread.start()

    def stop(self, *, gives_way: bool = False) -> None:
        """Finish what guests have in the engine, tell them that it was the last, and end; blocks until it is done.

        Args:
            gives_way: whether a newer program takes the store over, so that the others hold back.
        """
        self._house.gives_way = gives_way
        thread, self._thread = self._thread, None
        if thread is not None and self._loop is not None:
            self._give_up_turns()  # who closes the store may be waiting for nobody but us
            self._soon(self._house.closing.set)  # a guest that found the store gone may have ended it first
            thread.join()
            self._give_up_turns()

    @property
    def has_guests(self) -> bool:
        """Whether anybody else uses the store."""
        return self._house.introduced > 0

    def take_turn(self, who: object) -> "Future[bool]":
        """Return the turn to come of this process among its guests; it raises `RequestNotBegun` where none comes."""
        granted: Future[bool] = Future()

        def grant(was_last: bool) -> None:  # noqa: FBT001 - what `Granted` takes
            if self._is_still_wanted(granted):
                granted.set_result(was_last)

        self._pending.add(granted)
        granted.add_done_callback(self._pending.discard)
        if not self._soon(lambda: self._house.turns.ask(who, grant)):
            self._give_up_turns()
        return granted

    def give_turn_back(self, who: object) -> None:
        """Give this process's turn back, or its waiting for one up."""
        self._soon(lambda: self._house.turns.give_back(who))

    def _soon(self, act: Callable[[], None]) -> bool:
        """Have the listener's loop do something; return False where it ended, and its turns with it."""
        with suppress(RuntimeError):
            if self._loop is not None:
                self._loop.call_soon_threadsafe(act)
                return True
        return False

    def _give_up_turns(self) -> None:
        """Tell whoever of this process waits for a turn that none comes."""
        for granted in list(self._pending):
            if self._is_still_wanted(granted):
                granted.set_exception(RequestNotBegun())

    def _is_still_wanted(self, granted: "Future[bool]") -> bool:
        """Return whether a turn is still waited for, once: who waited too long does without, and gives it back."""
        with self._settling:
            if granted not in self._pending:
                return False
            self._pending.discard(granted)
            return granted.set_running_or_notify_cancel()

    def _run(self, loop: asyncio.AbstractEventLoop, end: socket.socket) -> None:
        try:
            loop.run_until_complete(self._serve(end))
        finally:
            loop.close()

    async def _serve(self, end: socket.socket) -> None:
        doors: dict[socket.socket, asyncio.Server] = {}
        await self._open(doors, end)
        watching = asyncio.create_task(self._watch(doors))
        await self._house.closing.wait()
        watching.cancel()
        # Nobody else is let in. The servers close last: asyncio drops who came just before without an answer.
        for each in doors:
            asyncio.get_running_loop().remove_reader(each)
        for task, guest in list(self._house.guests.items()):
            if not guest.is_busy:
                task.cancel()
        # Those who are being refused, and those who came at the last moment, are waited for, too.
        while others := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(others)
        for server in doors.values():
            server.close()

    async def _watch(self, doors: dict[socket.socket, asyncio.Server]) -> None:
        """Open another door where the name of the one there was is gone: who is inside stays, who comes finds it."""
        while True:
            await asyncio.sleep(self._house.limits.alive_s)
            if (end := self._renew()) is not None:
                await self._open(doors, end)

    async def _open(self, doors: dict[socket.socket, asyncio.Server], end: socket.socket) -> None:
        """Answer at `end`, or close it where the system does not let us: the next look makes another."""
        try:
            doors[end] = await asyncio.start_unix_server(self._meet, sock=end)
        except OSError:
            end.close()
            self._withdraw()

    async def _meet(self, reader: StreamReader, writer: StreamWriter) -> None:
        house, task = self._house, asyncio.current_task()
        assert task is not None
        if house.closing.is_set() or not is_same_user(writer.get_extra_info("socket")):
            writer.transport.abort()
            return
        if len(house.guests) >= _AT_THE_DOOR * house.limits.guests:
            writer.transport.abort()
            return
        house.guests[task] = guest = GuestSession(house, reader, writer)
        try:
            await guest.serve()
        finally:
            del house.guests[task]
