"""The holder's door: where guests come in.

Law: it lives on a thread and an event loop of its own, so that guests are served while this process computes, prompts
or waits. Whoever runs as another user is not let in, and no more guests than there is room for. When it closes, what
guests have in the engine is finished and answered, and each is told which statement was its last.

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

from voice.adapters.surreal.engine import Engine
from voice.adapters.surreal.holding.guest import Guest, House, Limits
from voice.adapters.surreal.holding.peer import is_ours
from voice.core.holding import Card

LIMITS: Final = Limits()


class Listener:
    """What answers the guests of one engine."""

    def __init__(self, engine: Engine, card: Card, *, step_down: Callable[[], None], limits: Limits = LIMITS) -> None:
        """Make a listener that does not listen yet.

        Args:
            engine: that carries statements out.
            card: of this process.
            step_down: called on the listener's thread when a newer program wants the store; must return at once.
            limits: what guests are granted.
        """
        self._loop: asyncio.AbstractEventLoop | None = None
        self._house = House(engine=engine, card=card, limits=limits, step_down=step_down)
        self._thread: threading.Thread | None = None

    def start(self, end: socket.socket) -> None:
        """Answer whoever connects to the listening socket `end`, from now on."""
        self._loop = asyncio.new_event_loop()
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
            self._loop.call_soon_threadsafe(self._house.closing.set)
            thread.join()

    @property
    def has_guests(self) -> bool:
        """Whether anybody else uses the store."""
        return bool(self._house.guests)

    def take_turn(self, who: object) -> "Future[bool]":
        """Return the turn to come of this process among its guests; it never comes where the listener ends first."""
        granted: Future[bool] = Future()

        def grant(was_last: bool) -> None:  # noqa: FBT001 - what `Granted` takes
            if granted.set_running_or_notify_cancel():  # who waited too long does without, and gives it back
                granted.set_result(was_last)

        self._soon(lambda: self._house.turns.ask(who, grant))
        return granted

    def give_turn_back(self, who: object) -> None:
        """Give this process's turn back, or its waiting for one up."""
        self._soon(lambda: self._house.turns.give_back(who))

    def _soon(self, act: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # the listener ended, and its turns with it
            if self._loop is not None:
                self._loop.call_soon_threadsafe(act)

    def _run(self, loop: asyncio.AbstractEventLoop, end: socket.socket) -> None:
        try:
            loop.run_until_complete(self._serve(end))
        finally:
            loop.close()

    async def _serve(self, end: socket.socket) -> None:
        server = await asyncio.start_unix_server(self._meet, sock=end)
        await self._house.closing.wait()
        # Nobody else is let in. The server itself closes last: asyncio drops who came just before it without an answer.
        asyncio.get_running_loop().remove_reader(end)
        for task, guest in list(self._house.guests.items()):
            if not guest.is_busy:
                task.cancel()
        # Those who are being refused, and those who came at the last moment, are waited for, too.
        while others := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(others)
        server.close()

    async def _meet(self, reader: StreamReader, writer: StreamWriter) -> None:
        house, task = self._house, asyncio.current_task()
        assert task is not None
        if house.closing.is_set() or not is_ours(writer.get_extra_info("socket")):
            writer.transport.abort()
            return
        guest = Guest(house, reader, writer)
        if len(house.guests) >= house.limits.guests:
            await guest.refuse(f"{house.card.named} has {len(house.guests)} guests already; close some and try again")
            return
        house.guests[task] = guest
        try:
            await guest.serve()
        finally:
            del house.guests[task]
