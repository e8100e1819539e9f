"""Being told to stop.

Law: SIGTERM ends what is under way as Ctrl-C does: it is withdrawn, what it spent is kept, the store is closed, and one
line says that it was stopped. Ctrl-C itself is the event loop's own matter, except where it is to withdraw one thing
and not all; it works where a shell left it switched on.

Source: ruling D25; docs/sessions.md, "When things go wrong".
"""

from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from voice.core.errors import StoreError
from voice.entrypoints.cli.printing import note

if TYPE_CHECKING:
    import signal

EXIT_INTERRUPTED = 130
EXIT_TERMINATED = 143


def exit_code_of(number: "signal.Signals") -> int:
    """Return what a command ends with that a signal stopped: 128 and its number, as shells say it."""
    return 128 + number


class Terminated(KeyboardInterrupt):
    """SIGTERM came while something was under way; it was withdrawn."""


@contextmanager
def heeding_sigterm() -> Generator[None]:
    """Cancel the current task when SIGTERM comes while the block runs.

    Raises:
        Terminated: it came; the block has ended.
    """
    import asyncio
    import signal

    task = asyncio.current_task()
    loop = asyncio.get_running_loop()
    told: list[bool] = []

    def end() -> None:
        told.append(True)
        if task is not None:
            task.cancel()

    with suppress(NotImplementedError, RuntimeError, ValueError):  # no signals here: another system, another thread
        loop.add_signal_handler(signal.SIGTERM, end)
    try:
        yield
    except asyncio.CancelledError:
        if told:
            raise Terminated from None
        raise
    finally:
        with suppress(NotImplementedError, RuntimeError, ValueError):
            loop.remove_signal_handler(signal.SIGTERM)


@contextmanager
def telling_how_to_go_on(what: str) -> Generator[None]:
    """Say on stderr how to continue, if the person or the store ends the block early.

    Args:
        what: what is done in the block, as a noun.
    """
    import asyncio

    try:
        yield
    except (KeyboardInterrupt, asyncio.CancelledError, StoreError):
        note(f"the {what} stopped early; what it stored stays, and the same command continues from there")
        raise


@contextmanager
def withdrawn_by_ctrl_c() -> Generator[None]:
    """Cancel what the block awaits when Ctrl-C is pressed, and nothing around it; the block ends without an error.

    Where Ctrl-C is switched off it stays so. What Ctrl-C did before, it does again behind the block, and when it is
    pressed once more: nobody is made to wait for what is slow to end.
    """
    import asyncio
    import signal

    import anyio

    before = signal.getsignal(signal.SIGINT)
    loop = asyncio.get_running_loop()
    scope = anyio.CancelScope()

    def restore() -> None:
        with suppress(NotImplementedError, RuntimeError, ValueError):  # no signals here, as above
            if loop.remove_signal_handler(signal.SIGINT):
                signal.signal(signal.SIGINT, before)

    def withdraw() -> None:
        scope.cancel()
        restore()

    with scope:
        if before not in (signal.SIG_IGN, None):
            with suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(signal.SIGINT, withdraw)
        try:
            yield
        finally:
            restore()
