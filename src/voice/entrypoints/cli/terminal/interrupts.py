"""Ctrl-C and SIGTERM: ending what is under way, also in a memory that stays open while a person talks with it.

Law: SIGTERM ends what is under way as Ctrl-C does: it is withdrawn, what it spent is kept, the store is closed, and one
line says that it was stopped. Ctrl-C is the event loop's own matter; it works where a shell left it switched on. With
a memory held open, the person is waited for in the main thread, and everything that is awaited runs in another one:
there Ctrl-C cancels what is under way and waits until it is withdrawn, at whatever instant it is pressed; while a line
is typed the memory goes on answering other processes; and each command of `voice` can be given from inside.

Source: rulings D25, D26; docs/sessions.md, "When things go wrong".
"""

import signal
import threading
from collections.abc import Awaitable, Callable, Generator
from contextlib import AbstractAsyncContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from voice.core.errors import StoreError
from voice.entrypoints.cli.terminal.printing import note

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Task

    import click
    from anyio import CancelScope
    from anyio.from_thread import BlockingPortal

    from voice.bootstrap import Services

EXIT_INTERRUPTED = 130  # 128 + SIGINT, as shells report it
EXIT_TERMINATED = 143  # 128 + SIGTERM


class Terminated(KeyboardInterrupt):
    """SIGTERM came; the work was cancelled."""


class InterruptedTwice(KeyboardInterrupt):
    """Ctrl-C was pressed again before the cancelled work had ended: the person does not wait for it."""


@contextmanager
def cancelled_by_sigterm() -> Generator[None]:
    """Cancel the current task when SIGTERM comes in the block. Raises Terminated: it came; the block has ended."""
    import asyncio

    task = asyncio.current_task()
    loop = asyncio.get_running_loop()
    was_signalled = False

    def end() -> None:
        nonlocal was_signalled
        was_signalled = True
        if task is not None:  # None outside a task: then there is nothing to cancel
            task.cancel()

    with suppress(NotImplementedError, RuntimeError, ValueError):  # no signals here: another system, another thread
        loop.add_signal_handler(signal.SIGTERM, end)
    try:
        yield
    except asyncio.CancelledError:
        if was_signalled:
            raise Terminated from None
        raise  # cancelled by somebody else
    finally:
        with suppress(NotImplementedError, RuntimeError, ValueError):
            loop.remove_signal_handler(signal.SIGTERM)


@contextmanager
def explaining_resumption(what: str) -> Generator[None]:
    """Say on stderr how to continue `what` (a noun), if the person or the store ends the block early."""
    import asyncio

    try:
        yield
    except (KeyboardInterrupt, asyncio.CancelledError, StoreError):
        note(f"the {what} stopped early; what it stored stays, and the same command continues from there")
        raise


@contextmanager
def interrupted_by_sigterm() -> Generator[None]:
    """Interrupt the main thread in the block when SIGTERM comes, as Ctrl-C does. Raises Terminated: it came."""

    def end(_number: int, _frame: object) -> None:
        raise Terminated

    try:
        before = signal.signal(signal.SIGTERM, end)
    except ValueError:  # no signals here: this is not the main thread
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def reporting_stop_signals(tell: Callable[[type[KeyboardInterrupt]], None]) -> Generator[None]:
    """Tell what Ctrl-C and SIGTERM would raise, in place of raising it, while the block runs; `tell` may not wait."""
    kinds: dict[signal.Signals, type[KeyboardInterrupt]] = {
        signal.SIGINT: KeyboardInterrupt,
        signal.SIGTERM: Terminated,
    }

    def told(number: int, _frame: object) -> None:
        tell(kinds[signal.Signals(number)])

    with ExitStack() as restoring:  # restored in the reverse order
        for number in kinds if threading.current_thread() is threading.main_thread() else ():
            # A shell switched it off (`nohup`), and so it stays.
            if (before := signal.getsignal(number)) not in (signal.SIG_IGN, None):
                restoring.callback(signal.signal, number, before)
                signal.signal(number, told)
        yield


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
        results: list[_T] = []  # a list, because None may be the result
        stops: list[type[KeyboardInterrupt]] = []

        async def inside() -> None:
            with ctx.scope(cleanup=False), running.started():  # the command's own context, in this thread
                results.append(await work(self._services))

        def stop(kind: type[KeyboardInterrupt]) -> None:
            stops.append(kind)
            self._loop.call_soon_threadsafe(running.cut_off if len(stops) > 1 else running.cancel)

        with reporting_stop_signals(stop):
            future = self._portal.start_task_soon(inside)
            wait((future,))  # signal handlers run meanwhile
        if Terminated in stops:  # before the result: SIGTERM ends everything
            raise Terminated
        if len(stops) > 1 and not results:  # done in spite of it counts as done
            raise InterruptedTwice
        future.result()  # raises what the work raised
        if not results:  # cancelled before it had a result
            raise KeyboardInterrupt
        return results[0]


@dataclass(slots=True)
class _RunningWork:
    """Work awaited in the other thread, and how it is ended; used in that thread alone."""

    _scope: "CancelScope | None" = None  # None until the work begins
    _task: "Task[object] | None" = None
    _is_cancelled: bool = False

    @contextmanager
    def started(self) -> Generator[None]:
        """Let what the block awaits be cancelled, at once where that was asked for before it began."""
        import asyncio

        import anyio

        self._task = asyncio.current_task()
        with anyio.CancelScope() as self._scope:
            if self._is_cancelled:  # Ctrl-C was pressed before the work began
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
    """Keep a memory open while the block runs. Raises Terminated: SIGTERM ended it; VoiceError: opening failed."""
    import asyncio

    from anyio.from_thread import start_blocking_portal

    with (
        interrupted_by_sigterm(),
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(opening) as services,
    ):
        yield HeldMemory(portal, portal.call(asyncio.get_running_loop), services)
