"""Run foreign code on a thread and event loop of its own, and to completion what must not be left half done.

Law: what is awaited apart runs on a thread and an event loop of its own; it may block, spin or never come back, and who
waits for it stops waiting when the time is over. What it asks of the program (its meter, the language model) is done in
the program's own loop, and only while it is waited for. Of one name no second call is begun while one has not come
back, so that no more threads are left behind than there are names; none of them keeps the program from ending.

A caller that is cancelled meanwhile gets the cancellation once the work is done. The work runs as a task of its own,
because a program may cancel its own task past every shield (Ctrl-C does, and so does a timeout of asyncio).

Source: rulings D8, D25; promise 6; rulings D25, D26.
"""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import Literal, ParamSpec, TypeVar

import anyio
from anyio.from_thread import BlockingPortal

from voice.core.errors import VerifierFailed
from voice.core.usage import Usage
from voice.ports.llm import LlmClient, LlmReply, LlmRequest, ModelProfile
from voice.ports.system import NO_TELEMETRY, Telemetry
from voice.ports.verifier import CallMeter

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallerLoop:
    """The way back into the program's own loop, for as long as somebody there waits."""

    portal: BlockingPortal
    thread: int

    @property
    def is_here(self) -> bool:
        """Whether the caller is in the program's own loop already."""
        return threading.get_ident() == self.thread

    def call(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what `work` returns there. Raises VerifierFailed: nobody waits any longer."""
        if self.is_here:
            return work(*args, **kwargs)
        with self._caller_waiting():
            called = self.portal.start_task_soon(partial(work, *args, **kwargs))
        return called.result()

    def wait(self, work: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what `work` returns there; not to be called from there. Raises VerifierFailed: nobody waits."""

        async def there() -> T:
            return await work(*args, **kwargs)

        with self._caller_waiting():
            called = self.portal.start_task_soon(there)
        return called.result()

    @contextmanager
    def _caller_waiting(self) -> Generator[None]:
        try:
            yield
        except RuntimeError:  # the portal is closed
            raise VerifierFailed("a verifier called after its time was over") from None


_HOME: ContextVar[CallerLoop | None] = ContextVar("_HOME", default=None)  # set in the loops of threads alone


@dataclass(frozen=True, slots=True, kw_only=True)
class IsolatedCalls:
    """Awaits calls of somebody else's code, one of each name at a time."""

    telemetry: Telemetry = NO_TELEMETRY
    """Told that what happens there belongs to who waits here."""
    _running: set[str] = field(default_factory=set[str])

    def is_busy(self, name: str) -> bool:
        """Return whether a call of that name has not come back yet."""
        return name in self._running

    async def run(self, name: str, work: Callable[[CallerLoop], Awaitable[T]], *, broken: T) -> T:
        """Return what `work`, which is given the way back into this loop, returns, or `broken` where it raises, be it
        what ends programs; where the wait is cancelled, the call is left to itself. `name`: of whom is called; not
        busy."""
        done = anyio.Event()
        result = broken  # what a call that raises leaves
        async with BlockingPortal() as portal:
            home, carry = CallerLoop(portal=portal, thread=threading.get_ident()), self.telemetry.carry()

            async def there() -> T:
                _HOME.set(home)
                with carry():
                    return await work(home)

            def call() -> None:
                nonlocal result
                # No exception may end the thread untold, and none is passed on: it may quote the person's text.
                with suppress(BaseException):
                    result = anyio.run(there)
                self._running.discard(name)  # first: who waits may call again at once
                with suppress(RuntimeError):  # nobody waits any longer
                    portal.start_task_soon(done.set)

            self._running.add(name)
            threading.Thread(target=call, name=f"apart: {name}", daemon=True).start()  # a daemon lets the program end
            await done.wait()
        return result


@dataclass(frozen=True, slots=True, kw_only=True)
class CallerLoopMeter:
    """A verifier's meter, kept in the program's own loop: a call that comes too late is on no record."""

    meter: CallMeter
    home: CallerLoop
    begin_paid: Callable[[Decimal | None], Awaitable[None]] | None = None
    """As the meter's `begin`, with the call put on record in the store; None: it is not."""

    def begin(self, worst: Decimal | None) -> None:
        """See `CallMeter.begin`."""
        if self.begin_paid is None or self.home.is_here:  # waiting here would block the loop that is waited for
            self.home.call(self.meter.begin, worst)
        else:
            self.home.wait(self.begin_paid, worst)

    def again(self) -> None:
        """See `CallMeter.again`."""
        self.home.call(self.meter.again)

    def end(self, usage: Usage | None, outcome: Literal["draft", "malformed", "error"]) -> None:
        """See `CallMeter.end`."""
        self.home.call(self.meter.end, usage, outcome)

    def undo(self) -> None:
        """See `CallMeter.undo`."""
        self.home.call(self.meter.undo)

    @property
    def left(self) -> Decimal | None:
        """See `CallMeter.left`."""
        return self.home.call(lambda: self.meter.left)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallerLoopClient:
    """A language model that is called in the program's own loop, and no longer than somebody waits for it."""

    llm: LlmClient

    @property
    def profile(self) -> ModelProfile:
        """The model's facts."""
        return self.llm.profile

    async def complete(self, request: LlmRequest) -> LlmReply:
        """See `LlmClient.complete`."""
        home = _HOME.get()
        if home is None or home.is_here:  # in the program's loop already
            return await self.llm.complete(request)
        return await asyncio.wrap_future(home.portal.start_task_soon(self.llm.complete, request))

    async def aclose(self) -> None:
        """See `LlmClient.aclose`."""
        await self.llm.aclose()


Result = TypeVar("Result")


async def run_to_completion(work: Coroutine[object, object, Result]) -> Result:
    """Return what `work` returns or raises. Raises CancelledError: the caller was; `work` has come to its end."""
    task = asyncio.ensure_future(work)
    cancellation: asyncio.CancelledError | None = None
    with anyio.CancelScope(shield=True):
        while not task.done():
            try:
                await asyncio.wait((task,))  # cancelled, it leaves the task alone
            except asyncio.CancelledError as error:  # a cancellation that passed the shield
                cancellation = error
    if cancellation is None:
        return task.result()
    if not task.cancelled():
        task.exception()  # read it, or asyncio logs that it was never retrieved
    raise cancellation
