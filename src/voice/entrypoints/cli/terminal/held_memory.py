"""A memory that stays open while a person talks with it.

Law: the person is waited for in the main thread, and everything that is awaited runs in another one. Ctrl-C cancels
what is under way and waits until it is withdrawn, at whatever instant it is pressed (ruling D25); while a line is typed
the memory goes on answering other processes; and each command of `voice` can be given from inside a conversation.

Source: rulings D25, D26; docs/sessions.md, "When things go wrong".
"""

from collections.abc import Awaitable, Callable, Generator
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from voice.entrypoints.cli.terminal.interrupts import (
    InterruptedTwice,
    Terminated,
    interrupted_by_sigterm,
    reporting_stop_signals,
)

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Task

    import click
    from anyio import CancelScope
    from anyio.from_thread import BlockingPortal

    from voice.bootstrap import Services

_T = TypeVar("_T")
HELD_MEMORY: Final = "memory"
"""Under this name a command's root context holds the memory that is open."""


@dataclass(frozen=True, slots=True)
class HeldMemory:
    """One open memory, used from the main thread."""

    _portal: "BlockingPortal"
    _loop: "AbstractEventLoop"
    _services: "Services"

    def run(self, work: Callable[["Services"], Awaitable[_T]], ctx: "click.Context") -> _T:
        """Return what `work` returns; run in the other thread, in the context of a command.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed, and the work was cancelled before it was done.
            InterruptedTwice: Ctrl-C was pressed again before the cancelled work had ended; it was cut off.
            Terminated: SIGTERM came; the work was cancelled.
            VoiceError: whatever the work raises.
        """
        from concurrent.futures import wait

        running = _RunningWork()
        results: list[_T] = []
        stops: list[type[KeyboardInterrupt]] = []

        async def inside() -> None:
            with ctx.scope(cleanup=False), running.started():
                results.append(await work(self._services))

        def stop(kind: type[KeyboardInterrupt]) -> None:
            stops.append(kind)
            self._loop.call_soon_threadsafe(running.cut_off if len(stops) > 1 else running.cancel)

        with reporting_stop_signals(stop):
            future = self._portal.start_task_soon(inside)
            wait((future,))
        if Terminated in stops:
            raise Terminated
        if len(stops) > 1 and not results:
            raise InterruptedTwice
        future.result()
        if not results:
            raise KeyboardInterrupt
        return results[0]


@dataclass(slots=True)
class _RunningWork:
    """Work awaited in the other thread, and how it is ended; used in that thread alone."""

    _scope: "CancelScope | None" = None
    _task: "Task[object] | None" = None
    _is_cancelled: bool = False

    @contextmanager
    def started(self) -> Generator[None]:
        """Let what the block awaits be cancelled, at once where that was asked for before it began."""
        import asyncio

        import anyio

        self._task = asyncio.current_task()
        with anyio.CancelScope() as self._scope:
            if self._is_cancelled:
                self._scope.cancel()
            yield

    def cancel(self) -> None:
        """Cancel the work; what may not be left half done is finished."""
        self._is_cancelled = True
        if self._scope is not None:
            self._scope.cancel()

    def cut_off(self) -> None:
        """End the work where it is, whatever it shields."""
        self._is_cancelled = True
        if self._task is not None:
            self._task.cancel()


@contextmanager
def hold_open(opening: "AbstractAsyncContextManager[Services]") -> Generator[HeldMemory]:
    """Keep a memory open while the block runs; SIGTERM ends the block.

    Raises:
        Terminated: SIGTERM came.
        VoiceError: whatever opening raises.
    """
    import asyncio

    from anyio.from_thread import start_blocking_portal

    with (
        interrupted_by_sigterm(),
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(opening) as services,
    ):
        yield HeldMemory(portal, portal.call(asyncio.get_running_loop), services)
