"""A turn as a stream of events.

Law: the turn runs beside who listens and is never held up by it: a listener that is slow, or has gone, changes nothing
of what is asked, judged and kept. Who stops listening before the end withdraws the question, as who cancels it does
(ruling D25); the stream has ended when that is done.

Source: docs/streaming.md; rulings D25, D26.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable

import anyio

from voice.core.session.turn_events import Event, EventListener


async def stream_turn(ask: Callable[[EventListener], Awaitable[object]]) -> AsyncGenerator[Event]:
    """Yield what `ask` tells, in order, up to the end of the turn; raise at the end what it raises.

    Closing the stream early cancels the turn and waits until it is withdrawn. Use `contextlib.aclosing` around a loop
    that may be left before its end: a stream that is merely dropped is closed when the interpreter finds it.

    Args:
        ask: runs the turn; it is given whom to tell.
    """
    heard: asyncio.Queue[Event | None] = asyncio.Queue()

    async def turn() -> None:
        try:
            await ask(heard.put_nowait)
        finally:
            heard.put_nowait(None)

    asking = asyncio.create_task(turn())
    try:
        while (event := await heard.get()) is not None:
            yield event
        await asking
    finally:
        if not asking.done():
            asking.cancel()
        with anyio.CancelScope(shield=True):
            await asyncio.wait((asking,))
        if not asking.cancelled():
            asking.exception()  # asked for, so that nobody is told it was never looked at
