"""The holder's listener, to which guests connect.

Law: it runs on a thread and an event loop of its own, so that guests are served while this process computes, prompts or
waits. Processes of another user are refused, and guests beyond the limit. When it closes, the guests' statements in the
engine are finished and answered, and each guest is told which was its last. A socket that the system does not let it
serve is removed and made again later, so that no process connects to one without a server.

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
# Connections allowed for each allowed guest, including those that have not sent their card.
_CONNECTIONS_PER_GUEST: Final = 4


class Listener:
    """The server of one engine's guests."""

    def __init__(
        self, engine: Engine, card: ProcessCard, *, step_down: Callable[[], None], limits: Limits = LIMITS
    ) -> None:
        """Make a listener that does not listen yet. `step_down` is called on the listener's thread when a newer program
        wants the store, and must return at once."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._host = HostState(engine=engine, card=card, limits=limits, step_down=step_down)
        self._thread: threading.Thread | None = None
        self._pending: set[Future[bool]] = set()  # turns that this process still waits for
        self._settling = threading.Lock()

    def start(
        self, end: socket.socket, *, renew: Callable[[], socket.socket | None], withdraw: Callable[[], None]
    ) -> None:
        """Serve all connections to the listening socket `end`, from now on. `renew` is called now and then on the
        listener's thread and returns a new socket if the first was removed; `withdraw` removes the name of one that
        could not be served, so that `renew` makes another."""
        self._loop, self._renew, self._withdraw = asyncio.new_event_loop(), renew, withdraw
        self._thread = threading.Thread(target=self._run, args=(self._loop, end), name="voice-holder", daemon=True)
        self._thread.start()

    def stop(self, *, gives_way: bool = False) -> None:
        """Finish the guests' statements in the engine, tell the guests, and end; blocks until done. `gives_way`: a
        newer program takes over the store, so that other programs hold back."""
        self._host.gives_way = gives_way
        thread, self._thread = self._thread, None
        if thread is not None and self._loop is not None:
            self._give_up_turns()  # the caller of `stop` may itself wait for a turn
            self._soon(self._host.closing.set)  # a guest that found the store gone may have ended the loop first
            thread.join()
            self._give_up_turns()

    @property
    def has_guests(self) -> bool:
        """Whether another process uses the store."""
        return self._host.introduced > 0

    def take_turn(self, who: object) -> "Future[bool]":
        """Return this process's next turn among its guests; the future raises `RequestNotBegun` if none comes."""
        granted: Future[bool] = Future()  # of threads, because its waiter runs in another loop

        def grant(was_last: bool) -> None:  # noqa: FBT001 - what `Granted` takes
            if self._is_still_wanted(granted):
                granted.set_result(was_last)

        self._pending.add(granted)  # first, so that `_give_up_turns` finds it
        granted.add_done_callback(self._pending.discard)
        if not self._soon(lambda: self._host.turns.ask(who, grant)):
            self._give_up_turns()
        return granted

    def give_turn_back(self, who: object) -> None:
        """Give this process's turn back, or stop waiting for one."""
        self._soon(lambda: self._host.turns.give_back(who))

    def _soon(self, act: Callable[[], None]) -> bool:
        """Run `act` in the listener's loop; return False if the loop has ended."""
        with suppress(RuntimeError):  # the loop is closed
            if self._loop is not None:
                self._loop.call_soon_threadsafe(act)
                return True
        return False

    def _give_up_turns(self) -> None:
        for granted in list(self._pending):  # a copy: a turn that is settled leaves the set
            if self._is_still_wanted(granted):
                granted.set_exception(RequestNotBegun())

    def _is_still_wanted(self, granted: "Future[bool]") -> bool:
        """Return, once, whether a turn is still awaited: a waiter that timed out goes on without it."""
        with self._settling:
            if granted not in self._pending:
                return False
            self._pending.discard(granted)
            return granted.set_running_or_notify_cancel()  # False if cancelled; from here on it cannot be

    def _run(self, loop: asyncio.AbstractEventLoop, end: socket.socket) -> None:
        try:
            loop.run_until_complete(self._serve(end))
        finally:
            loop.close()

    async def _serve(self, end: socket.socket) -> None:
        servers: dict[socket.socket, asyncio.Server] = {}
        await self._open(servers, end)
        watching = asyncio.create_task(self._watch(servers))
        await self._host.closing.wait()
        watching.cancel()
        # No further connections. The servers close last: asyncio drops the newest ones without an answer.
        for each in servers:
            asyncio.get_running_loop().remove_reader(each)
        for task, guest in list(self._host.guests.items()):
            if not guest.is_busy:
                task.cancel()
        # Connections that are being refused, and the newest, are waited for too.
        while others := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(others)
        for server in servers.values():
            server.close()

    async def _watch(self, servers: dict[socket.socket, asyncio.Server]) -> None:
        """Serve another socket when the name of the first is gone; open connections stay."""
        while True:
            await asyncio.sleep(self._host.limits.alive_s)
            if (end := self._renew()) is not None:
                await self._open(servers, end)

    async def _open(self, servers: dict[socket.socket, asyncio.Server], end: socket.socket) -> None:
        """Serve `end`, or close it if the system does not allow it: the next `renew` makes another."""
        try:
            servers[end] = await asyncio.start_unix_server(self._accept, sock=end)
        except OSError:
            end.close()
            self._withdraw()

    async def _accept(self, reader: StreamReader, writer: StreamWriter) -> None:
        host, task = self._host, asyncio.current_task()
        assert task is not None  # asyncio runs it as a task
        if host.closing.is_set() or not is_same_user(writer.get_extra_info("socket")):
            writer.transport.abort()
            return
        if len(host.guests) >= _CONNECTIONS_PER_GUEST * host.limits.guests:
            writer.transport.abort()
            return
        host.guests[task] = guest = GuestSession(host, reader, writer)
        try:
            await guest.serve()
        finally:
            del host.guests[task]
