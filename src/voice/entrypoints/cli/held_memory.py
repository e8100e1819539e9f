"""A memory that stays open while a person talks with it.

Law: the person is waited for in the main thread, and everything that is awaited runs in another one. So Ctrl-C reaches
whoever waits at once, cancels what is under way and waits until it is withdrawn (ruling D25); while a line is typed the
memory goes on answering other processes; and each command of `voice` can be given from inside a conversation.

Source: rulings D25, D26; docs/sessions.md, "When things go wrong".
"""

from collections.abc import Awaitable, Callable, Generator
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from voice.entrypoints.cli.stopping import PressedAgain, Terminated, terminated_by_sigterm

if TYPE_CHECKING:
    from asyncio import Task
    from concurrent.futures import Future

    import click
    from anyio import CancelScope
    from anyio.from_thread import BlockingPortal

    from voice.bootstrap import Services

_T = TypeVar("_T")
HELD: Final = "memory"
"""Under this name a command's root context holds the memory that is open."""


@dataclass(frozen=True, slots=True)
class HeldMemory:
    """One open memory, used from the main thread."""

    _portal: "BlockingPortal"
    _services: "Services"

    def run(self, work: Callable[["Services"], Awaitable[_T]], ctx: "click.Context") -> _T:
        """Return what `work` returns, once it is done.

        Args:
            work: what to do with the services of the memory.
            ctx: the context of the command that it is done for.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed; the work is withdrawn. Where it was done before that could happen,
                what it returned is returned as ever.
            PressedAgain: Ctrl-C was pressed again before the work was withdrawn; what was slow to end was cut off.
            Terminated: SIGTERM came; the work is withdrawn.
            VoiceError: whatever the work raises.
        """
        under_way = _UnderWay()
        done: list[_T] = []

        async def inside() -> None:
            with ctx.scope(cleanup=False), under_way.begun():
                done.append(await work(self._services))

        ends = self._portal.start_task_soon(inside)
        try:
            ends.result()
        except KeyboardInterrupt as stop:
            self._withdrawn(under_way, ends)
            if isinstance(stop, Terminated) or not done:
                raise
        return done[0]

    def _withdrawn(self, under_way: "_UnderWay", ends: "Future[None]") -> None:
        """Cancel what is under way and wait until it has ended; what went wrong in it is raised."""
        from concurrent.futures import wait

        self._portal.start_task_soon(under_way.withdraw)
        try:
            wait((ends,))
        except KeyboardInterrupt:
            self._portal.start_task_soon(under_way.cut_off)
            wait((ends,))
            raise PressedAgain from None
        ends.result()


@dataclass(slots=True)
class _UnderWay:
    """What is awaited in the other thread, and how it is ended."""

    _scope: "CancelScope | None" = None
    _task: "Task[object] | None" = None

    @contextmanager
    def begun(self) -> Generator[None]:
        """Let what the block awaits be ended."""
        import asyncio

        import anyio

        self._task = asyncio.current_task()
        with anyio.CancelScope() as self._scope:
            yield

    def withdraw(self) -> None:
        """Cancel it; it ends what may not be left half done."""
        if self._scope is not None:
            self._scope.cancel()

    def cut_off(self) -> None:
        """End it where it is, whatever it shields."""
        if self._task is not None:
            self._task.cancel()


@contextmanager
def held_open(opening: "AbstractAsyncContextManager[Services]") -> Generator[HeldMemory]:
    """Keep a memory open while the block runs; SIGTERM ends the block.

    Raises:
        Terminated: SIGTERM came.
        VoiceError: whatever opening raises.
    """
    from anyio.from_thread import start_blocking_portal

    with (
        terminated_by_sigterm(),
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(opening) as services,
    ):
        yield HeldMemory(portal, services)
