"""Ctrl-C and SIGTERM: ending what is under way.

Law: SIGTERM ends what is under way as Ctrl-C does: it is withdrawn, what it spent is kept, the store is closed, and one
line says that it was stopped. Ctrl-C itself is the event loop's own matter, or that of the main thread where the loop
runs in another one (`held_memory`); it works where a shell left it switched on.

Source: ruling D25; docs/sessions.md, "When things go wrong".
"""

from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager, suppress

from voice.core.errors import StoreError
from voice.entrypoints.cli.terminal.printing import note

EXIT_INTERRUPTED = 130
EXIT_TERMINATED = 143


class Terminated(KeyboardInterrupt):
    """SIGTERM came; the work was cancelled."""


class InterruptedTwice(KeyboardInterrupt):
    """Ctrl-C was pressed again before the cancelled work had ended: the person does not wait for it."""


@contextmanager
def cancelled_by_sigterm() -> Generator[None]:
    """Cancel the current task when SIGTERM comes while the block runs.

    Raises:
        Terminated: it came; the block has ended.
    """
    import asyncio
    import signal

    task = asyncio.current_task()
    loop = asyncio.get_running_loop()
    was_signalled = False

    def end() -> None:
        nonlocal was_signalled
        was_signalled = True
        if task is not None:
            task.cancel()

    with suppress(NotImplementedError, RuntimeError, ValueError):  # no signals here: another system, another thread
        loop.add_signal_handler(signal.SIGTERM, end)
    try:
        yield
    except asyncio.CancelledError:
        if was_signalled:
            raise Terminated from None
        raise
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
    """Interrupt the main thread when SIGTERM comes while the block runs, as Ctrl-C does.

    Raises:
        Terminated: it came.
    """
    import signal

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
    """Tell what Ctrl-C and SIGTERM would raise, in place of raising it, while the block runs.

    Args:
        tell: called between two instructions of the main thread, so it waits for nothing.
    """
    import signal
    import threading

    kinds: dict[signal.Signals, type[KeyboardInterrupt]] = {
        signal.SIGINT: KeyboardInterrupt,
        signal.SIGTERM: Terminated,
    }

    def told(number: int, _frame: object) -> None:
        tell(kinds[signal.Signals(number)])

    with ExitStack() as restoring:
        for number in kinds if threading.current_thread() is threading.main_thread() else ():
            if (before := signal.getsignal(number)) not in (signal.SIG_IGN, None):
                restoring.callback(signal.signal, number, before)
                signal.signal(number, told)
        yield
